package model

import "github.com/libneedle/libneedle/simd"

// sinkhornRounds is how often rows and columns are normalised in turn.
const sinkhornRounds = 20

// blockIn mixes the lanes into the block's input, adds the engram memory and
// prepares the attention's int8 input.
func (s *Session) blockIn(t *token) {
	b, g := &s.m.blocks[s.layer], &s.m.g
	simd.Scale(t.unit, inverseRMS(t.lanes), t.lanes)
	s.see("lanes.unit", t, t.unit)
	t.z.Quantize(t.unit)
	s.see8("lanes.z8", t, t.z)
	t.z.Rotate()
	s.laneProducts(t, b)

	for i := range t.pre {
		t.pre[i] = simd.Sigmoid(float32(b.aPre*t.preRaw[i]) + b.bPre[i])
		t.post[i] = 2 * simd.Sigmoid(float32(b.aPost*t.postRaw[i])+b.bPost[i])
	}
	s.see("lanes.pre", t, t.pre)
	s.see("lanes.post", t, t.post)
	for i := range t.res {
		t.res[i] = float32(b.aRes*t.resRaw[i]) + b.bRes[i]
	}
	sinkhorn(t.res, g.Lanes)
	s.see("lanes.res", t, t.res)

	clear(t.u)
	for i := range g.Lanes {
		simd.Axpy(t.u, t.pre[i], t.lanes[i*g.Width:(i+1)*g.Width])
	}
	s.see("lanes.u", t, t.u)
	copy(t.x, t.u)
	if b.site >= 0 {
		s.remember(t, b.site)
	}
	normalize(t.norm, b.normIn, t.x)
	s.see("attn.norm", t, t.norm)
	t.h.Quantize(t.norm)
	s.see8("attn.h8", t, t.h)
	t.h.Rotate()
}

// laneProducts multiplies the three lane maps with the quantised lanes.
func (s *Session) laneProducts(t *token, b *block) {
	t.oneX[0] = t.z
	t.oneY[0] = t.preRaw
	b.phiPre.Mul(t.oneY[:], t.oneX[:], 0, len(t.preRaw))
	t.oneY[0] = t.postRaw
	b.phiPost.Mul(t.oneY[:], t.oneX[:], 0, len(t.postRaw))
	t.oneY[0] = t.resRaw
	b.phiRes.Mul(t.oneY[:], t.oneX[:], 0, len(t.resRaw))
	s.see("lanes.pre_raw", t, t.preRaw)
	s.see("lanes.post_raw", t, t.postRaw)
	s.see("lanes.res_raw", t, t.resRaw)
}

// blockOut ends the attention, runs the MLP and writes the block's change back
// to the lanes.
func (s *Session) blockOut(t *token) {
	b, g := &s.m.blocks[s.layer], &s.m.g
	s.see("attn.out", t, t.r)
	normalize(t.norm, b.postNorm, t.r)
	s.see("attn.post", t, t.norm)
	simd.Axpy(t.x, b.attnGate, t.norm)
	s.see("attn.x", t, t.x)
	normalize(t.norm, b.preHada, t.x)
	s.see("mlp.norm", t, t.norm)
	s.mlp(t, b)
	s.see("mlp.x", t, t.x)

	y := t.r
	for i := range y {
		y[i] = t.x[i] - t.u[i]
	}
	s.see("lanes.y", t, y)
	for i := range g.Lanes {
		next := t.nextLanes[i*g.Width : (i+1)*g.Width]
		clear(next)
		for j := range g.Lanes {
			simd.Axpy(next, t.res[i*g.Lanes+j], t.lanes[j*g.Width:(j+1)*g.Width])
		}
		simd.Axpy(next, t.post[i], y)
	}
	t.lanes, t.nextLanes = t.nextLanes, t.lanes
	s.see("lanes.X", t, t.lanes)
	if t.cells != nil {
		cell := t.cells[(s.layer+1)*g.Width : (s.layer+2)*g.Width]
		s.meanLanes(t, cell)
		s.see("lanes.cell", t, cell)
	}
}

// meanLanes writes the mean over lanes to dst.
func (s *Session) meanLanes(t *token, dst []float32) {
	d := s.m.g.Width
	copy(dst, t.lanes[:d])
	for i := 1; i < s.m.g.Lanes; i++ {
		simd.Add(dst, t.lanes[i*d:(i+1)*d])
	}
	for i := range dst {
		dst[i] /= float32(s.m.g.Lanes)
	}
}

func (s *Session) keepCell(t *token, row int, x []float32) {
	if t.cells != nil {
		copy(t.cells[row*len(x):], x)
	}
}

// linearRange is the spread of a row's logits within which Sinkhorn may run on
// the exponentials: nothing can underflow to a zero sum.
const linearRange = 30

// sinkhorn makes exp(m), [n, n], nearly doubly stochastic: 20 rounds of
// normalising rows, then columns. It is defined in logarithms; the same steps
// on the exponentials need one exponential an element instead of forty, and
// agree to float32 accuracy unless the logits lie far apart.
func sinkhorn(m []float32, n int) {
	low, high := m[0], m[0]
	for _, v := range m {
		low, high = min(low, v), max(high, v)
	}
	if !(high-low <= linearRange) {
		sinkhornLog(m, n)
		return
	}
	simd.ExpInto(m, m, high)
	for range sinkhornRounds {
		for i := range n {
			normalizeSum(m, i*n, 1, n)
		}
		for j := range n {
			normalizeSum(m, j, n, n)
		}
	}
}

// normalizeSum divides n elements, stride apart, by their sum.
func normalizeSum(m []float32, first, stride, n int) {
	var sum float32
	for i := range n {
		sum += m[first+i*stride]
	}
	inverse := 1 / sum
	for i := range n {
		m[first+i*stride] *= inverse
	}
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
