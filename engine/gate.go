package engine

import "sync"

// gate counts the calls in flight, so that closing can wait for them and turn later ones away.
type gate struct {
	mu     sync.Mutex
	calls  int
	closed bool
	idle   chan struct{} // closed when closed and no call is left
}

// enter begins a call; leave must follow when it returns nil.
func (g *gate) enter() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return ErrClosed
	}
	g.calls++
	return nil
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls--
	if g.closed && g.calls == 0 {
		close(g.idle)
	}
}

// close turns later calls away and waits for those in flight. It returns true to the caller that closed
// the gate, false to later ones.
func (g *gate) close() bool {
	g.mu.Lock()
	first := !g.closed
	if first {
		g.closed, g.idle = true, make(chan struct{})
		if g.calls == 0 {
			close(g.idle)
		}
	}
	idle := g.idle
	g.mu.Unlock()
	<-idle
	return first
}
