package model

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/libneedle/libneedle/cact"
)

// storedCase is what the tests of this package need of an oracle case.
type storedCase struct {
	archive *cact.Archive
	data    []byte
	prompt  []int32 // the first one
	folder  string
	slices  map[int]string // by depth
}

func openStored(t *testing.T, name string) *storedCase {
	t.Helper()
	c := &storedCase{folder: filepath.Join("../../testdata/oracle", name), slices: map[int]string{}}
	var golden struct {
		Prompts []struct{ IDs []int32 }
		Depths  []struct {
			Depth   int
			Archive string
		}
	}
	text, err := os.ReadFile(filepath.Join(c.folder, "golden.json"))
	if err == nil {
		err = json.Unmarshal(text, &golden)
	}
	if err == nil {
		c.data, err = os.ReadFile(filepath.Join(c.folder, "model.cact"))
	}
	if err != nil {
		t.Fatal(err)
	}
	c.archive = openBytes(t, c.data)
	c.prompt = golden.Prompts[0].IDs
	for _, d := range golden.Depths {
		if d.Archive != "" {
			c.slices[d.Depth] = filepath.Join(c.folder, d.Archive)
		}
	}
	return c
}

func openBytes(t *testing.T, data []byte) *cact.Archive {
	t.Helper()
	a, err := cact.OpenBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func openFile(t *testing.T, path string) *cact.Archive {
	t.Helper()
	a, err := cact.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func newModel(t *testing.T, a *cact.Archive, o Options) *Model {
	t.Helper()
	m, err := New(a, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func feed(t *testing.T, s *Session, ids ...int32) {
	t.Helper()
	if err := s.Append(context.Background(), ids); err != nil {
		t.Fatal(err)
	}
}

func logitsOf(t *testing.T, s *Session) []float32 {
	t.Helper()
	x, err := s.Logits()
	if err != nil {
		t.Fatal(err)
	}
	return x
}
