package model

import (
	"github.com/libneedle/libneedle/simd"
)

// rawRow is one position's projections before the taps.
type rawRow struct{ q, k, v []float32 }

// rawWidths are the lengths of q, and of q and k, and of all three.
func (m *Model) rawWidths() (qEnd, kEnd, end int) {
	g := &m.g
	qEnd = g.Heads * g.QKDim
	kEnd = qEnd + g.KVHeads*g.QKDim
	return qEnd, kEnd, kEnd + g.KVHeads*g.VDim
}

// heads is a range of key-value heads, and the query heads that read them.
type heads struct{ lo, hi int }

func (m *Model) allHeads() heads { return heads{0, m.g.KVHeads} }

// query is the range of query heads.
func (h heads) query(m *Model) (lo, hi int) {
	per := m.g.Heads / m.g.KVHeads
	return h.lo * per, h.hi * per
}

// splitRaw is the heads' part of a row of all projections.
func (m *Model) splitRaw(row []float32, h heads) rawRow {
	qEnd, kEnd, _ := m.rawWidths()
	lo, hi := h.query(m)
	return rawRow{
		row[lo*m.g.QKDim : hi*m.g.QKDim],
		row[qEnd:][h.lo*m.g.QKDim : h.hi*m.g.QKDim],
		row[kEnd:][h.lo*m.g.VDim : h.hi*m.g.VDim],
	}
}

// attention computes q, k, v and gate, whose products are the one step of project,
// and what the heads make of them. Where goroutines can have whole heads for
// themselves, each goes all the way with its own: one region instead of three, and
// nothing that one core computes is read by another before the output projection.
func (s *Session) attention(project []step) {
	g := &s.m.g
	if s.hook == nil && s.pool.size > 1 && s.pool.size <= g.KVHeads && s.m.headsInTiles() {
		s.steps = project
		s.pool.run(g.KVHeads, s.stepWork(&project[0])+s.attendWork(), s.region.attendHeads)
		s.keepRaw()
		return
	}
	s.products(project)
	s.keepKeys()
	s.pool.run(s.n*g.Heads, s.attendWork(), s.region.attend)
}

// headsInTiles says whether the rows of each head begin with a tile.
func (m *Model) headsInTiles() bool {
	return m.g.QKDim%simd.TileRows == 0 && m.g.VDim%simd.TileRows == 0
}

// attendHeads is the attention of key-value heads lo to hi.
func (s *Session) attendHeads(worker, lo, hi int) {
	h, w, p := heads{lo, hi}, &s.scratch[worker], &s.steps[0]
	for i := range p.jobs {
		j := &p.jobs[i]
		each := j.m.Tiles() / s.m.g.KVHeads
		j.m.Mul(j.y.data, j.y.width, p.x, 0, s.n, lo*each, hi*each)
	}
	for i := range s.n {
		t := &s.tokens[i]
		s.keysValuesOf(t, w, h)
		first, end := h.query(s.m)
		s.attendQueries(t, first, end, &s.kv.work[worker])
	}
}

func (s *Session) keysValues(t *token, w *scratch) { s.keysValuesOf(t, w, s.m.allHeads()) }

