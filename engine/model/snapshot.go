package model

import (
	"errors"
	"slices"
)

// Snapshot is a session's exact state at one position. It is read-only and may
// be restored into any session of the same model and window.
type Snapshot struct {
	model     *Model
	pos, sink int
	window    int
	history   []int32
	kv        [][]kvHead
	raw       [][]float32 // per layer, the newest row first
	memory    [][]float32 // per site, the newest row first
	pools     []poolState
	lastQ     []int8
	lastScale float32
	broken    bool
	lastCell  []float32
}

// Len is the number of positions the snapshot holds.
func (n *Snapshot) Len() int { return n.pos }

// Snapshot copies the session's state; its size follows the number of
// positions held, not the capacity.
func (s *Session) Snapshot() *Snapshot {
	n := &Snapshot{
		model: s.m, pos: s.pos, sink: s.sink, window: s.opt.Window,
		history:   slices.Clone(s.history),
		lastQ:     slices.Clone(s.last.Q),
		lastScale: s.last.Scale[0],
		broken:    s.broken,
		lastCell:  slices.Clone(s.lastCell),
		pools:     slices.Clone(s.pools),
	}
	used := s.kv.used(s.pos, s.sink)
	for l := range s.kv.layers {
		var heads []kvHead
		for h := range s.kv.layers[l] {
			heads = append(heads, s.kv.layers[l][h].clone(used))
		}
		n.kv = append(n.kv, heads)
		n.raw = append(n.raw, s.keptRaw[l].inOrder(&s.rawTrail))
	}
	for i := range s.memory {
		n.memory = append(n.memory, s.memory[i].inOrder(&s.siteTrail))
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
	s.pos, s.sink, s.broken = n.pos, n.sink, n.broken
	copy(s.history, n.history)
	s.kv.reserve(n.pos, n.sink)
	s.rawTrail.reset()
	s.siteTrail.reset()
	for l := range s.kv.layers {
		for h := range s.kv.layers[l] {
			s.kv.layers[l][h].copyFrom(&n.kv[l][h])
		}
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
	return nil
}

// sameAs says whether two models compute the same from the same weights.
func (m *Model) sameAs(other *Model) bool {
	return m.source == other.source && m.exact == other.exact && m.Depth() == other.Depth()
}
