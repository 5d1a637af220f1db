package model

import "github.com/libneedle/libneedle/quant"

// hook sees the result of every operation, and may replace it: tests compare
// each with the reference's and go on from the reference's value. layer is the
// block's number, the site's for engram rows, -1 outside.
type hook interface {
	floats(name string, layer, pos int, x []float32)
	ints(name string, layer, pos int, q []int8, scales []float32)
	// part is floats for one head's share of a value.
	part(name string, layer, pos, head int, x []float32)
}

func (s *Session) see(name string, t *token, x []float32) {
	if s.hook != nil {
		s.hook.floats(name, s.layer, t.pos, x)
	}
}

func (s *Session) see8(name string, t *token, a *quant.Activation) {
	if s.hook != nil {
		scale := []float32{a.Scale}
		s.hook.ints(name, s.layer, t.pos, a.Q, scale)
		a.Scale = scale[0]
	}
}

func (s *Session) seeHeads(name string, t *token, q []int8, scales []float32) {
	if s.hook != nil {
		s.hook.ints(name, s.layer, t.pos, q, scales)
	}
}
