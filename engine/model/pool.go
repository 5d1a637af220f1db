package model

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/libneedle/libneedle/simd"
)

// pool runs a function over index ranges on a fixed number of goroutines, the
// caller's among them. A panic or memory fault in any of them (a mapped file
// may be truncated underneath) is re-raised in the caller as a fault.
//
// A token has over a hundred regions of some microseconds, less than it costs
// to wake a goroutine. So helpers that run out of work look for more for a
// while before they sleep, and nobody waits for a helper that sleeps: parts of
// a region are taken one by one, by whoever is awake.
type pool struct {
	size  int
	least int // work of a region from which on it is shared

	// The region's parts: its number in the upper half, how many parts there
	// are, how many are taken.
	state atomic.Uint64
	done  atomic.Int32 // parts finished
	n     int          // length of the index range
	f     func(worker, lo, hi int)

	asleep atomic.Int32
	wake   chan struct{}
	closed atomic.Bool

	mu    sync.Mutex
	fault any // the first failure of the region
}

// fault is what a pool panics with: the first failure of a region.
type fault struct{ cause any }

func (f fault) Error() string { return fmt.Sprint(f.cause) }

// MaxThreads bounds a session's goroutines; more would cost memory for nothing.
const MaxThreads = 256

const (
	// worthSharing is the number of operations below which it costs more to
	// share a region than it saves.
	worthSharing = 60_000
	// partsEach is how many parts a region has per goroutine: a goroutine that
	// the system stops then holds up a part only.
	partsEach = 3
	// Helpers look this often for work before they sleep, about 50 microseconds.
	looks = 2000
	// Every so many looks the scheduler may run something else.
	yieldEvery = 64
)

// fields of pool.state
const (
	takenBits  = 16
	takenMask  = 1<<takenBits - 1
	regionStep = 1 << (2 * takenBits)
)

func parts(state uint64) int { return int(state >> takenBits & takenMask) }
func taken(state uint64) int { return int(state & takenMask) }

func newPool(threads int) *pool {
	p := &pool{size: min(max(threads, 1), MaxThreads), least: worthSharing}
	if p.size > 1 {
		p.wake = make(chan struct{}, p.size)
		for w := 1; w < p.size; w++ {
			go p.serve(w)
		}
	}
	return p
}

// run calls f for contiguous parts of [0, n), each with a worker number under
// the pool's size, and returns when all are done. work is about the number of
// multiply-adds of the whole region.
func (p *pool) run(n, work int, f func(worker, lo, hi int)) {
	if p.size == 1 || n <= 1 || work < p.least {
		f(0, 0, n)
		return
	}
	count := min(n, partsEach*p.size)
	p.n, p.f = n, f
	p.done.Store(0)
	p.state.Store((p.state.Load()/regionStep+1)*regionStep | uint64(count)<<takenBits)
	for range p.asleep.Load() {
		select {
		case p.wake <- struct{}{}:
		default:
		}
	}
	for p.takePart(0) {
	}
	for i := 1; int(p.done.Load()) < count; i++ {
		rest(i)
	}
	p.f = nil
	if cause := p.fault; cause != nil {
		p.fault = nil
		panic(fault{cause})
	}
}

// takePart does one part of the region, if one is left.
func (p *pool) takePart(worker int) bool {
	for {
		s := p.state.Load()
		if taken(s) == parts(s) {
			return false
		}
		if p.state.CompareAndSwap(s, s+1) {
			// The region can't end before this part does: its fields hold still.
			p.do(worker, p.n*taken(s)/parts(s), p.n*(taken(s)+1)/parts(s))
			return true
		}
	}
}

func (p *pool) do(worker, lo, hi int) {
	defer p.done.Add(1)
	defer func() {
		if cause := recover(); cause != nil {
			p.mu.Lock()
			p.fault = cause
			p.mu.Unlock()
		}
	}()
	p.f(worker, lo, hi)
}

// rest passes a moment of waiting, the i-th.
func rest(i int) {
	if i%yieldEvery == 0 {
		runtime.Gosched()
	} else {
		simd.Pause()
	}
}

// serve is a helper's life.
func (p *pool) serve(worker int) {
	debug.SetPanicOnFault(true)
	for i := 1; !p.closed.Load(); i++ {
		switch {
		case p.takePart(worker):
			i = 0
		case i < looks:
			rest(i)
		default:
			p.sleep()
			i = 0
		}
	}
}

// sleep waits for a region that is published after the helper is known to be
// asleep.
func (p *pool) sleep() {
	p.asleep.Add(1)
	if s := p.state.Load(); taken(s) == parts(s) && !p.closed.Load() {
		<-p.wake
	}
	p.asleep.Add(-1)
}

func (p *pool) close() {
	if p.size > 1 && !p.closed.Swap(true) {
		close(p.wake)
	}
}
