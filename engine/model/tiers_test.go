package model

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/simd"
)

// supportedTiers are the names of the kernels that this CPU runs, generic first.
func supportedTiers() (names []string) {
	for _, k := range simd.All() {
		if k.Supported() {
			names = append(names, k.Name)
		}
	}
	return names
}

// TestTiersGiveTheSameBits runs the stored archives on every implementation of
// the kernels: token by token, and in blocks that share regions among threads, of one token and of many.
func TestTiersGiveTheSameBits(t *testing.T) {
	for _, name := range []string{"tiny", "odd", "cq4", "mixed"} {
		c := openStored(t, name)
		for _, o := range []SessionOptions{{}, {Window: 24}} {
			compareTiers(t, name, c.archive, o, 120)
		}
	}
}

// TestTiersOnTheFullGeometry needs an archive of the shipped size:
// NEEDLE_FULL_ARCHIVE names it (scripts/oracle/large makes one).
func TestTiersOnTheFullGeometry(t *testing.T) {
	path := os.Getenv("NEEDLE_FULL_ARCHIVE")
	if path == "" {
		t.Skip("NEEDLE_FULL_ARCHIVE is not set")
	}
	compareTiers(t, path, openFile(t, path), SessionOptions{}, 60)
}

func compareTiers(t *testing.T, name string, a *cact.Archive, o SessionOptions, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(41, 42))
	var want [][]uint32
	for _, tier := range supportedTiers() {
		m := newModel(t, a, Options{SIMD: tier})
		if m.kernels.Name != tier {
			t.Fatalf("asked for %s, runs on %s", tier, m.kernels.Name)
		}
		ids := randomIDs(rand.New(rand.NewPCG(43, 44)), m, n)
		got := everyLogit(t, m, o, 5, ids)
		if want == nil {
			want = got
			t.Logf("%s, window %d: logits' SHA-256 %x", name, o.Window, hashOf(got))
		}
		for at := range got {
			if !slices.Equal(got[at], want[at]) {
				t.Errorf("%s, window %d: %s differs from generic at position %d", name, o.Window, tier, at)
				break
			}
		}
		together := o
		together.Threads = 2
		s := m.NewSession(together)
		s.pool.least = 0
		if err := s.SetSink(5); err != nil {
			t.Fatal(err)
		}
		for at := 0; at < n; {
			k := 1 // shared in another way
			if r.IntN(2) == 0 {
				k = min(1+r.IntN(60), n-at)
			}
			feed(t, s, ids[at:at+k]...)
			at += k
			if !slices.Equal(bitsOf(logitsOf(t, s)), want[at-1]) {
				t.Errorf("%s, window %d: %s in blocks differs at position %d", name, o.Window, tier, at-1)
				break
			}
		}
		s.Close()
	}
}

func hashOf(logits [][]uint32) []byte {
	h := sha256.New()
	for _, x := range logits {
		if err := binary.Write(h, binary.LittleEndian, x); err != nil {
			panic(err)
		}
	}
	return h.Sum(nil)[:8]
}
