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
	for i := range s.m.sites {
		s.site, s.layer = i, i
		site := &s.m.sites[i]
		s.eachToken(16*s.m.g.Width, s.stage.engramRow)
		for j := range s.n {
			t := &s.tokens[j]
			s.xs[j], s.ys[0][j], s.ys[1][j] = t.row8, t.keys[i], s.memory[i].row(t.pos)
		}
		s.jobs = append(s.jobs[:0], job{site.key, s.ys[0][:s.n]}, job{site.value, s.ys[1][:s.n]})
		s.products()
		s.eachToken(8*s.m.g.Width, s.stage.engramTaps)
	}
	s.layer = -1
}

// engramRow gathers and quantises the table rows of the n-grams ending at t.
func (s *Session) engramRow(t *token) {
	g := &s.m.g
	perOrder := g.EngramTables / len(g.EngramOrders)
	for table := range g.EngramTables {
		order := g.EngramOrders[table/perOrder]
		row := t.rowIn[table*g.EngramSubDim : (table+1)*g.EngramSubDim]
		if t.pos < order-1 {
			clear(row)
			continue
		}
		slot := s.engramSlot(t, table, order)
		s.m.sites[s.site].tables.Row(row, table*g.EngramSlots+slot)
	}
	s.see("engram.row", t, t.rowIn)
	t.row8.Quantize(t.rowIn)
	s.see8("engram.row8", t, t.row8)
	t.row8.Rotate()
}

// engramSlot hashes the order ids that end at t (FNV-like, 32-bit wrap-around).
func (s *Session) engramSlot(t *token, table, order int) int {
	g := &s.m.g
	perOrder := g.EngramTables / len(g.EngramOrders)
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
	clear(value)
	for j, tap := range s.m.sites[s.site].taps {
		p := t.pos - j*g.EngramDilation
		if p < 0 {
			break
		}
		simd.MulAdd(value, tap, memory.row(p))
	}
	s.see("engram.value", t, value)
}

// remember adds the site's value to t.x, gated by how well its key fits.
func (s *Session) remember(t *token, site int) {
	key, value := t.keys[site], t.values[site]
	fit := simd.Dot(t.x, key) * inverseRMS(t.x) * inverseRMS(key)
	t.recall[0] = simd.Sigmoid(fit / sqrtOf(len(t.x)))
	s.see("engram.gate", t, t.recall[:])
	simd.Axpy(t.x, t.recall[0], value)
	s.see("engram.x", t, t.x)
}
