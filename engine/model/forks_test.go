package model

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// growForks tries what comes next, and other tokens beside it, in several steps, and wants the logits of feeding
// them one by one. want are the logits' bits at the session's position and behind each of the next tokens. The
// session stays where it is.
func growForks(t *testing.T, r *rand.Rand, s *Session, next []int32, want [][]uint32) {
	t.Helper()
	n := 1 + r.IntN(MostForks)
	if err := s.Fork(n); err != nil {
		t.Fatal(err)
	}
	at, right := s.Len(), r.IntN(n) // this fork is fed what comes next
	fed := make([]int, n)
	for range 3 {
		ids, room := make([][]int32, n), ForkTokens
		for i := range ids {
			k := min(r.IntN(5), room, ForkTokens-fed[i])
			if i == right {
				k = min(k, len(next)-fed[i])
			}
			ids[i] = randomIDs(r, s.m, k)
			if i == right {
				copy(ids[i], next[fed[i]:])
			}
			room -= k
		}
		if room == ForkTokens {
			continue
		}
		last, asked := r.IntN(2) == 0, 0
		err := s.Grow(t.Context(), ids, last, func(fork, i int, logits []float32) {
			asked++
			if fork == right && !slices.Equal(bitsOf(logits), want[fed[fork]+i+1]) {
				t.Errorf("other bits for token %d of fork %d of %d after position %d", fed[fork]+i, fork, n, at-1)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range ids {
			fed[i] += len(ids[i])
			if last {
				asked -= min(len(ids[i]), 1)
			} else {
				asked -= len(ids[i])
			}
		}
		if asked != 0 {
			t.Errorf("logits of %d tokens too many", asked)
		}
		if s.Len() != at || !slices.Equal(bitsOf(logitsOf(t, s)), want[0]) {
			t.Fatalf("other bits at position %d beside its forks", at-1)
		}
	}
}

// TestForksWithinTheSink grows forks from a place within the sink until its beginning is out of the window.
func TestForksWithinTheSink(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	m := newModel(t, openStored(t, "tiny").archive, Options{})
	for _, c := range []struct{ window, sink, fed int }{{8, 5, 4}, {8, 32, 4}, {2, 14, 6}, {8, 4, 4}, {16, 20, 3}, {12, 40, 30}} {
		ids := randomIDs(r, m, c.fed+ForkTokens)
		want := everyLogit(t, m, SessionOptions{Window: c.window}, c.sink, ids)
		s := m.NewSession(SessionOptions{Window: c.window})
		if err := s.SetSink(c.sink); err != nil {
			t.Fatal(err)
		}
		feed(t, s, ids[:c.fed]...)
		if err := s.Fork(1); err != nil {
			t.Fatal(err)
		}
		at := c.fed
		for _, n := range []int{1, 6, 14, 11} {
			err := s.Grow(t.Context(), [][]int32{ids[at : at+n]}, false, func(_, i int, logits []float32) {
				if !slices.Equal(bitsOf(logits), want[at+i]) {
					t.Errorf("%+v: other bits at position %d", c, at+i)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			at += n
		}
		s.Close()
	}
}

// TestForksKeepTheHeads forks again and again, and wants the heads' and cells' bits of a session that never did.
func TestForksKeepTheHeads(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	m := newModel(t, openStored(t, "mixed").archive, Options{})
	ids := randomIDs(r, m, 60)
	straight, other := m.NewSession(SessionOptions{Window: 20}), m.NewSession(SessionOptions{Window: 20, Threads: 2})
	defer straight.Close()
	defer other.Close()
	for at := 0; at < len(ids); at += 6 {
		feed(t, straight, ids[at:at+6]...)
		feed(t, other, ids[at:at+6]...)
		if err := other.Fork(3); err != nil {
			t.Fatal(err)
		}
		if err := other.Grow(t.Context(), [][]int32{randomIDs(r, m, 3), nil, randomIDs(r, m, 20)}, false, func(int, int, []float32) {}); err != nil {
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

// TestForksRefuse has forks that can't be; the session goes on.
func TestForksRefuse(t *testing.T) {
	c := openStored(t, "tiny")
	m := newModel(t, c.archive, Options{})
	s := m.NewSession(SessionOptions{Window: 16})
	defer s.Close()
	none := func(int, int, []float32) {}
	if err := s.Fork(1); err == nil {
		t.Error("an empty session forks")
	}
	feed(t, s, c.prompt[:10]...)
	want := bitsOf(logitsOf(t, s))
	one := [][]int32{{5}}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, f := range map[string]func() error{
		"no fork":  func() error { return s.Fork(0) },
		"too many": func() error { return s.Fork(MostForks + 1) },
		"none at all": func() error {
			s.Fork(2)
			feed(t, s, 5)
			s.Restore(mustSnapshot(t, m, c.prompt[:10]))
			return s.Grow(t.Context(), one, false, none)
		},
		"more than there": func() error { s.Fork(1); return s.Grow(t.Context(), [][]int32{{5}, {6}}, false, none) },
		"no token":        func() error { s.Fork(2); return s.Grow(t.Context(), [][]int32{nil, {}}, false, none) },
		"more than a block": func() error {
			s.Fork(2)
			return s.Grow(t.Context(), [][]int32{c.prompt[:20], c.prompt[:20]}, false, none)
		},
		"more than a fork": func() error {
			s.Fork(1)
			s.Grow(t.Context(), [][]int32{c.prompt[:20]}, false, none)
			return s.Grow(t.Context(), [][]int32{c.prompt[:20]}, false, none)
		},
		"an unknown id": func() error { s.Fork(1); return s.Grow(t.Context(), [][]int32{{1 << 20}}, false, none) },
		"cancelled":     func() error { s.Fork(1); return s.Grow(cancelled, one, false, none) },
	} {
		if err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
		if s.Len() != 10 || !slices.Equal(bitsOf(logitsOf(t, s)), want) {
			t.Errorf("%s: the session changed", name)
		}
	}
}

func mustSnapshot(t *testing.T, m *Model, ids []int32) *Snapshot {
	t.Helper()
	s := m.NewSession(SessionOptions{Window: 16})
	defer s.Close()
	feed(t, s, ids...)
	return s.Snapshot()
}
