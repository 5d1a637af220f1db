package model

// kvCache holds int8 keys and values of every layer. Positions of the sink have
// slots of their own; the others share a ring that is one block wider than the
// window, so that a block of new positions overwrites nothing its own queries,
// or a failed block's predecessors, still need.
type kvCache struct {
	ring   int // 0: no window, every position keeps its slot
	slots  int // allocated per layer
	layers []kvLayer
	scores [][]float32 // per worker
}

type kvLayer struct{ key, value int8Rows }

// int8Rows is [slot][head][dim] int8 with one scale per slot and head.
type int8Rows struct {
	heads, dim int
	data       []int8
	scales     []float32
}

func (r *int8Rows) at(slot int) ([]int8, []float32) {
	w := r.heads * r.dim
	return r.data[slot*w : (slot+1)*w], r.scales[slot*r.heads : (slot+1)*r.heads]
}

func (r *int8Rows) head(slot, head int) ([]int8, float32) {
	n := slot*r.heads + head
	return r.data[n*r.dim : (n+1)*r.dim], r.scales[n]
}

func (r *int8Rows) grow(slots int) {
	data, scales := r.data, r.scales
	r.data, r.scales = make([]int8, slots*r.heads*r.dim), make([]float32, slots*r.heads)
	copy(r.data, data)
	copy(r.scales, scales)
}

func newKVCache(m *Model, o SessionOptions, workers int) kvCache {
	c := kvCache{layers: make([]kvLayer, len(m.blocks)), scores: make([][]float32, workers)}
	if o.Window > 0 {
		c.ring = o.Window + blockTokens
	}
	for l := range c.layers {
		c.layers[l].key = int8Rows{heads: m.g.KVHeads, dim: m.g.QKDim}
		c.layers[l].value = int8Rows{heads: m.g.KVHeads, dim: m.g.VDim}
	}
	return c
}

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

// reserve makes room for n positions. It grows by doubling up to what sink and
// ring can ever use, so that a session's memory follows its length.
func (c *kvCache) reserve(n, sink int) {
	need := c.used(n, sink)
	if need <= c.slots {
		return
	}
	slots := max(need, 2*c.slots, 2*blockTokens)
	if c.ring > 0 {
		slots = max(need, min(slots, sink+c.ring))
	}
	for l := range c.layers {
		c.layers[l].key.grow(slots)
		c.layers[l].value.grow(slots)
	}
	for w := range c.scores {
		c.scores[w] = make([]float32, slots)
	}
	c.slots = slots
}
