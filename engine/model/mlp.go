package model

// mlp adds the Hadamard MLP of the token's norm to t.x. Activations are not
// quantised here.
func (s *Session) mlp(t *token, b *block, w *scratch) {
	g := &s.m.g
	d := g.Width
	used := (d + s.m.mlpB - 1) / s.m.mlpB // rows of z with values of x
	clear(w.z2[d:])
	s.k.Mul(w.z2[:d], b.d1[:d], s.norms.at(t.row))
	s.kron(w, w.z1, w.z2, b.w1a, b.w1b, used, s.m.mlpA)
	s.k.Gather(w.z2, w.z1, s.m.permute1)
	s.see("mlp.z1", t, w.z2)

	s.k.AddMul(w.z1, b.d2, s.conds.at(t.row), w.z2, b.b2)
	s.see("mlp.u", t, w.z1)
	s.k.Silu(w.z1, w.z1)
	s.kron(w, w.z2, w.z1, b.w2a, b.w2b, s.m.mlpA, s.m.mlpA)
	s.k.Gather(w.z1, w.z2, s.m.permute2)
	s.see("mlp.z2", t, w.z1)

	s.k.Mul(w.z1, b.d3, w.z1)
	if s.hook != nil {
		used = s.m.mlpA // shown whole
	}
	s.kron(w, w.z2, w.z1, b.w3a, b.w3b, s.m.mlpA, used)
	s.see("mlp.z3", t, w.z2)
	s.k.MulAdd(t.x, b.d4[:d], w.z2[:d])
}

// kron writes A^T Z B to out, with z viewed as [p, q], A [p, p] and B [q, q]. Rows
// of z from in on are zeros; rows of out from rows on are not wanted.
func (s *Session) kron(w *scratch, out, z, a, b []float32, in, rows int) {
	p, q := s.m.mlpA, s.m.mlpB
	s.k.Combine(w.tmp[:rows*q], z, a, rows, in, 1, p)
	s.k.Combine(out[:rows*q], b, w.tmp, rows, q, q, 1)
}

// conditions writes softmax(cond_v^T x) cond_u to the rows of s.conds, for tokens lo
// to hi: both matrices are larger than what else is in a core's nearest cache, so
// they are read for all tokens in turn.
func (s *Session) conditions(_, lo, hi int) {
	for i := lo; i < hi; i++ {
		t := &s.tokens[i]
		share := s.shares.at(t.row)
		s.k.DotRows(share, s.m.blocks[t.layer].condV, s.norms.at(t.row))
		s.k.Softmax(share)
	}
	for i := lo; i < hi; i++ {
		t := &s.tokens[i]
		cond, share := s.conds.at(t.row), s.shares.at(t.row)
		s.k.Combine(cond, s.m.blocks[t.layer].condU, share, 1, len(share), len(share), 1)
		if s.hook != nil {
			s.seeCondition(t, cond)
		}
	}
}

// seeCondition shows the hook the reference's value, which is one more.
func (s *Session) seeCondition(t *token, cond []float32) {
	for i := range cond {
		cond[i]++
	}
	s.see("mlp.cond", t, cond)
	for i := range cond {
		cond[i]--
	}
}
