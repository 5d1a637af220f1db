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

// inputs makes x times factor the token's int8 input to products, which may see it
// replaced.
func (s *Session) inputs(name string, t *token, a *quant.Activations, x []float32, factor float32) {
	s.inputsAt(name, t.layer, t.pos, a, t.index, x, factor)
}

func (s *Session) inputsAt(name string, layer, pos int, a *quant.Activations, index int, x []float32, factor float32) {
	a.Quantize(index, x, factor)
	if s.hook != nil {
		s.hook.ints(name, layer, pos, a.Of(index), a.Scale[index:index+1])
	}
	a.Rotate(index)
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
