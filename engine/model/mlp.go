package model

// The Hadamard MLP has three parts, each a Monarch product: a vector seen as a matrix,
// between two small matrices (kron). They are steps of their own, because the matrices
// of all three are more than a core's nearest cache holds. Activations are not quantised
// here.

// mlpIn takes the token's norm to its hidden values.
func (s *Session) mlpIn(t *token, w *scratch) {
	b, d := &s.m.layers[t.layer], s.m.g.Width
	z := s.hidden.at(t.row)
	clear(z[d:])
	s.k.Mul(z[:d], b.d1[:d], s.norms.at(t.row))
	s.kron(w, w.z, z, b.w1a, b.w1b, s.m.usedRows(), s.m.mlpA)
	s.k.Gather(z, w.z, s.m.permute1)
	s.see("mlp.z1", t, z)
}

// mlpThrough replaces the token's hidden values.
func (s *Session) mlpThrough(t *token, w *scratch) {
	b, z := &s.m.layers[t.layer], s.hidden.at(t.row)
	s.k.AddMul(z, b.d2, s.conds.at(t.row), z, b.b2)
	s.see("mlp.u", t, z)
	s.k.Silu(z, z)
	s.kron(w, w.z, z, b.w2a, b.w2b, s.m.mlpA, s.m.mlpA)
	s.k.Gather(z, w.z, s.m.permute2)
	s.see("mlp.z2", t, z)
}

// mlpOut adds what the token's hidden values come to, to t.x.
func (s *Session) mlpOut(t *token, w *scratch) {
	b, d, z := &s.m.layers[t.layer], s.m.g.Width, s.hidden.at(t.row)
	s.k.Mul(z, b.d3, z)
	used := s.m.usedRows()
	if s.hook != nil {
		used = s.m.mlpA // shown whole
	}
	s.kron(w, w.z, z, b.w3a, b.w3b, s.m.mlpA, used)
	s.see("mlp.z3", t, w.z)
	s.k.MulAdd(t.x, b.d4[:d], w.z[:d])
	s.see("mlp.x", t, t.x)
}

// usedRows is how many rows of hidden values, seen as a matrix, hold values of x.
func (m *Model) usedRows() int { return (m.g.Width + m.mlpB - 1) / m.mlpB }

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
		s.k.DotRows(share, s.m.layers[t.layer].condV, s.norms.at(t.row))
		s.k.Softmax(share)
	}
	for i := lo; i < hi; i++ {
		t := &s.tokens[i]
		cond, share := s.conds.at(t.row), s.shares.at(t.row)
		s.k.Combine(cond, s.m.layers[t.layer].condU, share, 1, len(share), len(share), 1)
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
