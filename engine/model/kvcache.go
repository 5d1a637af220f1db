package model

import (
	"slices"

	"github.com/libneedle/libneedle/simd"
)

// kvCache holds int8 keys and values of every layer. Positions of the sink have
// slots of their own; the others share a ring that is one block wider than the
// window, so that a block of new positions overwrites nothing its own queries,
// or a failed block's predecessors, still need.
type kvCache struct {
	ring   int // 0: no window, every position keeps its slot
	slots  int // there are per layer, whole tiles
	shared int // the first of them, whole tiles, which snapshots and other sessions may have too
	layers [][]kvHead
	work   []attention // per worker
}

// kvHead is one head's keys and values, interleaved as simd.ScoreKeys and
// simd.SumValues read them, with one scale per slot. What sharedKey and sharedValue
// hold is never written again; key and value go on behind it.
type kvHead struct {
	keyDim, valueDim       int // rounded up
	sharedKey, sharedValue []int8
	key, value             []int8
	keyScale, valueScale   []float32 // of all slots
}

// attention is a worker's scratch: rows for the queries of a key-value head.
type attention struct {
	raw        []float32 // scores in slot order, whole tiles
	scores     []float32 // of the visible positions, in order
	valueScale []float32 // likewise
	high, low  []uint8   // digits of the weights
	sums       []int32
	part       []float32 // of outputs
	// Of a row: its scale, then its weights' factor; their sum; the largest; what
	// its sums count in.
	scale, total, largest, unit []float32
	pieces                      []slots
	_                           [2 * cacheLine]byte
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

func newKVCache(m *Model, o SessionOptions, workers int) kvCache {
	c := kvCache{layers: make([][]kvHead, len(m.layers)), work: make([]attention, workers)}
	if o.Window > 0 {
		c.ring = o.Window + blockTokens
	}
	for l := range c.layers {
		c.layers[l] = make([]kvHead, m.g.KVHeads)
		for h := range c.layers[l] {
			c.layers[l][h].keyDim, c.layers[l][h].valueDim = keyDim(m), valueDim(m)
		}
	}
	rows := m.g.Heads / m.g.KVHeads
	for w := range c.work {
		a := &c.work[w]
		a.sums, a.part = apart[int32](2*rows*valueDim(m)), apart[float32](rows*valueDim(m))
		a.scale, a.total, a.largest, a.unit = apart[float32](rows), apart[float32](rows), apart[float32](rows), apart[float32](rows)
		a.pieces = make([]slots, 0, 4+m.g.MaxSeqLen/mostSummed)
	}
	return c
}

// keyDim and valueDim are the lengths of vectors as the kernels take them.
func keyDim(m *Model) int   { return roundUp(m.g.QKDim, 4) }
func valueDim(m *Model) int { return roundUp(m.g.VDim, simd.Lanes) }

func (c *kvCache) slot(pos, sink int) int {
	if c.ring == 0 || pos < sink {
		return pos
	}
	return sink + (pos-sink)%c.ring
}

// used is the number of slots that a sequence of n positions occupies.
func (c *kvCache) used(n, sink int) int {
	if c.ring == 0 {
		return n
	}
	return min(n, sink+c.ring)
}

// slots are the slots [lo, hi) of consecutive positions.
type slots struct{ lo, hi int }

// find writes the slots of the positions in v before end, in order, to dst: the sink, and
// the window in one or two parts.
func (c *kvCache) find(dst *[4]slots, v span, end, sink int) []slots {
	found := dst[:0]
	for _, part := range [2][2]int{{v.sinkFrom, min(v.sinkTo, end)}, {v.from, end}} {
		for p := part[0]; p < part[1]; {
			lo := c.slot(p, sink)
			row := c.slots // slots that follow each other end here
			if c.ring > 0 {
				row = sink + c.ring
				if p < sink {
					row = sink
				}
			}
			n := min(part[1]-p, row-lo)
			if k := len(found); k > 0 && found[k-1].hi == lo {
				found[k-1].hi += n
			} else {
				found = append(found, slots{lo, lo + n})
			}
			p += n
		}
	}
	return found
}

// first is the first slot that is not shared.
func (h *kvHead) first() int { return len(h.sharedKey) / h.keyDim }

// stretch is the end of the slots from lo to hi that lie in one piece.
func (h *kvHead) stretch(lo, hi int) int {
	if first := h.first(); lo < first {
		return min(hi, first)
	}
	return hi
}

// keys and values are those of whole tiles, or groups, of slots in one piece.
func (h *kvHead) keys(lo, hi int) []int8 {
	if first := h.first(); lo >= first {
		return h.key[(lo-first)*h.keyDim : (hi-first)*h.keyDim]
	}
	return h.sharedKey[lo*h.keyDim : hi*h.keyDim]
}

func (h *kvHead) values(lo, hi int) []int8 {
	if first := h.first(); lo >= first {
		return h.value[(lo-first)*h.valueDim : (hi-first)*h.valueDim]
	}
	return h.sharedValue[lo*h.valueDim : hi*h.valueDim]
}

// putKey and putValue store one position's vector, in a slot that is not shared.
func (h *kvHead) putKey(slot int, q []int8, scale float32) {
	first := slot / simd.SlotTile * simd.SlotTile
	tile := h.keys(first, first+simd.SlotTile)[slot%simd.SlotTile*4:]
	d := 0
	for ; d+4 <= len(q); d += 4 {
		*(*[4]int8)(tile[d*simd.SlotTile:]) = [4]int8(q[d:])
	}
	for i, v := range q[d:] {
		tile[d*simd.SlotTile+i] = v
	}
	h.keyScale[slot] = scale
}

func (h *kvHead) putValue(slot int, q []int8, scale float32) {
	first := slot / simd.ValueSlots * simd.ValueSlots
	group := h.values(first, first+simd.ValueSlots)[slot%simd.ValueSlots:]
	for i, v := range q {
		group[i*simd.ValueSlots] = v
	}
	h.valueScale[slot] = scale
}

// resize makes slots, the shared ones included, those that there are.
func (h *kvHead) resize(slots int) {
	own := slots - h.first()
	h.key, h.value = resized(h.key, own*h.keyDim), resized(h.value, own*h.valueDim)
	h.keyScale, h.valueScale = resized(h.keyScale, slots), resized(h.valueScale, slots)
}

// resized is x with n values; new ones are any.
func resized[T int8 | float32](x []T, n int) []T {
	if n <= cap(x) {
		return x[:n]
	}
	y := make([]T, n)
	copy(y, x)
	return y
}

// share makes the first slots shared.
func (h *kvHead) share(slots int) {
	more := slots - h.first()
	h.sharedKey, h.key = shared(h.sharedKey, h.key, more*h.keyDim)
	h.sharedValue, h.value = shared(h.sharedValue, h.value, more*h.valueDim)
}

// shared moves n values from the beginning of own behind those that are shared. They stay
// where they are if little else lies there, which what is shared would keep alive; what
// remains stays there if it is most of it.
func shared(now, own []int8, n int) (values, rest []int8) {
	values, rest = own[:n:n], own[n:]
	if len(now) > 0 || 4*(cap(own)-n) > n {
		values = slices.Concat(now, values)
		if len(rest) > n {
			return values, own[:copy(own, rest)]
		}
	}
	return values, slices.Clone(rest)
}

// clone has the first slots: those that are shared, and copies of the others.
func (h *kvHead) clone(slots int) kvHead {
	c := *h
	own := roundUp(slots, simd.SlotTile) - h.first()
	c.key, c.value = slices.Clone(h.key[:own*h.keyDim]), slices.Clone(h.value[:own*h.valueDim])
	c.keyScale, c.valueScale = slices.Clone(h.keyScale[:slots]), slices.Clone(h.valueScale[:slots])
	return c
}

// load makes a clone's slots the first.
func (h *kvHead) load(c *kvHead) {
	copy(h.key, c.key)
	copy(h.value, c.value)
	copy(h.keyScale, c.keyScale)
	copy(h.valueScale, c.valueScale)
}

// load takes the heads of a snapshot with its sink and n positions.
func (c *kvCache) load(heads [][]kvHead, n, sink int) {
	c.shared = heads[0][0].first()
	for l := range c.layers {
		for h := range c.layers[l] {
			to, from := &c.layers[l][h], &heads[l][h]
			to.sharedKey, to.sharedValue = from.sharedKey, from.sharedValue
			to.key, to.value = to.key[:0], to.value[:0] // of other slots
		}
	}
	c.resize(max(c.slots, c.shared))
	c.reserve(n, sink, 0)
	for l := range c.layers {
		for h := range c.layers[l] {
			c.layers[l][h].load(&heads[l][h])
		}
	}
}

// share makes shared what n positions will never write again, if that is half as much
// again as is shared already: what is copied by and by is then no more than thrice what
// was fed.
func (c *kvCache) share(n, sink int) {
	final := n
	if c.ring > 0 {
		final = min(n, sink)
	}
	final = final / simd.SlotTile * simd.SlotTile
	if final == 0 || 2*final < 3*c.shared {
		return
	}
	for l := range c.layers {
		for h := range c.layers[l] {
			c.layers[l][h].share(final)
		}
	}
	c.shared = final
}

// reserve makes room for n positions and for some slots behind theirs. It grows by a
// quarter at least, up to what sink and ring can ever use, so that a session's memory
// follows its length.
func (c *kvCache) reserve(n, sink, behind int) {
	need := c.used(n, sink) + behind
	if need <= c.slots {
		return
	}
	slots := max(need, c.slots+c.slots/4, 2*blockTokens)
	if c.ring > 0 {
		slots = max(need, min(slots, sink+c.ring+behind))
	}
	c.resize(roundUp(slots, simd.SlotTile))
}

func (c *kvCache) resize(slots int) {
	for _, heads := range c.layers {
		for h := range heads {
			heads[h].resize(slots)
		}
	}
	for w := range c.work {
		a := &c.work[w]
		rows := len(a.scale)
		if len(a.valueScale) == slots {
			continue
		}
		a.raw, a.scores, a.valueScale = make([]float32, rows*slots), make([]float32, rows*slots), make([]float32, slots)
		a.high, a.low = make([]uint8, rows*slots), make([]uint8, rows*slots)
	}
	c.slots = slots
}
