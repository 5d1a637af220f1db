package model

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// pool runs a function over index ranges on a fixed number of goroutines, the
// caller's among them. A panic or memory fault in any of them (a mapped file
// may be truncated underneath) is re-raised in the caller as a fault.
type pool struct {
	work chan task
	wait sync.WaitGroup

	mu    sync.Mutex
	fault any
	size  int

	least int // work of a region from which on it is shared
}

type task struct {
	run    func(worker, lo, hi int)
	worker int
	lo, hi int
}

// fault is what a pool panics with: the first failure of a region.
type fault struct{ cause any }

func (f fault) Error() string { return fmt.Sprint(f.cause) }

func newPool(threads int) *pool {
	p := &pool{size: min(max(threads, 1), MaxThreads), least: worthSharing}
	if p.size > 1 {
		p.work = make(chan task, p.size)
		for range p.size - 1 {
			go p.serve(p.work)
		}
	}
	return p
}

func (p *pool) serve(work <-chan task) {
	debug.SetPanicOnFault(true)
	for t := range work {
		p.do(t)
	}
}

func (p *pool) do(t task) {
	defer p.wait.Done()
	defer func() {
		if cause := recover(); cause != nil {
			p.mu.Lock()
			p.fault = cause
			p.mu.Unlock()
		}
	}()
	t.run(t.worker, t.lo, t.hi)
}

// MaxThreads bounds a session's goroutines; more would cost memory for nothing.
const MaxThreads = 256

// worthSharing is the number of operations below which waking other goroutines
// costs more than they save.
const worthSharing = 400_000

// run calls f for contiguous parts of [0, n), each with a worker number under
// the pool's size, and returns when all are done. work is about the number of
// multiply-adds of the whole region.
func (p *pool) run(n, work int, f func(worker, lo, hi int)) {
	parts := min(p.size, n)
	if parts <= 1 || work < p.least {
		f(0, 0, n)
		return
	}
	p.wait.Add(parts)
	for w := 1; w < parts; w++ {
		p.work <- task{f, w, n * w / parts, n * (w + 1) / parts}
	}
	p.do(task{f, 0, 0, n / parts})
	p.wait.Wait()
	if cause := p.fault; cause != nil {
		p.fault = nil
		panic(fault{cause})
	}
}

func (p *pool) close() {
	if p.work != nil {
		close(p.work)
		p.work = nil
	}
}
