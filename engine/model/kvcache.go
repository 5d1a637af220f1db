package model

import "github.com/libneedle/libneedle/simd"

// kvCache holds int8 keys and values of every layer. Positions of the sink have
// slots of their own; the others share a ring that is one block wider than the
// window, so that a block of new positions overwrites nothing its own queries,
// or a failed block's predecessors, still need.
type kvCache struct {
	ring   int // 0: no window, every position keeps its slot
	slots  int // allocated per layer, whole tiles
	layers [][]kvHead
	work   []attention // per worker
}

// kvHead is one head's keys and values, interleaved as simd.ScoreKeys and
// simd.SumValues read them, with one scale per slot.
type kvHead struct {
	keyDim, valueDim     int // rounded up
	key, value           []int8
	keyScale, valueScale []float32
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

// putKey and putValue store one position's vector.
func (h *kvHead) putKey(slot int, q []int8, scale float32) {
	tile := h.key[slot/simd.SlotTile*simd.SlotTile*h.keyDim+slot%simd.SlotTile*4:]
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
	group := h.value[slot/simd.ValueSlots*simd.ValueSlots*h.valueDim+slot%simd.ValueSlots:]
	for i, v := range q {
		group[i*simd.ValueSlots] = v
	}
	h.valueScale[slot] = scale
}

func (h *kvHead) grow(slots int) {
	larger := kvHead{
		h.keyDim, h.valueDim, make([]int8, slots*h.keyDim), make([]int8, slots*h.valueDim),
		make([]float32, slots), make([]float32, slots),
	}
	larger.copyFrom(h)
	*h = larger
}

// clone copies the first slots.
func (h *kvHead) clone(slots int) kvHead {
	slots = roundUp(slots, simd.SlotTile)
	part := kvHead{
		h.keyDim, h.valueDim, h.key[:slots*h.keyDim], h.value[:slots*h.valueDim], h.keyScale[:slots], h.valueScale[:slots],
	}
	c := kvHead{keyDim: h.keyDim, valueDim: h.valueDim}
	c.key, c.value = make([]int8, len(part.key)), make([]int8, len(part.value))
	c.keyScale, c.valueScale = make([]float32, slots), make([]float32, slots)
	c.copyFrom(&part)
	return c
}

func (h *kvHead) copyFrom(other *kvHead) {
	copy(h.key, other.key)
	copy(h.value, other.value)
	copy(h.keyScale, other.keyScale)
	copy(h.valueScale, other.valueScale)
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
		slots = max(need, min(slots, sink+c.ring))
	}
	slots = roundUp(slots, simd.SlotTile)
	for _, heads := range c.layers {
		for h := range heads {
			heads[h].grow(slots)
		}
	}
	for w := range c.work {
		a := &c.work[w]
		rows := len(a.scale)
		a.raw, a.scores, a.valueScale = make([]float32, rows*slots), make([]float32, rows*slots), make([]float32, slots)
		a.high, a.low = make([]uint8, rows*slots), make([]uint8, rows*slots)
	}
	c.slots = slots
}
