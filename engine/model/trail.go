package model

// trail says which of a layer's kept rows hold the newest positions. All layers
// (or all engram sites) keep theirs alike. A block's last rows go to rows that
// hold nothing older positions need, so that a failed block changes nothing.
type trail struct {
	back       int   // rows that convolutions look back at
	past, next []int // number of the row of position -1, -2, ...; next is after the block
}

func newTrail(back int) trail {
	t := trail{back, make([]int, back), make([]int, back)}
	t.reset()
	return t
}

// reset makes the rows lie in order.
func (t *trail) reset() {
	for j := range t.past {
		t.past[j] = j
	}
}

// plan finds rows for a block of n tokens.
func (t *trail) plan(n int) {
	row := 0
	for j := range t.next {
		if j >= n {
			t.next[j] = t.past[j-n]
			continue
		}
		for t.holds(row) {
			row++
		}
		t.next[j] = row
		row++
	}
}

func (t *trail) holds(row int) bool {
	for _, r := range t.past {
		if r == row {
			return true
		}
	}
	return false
}

func (t *trail) commit() { t.past, t.next = t.next, t.past }

// rows are rows of one width, one after the other.
type rows struct {
	width int
	data  []float32
}

func newRows(n, width int) rows { return rows{width, make([]float32, n*width)} }

func (r *rows) at(i int) []float32 { return r.data[i*r.width : (i+1)*r.width] }

// from are the same rows without their first values.
func (r *rows) from(at int) rows { return rows{r.width, r.data[at:]} }

// kept is a layer's rows under a trail.
type kept struct{ rows }

func newKept(t *trail, width int) kept { return kept{newRows(2*t.back, width)} }

// before is the row j positions before the block's i-th token, which may lie in the
// block. first is the line's first token there.
func (k *kept) before(t *trail, block *rows, first, i, j int) []float32 {
	if i-j >= first {
		return block.at(i - j)
	}
	return k.at(t.past[j-(i-first)-1])
}

// keep copies the last rows of the n tokens from first on.
func (k *kept) keep(t *trail, block *rows, first, n int) {
	for j := range min(n, t.back) {
		copy(k.at(t.next[j]), block.at(first+n-1-j))
	}
}

// inOrder copies the rows of the positions before the block to dst, the newest first.
func (k *kept) inOrder(dst []float32, t *trail) {
	for i, r := range t.past {
		copy(dst[i*k.width:], k.at(r))
	}
}
