package model

import "github.com/libneedle/libneedle/simd"

// sinkhornRounds is how often rows and columns are normalised in turn.
const sinkhornRounds = 20

// quantizeLanes prepares the lane maps' int8 input.
func (s *Session) quantizeLanes(t *token, w *scratch) {
	factor := s.inverseRMS(t.lanes)
	if s.hook == nil {
		s.inputs("lanes.z8", t.layer, t, s.z, t.row, t.lanes, factor)
		return
	}
	unit := w.nextLanes
	s.k.Scale(unit, factor, t.lanes)
	s.see("lanes.unit", t, unit)
	s.inputs("lanes.z8", t.layer, t, s.z, t.row, unit, 1)
}

// laneGates makes gates and mixing weights of the lane maps' rows, for tokens lo to
// hi at a time: each by itself is too short for a vector, and waits for divisions.
func (s *Session) laneGates(_, lo, hi int) {
	s.gatesIn(0, lo, hi)
	s.gatesOut(0, lo, hi)
}

// gatesIn makes the gates of the lanes' way into the layer.
func (s *Session) gatesIn(_, lo, hi int) {
	for i := lo; i < hi; i++ {
		t := &s.tokens[i]
		b, raw := &s.m.layers[t.layer], s.maps.at(t.row)[:len(t.pre)]
		s.see("lanes.pre_raw", t, raw)
		s.gate(t.pre, raw, b.aPre, b.bPre, 1)
		s.see("lanes.pre", t, t.pre)
	}
}

// gate writes most*sigmoid(factor*raw+bias) to dst. It needs raw no longer.
func (s *Session) gate(dst, raw []float32, factor float32, bias []float32, most float32) {
	for k := range dst {
		raw[k] = float32(factor*raw[k]) + bias[k]
		dst[k] = most
	}
	s.k.MulSigmoid(dst, raw)
}

// gatesOut makes the gates of the layer's change, and the weights by which the lanes mix.
func (s *Session) gatesOut(_, lo, hi int) {
	n := s.m.g.Lanes
	for i := lo; i < hi; i++ {
		t := &s.tokens[i]
		b, raw := &s.m.layers[t.layer], s.maps.at(t.row)
		post, res := raw[n:2*n], raw[2*n:]
		s.see("lanes.post_raw", t, post)
		s.see("lanes.res_raw", t, res)
		s.gate(t.post, post, b.aPost, b.bPost, 2)
		for k := range t.res {
			t.res[k] = float32(b.aRes*res[k]) + b.bRes[k]
		}
	}
	s.sinkhorn(s.mixes.data[lo*n*n:hi*n*n], n)
	for i := lo; i < hi && s.hook != nil; i++ {
		t := &s.tokens[i]
		s.see("lanes.post", t, t.post)
		s.see("lanes.res", t, t.res)
	}
}

// mixIn mixes the lanes into the layer's input, adds the engram memory and
// prepares the attention's int8 input.
func (s *Session) mixIn(t *token, w *scratch) {
	b, g := &s.m.layers[t.layer], &s.m.g
	s.find(t)
	s.k.Combine(t.u, t.lanes, t.pre, 1, g.Lanes, g.Lanes, 1)
	s.see("lanes.u", t, t.u)
	copy(t.x, t.u)
	if b.site >= 0 {
		s.remember(t, b.site, w)
	}
	s.normalize(w.norm, b.normIn, t.x)
	s.see("attn.norm", t, w.norm)
	s.inputs("attn.h8", t.layer, t, s.h, t.row, w.norm, 1)
}

// attended adds the attention's output to t.x and prepares the MLP's input.
func (s *Session) attended(t *token, _ *scratch) {
	b, out, norm := &s.m.layers[t.layer], s.outs.at(t.row), s.norms.at(t.row)
	s.see("attn.out", t, out)
	s.normalize(norm, b.postNorm, out)
	s.see("attn.post", t, norm)
	s.k.Axpy(t.x, b.attnGate, norm)
	s.see("attn.x", t, t.x)
	s.normalize(norm, b.preHada, t.x)
	s.see("mlp.norm", t, norm)
}

