package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// smallCase copies two short prompts, a window and two depths of the tiny case,
// so that a test can spoil them.
func smallCase(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(oracle, "tiny"))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "golden.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var golden map[string]any
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	for key, part := range map[string][2]int{"prompts": {3, 5}, "windows": {1, 2}, "depths": {0, 2}} {
		golden[key] = golden[key].([]any)[part[0]:part[1]]
	}
	if text, err = json.Marshal(golden); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func replaceIn(t *testing.T, path, from, to string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), from, to, 1)
	if changed == string(text) {
		t.Fatalf("%s does not hold %q", path, from)
	}
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestVerifySeesWrongValues changes one golden value of each kind and wants
// exactly that check to miss.
func TestVerifySeesWrongValues(t *testing.T) {
	float := func(stem string) func(folder string) error {
		return func(folder string) error { // the first value becomes a large one
			f, err := os.OpenFile(filepath.Join(folder, stem), os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			if _, err := f.WriteAt([]byte{0, 0, 0xc8, 0x42}, 0); err != nil {
				return err
			}
			return f.Close()
		}
	}
	text := func(from, to string) func(folder string) error {
		return func(folder string) error {
			replaceIn(t, filepath.Join(folder, "golden.json"), from, to)
			return nil
		}
	}
	for name, c := range map[string]struct {
		spoil func(folder string) error
		check string
	}{
		"a token id":    {text(`{"ids":[282,`, `{"ids":[5,282,`), "tokens"},
		"logits":        {float("prompts-3.logits.f32"), "prompt 0"},
		"a pool":        {float("prompts-4.confidence.pool.f32"), "prompt 1"},
		"a head output": {text(`"output":[`, `"output":[9`), "depth 2"},
		"a window":      {float("windows-1.logits.f32"), "window 12, sink 20"},
		"a depth":       {float("depths-1.logits.f32"), "depth 3"},
		"another slice": {func(folder string) error {
			return os.Rename(filepath.Join(folder, "slice-2.cact"), filepath.Join(folder, "slice-3.cact"))
		}, "depth 3, sliced file"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := smallCase(t)
			if err := c.spoil(folder); err != nil {
				t.Fatal(err)
			}
			o := needle(t, "", "verify", folder)
			var missed []string
			for _, line := range strings.Split(o.out, "\n") {
				if strings.Contains(line, "MISS: ") {
					missed = append(missed, strings.TrimSpace(strings.Split(line, "  ")[0]))
				}
			}
			if o.code != exitMiss || len(missed) != 1 || missed[0] != c.check {
				t.Errorf("exit %d, missed %q, want %q\n%s%s", o.code, missed, c.check, o.out, o.errOut)
			}
		})
	}
}

// TestVerifyBadGolden gives it folders that cannot be compared with.
func TestVerifyBadGolden(t *testing.T) {
	for name, spoil := range map[string]func(folder string) error{
		"no logits":   func(folder string) error { return os.Remove(filepath.Join(folder, "prompts-3.logits.f32")) },
		"odd length":  func(folder string) error { return os.Truncate(filepath.Join(folder, "prompts-3.logits.f32"), 4095) },
		"short":       func(folder string) error { return os.Truncate(filepath.Join(folder, "prompts-3.logits.f32"), 4092) },
		"no archive":  func(folder string) error { return os.Remove(filepath.Join(folder, "model.cact")) },
		"short cells": func(folder string) error { return os.Truncate(filepath.Join(folder, "prompts-3.cells.f32"), 64) },
		"short pool": func(folder string) error {
			return os.Truncate(filepath.Join(folder, "prompts-3.confidence.pool.f32"), 64)
		},
		"broken JSON": func(folder string) error { return os.Truncate(filepath.Join(folder, "golden.json"), 100) },
		"empty JSON": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "golden.json"), []byte("{}"), 0o600)
		},
		"null prompt": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "golden.json"), []byte(`{"prompts":[null]}`), 0o600)
		},
		"damaged slice": func(folder string) error { return os.Truncate(filepath.Join(folder, "slice-3.cact"), 5000) },
		"id out of range": func(folder string) error {
			replaceIn(t, filepath.Join(folder, "golden.json"), `"ids":[2,`, `"ids":[99999,`)
			return nil
		},
		"depth of 99": func(folder string) error {
			replaceIn(t, filepath.Join(folder, "golden.json"), `"depth":2`, `"depth":99`)
			return nil
		},
		"not finite": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "prompts-4.confidence.pool.f32"), []byte{0, 0, 0xc0, 0x7f}, 0o600)
		},
		"another case's archive": func(folder string) error {
			data, err := os.ReadFile(filepath.Join(oracle, "odd", "model.cact"))
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(folder, "model.cact"), data, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := smallCase(t)
			if err := spoil(folder); err != nil {
				t.Fatal(err)
			}
			o := needle(t, "", "verify", folder)
			if o.code != exitBad || o.out != "" || !strings.HasPrefix(o.errOut, "needle: ") || strings.Count(o.errOut, "\n") > 2 {
				t.Errorf("exit %d, output %q, error %q", o.code, o.out, o.errOut)
			}
		})
	}
}

func TestVerifyWithoutSlices(t *testing.T) {
	folder := smallCase(t)
	if err := os.Remove(filepath.Join(folder, "slice-3.cact")); err != nil {
		t.Fatal(err)
	}
	if o := needle(t, "", "verify", folder); o.code != exitDone || strings.Count(o.out, "not there, not compared") != 1 {
		t.Errorf("exit %d\n%s%s", o.code, o.out, o.errOut)
	}
}
