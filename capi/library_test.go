//go:build cgo

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/libneedle/libneedle/demo"
)

const lightTools = `[{"name":"control_lights","parameters":{"type":"object","properties":{"room":{"type":"string"}}}}]`

func TestTextIsCutBetweenCharacters(t *testing.T) {
	text := []byte("aé日🙏\"b")
	for room := 0; room <= len(text)+2; room++ {
		out := bytes.Repeat([]byte{'x'}, room)
		fits := writeText(out, text)
		if fits != (room > len(text)) {
			t.Errorf("room %d: fits is %v", room, fits)
		}
		if room == 0 {
			continue
		}
		end := bytes.IndexByte(out, 0)
		if end < 0 || !utf8.Valid(out[:end]) || !bytes.HasPrefix(text, out[:end]) {
			t.Errorf("room %d: got %q", room, out)
		}
		if longest := room - 1; !fits && longest-end >= utf8.UTFMax {
			t.Errorf("room %d: %d bytes given away", room, longest-end)
		}
	}
}

func TestRefusalIsJSON(t *testing.T) {
	out := make([]byte, 200)
	refuse(out, errNoSession)
	if got := string(out[:bytes.IndexByte(out, 0)]); got != `{"type":"error","error":"needle_init not called"}` {
		t.Error(got)
	}
}

// Under the race detector this is what shows that calls queue and that cancelling doesn't have to.
func TestCallsFromManyGoroutines(t *testing.T) {
	l := newLibrary()
	if err := l.load(demo.Archive); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			out := make([]byte, 8192)
			for round := range 3 {
				switch (i + round) % 6 {
				case 0, 1:
					l.init("", lightTools, "")
				case 2:
					if err := l.setDepth(5 + round%2); err != nil {
						t.Error(err)
					}
				case 3:
					l.cancelRunning()
					l.reset()
				case 4:
					if _, _, err := l.init("fact", "", ""); err != nil && !strings.Contains(err.Error(), "cancel") {
						t.Error(err)
					}
				}
				l.complete("turn on the kitchen lights", 8, out)
				if text := out[:bytes.IndexByte(out, 0)]; !json.Valid(text) {
					t.Errorf("no JSON: %q", text)
				}
			}
		})
	}
	wg.Wait()
	if _, _, err := l.init("", lightTools, ""); err != nil {
		t.Fatal(err)
	}
	if tokens, _, err := l.complete("turn on the kitchen lights", 0, make([]byte, 8192)); err != nil || tokens == 0 {
		t.Errorf("%d tokens, %v", tokens, err)
	}
}

// nine tools are enough to be retrieved from, and short enough for the context of the archive with an embedding head.
const nineTools = `[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"},{"name":"e"},{"name":"f"},{"name":"g"},{"name":"h"},{"name":"i"}]`

func TestToolIndex(t *testing.T) {
	l := newLibrary()
	if err := l.loadFile("../testdata/oracle/mixed/model.cact"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "index")
	out := make([]byte, 8192)
	for _, missing := range []bool{true, false} { // written, then read
		if prefix, note, err := l.init("", nineTools, path); err != nil || note != "" || prefix != 1 {
			t.Fatalf("prefix %d, note %q, %v", prefix, note, err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() != 56+9*96*4+32 {
			t.Errorf("missing %v: %v, %v", missing, info, err)
		}
		if tokens, _, err := l.complete("go", 16, out); err != nil || tokens == 0 {
			t.Errorf("%d tokens, %v", tokens, err)
		}
	}
	nowhere := filepath.Join(t.TempDir(), "missing", "index")
	for _, c := range []struct{ tools, path, want string }{
		{nineTools, nowhere, "tool_index_path: the tool index is not kept: "},
		{`[{"name":"a"}]`, path, "tool_index_path: the tool index is ignored: "},
		{"", path, "tool_index_path: the tool index is ignored: "},
		{nineTools, "", ""},
	} {
		_, note, err := l.init("", c.tools, c.path)
		if err != nil || !strings.HasPrefix(note, c.want) || (c.want == "") != (note == "") || !utf8.ValidString(note) {
			t.Errorf("%s with %s: note %q, %v", c.tools, c.path, note, err)
		}
	}
	if err := l.load(demo.Archive); err != nil {
		t.Fatal(err)
	}
	if prefix, note, err := l.init("", nineTools, path); err != nil || prefix < 20 || !strings.Contains(note, "no embedding head") {
		t.Errorf("prefix %d, note %q, %v", prefix, note, err)
	}
}
