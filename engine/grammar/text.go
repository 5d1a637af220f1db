package grammar

import (
	"math/bits"
	"sync"
)

// textProgram is a set of strings as an automaton and limits of length.
type textProgram struct {
	d        *dfa
	min, max int32 // code points; max: endless for no limit
	lengths  [][]uint64
	once     sync.Once
	exact    [][]int32 // see tallies
}

// maxLengthBits bounds the table of reachable lengths of one automaton.
const maxLengthBits = 1 << 22

// newTextProgram is nil when no text fits. The error is errTooComplex. Whether a state's rests have a length between two limits is only
// open when both limits bind: then a table tells.
func newTextProgram(d *dfa, least, most int32) (*textProgram, error) {
	if d == nil {
		return nil, nil
	}
	p := &textProgram{d: d, min: least, max: most}
	if most < 0 {
		p.max = endless
	}
	if p.max != endless && p.max >= d.longest[0] {
		p.max = endless
	}
	if p.min <= d.nearest[0] {
		p.min = 0
	}
	if p.min > 0 && p.max != endless && !d.everything() {
		if int64(len(d.ends))*int64(p.max+1) > maxLengthBits {
			return nil, errTooComplex
		}
		p.lengths = d.lengths(p.max)
	}
	if !p.live(0, 0) {
		return nil, nil
	}
	return p, nil
}

// everything reports that the automaton takes any text, so that it has rests of every length.
func (d *dfa) everything() bool { return len(d.ends) == 1 && d.ends[0] && d.safe[0] }

// lengths returns, by state, the numbers of code points after which an end can stand, as bits.
func (d *dfa) lengths(most int32) [][]uint64 {
	out := make([][]uint64, len(d.ends))
	for q := range out {
		out[q] = make([]uint64, most/64+1)
		if d.ends[q] {
			out[q][0] = 1
		}
	}
	for n := int32(1); n <= most; n++ {
		for q := range out {
			for _, to := range d.next[q*d.classes : (q+1)*d.classes] {
				if to != dead && out[to][(n-1)/64]>>((n-1)%64)&1 == 1 {
					out[q][n/64] |= 1 << (n % 64)
					break
				}
			}
		}
	}
	return out
}

// live reports whether n code points that led to a state can be continued to a string of the set.
func (p *textProgram) live(q, n int32) bool {
	switch {
	case p.max == endless && p.min == 0:
		return true
	case p.max == endless:
		return p.d.longest[q] == endless || p.d.longest[q] >= p.min-n
	case p.min == 0 || p.lengths == nil:
		return p.d.nearest[q] <= p.max-n
	}
	from, to := max(p.min-n, 0), p.max-n
	for i := from; i <= to; {
		word := p.lengths[q][i/64] >> (i % 64)
		if word != 0 {
			return i+int32(bits.TrailingZeros64(word)) <= to
		}
		i += 64 - i%64
	}
	return false
}

// ends reports whether n code points that led to a state are a string of the set.
func (p *textProgram) ends(q, n int32) bool { return p.d.ends[q] && n >= p.min && n <= p.max }

// tally is n, as far as a limit needs it: states that differ in nothing else are then one.
func (p *textProgram) tally(n int32) int32 {
	if p.max == endless {
		return min(n, p.min)
	}
	return n
}

// size is how many strings the set has: a lower bound, endless when there are many.
func (p *textProgram) size() int32 { return p.atLeast(0, 0) }

const (
	// longestTally bounds the lengths up to which strings are counted.
	longestTally = 128
	// plenty is a number of strings that no array of different ones uses up.
	plenty = 1 << 16
)

// tallies counts, by length and state, the texts of exactly that length to an end; at most plenty.
func (p *textProgram) tallies() [][]int32 {
	p.once.Do(func() {
		d := p.d
		size := d.classSizes()
		last := make([]int32, len(d.ends))
		for q, ends := range d.ends {
			last[q] = one(ends)
		}
		p.exact = append(p.exact, last)
		for range min(p.max, longestTally) {
			next := make([]int32, len(d.ends))
			for q := range next {
				total := int64(0)
				for class, to := range d.next[q*d.classes : (q+1)*d.classes] {
					if to != dead && total < plenty {
						total += size[class] * int64(last[to])
					}
				}
				next[q] = int32(min(total, plenty))
			}
			p.exact, last = append(p.exact, next), next
		}
	})
	return p.exact
}

// between is a lower bound of the number of strings that go on with a code point of a span. n counts it.
func (p *textProgram) between(q, n int32, low, high rune) int64 {
	d, total := p.d, int64(0)
	for i := d.span(low); i < len(d.bounds) && d.bounds[i] <= high; i++ {
		to := d.next[int(q)*d.classes+int(d.class[i])]
		if to == dead {
			continue
		}
		last := high
		if i+1 < len(d.bounds) {
			last = min(last, d.bounds[i+1]-1)
		}
		total += int64(last-max(low, d.bounds[i])+1) * int64(p.atLeast(to, n))
	}
	return total
}

// atLeast is a lower bound of the number of strings that n code points which led to a state can become.
func (p *textProgram) atLeast(q, n int32) int32 {
	d := p.d
	switch {
	case !p.live(q, n):
		return 0
	case p.max == endless && p.min <= n:
		return d.count[q]
	case p.max > n && d.everything():
		return endless
	}
	exact := p.tallies()
	total := int32(0)
	for length := max(p.min-n, 0); length <= p.max-n && int(length) < len(exact); length++ {
		if total += exact[length][q]; total >= plenty {
			return endless
		}
	}
	return max(total, 1)
}
