package model

import (
	"github.com/libneedle/libneedle/quant"
	"github.com/libneedle/libneedle/simd"
)

// rawRow is one position's projections before the taps.
type rawRow struct{ q, k, v []float32 }

// rawRows keeps a layer's newest projections: the taps look back at them.
type rawRows struct {
	ring    ringRows
	qk, end int // lengths of q and of q and k
}

func newRawRows(m *Model) rawRows {
	g := m.g
	q, k, v := g.Heads*g.QKDim, g.KVHeads*g.QKDim, g.KVHeads*g.VDim
	return rawRows{newRingRows(max(g.ConvTaps-1, 0)+blockTokens, q+k+v), q, q + k}
}

func (r *rawRows) row(p int) rawRow {
	x := r.ring.row(p)
	return rawRow{x[:r.qk], x[r.qk:r.end], x[r.end:]}
}

// bindRaw points the block's tokens at the layer's rows.
func (s *Session) bindRaw() {
	for i := range s.n {
		s.tokens[i].raw = s.rows[s.layer].row(s.tokens[i].pos)
	}
}

// keysValues turns raw projections into the int8 query, and the int8 key and
// value that go to the cache.
func (s *Session) keysValues(t *token) {
	b, g := &s.m.blocks[s.layer], &s.m.g
	s.see("attn.q_raw", t, t.raw.q)
	s.see("attn.k_raw", t, t.raw.k)
	s.see("attn.v_raw", t, t.raw.v)
	s.see("attn.gate_raw", t, t.gate)
	s.convolve(t, b)
	normalizeHeads(t.q, b.qNorm)
	s.see("attn.q_norm", t, t.q)
	normalizeHeads(t.k, b.kNorm)
	s.see("attn.k_norm", t, t.k)
	rotate(t.q, t.cos, t.sin)
	s.see("attn.q_rope", t, t.q)
	rotate(t.k, t.cos, t.sin)
	s.see("attn.k_rope", t, t.k)

	quantizeHeads(t.q8, t.qScale, t.q, g.QKDim)
	s.seeHeads("attn.q8", t, t.q8, t.qScale)
	c, slot := &s.kv.layers[s.layer], s.kv.slot(t.pos, s.sink)
	key, keyScale := c.key.at(slot)
	quantizeHeads(key, keyScale, t.k, g.QKDim)
	s.seeHeads("attn.k8", t, key, keyScale)
	value, valueScale := c.value.at(slot)
	quantizeHeads(value, valueScale, t.v, g.VDim)
	s.seeHeads("attn.v8", t, value, valueScale)
}

// convolve runs the causal taps over the newest raw rows.
func (s *Session) convolve(t *token, b *block) {
	if len(b.qTaps) == 0 {
		copy(t.q, t.raw.q)
		copy(t.k, t.raw.k)
		copy(t.v, t.raw.v)
		return
	}
	clear(t.q)
	clear(t.k)
	clear(t.v)
	for j := range b.qTaps {
		if t.pos-j < 0 {
			break
		}
		row := s.rows[s.layer].row(t.pos - j)
		simd.MulAdd(t.q, b.qTaps[j], row.q)
		simd.MulAdd(t.k, b.kTaps[j], row.k)
		simd.MulAdd(t.v, b.vTaps[j], row.v)
	}
	s.see("attn.q_taps", t, t.q)
	s.see("attn.k_taps", t, t.k)
	s.see("attn.v_taps", t, t.v)
}

// normalizeHeads normalises each head vector by itself.
func normalizeHeads(x, gain []float32) {
	for i := 0; i < len(x); i += len(gain) {
		normalize(x[i:i+len(gain)], gain, x[i:i+len(gain)])
	}
}

