package model

import "github.com/libneedle/libneedle/simd"

// mlp adds the Hadamard MLP of t.norm to t.x. Activations are not quantised
// here.
func (s *Session) mlp(t *token, b *block) {
	d, p, q := s.m.g.Width, s.m.mlpA, s.m.mlpB
	s.condition(t, b)

	clear(t.z2[d:])
	simd.Mul(t.z2[:d], b.d1[:d], t.norm)
	simd.Kron(t.z1, t.tmp, t.z2, b.w1a, b.w1b, p, q)
	simd.Gather(t.z2, t.z1, s.m.permute1)
	s.see("mlp.z1", t, t.z2)

	u := t.z1
	for i := range u {
		u[i] = float32(float32(b.d2[i]*t.condN[i])*t.z2[i]) + b.b2[i]
	}
	s.see("mlp.u", t, u)
	simd.Silu(u, u)
	simd.Kron(t.z2, t.tmp, u, b.w2a, b.w2b, p, q)
	simd.Gather(t.z1, t.z2, s.m.permute2)
	s.see("mlp.z2", t, t.z1)

	simd.Mul(t.z1, b.d3, t.z1)
	simd.Kron(t.z2, t.tmp, t.z1, b.w3a, b.w3b, p, q)
	s.see("mlp.z3", t, t.z2)
	simd.MulAdd(t.x, b.d4[:d], t.z2[:d])
}

// condition writes 1 + softmax(cond_v^T x) cond_u to t.condN.
func (s *Session) condition(t *token, b *block) {
	for r, column := range b.condV {
		t.cond[r] = simd.Dot(column, t.norm)
	}
	simd.Softmax(t.cond)
	for i := range t.condN {
		t.condN[i] = 1
	}
	for r, row := range b.condU {
		simd.Axpy(t.condN, t.cond[r], row)
	}
	s.see("mlp.cond", t, t.condN)
}
