package quant

import "github.com/libneedle/libneedle/simd"

// Activation is one token's input to CQ products: int8 values with one scale
// (the pass's a8) and, after Rotate, what the products read. It is reused from
// token to token and is not safe for concurrent writing.
type Activation struct {
	Q     []int8  // the quantised values, zero beyond the vector's length up to a whole group
	Scale float32 // value = Q * Scale

	rotated []int16   // unnormalised Walsh-Hadamard transform, group by group
	sums    []float32 // per group, the sum of its rotated values
	values  []float32 // Q*Scale, kept only for exact products
}

// NewActivation returns an activation for vectors of n values. exact says
// whether Exact products will read it.
func NewActivation(n int, exact bool) *Activation {
	groups := (n + simd.Group - 1) / simd.Group
	a := &Activation{
		Q:       make([]int8, groups*simd.Group),
		Scale:   1,
		rotated: make([]int16, groups*simd.Group),
		sums:    make([]float32, groups),
	}
	if exact {
		a.values = make([]float32, n)
	}
	return a
}

// Quantize sets Q and Scale from x: scale = max|x|/127 (1 if that is 0), values
// round-half-even(x/scale).
func (a *Activation) Quantize(x []float32) {
	a.Scale = Scale(x)
	simd.QuantizeInt8(a.Q[:len(x)], x, a.Scale)
}

// Rotate prepares the products' view of Q and Scale; call it after every change.
func (a *Activation) Rotate() {
	for g := range a.sums {
		at := g * simd.Group
		q := (*[simd.Group]int8)(a.Q[at:])
		simd.HadamardInt8((*[simd.Group]int16)(a.rotated[at:]), q)
		// The rows of H other than the first sum to zero, so the rotated values
		// sum to 128 times the first value.
		a.sums[g] = simd.Group * float32(q[0])
	}
	for i := range a.values {
		a.values[i] = float32(a.Q[i]) * a.Scale
	}
}

// Scale is the int8 scale of a vector: max|x|/127, or 1 for a zero vector.
func Scale(x []float32) float32 {
	if top := simd.MaxAbs(x); top > 0 {
		return top / 127
	}
	return 1
}