// rotate applies the rotary embedding to each head, first half against second.
func rotate(x, cos, sin []float32) {
	half := len(cos)
	for at := 0; at < len(x); at += 2 * half {
		a, b := x[at:at+half], x[at+half:at+2*half]
		for i := range a {
			p, q := a[i], b[i]
			a[i] = float32(p*cos[i]) - float32(q*sin[i])
			b[i] = float32(q*cos[i]) + float32(p*sin[i])
		}
	}
}

// quantizeHeads is a8 with one scale for each head of dim values.
func quantizeHeads(q []int8, scales, x []float32, dim int) {
	for h := range scales {
		part := x[h*dim : (h+1)*dim]
		scales[h] = quant.Scale(part)
		simd.QuantizeInt8(q[h*dim:(h+1)*dim], part, scales[h])
	}
}

// attend computes one query head's output per unit; units count tokens times
// query heads.
func (s *Session) attend(worker, lo, hi int) {
	g := &s.m.g
	for unit := lo; unit < hi; unit++ {
		t, head := &s.tokens[unit/g.Heads], unit%g.Heads
		s.attendHead(t, head, s.kv.scores[worker])
	}
}

// attendWork is about the multiply-adds of the block's attention in one layer.
func (s *Session) attendWork() int {
	g, v := &s.m.g, s.visible(s.pos+s.n-1)
	seen := max(v.sinkTo-v.sinkFrom, 0) + s.pos + s.n - v.from
	return s.n * g.Heads * seen * (g.QKDim + g.VDim)
}

func (s *Session) attendHead(t *token, head int, scores []float32) {
	g, c := &s.m.g, &s.kv.layers[s.layer]
	group := head / (g.Heads / g.KVHeads)
	q := t.q8[head*g.QKDim : (head+1)*g.QKDim]
	scale := t.qScale[head] / sqrtOf(g.QKDim)
	span := s.visible(t.pos)

	n := 0
	for p := span.first(); p <= t.pos; p = span.next(p) {
		key, keyScale := c.key.head(s.kv.slot(p, s.sink), group)
		scores[n] = float32(simd.DotInt8(q, key)) * float32(keyScale*scale)
		n++
	}
	scores = scores[:n]
	s.seePart("attn.scores", t, head, scores)
	simd.Softmax(scores)
	s.seePart("attn.weights", t, head, scores)

	o := t.o[head*g.VDim : (head+1)*g.VDim]
	clear(o)
	n = 0
	for p := span.first(); p <= t.pos; p = span.next(p) {
		value, valueScale := c.value.head(s.kv.slot(p, s.sink), group)
		simd.AxpyInt8(o, scores[n]*valueScale, value)
		n++
	}
}

func (s *Session) seePart(name string, t *token, head int, x []float32) {
	if s.hook != nil {
		s.hook.part(name, s.layer, t.pos, head, x)
	}
}

// attendOut gates the heads' outputs and prepares the output projection.
func (s *Session) attendOut(t *token) {
	s.see("attn.o", t, t.o)
	simd.MulSigmoid(t.o, t.gate)
	s.see("attn.gated", t, t.o)
	t.o8.Quantize(t.o)
	s.see8("attn.o8", t, t.o8)
	t.o8.Rotate()
}

// span is the positions a query sees: [sinkFrom, sinkTo) and [from, query].
type span struct{ sinkFrom, sinkTo, from int }

// visible intersects the layer's causal band with sink and window.
func (s *Session) visible(pos int) span {
	g := &s.m.g
	band := 0
	if !s.m.blocks[s.layer].global {
		band = max(0, pos-g.SlidingWindow+1)
	}
	if s.opt.Window == 0 {
		return span{from: band}
	}
	from := max(band, pos-s.opt.Window+1)
	return span{sinkFrom: band, sinkTo: min(s.sink, from), from: from}
}

func (v span) first() int {
	if v.sinkFrom < v.sinkTo {
		return v.sinkFrom
	}
	return v.from
}

func (v span) next(p int) int {
	if p++; p == v.sinkTo {
		return max(p, v.from)
	}
	return p
}
