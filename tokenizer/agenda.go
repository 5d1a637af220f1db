package tokenizer

// candidate is a pair of neighbours waiting to be merged: the rank of what they would be above the
// index of the left one, so that the smallest is the one to merge next.
type candidate uint64

func newCandidate(rank, left int32) candidate {
	return candidate(uint64(uint32(rank))<<32 | uint64(uint32(left)))
}

// agenda is a binary heap with the smallest candidate first. It is container/heap without the calls
// through an interface, which were most of the time on long runs.
type agenda []candidate

func (a agenda) heapify() {
	for i := len(a)/2 - 1; i >= 0; i-- {
		a.sink(i)
	}
}

func (a *agenda) push(c candidate) {
	h := append(*a, c)
	*a = h
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if h[up] <= c {
			break
		}
		h[i], i = h[up], up
	}
	h[i] = c
}

// pop removes the first candidate of an agenda that has one.
func (a *agenda) pop() (rank, left int32) {
	h := *a
	first, last := h[0], len(h)-1
	h[0] = h[last]
	*a = h[:last]
	a.sink(0)
	return int32(first >> 32), int32(uint32(first))
}

// sink moves the candidate at i down to its place.
func (a agenda) sink(i int) {
	if i >= len(a) {
		return
	}
	c := a[i]
	for {
		down := 2*i + 1
		if down >= len(a) {
			break
		}
		if right := down + 1; right < len(a) && a[right] < a[down] {
			down = right
		}
		if c <= a[down] {
			break
		}
		a[i], i = a[down], down
	}
	a[i] = c
}
