package model

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/libneedle/libneedle/cact"
)

// TestEveryBitFlipOfHeaderAndDirectory flips each bit before the first blob of
// the tiny archive in turn. The archive is refused, or it runs and gives finite
// logits, the same ones twice; overflowing weights may be reported as such.
func TestEveryBitFlipOfHeaderAndDirectory(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("../../testdata/oracle/tiny/model.cact"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := cact.OpenBytes(whole)
	if err != nil {
		t.Fatal(err)
	}
	bits := 8 * int(a.Lookup("embedding").Offset)
	var next, opened, refused, overflowed atomic.Int64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			data := slices.Clone(whole)
			for {
				bit := int(next.Add(1)) - 1
				if bit >= bits {
					return
				}
				data[bit/8] ^= 1 << (bit % 8)
				switch first, err := fewLogits(data); {
				case errors.Is(err, ErrNotFinite):
					overflowed.Add(1)
				case err != nil:
					refused.Add(1)
				default:
					opened.Add(1)
					if second, _ := fewLogits(data); !slices.Equal(first, second) {
						t.Errorf("bit %d flipped: two runs differ", bit)
					}
				}
				data[bit/8] ^= 1 << (bit % 8)
			}
		}()
	}
	wait.Wait()
	t.Logf("%d flips: %d refused, %d run, %d overflow", bits, refused.Load(), opened.Load(), overflowed.Load())
	if opened.Load() == 0 || refused.Load() == 0 {
		t.Error("expected flips of both kinds")
	}
}

// fewLogits runs three tokens of an archive in memory.
func fewLogits(data []byte) ([]uint32, error) {
	a, err := cact.OpenBytes(data)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	m, err := New(a, Options{})
	if err != nil {
		return nil, err
	}
	s := m.NewSession(SessionOptions{Window: 16})
	defer s.Close()
	if err := s.Append(context.Background(), []int32{2, 5, 9}); err != nil {
		return nil, err
	}
	x, err := s.Logits()
	if err != nil {
		return nil, err
	}
	return bitsOf(x), nil
}
