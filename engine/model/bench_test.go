package model

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/libneedle/libneedle/cact"
)

// benchmarkModels runs f on every tier for the stored archive, or for the one
// that NEEDLE_FULL_ARCHIVE names.
func benchmarkModels(b *testing.B, f func(b *testing.B, m *Model, threads int)) {
	path := os.Getenv("NEEDLE_FULL_ARCHIVE")
	if path == "" {
		path = "../../testdata/oracle/tiny/model.cact"
	}
	a, err := cact.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close()
	for _, tier := range supportedTiers() {
		m, err := New(a, Options{SIMD: tier})
		if err != nil {
			b.Fatal(err)
		}
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", tier, threads), func(b *testing.B) { f(b, m, threads) })
		}
	}
}

func benchmarkSession(b *testing.B, m *Model, threads, fed int) (*Session, []int32) {
	s := m.NewSession(SessionOptions{Threads: threads})
	ids := make([]int32, fed)
	for i := range ids {
		ids[i] = int32(i*7919%(m.g.VocabSize-1)) + 1
	}
	if err := s.Append(context.Background(), ids); err != nil {
		b.Fatal(err)
	}
	return s, ids
}

// BenchmarkDecode feeds one token and computes its logits, at about 150 (300 on
// the full geometry) tokens of context.
func BenchmarkDecode(b *testing.B) {
	benchmarkModels(b, func(b *testing.B, m *Model, threads int) {
		context0 := min(300, m.g.MaxSeqLen-100)
		s, ids := benchmarkSession(b, m, threads, context0)
		defer s.Close()
		start, least := s.Snapshot(), time.Hour
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if i%64 == 63 {
				b.StopTimer()
				if err := s.Restore(start); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			begin := time.Now()
			if err := s.Append(context.Background(), ids[i%len(ids):i%len(ids)+1]); err != nil {
				b.Fatal(err)
			}
			if _, err := s.Logits(); err != nil {
				b.Fatal(err)
			}
			least = min(least, time.Since(begin))
		}
		b.ReportMetric(float64(least), "least-ns")
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tok/s")
	})
}

// BenchmarkPrefill feeds 512 tokens (or half the context) to an empty session.
func BenchmarkPrefill(b *testing.B) {
	benchmarkModels(b, func(b *testing.B, m *Model, threads int) {
		s := m.NewSession(SessionOptions{Threads: threads})
		defer s.Close()
		empty := s.Snapshot()
		warm, ids := benchmarkSession(b, m, 1, min(512, m.g.MaxSeqLen/2))
		warm.Close()
		least := time.Hour
		for b.Loop() {
			if err := s.Restore(empty); err != nil {
				b.Fatal(err)
			}
			begin := time.Now()
			if err := s.Append(context.Background(), ids); err != nil {
				b.Fatal(err)
			}
			least = min(least, time.Since(begin))
		}
		b.ReportMetric(float64(len(ids))/least.Seconds(), "most-tok/s")
		b.ReportMetric(float64(b.N*len(ids))/b.Elapsed().Seconds(), "tok/s")
	})
}
