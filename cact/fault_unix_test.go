//go:build unix

package cact

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"
)

// TestPipeIsRefused opens a named pipe that nobody writes to: an error at once,
// by its path and by a descriptor, and not a wait.
func TestPipeIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := Open(path)
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, ErrNotArchive) {
			t.Errorf("error %v, want %v", err, ErrNotArchive)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("Open waits for a writer")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := OpenFD(r.Fd(), 0, 1); !errors.Is(err, ErrNotArchive) {
		t.Errorf("a pipe's descriptor: error %v", err)
	}
	folder, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if _, err := OpenFD(folder.Fd(), 0, 1); !errors.Is(err, ErrNotArchive) {
		t.Errorf("a folder's descriptor: error %v", err)
	}
	if _, err := Open("/dev/zero"); !errors.Is(err, ErrNotArchive) {
		t.Errorf("a device: error %v", err)
	}
}

// TestTruncatedUnderneath is the documented way to survive a file that shrinks
// while it is mapped.
func TestTruncatedUnderneath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.cact")
	if err := os.WriteFile(path, readCase(t, "tiny", "model.cact"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		cause := recover()
		if e, ok := cause.(runtime.Error); !ok {
			t.Errorf("recovered %v, want a runtime error", cause)
		} else if _, ok := e.(interface{ Addr() uintptr }); !ok {
			t.Errorf("recovered %v, want a fault with its address", e)
		}
	}()
	a.Hash()
	t.Error("the bytes of an emptied file can be read")
}

// TestFailedOpenLeavesNoMapping opens a malformed file often enough for leaked
// mappings to meet the system's limit of 65,530.
func TestFailedOpenLeavesNoMapping(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cut")
	if err := os.WriteFile(path, readCase(t, "tiny", "slice-2.cact")[:100_000], 0o600); err != nil {
		t.Fatal(err)
	}
	for range 70_000 {
		if _, err := Open(path); !errors.Is(err, ErrNotArchive) {
			t.Fatal(err)
		}
	}
}
