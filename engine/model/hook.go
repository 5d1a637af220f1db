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
		s.hook.floats(name, t.layer, t.pos, x)
	}
}

// inputs makes x times factor the token's int8 input to products: a row of their
// activations. The hook may replace it; layer is what it is told.
func (s *Session) inputs(name string, layer int, t *token, a *quant.Activations, row int, x []float32, factor float32) {
	a.Quantize(row, x, factor)
	if s.hook != nil {
		s.hook.ints(name, layer, t.pos, a.Of(row), a.Scale[row:row+1])
	}
	a.Rotate(row)
}

func (s *Session) seeHeads(name string, t *token, x *heads8, dim int) {
	if s.hook == nil {
		return
	}
	var q []int8
	for h := range x.scale {
		q = append(q, x.of(h, dim)...)
	}
	s.hook.ints(name, t.layer, t.pos, q, x.scale)
	for h := range x.scale {
		copy(x.of(h, dim), q[h*dim:])
	}
}
