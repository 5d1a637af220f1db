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

// TestSumsOfLongContexts adds more values than an int32 holds the sum of.
func TestSumsOfLongContexts(t *testing.T) {
	m := newModel(t, openStored(t, "tiny").archive, Options{})
	for _, tier := range supportedTiers() {
		s := newModel(t, m.source, Options{SIMD: tier}).NewSession(SessionOptions{})
		for _, n := range []int{1000, mostSummed, mostSummed + 3, 150_000, 400_001} {
			s.kv.reserve(n, 0)
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
