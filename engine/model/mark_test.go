package model

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// speculate feeds what comes next, then something else, and goes back to where the session was each time.
// want are the logits' bits there and behind each of the next tokens.
func speculate(t *testing.T, r *rand.Rand, s *Session, next []int32, want [][]uint32) {
	t.Helper()
	var m Mark
	s.Mark(&m)
	at := s.Len()
	next = next[:min(len(next), r.IntN(MostRewound+1))]
	err := s.AppendEach(t.Context(), next, func(i int, logits []float32) {
		if !slices.Equal(bitsOf(logits), want[i+1]) {
			t.Errorf("other bits for token %d of %d after position %d", i, len(next), at-1)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Rewind(&m); err != nil {
			t.Fatal(err)
		}
		if s.Len() != at || !slices.Equal(bitsOf(logitsOf(t, s)), want[0]) {
			t.Fatalf("other bits at position %d after going back there", at-1)
		}
		for rest := randomIDs(r, s.m, r.IntN(MostRewound+1)); len(rest) > 0 && at+len(rest) <= s.m.g.MaxSeqLen; {
			n := 1 + r.IntN(len(rest))
			feed(t, s, rest[:n]...)
			rest = rest[n:]
		}
	}
	if err := s.Rewind(&m); err != nil {
		t.Fatal(err)
	}
}

// TestMarksKeepTheHeads goes back and forth and wants the heads' bits of a session that never did.
func TestMarksKeepTheHeads(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	m := newModel(t, openStored(t, "mixed").archive, Options{})
	ids := randomIDs(r, m, 60)
	straight, other := m.NewSession(SessionOptions{Window: 20}), m.NewSession(SessionOptions{Window: 20, Threads: 2})
	defer straight.Close()
	defer other.Close()
	var mark Mark
	for at := 0; at < len(ids); at += 6 {
		feed(t, straight, ids[at:at+6]...)
		feed(t, other, ids[at:at+6]...)
		other.Mark(&mark)
		feed(t, other, randomIDs(r, m, 1+r.IntN(MostRewound))...)
		if err := other.Rewind(&mark); err != nil {
			t.Fatal(err)
		}
		for _, code := range m.Heads() {
			want, wantOut, err := straight.Head(code)
			if err != nil {
				t.Fatal(err)
			}
			pool, out, err := other.Head(code)
			if err != nil || !slices.Equal(bitsOf(pool), bitsOf(want)) || !slices.Equal(bitsOf(out), bitsOf(wantOut)) {
				t.Fatalf("%s head after %d positions: other bits, %v", code, at+6, err)
			}
		}
		if !slices.Equal(bitsOf(other.Cells()), bitsOf(straight.Cells())) {
			t.Fatalf("other cells after %d positions", at+6)
		}
	}
}

// TestRewindRefuses gives a session marks that it can't go back to; it stays where it is.
func TestRewindRefuses(t *testing.T) {
	c := openStored(t, "tiny")
	m := newModel(t, c.archive, Options{})
	fresh := func(window int) *Session {
		s := m.NewSession(SessionOptions{Window: window})
		feed(t, s, c.prompt[:10]...)
		return s
	}
	var older, mark Mark
	for name, spoil := range map[string]func(s *Session) *Session{
		"an older mark":        func(s *Session) *Session { s.Mark(&older); mark, older = older, mark; s.Mark(&older); return s },
		"another session's":    func(s *Session) *Session { return fresh(16) },
		"before a restore":     func(s *Session) *Session { s.Restore(s.Snapshot()); return s },
		"too far back":         func(s *Session) *Session { feed(t, s, c.prompt[:MostRewound]...); feed(t, s, 5); return s },
		"none":                 func(s *Session) *Session { mark = Mark{}; return s },
		"too far in two steps": func(s *Session) *Session { feed(t, s, c.prompt[:20]...); feed(t, s, c.prompt[:20]...); return s },
	} {
		s := fresh(16)
		s.Mark(&mark)
		s = spoil(s)
		want, at := bitsOf(logitsOf(t, s)), s.Len()
		if err := s.Rewind(&mark); err == nil {
			t.Errorf("%s: the session goes back", name)
		}
		if s.Len() != at || !slices.Equal(bitsOf(logitsOf(t, s)), want) {
			t.Errorf("%s: a refused mark changed the state", name)
		}
	}
	s := fresh(0) // every position keeps its slot
	s.Mark(&mark)
	want := bitsOf(logitsOf(t, s))
	feed(t, s, c.prompt[:40]...)
	if err := s.Rewind(&mark); err != nil || !slices.Equal(bitsOf(logitsOf(t, s)), want) {
		t.Errorf("without a window, 40 positions: %v", err)
	}
	if err := s.AppendEach(t.Context(), c.prompt[:MostRewound+1], func(int, []float32) {}); err == nil {
		t.Error("more tokens than a block are fed for the logits of each")
	}
}
