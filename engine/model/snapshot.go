package model

import (
	"errors"
	"slices"
)

// Snapshot is a session's exact state at one position. It is read-only and may
// be restored into any session of the same model, window and choice of heads and cells.
type Snapshot struct {
	model     *Model
	line      line
	sink      int
	window    int
	kv        [][]kvHead
	pools     []poolState
	lastQ     []int8
	lastScale float32
	broken    bool
	lastCell  []float32
}

// Len is the number of positions the snapshot holds.
func (n *Snapshot) Len() int { return n.line.pos }

// Snapshot takes the session's state; its size follows the number of positions
// held, not the capacity. Keys and values that the session will never write again,
// most of a long prefix's, are not copied: the session, its snapshots and the sessions
// that these are restored into share them.
func (s *Session) Snapshot() *Snapshot {
	n := &Snapshot{
		model: s.m, line: newLine(s.m), sink: s.sink, window: s.opt.Window,
		lastQ:     slices.Clone(s.last.Q),
		lastScale: s.last.Scale[0],
		broken:    s.broken,
		lastCell:  slices.Clone(s.lastCell),
		pools:     slices.Clone(s.pools),
	}
	n.line.copyFrom(&s.line)
	s.kv.share(s.pos, s.sink)
	used := s.kv.used(s.pos, s.sink)
	for l := range s.kv.layers {
		var heads []kvHead
		for h := range s.kv.layers[l] {
			heads = append(heads, s.kv.layers[l][h].clone(used))
		}
		n.kv = append(n.kv, heads)
	}
	for i := range n.pools {
		n.pools[i].mean = slices.Clone(n.pools[i].mean)
	}
	return n
}

// Restore sets the session to a snapshot's state. It fails, and changes
// nothing, for a snapshot of another model, window or choice of heads.
func (s *Session) Restore(n *Snapshot) error {
	if n == nil || !n.model.sameAs(s.m) || n.window != s.opt.Window || len(n.pools) != len(s.pools) || len(n.lastCell) != len(s.lastCell) {
		return errors.New("model: the snapshot was not taken from a session of this model and these options")
	}
	s.sink, s.broken, s.live = n.sink, n.broken, 0
	s.line.copyFrom(&n.line)
	s.kv.load(n.kv, n.line.pos, n.sink)
	for i := range n.pools {
		p := &s.pools[i]
		p.top, p.weight = n.pools[i].top, n.pools[i].weight
		copy(p.mean, n.pools[i].mean)
	}
	s.loadLast(n.lastQ, n.lastScale)
	copy(s.lastCell, n.lastCell)
	return nil
}

// loadLast sets the last position's input to the head.
func (s *Session) loadLast(q []int8, scale float32) {
	copy(s.last.Q, q)
	s.last.Scale[0] = scale
	s.last.Rotate(0)
	s.fresh = false
}

// sameAs says whether two models compute the same from the same weights.
func (m *Model) sameAs(other *Model) bool {
	return m.source == other.source && m.exact == other.exact && m.Depth() == other.Depth()
}
