package model

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/cact"
)

// withLargest returns the archive with every number of the FP16 records whose
// role ends in one of the endings at the largest finite value.
func withLargest(t *testing.T, whole []byte, layer string, endings ...string) *cact.Archive {
	t.Helper()
	data, a := slices.Clone(whole), openBytes(t, whole)
	for i := range a.Len() {
		r := a.Record(i)
		ends := slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(r.Role, e) })
		if !ends || !strings.HasPrefix(r.Role, layer) || r.DType != cact.FP16Record {
			continue
		}
		for at := r.Offset; at < r.Offset+r.Size; at += 2 {
			data[at], data[at+1] = 0xff, 0x7b
		}
	}
	return openBytes(t, data)
}

// TestOverflowIsReported gives weights that lead to infinite values, which int8
// rounding turns into finite logits again.
func TestOverflowIsReported(t *testing.T) {
	c := openStored(t, "mixed")
	for name, a := range map[string]*cact.Archive{
		"no number":             withLargest(t, c.data, "layers.0", ".w1a", ".w1b", ".w2a", ".w2b", ".w3a", ".w3b", ".d4"),
		"too large to square":   withLargest(t, c.data, "layers.0", ".d2", ".w2a", ".w2b", ".d3", ".w3a", ".w3b"),
		"from a later layer on": withLargest(t, c.data, "layers.3", ".w1a", ".w1b", ".w2a", ".w2b", ".w3a", ".w3b", ".d4"),
	} {
		for _, tier := range supportedTiers() {
			s := newModel(t, a, Options{SIMD: tier}).NewSession(SessionOptions{})
			empty := s.Snapshot()
			feed(t, s, c.prompt[:40]...)
			if x, err := s.Logits(); !errors.Is(err, ErrNotFinite) {
				t.Errorf("%s on %s: logits %v, error %v", name, tier, x[:3], err)
			}
			if _, x, err := s.Head(s.m.Heads()[0]); !errors.Is(err, ErrNotFinite) {
				t.Errorf("%s on %s: head %v, error %v", name, tier, x[:1], err)
			}
			broken := s.Snapshot()
			if err := s.Restore(empty); err != nil || s.broken {
				t.Errorf("%s: an empty state is broken (%v)", name, err)
			}
			if err := s.Restore(broken); err != nil || !s.broken {
				t.Errorf("%s: a broken state is whole (%v)", name, err)
			}
			s.Close()
		}
	}
}

// overflowing scales the MLP of a layer until some of the ids overflow when they
// are fed one by one, and the first that does, not the very first, is followed by one
// that does not. It returns the ids up to the latter.
func overflowing(t *testing.T, m *Model, layer int, ids []int32) []int32 {
	t.Helper()
	for range 400 {
		scale(m.layers[layer].d4, 1.3)
		s := m.NewSession(SessionOptions{})
		first := slices.IndexFunc(ids, func(id int32) bool { feed(t, s, id); return s.overflow.Load() })
		if first > 0 && first+1 < len(ids) {
			if feed(t, s, ids[first+1]); !s.overflow.Load() {
				s.Close()
				return ids[:first+2]
			}
		}
		s.Close()
	}
	t.Fatal("no factor makes some of the ids overflow and others not")
	return nil
}

// scale multiplies x by a factor.
func scale(x []float32, by float32) {
	for i := range x {
		x[i] *= by
	}
}

// TestOverflowDoesNotDependOnCuts overflows in one token of several, in the first
// layer and in the last, whose output nobody reads but the block's last token.
func TestOverflowDoesNotDependOnCuts(t *testing.T) {
	c := openStored(t, "mixed")
	for _, layer := range []int{0, newModel(t, c.archive, Options{}).Depth() - 1} {
		m := newModel(t, c.archive, Options{})
		ids := overflowing(t, m, layer, c.prompt[:40])
		for _, threads := range []int{1, 2} {
			s := m.NewSession(SessionOptions{Threads: threads, NoHeads: true})
			feed(t, s, ids...)
			if _, err := s.Logits(); !errors.Is(err, ErrNotFinite) {
				t.Errorf("layer %d, %d threads: token %d of %d overflows, fed together they give the error %v", layer, threads, len(ids)-2, len(ids), err)
			}
			s.Close()
		}
	}
}

// TestOverflowIsForgotten goes back to before what overflowed: heads are finite again.
func TestOverflowIsForgotten(t *testing.T) {
	c := openStored(t, "mixed")
	m := newModel(t, c.archive, Options{})
	ids := overflowing(t, m, 0, c.prompt[:40])
	s := m.NewSession(SessionOptions{})
	defer s.Close()
	feed(t, s, ids[:len(ids)-2]...)
	before := s.Snapshot()
	feed(t, s, ids[len(ids)-2])
	if _, _, err := s.Head(m.Heads()[0]); !errors.Is(err, ErrNotFinite) {
		t.Fatalf("the head of what overflowed: %v", err)
	}
	if err := s.Restore(before); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Head(m.Heads()[0]); err != nil {
		t.Errorf("the head after going back: %v", err)
	}
}

// TestSumsOfLongContexts adds more values than an int32 holds the sum of.
func TestSumsOfLongContexts(t *testing.T) {
	m := newModel(t, openStored(t, "tiny").archive, Options{})
	for _, tier := range supportedTiers() {
		s := newModel(t, m.source, Options{SIMD: tier}).NewSession(SessionOptions{})
		for _, n := range []int{1000, mostSummed, mostSummed + 3, 150_000, 400_001} {
			s.kv.reserve(n, 0, 0)
			kv := &s.kv.layers[0][0]
			for i := range kv.value {
				kv.value[i] = 127
			}
			w := scoreRows{slices.Repeat([]float32{1. / 127}, n), 1, n, kv.valueScale[:n]}
			a := &s.kv.work[0]
			a.total[0], a.largest[0] = float32(n), 1./127
			o := make([]float32, m.g.VDim)
			s.sumValues(o, &w, kv, []slots{{0, n}}, a)
			if math.Abs(float64(o[0])-1) > 1e-4 || math.Abs(float64(o[len(o)-1])-1) > 1e-4 {
				t.Errorf("%s: the mean of %d values of 1 is %g", tier, n, o[0])
			}
		}
		s.Close()
	}
}

// TestFinite knows numbers whose squares overflow from those that are none.
func TestFinite(t *testing.T) {
	s := newModel(t, openStored(t, "tiny").archive, Options{}).NewSession(SessionOptions{})
	defer s.Close()
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		worst float32
		want  bool
	}{{1, true}, {-3e38, true}, {inf, false}, {-inf, false}, {float32(math.NaN()), false}} {
		x := slices.Repeat([]float32{0.5}, 40)
		x[33] = c.worst
		if got := s.finite(x); got != c.want {
			t.Errorf("with %g: finite is %t", c.worst, got)
		}
	}
}
