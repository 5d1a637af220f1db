package model

import "github.com/libneedle/libneedle/simd"

// recallFor computes the key and the raw value of the site that a layer begins
// with, if there is such a layer and site; they depend on the token ids alone.
func (s *Session) recallFor(layer int) {
	if s.nextSite(layer) {
		s.runSteps(s.recalls[s.site])
		s.remembered()
	}
}

// nextSite says whether a layer begins with a site, and makes it s.site.
func (s *Session) nextSite(layer int) bool {
	if layer == len(s.m.layers) || s.m.layers[layer].site < 0 {
		return false
	}
	s.site = s.m.layers[layer].site
	return true
}

// remembered keeps the site's raw values for later tokens.
func (s *Session) remembered() {
	for _, l := range s.lines {
		l.memory[s.site].keep(&l.siteTrail, &s.siteRaw, l.first, l.n)
	}
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
	s.seeSite("engram.row", t, w.rowIn)
	s.inputs("engram.row8", s.site, t, s.row8, t.index, w.rowIn, 1)
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
	if i := t.index - back; i >= t.line.first {
		return s.tokens[i].id
	}
	return t.line.history[len(t.line.history)-(back-(t.index-t.line.first))]
}

// remember adds the site's value to t.x, gated by how well its key fits.
func (s *Session) remember(t *token, site int, w *scratch) {
	key, value := s.siteKeys.at(t.index), w.recalled
	s.seeSite("engram.key", t, key)
	s.recall(t, site, value)
	fit := s.k.Dot(t.x, key) * s.inverseRMS(t.x) * s.inverseRMS(key)
	w.recall[0] = simd.Sigmoid(fit / sqrtOf(len(t.x)))
	s.see("engram.gate", t, w.recall[:])
	s.k.Axpy(t.x, w.recall[0], value)
	s.see("engram.x", t, t.x)
}

// recall writes the dilated causal convolution over the site's raw values to value.
func (s *Session) recall(t *token, site int, value []float32) {
	g := &s.m.g
	s.seeSite("engram.raw", t, s.siteRaw.at(t.index))
	taps := s.m.sites[site].taps
	s.k.Mul(value, taps[0], s.siteRaw.at(t.index))
	for j := 1; j < len(taps) && t.pos >= j*g.EngramDilation; j++ {
		s.k.MulAdd(value, taps[j], t.line.memory[site].before(&t.line.siteTrail, &s.siteRaw, t.line.first, t.index, j*g.EngramDilation))
	}
	s.seeSite("engram.value", t, value)
}

func (s *Session) seeSite(name string, t *token, x []float32) {
	if s.hook != nil {
		s.hook.floats(name, s.site, t.pos, x)
	}
}
