//go:build cgo

package main

import (
	"bytes"
	"encoding/json"
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
