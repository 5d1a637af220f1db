// Package bench measures an archive on this machine, and says what the machine
// could do at best: needle bench prints it, scripts/bench draws it.
//
// Every figure is a series of repeats with its median. Where a figure has a
// bound, the bound comes from two things that are measured in the same run (how
// fast memory is read, how many multiply-adds the integer units do) and from
// two that are counted (the bytes and multiply-adds that the loaded geometry
// needs for the work).
package bench

import (
	"fmt"

	"github.com/libneedle/libneedle/cact"
)

// MulAdds counts multiply-adds by kind.
type MulAdds struct {
	Narrow    int64 `json:"narrow"`    // products with weights of 1 and 2 bits
	Wide      int64 `json:"wide"`      // of 3 and 4 bits, without lane maps and head
	LaneMaps  int64 `json:"lane_maps"` // products of the lane maps
	Head      int64 `json:"head"`      // the product with the output head
	Monarch   int64 `json:"monarch"`   // float, in the MLP
	Attention int64 `json:"attention"` // int8, scores and weighted sums
}

// Total adds the kinds.
func (m MulAdds) Total() int64 {
	return m.Narrow + m.Wide + m.LaneMaps + m.Head + m.Monarch + m.Attention
}

// Work is what some tokens cost at least.
type Work struct {
	Bytes   int64   `json:"bytes"`    // that have to be read
	Weights int64   `json:"weights"`  // of them weights: codes, norms and float parameters as stored
	KV      int64   `json:"kv"`       // of them keys and values
	MulAdds MulAdds `json:"mul_adds"` // that have to be done
}

// Counts are the costs of an archive at one depth. The probe heads and what is
// neither product nor attention (norms, rotations, exponentials) are not in
// them: the bounds stay on the optimistic side.
type Counts struct {
	geometry cact.Geometry
	global   []bool  // per kept block
	token    MulAdds // of one token, without head and attention
	head     int64
	weights  int64 // read once for a token, or for a block of them; without the head
	headRead int64
	rows     int64 // read for each token: the rows of the embedding and of the engram tables
}

// Count counts an archive's costs at a depth, 0 for all blocks. lookup gives a
// record by its role.
func Count(g cact.Geometry, depth int, lookup func(role string) *cact.Record) *Counts {
	if depth == 0 {
		depth = g.Layers
	}
	c := &Counts{geometry: g}
	for _, layer := range cact.Ladder(g.Layers, depth) {
		c.global = append(c.global, g.IsGlobal(layer))
		c.addBlock(layer, lookup)
		for site, at := range g.EngramSites {
			if at == layer {
				c.addSite(site, lookup)
			}
		}
	}
	embedding := lookup("embedding")
	c.head = int64(g.LogitCount()) * int64(g.Width)
	c.headRead = int64(g.LogitCount()) * rowBytes(embedding)
	c.rows += rowBytes(embedding)
	for _, role := range []string{"hada_p1", "hada_p2", "final_norm"} {
		c.weights += lookup(role).Size
	}
	return c
}

// addBlock counts one block, with its rows of what all blocks share.
func (c *Counts) addBlock(layer int, lookup func(role string) *cact.Record) {
	g := c.geometry
	of := func(name string) *cact.Record { return lookup(fmt.Sprintf("layers.%d.%s", layer, name)) }
	for _, name := range []string{"q_proj", "k_proj", "v_proj", "gate_proj", "out_proj"} {
		c.addMatrix(of(name))
	}
	floats := []string{"norm_in", "q_norm", "k_norm", "post_norm", "attn_gate", "pre_hada", "d1", "d2", "b2", "d3", "d4",
		"w1a", "w1b", "w2a", "w2b", "w3a", "w3b", "cond_v", "cond_u"}
	if g.ConvTaps > 0 {
		floats = append(floats, "q_taps", "k_taps", "v_taps")
	}
	for _, name := range floats {
		c.weights += of(name).Size
	}
	for _, name := range []string{"a_pre", "a_post", "a_res", "b_pre", "b_post", "b_res"} {
		c.weights += lookup("lanes."+name).Size / int64(g.Layers)
	}
	for _, name := range []string{"phi_pre", "phi_post", "phi_res"} {
		r := lookup("lanes." + name)
		rows := int64(r.Shape[0] / g.Layers)
		c.weights += rows * rowBytes(r)
		c.token.LaneMaps += rows * int64(r.Shape[1])
	}
	// Three Kronecker products A^T Z B with A [a, a], B [b, b], and the conditioning of a rank.
	a, b, rank := of("w1a").Shape[0], of("w1b").Shape[0], of("cond_v").Shape[1]
	c.token.Monarch += int64(3*(a+b)*g.HadaSize + rank*(g.Width+g.HadaSize))
}