// keysValuesOf turns raw projections into the int8 query, and the int8 key and
// value that go to the cache.
func (s *Session) keysValuesOf(t *token, w *scratch, h heads) {
	b, g := &s.m.layers[s.layer], &s.m.g
	raw, x := s.m.splitRaw(s.raw.at(t.index), h), s.m.splitRaw(w.tapped, h)
	s.see("attn.q_raw", t, raw.q)
	s.see("attn.k_raw", t, raw.k)
	s.see("attn.v_raw", t, raw.v)
	s.see("attn.gate_raw", t, t.gate)
	s.convolve(t, b, x, h)
	s.normalize(x.q, b.qNorm, x.q)
	s.see("attn.q_norm", t, x.q)
	s.normalize(x.k, b.kNorm, x.k)
	s.see("attn.k_norm", t, x.k)
	s.k.Rotary(x.q, t.cos, t.sin)
	s.see("attn.q_rope", t, x.q)
	s.k.Rotary(x.k, t.cos, t.sin)
	s.see("attn.k_rope", t, x.k)

	q8 := t.q8.part(h.query(s.m))
	k8, v8 := w.k8.part(h.lo, h.hi), w.v8.part(h.lo, h.hi)
	s.quantizeHeads("attn.q8", t, &q8, x.q, g.QKDim)
	s.quantizeHeads("attn.k8", t, &k8, x.k, g.QKDim)
	s.quantizeHeads("attn.v8", t, &v8, x.v, g.VDim)
	slot := s.slotOf(t)
	for i := range k8.scale {
		kv := &s.kv.layers[s.layer][h.lo+i]
		kv.putKey(slot, k8.of(i, g.QKDim), k8.scale[i])
		kv.putValue(slot, v8.of(i, g.VDim), v8.scale[i])
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
	return heads8{apart[int8](heads * room), apart[float32](heads), room}
}

func (x *heads8) of(head, dim int) []int8 { return x.q[head*x.room:][:dim] }

func (x *heads8) part(lo, hi int) heads8 {
	return heads8{x.q[lo*x.room : hi*x.room], x.scale[lo:hi], x.room}
}

// convolve runs the causal taps over the heads' newest raw rows.
func (s *Session) convolve(t *token, b *layer, x rawRow, h heads) {
	raw := s.m.splitRaw(s.raw.at(t.index), h)
	if len(b.taps) == 0 {
		copy(x.q, raw.q)
		copy(x.k, raw.k)
		copy(x.v, raw.v)
		return
	}
	tap := s.m.splitRaw(b.taps[0], h)
	if len(b.taps) == 3 && t.pos >= 2 { // the shipped geometry
		tap1, raw1 := s.earlier(t, b, 1, h)
		tap2, raw2 := s.earlier(t, b, 2, h)
		s.k.Convolve(x.q, tap.q, raw.q, tap1.q, raw1.q, tap2.q, raw2.q)
		s.k.Convolve(x.k, tap.k, raw.k, tap1.k, raw1.k, tap2.k, raw2.k)
		s.k.Convolve(x.v, tap.v, raw.v, tap1.v, raw1.v, tap2.v, raw2.v)
	} else {
		s.k.Mul(x.q, tap.q, raw.q)
		s.k.Mul(x.k, tap.k, raw.k)
		s.k.Mul(x.v, tap.v, raw.v)
		for j := 1; j < min(len(b.taps), t.pos+1); j++ {
			tap, raw := s.earlier(t, b, j, h)
			s.k.MulAdd(x.q, tap.q, raw.q)
			s.k.MulAdd(x.k, tap.k, raw.k)
			s.k.MulAdd(x.v, tap.v, raw.v)
		}
	}
	s.see("attn.q_taps", t, x.q)
	s.see("attn.k_taps", t, x.k)
	s.see("attn.v_taps", t, x.v)
}

// earlier is the heads' j-th tap, and the raw row that it meets.
func (s *Session) earlier(t *token, b *layer, j int, h heads) (tap, raw rawRow) {
	row := t.line.keptRaw[s.layer].before(&t.line.rawTrail, &s.raw, t.line.first, t.index, j)
	return s.m.splitRaw(b.taps[j], h), s.m.splitRaw(row, h)
}

// quantizeHeads rounds heads of dim values to int8, with a scale for each.
func (s *Session) quantizeHeads(name string, t *token, dst *heads8, x []float32, dim int) {
	s.k.Quantize(dst.q, dst.room, dst.scale, x, dim, 1)
	s.seeHeads(name, t, dst, dim)
}

// attend computes the outputs lo to hi of tokens times query heads.
func (s *Session) attend(worker, lo, hi int) {
	all := s.m.g.Heads
	for lo < hi {
		t, head := &s.tokens[lo/all], lo%all
		n := min(hi-lo, all-head)
		s.attendQueries(t, head, head+n, &s.kv.work[worker])
		lo += n
	}
}

// attendTokens computes all query heads' outputs of tokens lo to hi: for all of them
// with the keys and values of one head, which a core's nearest cache holds, and then
// with the next one's.
func (s *Session) attendTokens(worker, lo, hi int) {
	for kv := range s.m.g.KVHeads {
		first, end := heads{kv, kv + 1}.query(s.m)
		for i := lo; i < hi; i++ {
			s.attendQueries(&s.tokens[i], first, end, &s.kv.work[worker])
		}
	}
}

// attendWork is about the multiply-adds of the block's attention in one layer.
func (s *Session) attendWork() int {
	g, v := &s.m.g, s.visible(s.layer, s.pos+s.n-1)
	seen := max(v.sinkTo-v.sinkFrom, 0) + s.pos + s.n - v.from
	return s.n * g.Heads * seen * (g.QKDim + g.VDim)
}

// attendQueries computes the outputs of query heads lo to hi, those that read the
// same keys and values together.
func (s *Session) attendQueries(t *token, lo, hi int, a *attention) {
	per := s.m.g.Heads / s.m.g.KVHeads
	for lo < hi {
		kv := lo / per
		n := min(hi, (kv+1)*per) - lo
		s.attendRows(t, lo, n, &s.kv.layers[s.layer][kv], a)
		lo += n
	}
}

// attendRows computes the outputs of n query heads that read one key-value head.
// The softmax's division is left to the end: the weights are Exp(score-top).
func (s *Session) attendRows(t *token, head, n int, kv *kvHead, a *attention) {
	dim := s.m.g.VDim
	w := s.scores(t, head, n, kv, a)
	s.seeRows("attn.scores", t, head, &w)
	s.k.Weigh(w.at, w.stride, w.valueScale, a.total[:n], a.largest[:n])
	s.seeWeights(t, head, &w, a)
	o, gate := s.headOuts.at(t.row)[head*dim:(head+n)*dim], t.gate[head*dim:(head+n)*dim]
	if s.m.exact {
		for i := range n {
			row := w.row(i)
			s.k.Scale(row, 1/a.total[i], row)
			sumExactly(o[i*dim:(i+1)*dim], row, kv, t.seen)
		}
	} else {
		s.sumValues(o, &w, kv, t.seen, a)
	}
	for i := range n {
		s.seePart("attn.o", t, head+i, o[i*dim:(i+1)*dim])
	}
	s.k.MulSigmoid(o, gate)
}

// scoreRows are scores or weights of several queries and the visible positions.
type scoreRows struct {
	at         []float32
	rows       int
	stride     int       // from row to row
	valueScale []float32 // of the positions; as many as a row has
}

func (w *scoreRows) row(i int) []float32 { return w.at[i*w.stride:][:len(w.valueScale)] }

// scores are the queries', over the slots seen in turn.
func (s *Session) scores(t *token, head, n int, kv *kvHead, a *attention) scoreRows {
	root := sqrtOf(s.m.g.QKDim)
	for i := range n {
		a.scale[i] = t.q8.scale[head+i] / root
	}
	q := t.q8.q[head*kv.keyDim : (head+n)*kv.keyDim]
	joined := scoreRows{a.scores, n, s.kv.slots, a.valueScale[:0]}
	for _, r := range t.seen {
		lo, hi := r.lo/simd.SlotTile*simd.SlotTile, roundUp(r.hi, simd.SlotTile)
		raw := scoreRows{a.raw[r.lo-lo:], n, hi - lo, kv.valueScale[r.lo:r.hi]}
		for at, end := lo, 0; at < hi; at = end {
			end = kv.stretch(at, hi)
			s.k.ScoreKeys(a.raw[at-lo:n*raw.stride], raw.stride, q, a.scale[:n], kv.keys(at, end), kv.keyScale[at:end])
		}
		if len(t.seen) == 1 {
			return raw
		}
		for i := range n {
			copy(joined.at[i*joined.stride+len(joined.valueScale):], raw.row(i))
		}
		joined.valueScale = append(joined.valueScale, raw.valueScale...)
	}
	return joined
}

// mostSummed is how many slots' values an int32 holds the sum of: digits and
// values are at most 127.
const mostSummed = 1 << 16

// sumValues adds the values by each row of weights, in integers: the weights are
// rounded to 1/16383 of the row's largest.
func (s *Session) sumValues(o []float32, w *scoreRows, kv *kvHead, seen []slots, a *attention) {
	factor, unit, sums := a.scale[:w.rows], a.unit[:w.rows], a.sums[:2*w.rows*kv.valueDim]
	for i := range factor {
		factor[i], unit[i] = simd.MaxWeight/a.largest[i], a.largest[i]/simd.MaxWeight/a.total[i]
	}
	clear(sums)
	done, summed, flushed := 0, 0, false
	for _, r := range a.cut(seen) {
		n := r.hi - r.lo
		if summed += n; summed > mostSummed {
			s.addSums(o, sums, kv.valueDim, unit, a, flushed)
			clear(sums)
			summed, flushed = n, true
		}
		lo, hi := r.lo/simd.ValueSlots*simd.ValueSlots, roundUp(r.hi, simd.ValueSlots)
		a.clearEdges(w, r.lo-lo, r.hi-lo, hi-lo)
		s.k.SplitWeights(a.high[r.lo-lo:], a.low[r.lo-lo:], w.at[done:], w.stride, n, factor)
		for at, end := lo, 0; at < hi; at = end {
			end = kv.stretch(at, hi)
			s.k.SumValues(sums, a.high[at-lo:], a.low[at-lo:], w.stride, kv.valueDim, kv.values(at, end))
		}
		done += n
	}
	s.addSums(o, sums, kv.valueDim, unit, a, flushed)
}

// clearEdges clears the digits of slots that are not seen: in each row those before
// from, and those after to, up to end.
func (a *attention) clearEdges(w *scoreRows, from, to, end int) {
	if from == 0 && to == end {
		return
	}
	for i := range w.rows {
		for _, digits := range [2][]uint8{a.high[i*w.stride:], a.low[i*w.stride:]} {
			clear(digits[:from])
			clear(digits[to:end])
		}
	}
}

// cut makes pieces of at most mostSummed slots; hardly any context is so long.
func (a *attention) cut(seen []slots) []slots {
	a.pieces = a.pieces[:0]
	for _, r := range seen {
		for ; r.hi-r.lo > mostSummed; r.lo += mostSummed {
			a.pieces = append(a.pieces, slots{r.lo, r.lo + mostSummed})
		}
		a.pieces = append(a.pieces, r)
	}
	return a.pieces
}

// addSums writes the sums to o, or adds them to what is there.
func (s *Session) addSums(o []float32, sums []int32, dim int, unit []float32, a *attention, add bool) {
	n := s.m.g.VDim
	if !add {
		s.k.JoinSums(o, n, sums, dim, unit)
		return
	}
	s.k.JoinSums(a.part[:len(o)], n, sums, dim, unit)
	s.k.Add(o, a.part[:len(o)])
}

// sumExactly is sumValues in float32, position after position.
func sumExactly(o, weights []float32, kv *kvHead, seen []slots) {
	clear(o)
	n := 0
	for _, r := range seen {
		for slot := r.lo; slot < r.hi; slot++ {
			first := slot / simd.ValueSlots * simd.ValueSlots
			group := kv.values(first, first+simd.ValueSlots)[slot%simd.ValueSlots:]
			for i := range o {
				o[i] += float32(weights[n] * float32(group[i*simd.ValueSlots]))
			}
			n++
		}
	}
}

func (s *Session) seePart(name string, t *token, head int, x []float32) {
	if s.hook != nil {
		s.hook.part(name, t.layer, t.pos, head, x)
	}
}

func (s *Session) seeRows(name string, t *token, head int, w *scoreRows) {
	for i := range w.rows {
		s.seePart(name, t, head+i, w.row(i))
	}
}

// seeWeights shows the hook the reference's weights: divided by their sum, and
// without the values' scales.
func (s *Session) seeWeights(t *token, head int, w *scoreRows, a *attention) {
	if s.hook == nil {
		return
	}
	for i := range w.rows {
		row := w.row(i)
		for j := range row {
			row[j] /= w.valueScale[j] * a.total[i]
		}
		s.seePart("attn.weights", t, head+i, row)
		for j := range row {
			row[j] *= w.valueScale[j] * a.total[i]
		}
	}
}

// attendOut prepares the output projection.
func (s *Session) attendOut(t *token, _ *scratch) {
	o := s.headOuts.at(t.row)
	s.see("attn.gated", t, o)
	s.inputs("attn.o8", t.layer, t, s.o8, t.row, o, 1)
}

// span is the positions a query sees: [sinkFrom, sinkTo) and [from, query].
type span struct{ sinkFrom, sinkTo, from int }

// visible intersects a layer's causal band with sink and window.
func (s *Session) visible(layer, pos int) span {
	g := &s.m.g
	band := 0
	if !s.m.layers[layer].global {
		band = max(0, pos-g.SlidingWindow+1)
	}
	if s.opt.Window == 0 {
		return span{from: band}
	}
	from := max(band, pos-s.opt.Window+1)
	return span{sinkFrom: band, sinkTo: min(s.sink, from), from: from}
}
