package model

// mlp adds the Hadamard MLP of w.norm to t.x. Activations are not quantised
// here.
func (s *Session) mlp(t *token, b *block, w *scratch) {
	d := s.m.g.Width
	s.condition(t, b, w)

	clear(w.z2[d:])
	s.k.Mul(w.z2[:d], b.d1[:d], w.norm)
	s.kron(w, w.z1, w.z2, b.w1a, b.w1b)
	s.k.Gather(w.z2, w.z1, s.m.permute1)
	s.see("mlp.z1", t, w.z2)

	s.k.AddMul(w.z1, b.d2, w.condN, w.z2, b.b2)
	s.see("mlp.u", t, w.z1)
	s.k.Silu(w.z1, w.z1)
	s.kron(w, w.z2, w.z1, b.w2a, b.w2b)
	s.k.Gather(w.z1, w.z2, s.m.permute2)
	s.see("mlp.z2", t, w.z1)

	s.k.Mul(w.z1, b.d3, w.z1)
	s.kron(w, w.z2, w.z1, b.w3a, b.w3b)
	s.see("mlp.z3", t, w.z2)
	s.k.MulAdd(t.x, b.d4[:d], w.z2[:d])
}

// kron writes A^T Z B to out, with z viewed as [p, q], A [p, p] and B [q, q].
func (s *Session) kron(w *scratch, out, z, a, b []float32) {
	p, q := s.m.mlpA, s.m.mlpB
	s.k.Combine(w.tmp, z, a, p, p, 1, p)
	s.k.Combine(out, b, w.tmp, p, q, q, 1)
}

// condition writes softmax(cond_v^T x) cond_u to w.condN.
func (s *Session) condition(t *token, b *block, w *scratch) {
	s.k.DotRows(w.cond, b.condV, w.norm)
	s.k.Softmax(w.cond)
	s.k.Combine(w.condN, b.condU, w.cond, 1, len(w.cond), len(w.cond), 1)
	if s.hook != nil {
		s.seeCondition(t, w)
	}
}

// seeCondition shows the hook the reference's value, which is one more.
func (s *Session) seeCondition(t *token, w *scratch) {
	for i := range w.condN {
		w.condN[i]++
	}
	s.see("mlp.cond", t, w.condN)
	for i := range w.condN {
		w.condN[i]--
	}
}
