package model

import "github.com/libneedle/libneedle/simd"

// ringRows keeps the newest rows of a sequence, row number p at p mod its size.
type ringRows struct {
	size, width int
	data        []float32
}

func newRingRows(size, width int) ringRows {
	return ringRows{size, width, make([]float32, size*width)}
}

func (r *ringRows) row(p int) []float32 {
	at := p % r.size * r.width
	return r.data[at : at+r.width]
}

// engrams computes every site's key and value for the block; they depend on
// the token ids alone.
func (s *Session) engrams() {
	d := s.m.g.Width
	for i := range s.m.sites {
		s.site, s.layer = i, i
		site, memory := &s.m.sites[i], &s.memory[i]
		s.eachToken(16*d, s.stage.engramRow)
		s.x = s.row8
		s.jobs = append(s.jobs[:0], job{m: site.key, y: s.keys[i], stride: d},
			job{m: site.value, y: memory.data, stride: d, first: s.pos % memory.size, size: memory.size})
		s.products()
		s.eachToken(8*d, s.stage.engramTaps)
	}
	s.layer = -1
}

// findSlots hashes the n-grams that end at t. Every site looks into its own
// tables at the same places. The first site's are touched already: they lie
// anywhere in a file of megabytes, and memory answers many requests at once.
func (s *Session) findSlots(t *token) {
	for table := range t.slots {
		t.slots[table] = s.engramSlot(t, table)
	}
	s.touch(t, 0)
}

func (s *Session) touch(t *token, site int) {
	if site >= len(s.m.sites) {
		return
	}
	for table, slot := range t.slots {
		if slot >= 0 {
			t.touched ^= s.m.sites[site].tables.Touch(table*s.m.g.EngramSlots + slot)
		}
	}
}

// engramRow gathers and quantises the table rows of the n-grams ending at t.
func (s *Session) engramRow(t *token) {
	g := &s.m.g
	s.touch(t, s.site+1)
	for table, slot := range t.slots {
		row := t.rowIn[table*g.EngramSubDim : (table+1)*g.EngramSubDim]
		if slot < 0 {
			clear(row)
			continue
		}
		s.m.sites[s.site].tables.Row(row, table*g.EngramSlots+slot, &t.group)
	}
	s.see("engram.row", t, t.rowIn)
	s.inputs("engram.row8", t, s.row8, t.rowIn)
}

// engramSlot hashes the ids of a table's order that end at t (FNV-like, 32-bit
// wrap-around); -1 where the sequence is shorter.
func (s *Session) engramSlot(t *token, table int) int {
	g := &s.m.g
	perOrder := g.EngramTables / len(g.EngramOrders)
	order := g.EngramOrders[table/perOrder]
	if t.pos < order-1 {
		return -1
	}
	stride := g.EngramSeedHeads
	if stride == 0 {
		stride = perOrder
	}
	seed := table/perOrder*stride + table%perOrder + 1
	hash := 0x9E3779B9 * uint32(seed)
	for back := range order {
		hash = (hash ^ uint32(s.idBefore(t, back))) * 0x01000193
	}
	hash ^= hash >> 15
	return int(hash % uint32(g.EngramSlots))
}

// idBefore is the id back positions before t, which is not before the start.
func (s *Session) idBefore(t *token, back int) int32 {
	if p := t.pos - back; p >= s.pos {
		return s.tokens[p-s.pos].id
	} else {
		return s.history[len(s.history)-(s.pos-p)]
	}
}

// engramTaps runs the dilated causal convolution over the site's value rows.
func (s *Session) engramTaps(t *token) {
	g := &s.m.g
	memory, value := &s.memory[s.site], t.values[s.site]
	s.see("engram.key", t, t.keys[s.site])
	s.see("engram.raw", t, memory.row(t.pos))
	taps := s.m.sites[s.site].taps
	s.k.Mul(value, taps[0], memory.row(t.pos))
	for j := 1; j < len(taps) && t.pos >= j*g.EngramDilation; j++ {
		s.k.MulAdd(value, taps[j], memory.row(t.pos-j*g.EngramDilation))
	}
	s.see("engram.value", t, value)
}

// remember adds the site's value to t.x, gated by how well its key fits.
func (s *Session) remember(t *token, site int) {
	key, value := t.keys[site], t.values[site]
	fit := s.k.Dot(t.x, key) * s.inverseRMS(t.x) * s.inverseRMS(key)
	t.recall[0] = simd.Sigmoid(fit / sqrtOf(len(t.x)))
	s.see("engram.gate", t, t.recall[:])
	s.k.Axpy(t.x, t.recall[0], value)
	s.see("engram.x", t, t.x)
}
