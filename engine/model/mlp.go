package model

// mlp adds the Hadamard MLP of t.norm to t.x. Activations are not quantised
// here.
func (s *Session) mlp(t *token, b *block) {
	d := s.m.g.Width
	s.condition(t, b)

	clear(t.z2[d:])
	s.k.Mul(t.z2[:d], b.d1[:d], t.norm)
	s.kron(t, t.z1, t.z2, b.w1a, b.w1b)
	s.k.Gather(t.z2, t.z1, s.m.permute1)
	s.see("mlp.z1", t, t.z2)

	s.k.AddMul(t.z1, b.d2, t.condN, t.z2, b.b2)
	s.see("mlp.u", t, t.z1)
	s.k.Silu(t.z1, t.z1)
	s.kron(t, t.z2, t.z1, b.w2a, b.w2b)
	s.k.Gather(t.z1, t.z2, s.m.permute2)
	s.see("mlp.z2", t, t.z1)

	s.k.Mul(t.z1, b.d3, t.z1)
	s.kron(t, t.z2, t.z1, b.w3a, b.w3b)
	s.see("mlp.z3", t, t.z2)
	s.k.MulAdd(t.x, b.d4[:d], t.z2[:d])
}

// kron writes A^T Z B to out, with z viewed as [p, q], A [p, p] and B [q, q].
func (s *Session) kron(t *token, out, z, a, b []float32) {
	p, q := s.m.mlpA, s.m.mlpB
	s.k.Combine(t.tmp, z, a, p, p, 1, p)
	s.k.Combine(out, b, t.tmp, p, q, q, 1)
}

// condition writes softmax(cond_v^T x) cond_u to t.condN.
func (s *Session) condition(t *token, b *block) {
	s.k.DotRows(t.cond, b.condV, t.norm)
	s.k.Softmax(t.cond)
	s.k.Combine(t.condN, b.condU, t.cond, 1, len(t.cond), len(t.cond), 1)
	if s.hook != nil {
		s.seeCondition(t)
	}
}

// seeCondition shows the hook the reference's value, which is one more.
func (s *Session) seeCondition(t *token) {
	for i := range t.condN {
		t.condN[i]++
	}
	s.see("mlp.cond", t, t.condN)
	for i := range t.condN {
		t.condN[i]--
	}
}
