package engine

import "math/bits"

// tokenSet is a set of token ids, one bit each.
type tokenSet []uint64

// newTokenSet returns the set of the ids 0 to n-1.
func newTokenSet(n int) tokenSet {
	s := make(tokenSet, (n+63)/64)
	for i := range s {
		s[i] = ^uint64(0)
	}
	if rest := n % 64; rest != 0 {
		s[len(s)-1] = 1<<rest - 1
	}
	return s
}

// without returns a copy that lacks some ids.
func (s tokenSet) without(ids ...int32) tokenSet {
	out := append(tokenSet(nil), s...)
	for _, id := range ids {
		if int(id)/64 < len(out) {
			out[id/64] &^= 1 << (id % 64)
		}
	}
	return out
}

// only returns the ids for which keep holds; s itself when there are none.
func (s tokenSet) only(keep func(id int32) bool) tokenSet {
	out := append(tokenSet(nil), s...)
	s.each(func(id int32) {
		if !keep(id) {
			out[id/64] &^= 1 << (id % 64)
		}
	})
	if out.empty() {
		return s
	}
	return out
}

// has reports whether an id is in the set.
func (s tokenSet) has(id int32) bool {
	return int(id)/64 < len(s) && s[id/64]>>(id%64)&1 == 1
}

// each calls f for the ids of the set in ascending order.
func (s tokenSet) each(f func(id int32)) {
	for i, word := range s {
		for word != 0 {
			f(int32(64*i + bits.TrailingZeros64(word)))
			word &= word - 1
		}
	}
}

// empty reports whether no id is in the set.
func (s tokenSet) empty() bool {
	for _, word := range s {
		if word != 0 {
			return false
		}
	}
	return true
}

// meets reports whether the sets have an id in common.
func (s tokenSet) meets(other tokenSet) bool {
	for i := range min(len(s), len(other)) {
		if s[i]&other[i] != 0 {
			return true
		}
	}
	return false
}
