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
	s.normalizeHeads(t.q, b.qNorm)
	s.see("attn.q_norm", t, t.q)
	s.normalizeHeads(t.k, b.kNorm)
	s.see("attn.k_norm", t, t.k)
	s.k.Rotary(t.q, t.cos, t.sin)
	s.see("attn.q_rope", t, t.q)
	s.k.Rotary(t.k, t.cos, t.sin)
	s.see("attn.k_rope", t, t.k)

	s.quantizeHeads("attn.q8", t, &t.q8, t.q, g.QKDim)
	s.quantizeHeads("attn.k8", t, &t.k8, t.k, g.QKDim)
	s.quantizeHeads("attn.v8", t, &t.v8, t.v, g.VDim)
	t.seen = s.kv.find(&t.ranges, s.visible(t.pos), t.pos, s.sink)
	slot := s.kv.slot(t.pos, s.sink)
	for i := range s.kv.layers[s.layer] {
		h := &s.kv.layers[s.layer][i]
		h.putKey(slot, t.k8.of(i, g.QKDim), t.k8.scale[i])
		h.putValue(slot, t.v8.of(i, g.VDim), t.v8.scale[i])
	}
}

// heads8 is int8 vectors with one scale for each head; room says how far apart
// they lie.
type heads8 struct {
	q     []int8
	scale []float32
	room  int
}

func newHeads8(heads, room int) heads8 {
	return heads8{make([]int8, heads*room), make([]float32, heads), room}
}

func (x *heads8) of(head, dim int) []int8 { return x.q[head*x.room:][:dim] }

// convolve runs the causal taps over the newest raw rows.
func (s *Session) convolve(t *token, b *block) {
	if len(b.qTaps) == 0 {
		copy(t.q, t.raw.q)
		copy(t.k, t.raw.k)
		copy(t.v, t.raw.v)
		return
	}
	s.k.Mul(t.q, b.qTaps[0], t.raw.q)
	s.k.Mul(t.k, b.kTaps[0], t.raw.k)
	s.k.Mul(t.v, b.vTaps[0], t.raw.v)
	for j := 1; j < min(len(b.qTaps), t.pos+1); j++ {
		row := s.rows[s.layer].row(t.pos - j)
		s.k.MulAdd(t.q, b.qTaps[j], row.q)
		s.k.MulAdd(t.k, b.kTaps[j], row.k)
		s.k.MulAdd(t.v, b.vTaps[j], row.v)
	}
	s.see("attn.q_taps", t, t.q)
	s.see("attn.k_taps", t, t.k)
	s.see("attn.v_taps", t, t.v)
}

// normalizeHeads normalises each head vector by itself.
func (s *Session) normalizeHeads(x, gain []float32) {
	for i := 0; i < len(x); i += len(gain) {
		s.normalize(x[i:i+len(gain)], gain, x[i:i+len(gain)])
	}
}

// quantizeHeads is a8 with one scale for each head of dim values.
func (s *Session) quantizeHeads(name string, t *token, dst *heads8, x []float32, dim int) {
	for h := range dst.scale {
		part := x[h*dim : (h+1)*dim]
		dst.scale[h] = quant.Scale(s.k, part)
		s.k.QuantizeInt8(dst.of(h, dim), part, dst.scale[h])
	}
	s.seeHeads(name, t, dst, dim)
}

// attend computes one query head's output per unit; units count tokens times
// query heads.
func (s *Session) attend(worker, lo, hi int) {
	g := &s.m.g
	for unit := lo; unit < hi; unit++ {
		t, head := &s.tokens[unit/g.Heads], unit%g.Heads
		s.attendHead(t, head, &s.kv.work[worker])
	}
}

// attendWork is about the multiply-adds of the block's attention in one layer.
func (s *Session) attendWork() int {
	g, v := &s.m.g, s.visible(s.pos+s.n-1)
	seen := max(v.sinkTo-v.sinkFrom, 0) + s.pos + s.n - v.from
	return s.n * g.Heads * seen * (g.QKDim + g.VDim)
}

func (s *Session) attendHead(t *token, head int, a *attention) {
	g := &s.m.g
	kv := &s.kv.layers[s.layer][head/(g.Heads/g.KVHeads)]
	scores := s.scores(t, head, kv, a)
	s.seePart("attn.scores", t, head, scores)
	s.k.Softmax(scores)
	s.seePart("attn.weights", t, head, scores)
	n := 0
	for _, r := range t.seen {
		part := scores[n : n+r.hi-r.lo]
		s.k.Mul(part, part, kv.valueScale[r.lo:r.hi])
		n += len(part)
	}
	o := t.o[head*g.VDim : (head+1)*g.VDim]
	if s.m.exact {
		sumExactly(o, scores, kv, t.seen)
		return
	}
	s.sumValues(o, scores, kv, t.seen, a)
}

// scores are the query's, over the slots seen in turn.
func (s *Session) scores(t *token, head int, kv *kvHead, a *attention) []float32 {
	scale := t.q8.scale[head] / sqrtOf(s.m.g.QKDim)
	q := t.q8.of(head, kv.keyDim)
	n := 0
	for _, r := range t.seen {
		lo, hi := r.lo/simd.SlotTile*simd.SlotTile, roundUp(r.hi, simd.SlotTile)
		raw := a.raw[lo:hi]
		s.k.ScoreKeys(raw, q, scale, kv.key[lo*kv.keyDim:hi*kv.keyDim], kv.keyScale[lo:hi])
		if len(t.seen) == 1 {
			return raw[r.lo-lo : r.hi-lo]
		}
		n += copy(a.scores[n:], raw[r.lo-lo:r.hi-lo])
	}
	return a.scores[:n]
}

// sumValues adds the values by their weights, in integers: the weights are
// rounded to 1/16383 of the largest.
func (s *Session) sumValues(o, weights []float32, kv *kvHead, seen []slots, a *attention) {
	clear(a.sums)
	top := s.k.Max(weights)
	factor := simd.MaxWeight / top
	for _, r := range seen {
		lo, hi := r.lo/simd.ValueSlots*simd.ValueSlots, roundUp(r.hi, simd.ValueSlots)
		for _, digits := range [2][]uint8{a.high, a.low} {
			clear(digits[lo:r.lo])
			clear(digits[r.hi:hi])
		}
		n := r.hi - r.lo
		s.k.SplitWeights(a.high[r.lo:r.hi], a.low[r.lo:r.hi], weights[:n], factor)
		s.k.SumValues(a.sums, a.high[lo:hi], a.low[lo:hi], kv.value[lo*kv.valueDim:hi*kv.valueDim])
		weights = weights[n:]
	}
	s.k.JoinSums(o, a.sums, top/simd.MaxWeight)
}

// sumExactly is sumValues in float32, position after position.
func sumExactly(o, weights []float32, kv *kvHead, seen []slots) {
	clear(o)
	n := 0
	for _, r := range seen {
		for slot := r.lo; slot < r.hi; slot++ {
			group := kv.value[slot/simd.ValueSlots*simd.ValueSlots*kv.valueDim+slot%simd.ValueSlots:]
			for i := range o {
				o[i] += float32(weights[n] * float32(group[i*simd.ValueSlots]))
			}
			n++
		}
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
	s.k.MulSigmoid(t.o, t.gate)
	s.see("attn.gated", t, t.o)
	s.inputs("attn.o8", t, s.o8, t.o)
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
