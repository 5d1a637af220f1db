package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine/model"
)

// sink keeps results alive that nobody reads.
var sink atomic.Int64

// blockTokens is how many tokens the model takes at a time.
const blockTokens = 32

// Rig runs a model as a session of package engine would, without text.
type Rig struct {
	m       *model.Model
	threads int
	heads   bool
	ids     []int32
}

// NewRig builds a model at a depth, 0 for all blocks, on a tier.
func NewRig(a *cact.Archive, tier string, threads, depth, pieces int) (*Rig, error) {
	m, err := model.New(a, model.Options{Depth: depth, SIMD: tier})
	if err != nil {
		return nil, err
	}
	r := &Rig{m: m, threads: threads, heads: slices.Contains(m.Heads(), cact.ConfidenceHead)}
	// Which ids doesn't matter; that they differ does, for they choose rows of the engram tables.
	random, first := rand.New(rand.NewPCG(1, 2)), 16
	for range m.Geometry().MaxSeqLen {
		r.ids = append(r.ids, int32(first+random.IntN(max(pieces, first+1)-first)))
	}
	return r, nil
}

// Room is the length of the longest sequence.
func (r *Rig) Room() int { return len(r.ids) }

func (r *Rig) session() *model.Session {
	return r.m.NewSession(model.SessionOptions{Window: r.m.Geometry().Window(), Threads: r.threads, NoHeads: !r.heads})
}

// Prefill returns a function that feeds n tokens as a prefix, and computes the
// logits after the last. Memory is allocated once.
func (r *Rig) Prefill(ctx context.Context, n int) (repeat func() (time.Duration, error), end func(), err error) {
	if n > r.Room() {
		return nil, nil, r.tooLong(n)
	}
	s := r.session()
	if err := s.SetSink(n); err != nil {
		s.Close()
		return nil, nil, err
	}
	empty := s.Snapshot()
	repeat = func() (time.Duration, error) {
		if err := s.Restore(empty); err != nil {
			return 0, err
		}
		begin := time.Now()
		if err := s.Append(ctx, r.ids[:n]); err != nil {
			return 0, err
		}
		_, err := s.Logits()
		return time.Since(begin), err
	}
	return repeat, s.Close, nil
}

func (r *Rig) tooLong(n int) error {
	return fmt.Errorf("%w: %d tokens, the context holds %d", errContext, n, r.Room())
}

// errContext says that an archive's context is too short for a measurement.
var errContext = errors.New("the context is too short")

// Decode returns a function that decodes steps tokens after start others, of
// which all are pinned: the likeliest token each time.
func (r *Rig) Decode(ctx context.Context, start, steps int) (repeat func() (time.Duration, error), end func(), err error) {
	if start+steps > r.Room() {
		return nil, nil, r.tooLong(start + steps)
	}
	s := r.session()
	fill := func() error {
		if err := s.SetSink(start); err != nil {
			return err
		}
		return s.Append(ctx, r.ids[:start])
	}
	if err := fill(); err != nil {
		s.Close()
		return nil, nil, err
	}
	before, first := s.Snapshot(), r.ids[start%r.Room()]
	repeat = func() (time.Duration, error) {
		if err := s.Restore(before); err != nil {
			return 0, err
		}
		begin := time.Now()
		err := decode(ctx, s, first, steps)
		return time.Since(begin), err
	}
	return repeat, s.Close, nil
}

// Ways returns a function that tries n ways of each tokens after start others, side by side, the likeliest token
// each time, as the rules for choosing values do.
func (r *Rig) Ways(ctx context.Context, start, n, each int) (repeat func() (time.Duration, error), end func(), err error) {
	if start+each > r.Room() {
		return nil, nil, r.tooLong(start + each)
	}
	s := r.session()
	if err = s.SetSink(start); err == nil {
		err = s.Append(ctx, r.ids[:start])
	}
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	repeat = func() (time.Duration, error) {
		begin := time.Now()
		ids := make([][]int32, n)
		for i := range ids {
			ids[i] = []int32{r.ids[i]}
		}
		err := s.Fork(n)
		for range each {
			if err == nil {
				err = s.Grow(ctx, ids, true, func(fork, _ int, logits []float32) { ids[fork][0] = likeliest(logits) })
			}
		}
		return time.Since(begin), err
	}
	return repeat, s.Close, nil
}

// decode feeds a token, then each time the likeliest.
func decode(ctx context.Context, s *model.Session, id int32, steps int) error {
	ids := [1]int32{id}
	for range steps {
		if err := s.Append(ctx, ids[:]); err != nil {
			return err
		}
		logits, err := s.Logits()
		if err != nil {
			return err
		}
		ids[0] = likeliest(logits)
	}
	return nil
}

func likeliest(logits []float32) int32 {
	top := 0
	for i, v := range logits {
		if v > logits[top] {
			top = i
		}
	}
	return int32(top)
}

// Allocations counts what decoding a token and feeding a block allocate once a
// session has its memory: the least of some runs, because the runtime itself
// allocates now and then.
func (r *Rig) Allocations(ctx context.Context) (perToken, perBlock float64, err error) {
	const runs, n = 4, 2 * blockTokens
	if 2*n > r.Room() {
		return 0, 0, r.tooLong(2 * n)
	}
	s := r.session()
	defer s.Close()
	if err := s.SetSink(2 * n); err != nil {
		return 0, 0, err
	}
	empty := s.Snapshot()
	count := func(f func() error) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if e := f(); err == nil {
			err = e
		}
		runtime.ReadMemStats(&after)
		return float64(after.Mallocs - before.Mallocs)
	}
	for run := range runs {
		if err := s.Restore(empty); err != nil {
			return 0, 0, err
		}
		feed := count(func() error { // blocks one by one: a longer call also keeps a way back
			for at := 0; at < n; at += blockTokens {
				if err := s.Append(ctx, r.ids[at:at+blockTokens]); err != nil {
					return err
				}
			}
			return nil
		}) / (n / blockTokens)
		write := count(func() error { return decode(ctx, s, r.ids[0], n) }) / n
		switch { // the first run makes the memory
		case run == 1:
			perToken, perBlock = write, feed
		case run > 1:
			perToken, perBlock = min(perToken, write), min(perBlock, feed)
		}
	}
	return perToken, perBlock, err
}
