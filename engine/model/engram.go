package model

import "github.com/libneedle/libneedle/simd"

// engram computes a site's key and value for the block; they depend on the
// token ids alone.
func (s *Session) engram(i int) {
	d := s.m.g.Width
	layer := s.layer
	s.site, s.layer = i, i
	site := &s.m.sites[i]
	s.eachToken(16*d, s.stage.engramRow)
	s.x = s.row8
	s.jobs = append(s.jobs[:0], job{site.key, s.siteKeys}, job{site.value, s.siteRaw})
	s.products()
	s.eachToken(8*d, s.stage.engramTaps)
	s.memory[i].keep(&s.siteTrail, &s.siteRaw, s.n)
	s.layer = layer
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
func (s *Session) engramRow(t *token, w *scratch) {
	g := &s.m.g
	s.touch(t, s.site+1)
	for table, slot := range t.slots {
		row := w.rowIn[table*g.EngramSubDim : (table+1)*g.EngramSubDim]
		if slot < 0 {
			clear(row)
			continue
		}
		s.m.sites[s.site].tables.Row(row, table*g.EngramSlots+slot, &w.group)
	}
	s.see("engram.row", t, w.rowIn)
	s.inputs("engram.row8", t, s.row8, w.rowIn)
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
func (s *Session) engramTaps(t *token, _ *scratch) {
	g := &s.m.g
	memory, value := &s.memory[s.site], s.siteValues.at(t.index)
	s.see("engram.key", t, s.siteKeys.at(t.index))
	s.see("engram.raw", t, s.siteRaw.at(t.index))
	taps := s.m.sites[s.site].taps
	s.k.Mul(value, taps[0], s.siteRaw.at(t.index))
	for j := 1; j < len(taps) && t.pos >= j*g.EngramDilation; j++ {
		s.k.MulAdd(value, taps[j], memory.before(&s.siteTrail, &s.siteRaw, t.index, j*g.EngramDilation))
	}
	s.see("engram.value", t, value)
}

// remember adds the site's value to t.x, gated by how well its key fits.
func (s *Session) remember(t *token, w *scratch) {
	key, value := s.siteKeys.at(t.index), s.siteValues.at(t.index)
	fit := s.k.Dot(t.x, key) * s.inverseRMS(t.x) * s.inverseRMS(key)
	w.recall[0] = simd.Sigmoid(fit / sqrtOf(len(t.x)))
	s.see("engram.gate", t, w.recall[:])
	s.k.Axpy(t.x, w.recall[0], value)
	s.see("engram.x", t, t.x)
}
