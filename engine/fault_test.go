//go:build linux || darwin

package engine

import (
	"errors"
	"os"
	"testing"
)

// A file that is truncated while it is mapped must not end the process.
func TestTruncatedUnderneath(t *testing.T) {
	for _, threads := range []int{1, 3} {
		path := demoFile(t)
		e, err := Open(path, Options{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		s := begin(t, e, SessionOptions{Tools: lights})
		say(t, s, "turn on the kitchen lights")
		if err := os.Truncate(path, 4096); err != nil {
			t.Fatal(err)
		}
		_, err1 := s.Complete(background, "and the bedroom", CompleteOptions{MaxNewTokens: 50})
		_, err2 := e.NewSession(background, SessionOptions{Tools: timers})
		_, err3 := e.Embed(background, "hello")
		_, err4 := e.AtDepth(4)
		for i, err := range []error{err1, err2, err3, err4} {
			if !errors.Is(err, ErrFault) || Code(err) != CodeFault {
				t.Errorf("%d threads, call %d: %v", threads, i, err)
			}
		}
		if n := len(s.conversation.turns); n != 1 {
			t.Errorf("%d turns after one that failed", n)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
