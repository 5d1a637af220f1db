package model

import (
	"errors"
	"fmt"
)

// state is what a session carries from position to position beside keys and values.
type state struct {
	pos, sink int
	history   []int32
	raw       [][]float32 // per layer, the newest row first
	memory    [][]float32 // per site, the newest row first
	pools     []poolState
	lastQ     []int8
	lastScale float32
	broken    bool
	lastCell  []float32
}

// save copies the session's state to n, whose memory is used again.
func (s *Session) save(n *state) {
	n.pos, n.sink, n.broken = s.pos, s.sink, s.broken
	n.history = append(n.history[:0], s.history...)
	n.lastQ, n.lastScale = append(n.lastQ[:0], s.last.Q...), s.last.Scale[0]
	n.lastCell = append(n.lastCell[:0], s.lastCell...)
	if n.raw == nil {
		n.raw, n.memory = make([][]float32, len(s.keptRaw)), make([][]float32, len(s.memory))
		n.pools = make([]poolState, len(s.pools))
	}
	for l := range n.raw {
		n.raw[l] = s.keptRaw[l].inOrder(n.raw[l], &s.rawTrail)
	}
	for i := range n.memory {
		n.memory[i] = s.memory[i].inOrder(n.memory[i], &s.siteTrail)
	}
	for i, p := range s.pools {
		n.pools[i].top, n.pools[i].weight = p.top, p.weight
		n.pools[i].mean = append(n.pools[i].mean[:0], p.mean...)
	}
}

// load makes n the session's state.
func (s *Session) load(n *state) {
	s.pos, s.sink, s.broken = n.pos, n.sink, n.broken
	copy(s.history, n.history)
	s.rawTrail.reset()
	s.siteTrail.reset()
	for l := range s.keptRaw {
		copy(s.keptRaw[l].data, n.raw[l])
	}
	for i := range s.memory {
		copy(s.memory[i].data, n.memory[i])
	}
	for i := range n.pools {
		p := &s.pools[i]
		p.top, p.weight = n.pools[i].top, n.pools[i].weight
		copy(p.mean, n.pools[i].mean)
	}
	copy(s.last.Q, n.lastQ)
	s.last.Scale[0] = n.lastScale
	s.last.Rotate(0)
	copy(s.lastCell, n.lastCell)
	s.fresh = false
}

// Snapshot is a session's exact state at one position. It is read-only and may
// be restored into any session of the same model and window.
type Snapshot struct {
	model  *Model
	window int
	state  state
	kv     [][]kvHead
}

// Len is the number of positions the snapshot holds.
func (n *Snapshot) Len() int { return n.state.pos }

// Snapshot copies the session's state; its size follows the number of
// positions held, not the capacity.
func (s *Session) Snapshot() *Snapshot {
	n := &Snapshot{model: s.m, window: s.opt.Window}
	s.save(&n.state)
	used := s.kv.used(s.pos, s.sink)
	for l := range s.kv.layers {
		var heads []kvHead
		for h := range s.kv.layers[l] {
			heads = append(heads, s.kv.layers[l][h].clone(used))
		}
		n.kv = append(n.kv, heads)
	}
	return n
}

// Restore sets the session to a snapshot's state. It fails, and changes
// nothing, for a snapshot of another model, window or choice of heads.
func (s *Session) Restore(n *Snapshot) error {
	if n == nil || !n.model.sameAs(s.m) || n.window != s.opt.Window || len(n.state.pools) != len(s.pools) || len(n.state.lastCell) != len(s.lastCell) {
		return errors.New("model: the snapshot was not taken from a session of this model and these options")
	}
	s.kv.reserve(n.state.pos, n.state.sink)
	for l := range s.kv.layers {
		for h := range s.kv.layers[l] {
			s.kv.layers[l][h].copyFrom(&n.kv[l][h])
		}
	}
	s.load(&n.state)
	s.furthest = s.pos
	s.marks++ // whatever was marked is gone
	return nil
}

// Mark is a position of one session to go back to. Unlike a Snapshot it has no keys and
// values: those of up to MostRewound later positions overwrite nothing that is visible
// from it. The zero value is ready for Session.Mark.
type Mark struct {
	session *Session
	number  int
	state   state
}

// MostRewound is how many positions beyond a mark may have been fed when the session
// goes back to it.
const MostRewound = blockTokens

// Mark makes m the session's position, at the cost of copying what convolutions look
// back at and the probe heads' pools. It is the only mark that the session goes back to
// from now on. When m was used before, nothing is allocated.
func (s *Session) Mark(m *Mark) {
	s.marks++
	m.session, m.number = s, s.marks
	s.save(&m.state)
}

// Rewind takes the session back to its mark, as often as wanted. It fails, and changes
// nothing, for any other mark, after Restore or SetSink, and when more than MostRewound
// positions were fed beyond it.
func (s *Session) Rewind(m *Mark) error {
	switch {
	case m.session != s || m.number != s.marks || m.state.sink != s.sink:
		return errors.New("model: this is not the session's newest mark, or its state was replaced since")
	case s.kv.ring > 0 && s.furthest > m.state.pos+MostRewound:
		return fmt.Errorf("model: %d positions were fed beyond the mark, at most %d can be taken back", s.furthest-m.state.pos, MostRewound)
	}
	s.load(&m.state)
	return nil
}

// sameAs says whether two models compute the same from the same weights.
func (m *Model) sameAs(other *Model) bool {
	return m.source == other.source && m.exact == other.exact && m.Depth() == other.Depth()
}