// layerOut ends the MLP, writes the layer's change back to the lanes and leaves the
// layer.
func (s *Session) layerOut(t *token, w *scratch) {
	g := &s.m.g
	s.mlpOut(t, w)

	// The layer's change is mixed like one more lane.
	n := g.Lanes
	terms := t.lanes[:(n+1)*g.Width]
	y := terms[n*g.Width:]
	s.k.Sub(y, t.x, t.u)
	s.see("lanes.y", t, y)
	for i := range n {
		row := w.mix[i*(n+1) : (i+1)*(n+1)]
		copy(row, t.res[i*n:(i+1)*n])
		row[n] = t.post[i]
	}
	s.k.Combine(w.nextLanes, terms, w.mix, n, n+1, n+1, 1)
	s.leaveLayer(t, w)
}

// leaveLayer makes w.nextLanes the token's.
func (s *Session) leaveLayer(t *token, w *scratch) {
	t.lanes, w.nextLanes = w.nextLanes, t.lanes
	s.see("lanes.X", t, t.lanes)
	// Only the block's last token goes on from the last layer: what the others'
	// overflowed to would not be noticed.
	last := t.layer+1 == len(s.m.layers)
	switch {
	case s.cells != nil:
		cell := s.cells[t.layer+1].at(t.index)
		s.meanLanes(t, cell)
		s.see("lanes.cell", t, cell)
		if last {
			s.inverseRMS(cell)
		}
	case last:
		s.meanLanes(t, w.norm)
		s.inverseRMS(w.norm)
	}
	t.layer++
}

// meanLanes writes the mean over lanes to dst.
func (s *Session) meanLanes(t *token, dst []float32) {
	n := s.m.g.Lanes
	s.k.Combine(dst, t.lanes, s.m.laneShare, 1, n, n, 1)
}

// linearRange is the spread of a row's logits within which Sinkhorn may run on
// the exponentials: nothing can underflow to a zero sum.
const linearRange = 30

// sinkhorn makes exp(m), for each of the matrices [n, n] in m, nearly doubly
// stochastic: 20 rounds of normalising rows, then columns. It is defined in
// logarithms; the same steps on the exponentials need one exponential an element
// instead of forty, and agree to float32 accuracy unless the logits lie far apart.
func (s *Session) sinkhorn(m []float32, n int) {
	size, linear := n*n, 0 // linear: matrices before this one that wait for their rounds
	for at := 0; at < len(m); at += size {
		one := m[at : at+size]
		if high, ok := highest(one); ok {
			s.k.ExpInto(one, one, high)
			linear++
			continue
		}
		sinkhornLog(one, n)
		s.k.Sinkhorn(m[at-linear*size:at], n, sinkhornRounds)
		linear = 0
	}
	s.k.Sinkhorn(m[len(m)-linear*size:], n, sinkhornRounds)
}

// highest is the largest of the logits; ok says that they are not far apart.
func highest(m []float32) (high float32, ok bool) {
	low, high := m[0], m[0]
	for _, v := range m {
		low, high = min(low, v), max(high, v)
	}
	return high, high-low <= linearRange
}

func sinkhornLog(m []float32, n int) {
	for range sinkhornRounds {
		for i := range n {
			normalizeLog(m, i*n, 1, n)
		}
		for j := range n {
			normalizeLog(m, j, n, n)
		}
	}
	simd.ExpInto(m, m, 0)
}

// normalizeLog subtracts the log of the summed exponentials.
func normalizeLog(m []float32, first, stride, n int) {
	top := m[first]
	for i := range n {
		top = max(top, m[first+i*stride])
	}
	var sum float32
	for i := range n {
		sum += simd.Exp(m[first+i*stride] - top)
	}
	shift := top + simd.Log(sum)
	for i := range n {
		m[first+i*stride] -= shift
	}
}
