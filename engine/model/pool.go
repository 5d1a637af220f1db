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
// A token has about a hundred shared regions of some microseconds, less than it costs
// to wake a goroutine. So helpers that run out of work look for more for a
// while before they sleep, and nobody waits for a helper that sleeps: a region
// is cut into parts, each goroutine takes those of its share one by one, and
// then what is left of the others'. Shares stay in place from region to region,
// because what a core wrote in one it finds in its cache in the next.
type pool struct {
	size  int
	least int // work of a region from which on it is shared

	shares []share
	wake   chan struct{}
	closed atomic.Bool
	asleep atomic.Int32

	_     [2 * cacheLine]byte // helpers read what is above all the time
	parts int64               // of all regions so far

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
	// partsEach is how many parts a region of more than worthCutting operations
	// has per goroutine: one that the system stops then holds up a part only.
	partsEach    = 3
	worthCutting = 10_000_000
	// Helpers look this often for a new region before they sleep, about 50
	// microseconds.
	looks = 2000
	// Every so many looks the scheduler may run something else.
	yieldEvery = 64
)

// share is what one goroutine shares with the others. What is sent to it and
// what it sends back have a cache line each: a region costs two lines' way
// between cores.
type share struct {
	// The region's number in the upper half, then the end of the share's parts,
	// then the next one that nobody has taken.
	state atomic.Uint64
	// The region, the same in all shares: n numbers in count parts.
	f        func(worker, lo, hi int)
	n, count int
	_        [32]byte

	done atomic.Int64 // parts that this goroutine has finished, of all regions
	_    [56]byte
}

const (
	partBits   = 16
	partMask   = 1<<partBits - 1
	regionStep = 1 << (2 * partBits)
)

func end(state uint64) int  { return int(state >> partBits & partMask) }
func next(state uint64) int { return int(state & partMask) }

// publish gives the parts lo to hi of a new region away.
func (s *share) publish(lo, hi, n, count int, f func(worker, lo, hi int)) {
	s.f, s.n, s.count = f, n, count
	s.state.Store((s.state.Load()/regionStep+1)*regionStep | uint64(hi)<<partBits | uint64(lo))
}

// take returns a part that is the caller's to do.
func (s *share) take() (part int, ok bool) {
	for {
		old := s.state.Load()
		if next(old) == end(old) {
			return 0, false
		}
		if s.state.CompareAndSwap(old, old+1) {
			return next(old), true
		}
	}
}

func newPool(threads int) *pool {
	p := &pool{size: min(max(threads, 1), MaxThreads), least: worthSharing}
	p.shares = make([]share, p.size)
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
	each := 1
	if work > worthCutting {
		each = partsEach
	}
	count := min(n, each*p.size)
	p.parts += int64(count)
	for w := range p.shares {
		p.shares[w].publish(count*w/p.size, count*(w+1)/p.size, n, count, f)
	}
	for range p.asleep.Load() {
		select {
		case p.wake <- struct{}{}:
		default:
		}
	}
	for p.takePart(0) {
	}
	for i := 1; p.finished() < p.parts; i++ {
		rest(i)
	}
	if cause := p.fault; cause != nil {
		p.fault = nil
		panic(fault{cause})
	}
}

func (p *pool) finished() (parts int64) {
	for w := range p.shares {
		parts += p.shares[w].done.Load()
	}
	return parts
}

// takePart does one part of the region, if one is left.
func (p *pool) takePart(worker int) bool {
	for i := range p.shares {
		s := &p.shares[(worker+i)%p.size]
		if part, ok := s.take(); ok {
			// The region can't end before this part does: its fields hold still.
			p.do(worker, s.n*part/s.count, s.n*(part+1)/s.count, s.f)
			return true
		}
	}
	return false
}

// left says whether a part of the region is left.
func (p *pool) left() bool {
	for i := range p.shares {
		if s := p.shares[i].state.Load(); next(s) < end(s) {
			return true
		}
	}
	return false
}

func (p *pool) do(worker, lo, hi int, f func(worker, lo, hi int)) {
	defer p.shares[worker].done.Add(1)
	defer func() {
		if cause := recover(); cause != nil {
			p.mu.Lock()
			p.fault = cause
			p.mu.Unlock()
		}
	}()
	f(worker, lo, hi)
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
	patience := looks
	if p.size > runtime.GOMAXPROCS(0) {
		patience = 1 // whoever looks keeps another one from working
	}
	own, seen := &p.shares[worker].state, uint64(0)
	for i := 1; !p.closed.Load(); i++ {
		region := own.Load() / regionStep
		switch {
		case region != seen:
			for p.takePart(worker) {
			}
			i, seen = 0, region
		case i < patience:
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
	if !p.left() && !p.closed.Load() {
		<-p.wake
	}
	p.asleep.Add(-1)
}

func (p *pool) close() {
	if p.size > 1 && !p.closed.Swap(true) {
		close(p.wake)
	}
}
