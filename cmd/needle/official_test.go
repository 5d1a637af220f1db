//go:build cgo && linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/demo"
)

// TestMain lets the test binary be the child that loads the other library, as
// the command is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "official-host" || os.Args[1] == "bench-worker") {
		main()
	}
	os.Exit(m.Run())
}

// buildLibraries builds our own library and the shim that spoils it.
func buildLibraries(t *testing.T) (ours, shim string) {
	t.Helper()
	folder := t.TempDir()
	if out, err := exec.Command("../../scripts/build-library", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	shim = filepath.Join(folder, "shim.so")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", shim, "testdata/shim.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(folder, "libneedle.so"), shim
}

func TestVerifyOfficial(t *testing.T) {
	ours, shim := buildLibraries(t)
	model := writeFile(t, "demo.cact", demo.Archive)
	requests := writeFile(t, "requests.jsonl", []byte(`{"id":"lights","query":"turn on the kitchen lights"}
{"query":"set a timer for 10 minutes","tools":[{"name":"setTimer","description":"Start a timer","parameters":{"type":"object","properties":{"minutes":{"type":"int"}}}}],"system":"date: 2026-09-18 Fri 09:41"}

{"query":"what is the capital of France"}
{"query":"dim it","tools":{"no":"array"}}
{"query":"an emoji 🙏 and a \"quotation\""}
`))
	a, err := cact.OpenBytes(demo.Archive)
	if err != nil {
		t.Fatal(err)
	}
	runCommand := run
	run := func(library string, extra ...string) outcome {
		return needle(t, "", append([]string{"verify", "--official", library, "--model", model, "--requests", requests, "--max", "100"}, extra...)...)
	}
	if o := run(ours); o.code != exitDone || !strings.Contains(o.out, "5 requests, 0 differ") {
		t.Fatalf("our own library: exit %d\n%s%s", o.code, o.out, o.errOut)
	}
	t.Setenv("SHIM_TARGET", ours)
	if o := run(shim, "--limit", "3"); o.code != exitDone || !strings.Contains(o.out, "3 requests, 0 differ") {
		t.Fatalf("the shim that changes nothing: exit %d\n%s%s", o.code, o.out, o.errOut)
	}
	embedding, blob := a.Lookup("embedding"), a.Lookup("tokenizer")
	for name, c := range map[string]struct{ variable, value string }{
		"one altered argument": {"SHIM_REPLACE", "kitchen=bedroom"},
		// The sign of the group norm of <|im_end|>'s embedding.
		"one flipped weight bit":       {"SHIM_XOR", fmt.Sprintf("%d:128", int(embedding.Offset)+len(embedding.CQ().Codes)+2*2*5+1)},
		"two swapped tokenizer pieces": {"SHIM_XOR", swappedPieces(t, blob)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(c.variable, c.value)
			if o := run(shim); o.code != exitMiss || !strings.Contains(o.out, "differs") {
				t.Errorf("exit %d\n%s%s", o.code, o.out, o.errOut)
			}
		})
	}
	t.Run("a library that prints", func(t *testing.T) {
		t.Setenv("SHIM_PRINT", `{"envelope":"{}"}`)
		if o := run(shim); o.code != exitDone {
			t.Errorf("exit %d\n%s%s", o.code, o.out, o.errOut)
		}
	})
	t.Run("a library that dies", func(t *testing.T) {
		t.Setenv("SHIM_DIE", "1")
		o := run(shim, "--limit", "2")
		if o.code != exitMiss || !strings.Contains(o.out, "lights: no answer") || !strings.Contains(o.out, "the shim dies") || !strings.Contains(o.out, "2 requests, 2 differ") {
			t.Errorf("exit %d\n%s%s", o.code, o.out, o.errOut)
		}
	})
	t.Run("a library that hangs", func(t *testing.T) {
		t.Setenv("SHIM_HANG", "1")
		o := run(shim, "--limit", "1", "--timeout", "2s")
		if o.code != exitMiss || !strings.Contains(o.out, "no answer within 2s") {
			t.Errorf("exit %d\n%s%s", o.code, o.out, o.errOut)
		}
	})
	t.Run("ignored keys and JSON", func(t *testing.T) {
		t.Setenv("SHIM_REPLACE", "kitchen=bedroom")
		if o := run(shim, "--ignore", "function_calls,confidence"); o.code != exitDone {
			t.Errorf("exit %d\n%s%s", o.code, o.out, o.errOut)
		}
		o := run(shim, "--json")
		var report officialReport
		if err := json.Unmarshal([]byte(o.out), &report); err != nil || o.code != exitMiss {
			t.Fatalf("exit %d, %v\n%s%s", o.code, err, o.out, o.errOut)
		}
		if report.Requests != 5 || report.Differ != 1 || report.Keys["function_calls"] != 1 || report.Answers[0].Request != "lights" {
			t.Errorf("report %+v", report)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		t.Setenv("SHIM_HANG", "1")
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		var out, errOut bytes.Buffer
		args := []string{"verify", "--official", shim, "--model", model, "--requests", requests}
		if code := runCommand(console{ctx, strings.NewReader(""), &out, &errOut}, args); code != exitBad || !strings.Contains(errOut.String(), "deadline") {
			t.Errorf("exit %d\n%s%s", code, out.String(), errOut.String())
		}
	})
	for name, data := range map[string][]byte{"empty": nil, "truncated": demo.Archive[:1000], "text": []byte("no archive")} {
		bad := writeFile(t, "bad.cact", data)
		if o := needle(t, "", "verify", "--official", ours, "--model", bad, "--requests", requests); o.code != exitBad || o.out != "" {
			t.Errorf("an archive that is %s: exit %d\n%s%s", name, o.code, o.out, o.errOut)
		}
	}
	for _, library := range []string{model, "/", filepath.Join(t.TempDir(), "missing.so")} {
		if o := run(library); o.code != exitBad {
			t.Errorf("%s as the library: exit %d\n%s", library, o.code, o.errOut)
		}
	}
	for _, text := range []string{"", "{", `{"tools":[]}`} {
		bad := writeFile(t, "bad.jsonl", []byte(text))
		if o := needle(t, "", "verify", "--official", ours, "--model", model, "--requests", bad); o.code != exitBad {
			t.Errorf("requests %q: exit %d", text, o.code)
		}
	}
}

// swappedPieces is the edit that exchanges two letters among the pieces.
func swappedPieces(t *testing.T, r *cact.Record) string {
	t.Helper()
	before := r.Bytes()
	after := append([]byte(nil), before...)
	swapPieces(t, after)
	var edits []string
	for i := range before {
		if before[i] != after[i] {
			edits = append(edits, fmt.Sprintf("%d:%d", int(r.Offset)+i, before[i]^after[i]))
		}
	}
	return strings.Join(edits, ",")
}