// addSite counts one engram memory.
func (c *Counts) addSite(site int, lookup func(role string) *cact.Record) {
	of := func(name string) *cact.Record { return lookup(fmt.Sprintf("engrams.%d.%s", site, name)) }
	c.addMatrix(of("key_proj"))
	c.addMatrix(of("value_proj"))
	c.weights += of("taps").Size
	c.rows += int64(c.geometry.EngramTables) * rowBytes(of("tables"))
}

func (c *Counts) addMatrix(r *cact.Record) {
	n := int64(r.Shape[0]) * int64(r.Shape[1])
	c.weights += int64(r.Shape[0]) * rowBytes(r)
	if cact.StoredBits(r.Bits) <= 2 {
		c.token.Narrow += n
	} else {
		c.token.Wide += n
	}
}

// rowBytes is the length of a CQ record's row, codes and norms.
func rowBytes(r *cact.Record) int64 {
	const group = 128
	groups := (int64(r.Shape[1]) + group - 1) / group
	return groups * (group*int64(cact.StoredBits(r.Bits))/8 + 2)
}

// seen is how many positions a query sees in all blocks together. sink and the
// geometry's window bound it as they do in a session.
func (c *Counts) seen(pos, sink int) int64 {
	g, total := c.geometry, 0
	for _, global := range c.global {
		band := 0
		if !global {
			band = max(0, pos-g.SlidingWindow+1)
		}
		from := max(band, pos-g.Window()+1)
		total += pos + 1 - from + max(0, min(sink, from)-band)
	}
	return int64(total)
}

// perSeen are the multiply-adds for one position that a query sees.
func (c *Counts) perSeen() int64 {
	g := c.geometry
	return int64(g.Heads * (g.QKDim + g.VDim))
}

// kvBytes is what one position keeps in one block: int8 keys and values, a
// float32 scale each.
func (c *Counts) kvBytes() int64 {
	g := c.geometry
	return int64(g.KVHeads * (g.QKDim + g.VDim + 2*4))
}

// Decode is the work of one token that sees context positions, its own
// included, of which the first sink are pinned.
func (c *Counts) Decode(context, sink int) Work {
	w := Work{Weights: c.weights + c.headRead + c.rows, MulAdds: c.token}
	seen := c.seen(context-1, sink)
	w.KV = seen * c.kvBytes()
	w.MulAdds.Head = c.head
	w.MulAdds.Attention = seen * c.perSeen()
	w.Bytes = w.Weights + w.KV
	return w
}

// Prefill is the work of n tokens after context others, all of them pinned, fed
// in blocks, of which the last one meets the head. Keys and values are read
// once for a block.
func (c *Counts) Prefill(context, n, block int) Work {
	var w Work
	for at := 0; at < n; at += block {
		size := min(block, n-at)
		last := context + at + size
		w.Weights += c.weights + int64(size)*c.rows
		w.KV += c.seen(last-1, last) * c.kvBytes()
		for i := range size {
			w.MulAdds.Attention += c.seen(context+at+i, last) * c.perSeen()
		}
	}
	w.Weights += c.headRead
	w.MulAdds.Narrow, w.MulAdds.Wide = int64(n)*c.token.Narrow, int64(n)*c.token.Wide
	w.MulAdds.LaneMaps, w.MulAdds.Monarch = int64(n)*c.token.LaneMaps, int64(n)*c.token.Monarch
	w.MulAdds.Head = c.head
	w.Bytes = w.Weights + w.KV
	return w
}

// Add adds other work, done after this.
func (w Work) Add(o Work) Work {
	w.Bytes, w.Weights, w.KV = w.Bytes+o.Bytes, w.Weights+o.Weights, w.KV+o.KV
	m, n := &w.MulAdds, o.MulAdds
	m.Narrow, m.Wide, m.LaneMaps = m.Narrow+n.Narrow, m.Wide+n.Wide, m.LaneMaps+n.LaneMaps
	m.Head, m.Monarch, m.Attention = m.Head+n.Head, m.Monarch+n.Monarch, m.Attention+n.Attention
	return w
}
