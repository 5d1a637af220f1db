package quant

import "github.com/libneedle/libneedle/simd"

// Form says in which arrangements a product reads its input.
type Form uint8

// The forms of inputs; a set of them is their sum.
const (
	Narrow Form = 1 << iota // 2-bit tiles
	Wide                    // 4-bit tiles
	Floats                  // exact products
)

// Activations are the inputs of CQ products for a block of tokens: int8 values
// with one scale a token (the reference's a8) and, after Rotate, what the products
// read. They are reused from block to block. Different tokens may be written at
// the same time.
type Activations struct {
	Q      []int8    // [tokens][Stride], zero beyond the vector's length
	Scale  []float32 // [tokens]; value = Q * Scale
	Stride int       // the vector's length, rounded up to whole groups

	kernels *simd.Kernels
	groups  int
	rotated []int16   // [tokens][Stride]: unnormalised Walsh-Hadamard transform, group by group
	narrow  []int16   // the same as narrow products want it, or nil
	wide    []int16   // as wide products want it, or nil
	first   []float32 // [tokens][groups]: the sum of a group's rotated values
	bias    []int32   // [tokens][groups]: minus first
	values  []float32 // [tokens][Stride]: Q*Scale, or nil
}

// NewActivations returns room for vectors of n values, to be read by products
// of the given forms.
func NewActivations(k *simd.Kernels, tokens, n int, forms Form) *Activations {
	groups := (n + simd.Group - 1) / simd.Group
	a := &Activations{Stride: groups * simd.Group, kernels: k, groups: groups}
	size := tokens * a.Stride
	a.Q, a.Scale = make([]int8, size), make([]float32, tokens)
	for t := range a.Scale {
		a.Scale[t] = 1
	}
	a.rotated, a.first = make([]int16, size), make([]float32, tokens*groups)
	a.bias = make([]int32, tokens*groups)
	if forms&Narrow != 0 {
		a.narrow = make([]int16, size)
	}
	if forms&Wide != 0 {
		a.wide = make([]int16, size)
	}
	if forms&Floats != 0 {
		a.values = make([]float32, size)
	}
	return a
}

// Of returns token t's values.
func (a *Activations) Of(t int) []int8 { return a.Q[t*a.Stride : (t+1)*a.Stride] }

// Quantize sets token t's Q and Scale from x times factor: scale = max|x*factor|/127
// (1 if that is 0), values round-half-even(x*factor/scale).
func (a *Activations) Quantize(t int, x []float32, factor float32) {
	a.kernels.Quantize(a.Q[t*a.Stride:], len(x), a.Scale[t:t+1], x, len(x), factor)
}

// Rotate prepares the products' view of token t; call it after every change.
func (a *Activations) Rotate(t int) {
	lo, hi := t*a.Stride, (t+1)*a.Stride
	q, h := a.Q[lo:hi], a.rotated[lo:hi]
	a.kernels.Rotate(h, q)
	if a.narrow != nil {
		a.kernels.ArrangeNarrow(a.narrow[lo:hi], h)
	}
	if a.wide != nil {
		a.kernels.ArrangeWide(a.wide[lo:hi], h)
	}
	for g := range a.groups {
		// The rows of H other than the first sum to zero, so the rotated values
		// sum to 128 times the first value.
		sum := simd.Group * int32(q[g*simd.Group])
		a.first[t*a.groups+g], a.bias[t*a.groups+g] = float32(sum), -sum
	}
	if a.values != nil {
		for i, v := range q {
			a.values[lo+i] = float32(v) * a.Scale[t]
		}
	}
}

// inputs are n tokens from t on, for a product that reads values.
func (a *Activations) inputs(values []int16, t, n int) simd.Inputs {
	return simd.Inputs{
		Tokens: n,
		Values: values[t*a.Stride : (t+n)*a.Stride],
		First:  a.first[t*a.groups : (t+n)*a.groups],
		Bias:   a.bias[t*a.groups : (t+n)*a.groups],
		Scale:  a.Scale[t : t+n],
	}
}
