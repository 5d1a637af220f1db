package grammar

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sort"
	"unicode/utf8"
)

// dfa is a deterministic automaton over code points whose every state can still accept: a transition that could
// not is dead. It is read-only.
type dfa struct {
	ascii    [utf8.RuneSelf]uint16
	bounds   []rune // sorted starts of the spans of code points of one class, from 0
	class    []uint16
	classes  int
	next     []int32  // by state*classes+class; dead: -1
	accept   []uint64 // by state: which of the expressions accept, as bits; meaningful where ends
	ends     []bool   // by state: a text may end here
	count    []int32  // by state: how many texts lead from it to an end, at most endless
	nearest  []int32  // by state: the least number of code points to an end
	longest  []int32  // by state: the greatest, endless for no limit
	safe     []bool   // by state: no text leads from it to death
	furthest int32    // the greatest of nearest
}

const (
	dead    = int32(-1)
	endless = int32(math.MaxInt32)
	// maxStates bounds one automaton. The largest real pattern met so far takes 800 states.
	maxStates = 8_000
	// maxWork bounds the expressions looked at for one automaton: about a tenth of a second.
	maxWork = 1_000_000
)

var errTooComplex = errors.New("too complex")

// newDFA determinises expressions side by side. A text may end where allowed says so of the bits of the
// expressions that accept it. The start is state 0; a nil automaton accepts nothing.
func newDFA(b *regexes, rs []*regex, allowed func(uint64) bool) (*dfa, error) {
	d := &dfa{}
	chars := d.partition(rs)
	b.derived = map[derivation]*regex{} // the classes are this automaton's
	defer func() { b.derived = nil }()
	limit := len(b.byKey) + 10*maxStates
	b.work = 0
	states := [][]*regex{rs}
	index := map[string]int32{tupleKey(rs): 0}
	for q := 0; q < len(states); q++ {
		if b.work > maxWork {
			return nil, errTooComplex
		}
		for class, c := range chars {
			t := make([]*regex, len(rs))
			for i, r := range states[q] {
				t[i] = b.derive(r, int32(class), c)
			}
			key := tupleKey(t)
			to, seen := index[key]
			if !seen {
				if len(states) == maxStates || len(b.byKey) > limit {
					return nil, errTooComplex
				}
				to = int32(len(states))
				index[key], states = to, append(states, t)
			}
			d.next = append(d.next, to)
		}
	}
	for _, t := range states {
		bits := uint64(0)
		for i, r := range t {
			if r.nullable {
				bits |= 1 << i
			}
		}
		d.accept, d.ends = append(d.accept, bits), append(d.ends, allowed(bits))
	}
	return d.finish(), nil
}

func tupleKey(rs []*regex) string {
	var key []byte
	for _, r := range rs {
		key = binary.AppendVarint(key, int64(r.id))
	}
	return string(key)
}

// partition sorts code points into classes that the expressions don't tell apart, and returns one code point
// of each.
func (d *dfa) partition(rs []*regex) []rune {
	var sets []charSet
	seen := map[*regex]bool{}
	for _, r := range rs {
		r.sets(seen, func(s charSet) { sets = append(sets, s) })
	}
	starts := []rune{0, surrogateFrom, surrogateTo + 1}
	for _, s := range sets {
		for i := 0; i < len(s); i += 2 {
			starts = append(starts, s[i], s[i+1]+1)
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	byMembers := map[string]uint16{}
	var chars []rune
	for _, from := range starts {
		if from > utf8.MaxRune || from >= surrogateFrom && from <= surrogateTo {
			continue
		}
		members := make([]byte, (len(sets)+7)/8)
		for i, s := range sets {
			if s.has(from) {
				members[i/8] |= 1 << (i % 8)
			}
		}
		class, known := byMembers[string(members)]
		if !known {
			class = uint16(len(chars))
			byMembers[string(members)], chars = class, append(chars, from)
		}
		if n := len(d.class); n == 0 || d.class[n-1] != class || from == surrogateTo+1 {
			d.bounds, d.class = append(d.bounds, from), append(d.class, class)
		}
	}
	d.classes = len(chars)
	for c := range d.ascii {
		d.ascii[c] = d.class[d.span(rune(c))]
	}
	return chars
}

// span is the place of a code point's span of one class.
func (d *dfa) span(c rune) int {
	return sort.Search(len(d.bounds), func(i int) bool { return d.bounds[i] > c }) - 1
}

// step is the state after a code point, or dead.
func (d *dfa) step(q int32, c rune) int32 {
	if c < utf8.RuneSelf {
		return d.next[int(q)*d.classes+int(d.ascii[c])]
	}
	return d.next[int(q)*d.classes+int(d.class[d.span(c)])]
}

// run is the state after a text, or dead.
func (d *dfa) run(text string) int32 {
	q := int32(0)
	for _, c := range text {
		if q = d.step(q, c); q == dead {
			break
		}
	}
	return q
}

// finish takes dead ends out and measures the states; nil when nothing is accepted.
func (d *dfa) finish() *dfa {
	n := len(d.ends)
	d.nearest = make([]int32, n)
	for q := range d.nearest {
		d.nearest[q] = endless
		if d.ends[q] {
			d.nearest[q] = 0
		}
	}
	d.relax()
	for i, to := range d.next {
		if to != dead && d.nearest[to] == endless {
			d.next[i] = dead
		}
	}
	if d.nearest[0] == endless {
		return nil
	}
	for _, n := range d.nearest {
		if n != endless {
			d.furthest = max(d.furthest, n)
		}
	}
	d.measure()
	d.markSafe()
	return d
}

// before lists, for each state, the states that lead to it.
func (d *dfa) before() [][]int32 {
	out := make([][]int32, len(d.ends))
	for i, to := range d.next {
		if to != dead {
			out[to] = append(out[to], int32(i/d.classes))
		}
	}
	return out
}

// relax spreads the distances from the ends, nearest first.
func (d *dfa) relax() {
	before := d.before()
	var queue []int32
	for q, far := range d.nearest {
		if far == 0 {
			queue = append(queue, int32(q))
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		to := queue[0]
		for _, q := range before[to] {
			if d.nearest[q] == endless {
				d.nearest[q] = d.nearest[to] + 1
				queue = append(queue, q)
			}
		}
	}
}

// measure counts the texts from each state and finds the longest: endless on a cycle.
func (d *dfa) measure() {
	n := len(d.ends)
	d.count, d.longest = make([]int32, n), make([]int32, n)
	order, cyclic := d.postOrder()
	size := d.classSizes()
	for _, q := range order {
		if cyclic[q] {
			d.count[q], d.longest[q] = endless, endless
			continue
		}
		total, far := int64(0), int32(0)
		if d.ends[q] {
			total = 1
		}
		for class, to := range d.next[int(q)*d.classes : int(q+1)*d.classes] {
			if to == dead {
				continue
			}
			if d.longest[to] == endless {
				total, far = int64(endless), endless
				break
			}
			total = min(total+size[class]*int64(d.count[to]), int64(endless)-1)
			far = max(far, d.longest[to]+1)
		}
		d.count[q], d.longest[q] = int32(total), far
	}
}

// classSizes counts the code points of each class.
func (d *dfa) classSizes() []int64 {
	size := make([]int64, d.classes)
	for i, from := range d.bounds {
		to := rune(utf8.MaxRune + 1)
		if i+1 < len(d.bounds) {
			to = d.bounds[i+1]
		}
		if from < surrogateFrom && to > surrogateTo {
			to -= surrogateTo - surrogateFrom + 1
		}
		size[d.class[i]] += int64(to - from)
	}
	return size
}

// postOrder lists the states reachable from the start, each after those it leads to, and marks those that lie
// on a cycle, or lead to themselves through one (Tarjan's components).
func (d *dfa) postOrder() (order []int32, cyclic []bool) {
	n := len(d.ends)
	number, low, onStack := make([]int32, n), make([]int32, n), make([]bool, n)
	cyclic = make([]bool, n)
	type visit struct {
		q    int32
		edge int
	}
	var stack []int32
	counter := int32(0)
	open := func(q int32) visit {
		counter++
		number[q], low[q], onStack[q] = counter, counter, true
		stack = append(stack, q)
		return visit{q, 0}
	}
	calls := []visit{open(0)}
	for len(calls) > 0 {
		v := &calls[len(calls)-1]
		if v.edge < d.classes {
			to := d.next[int(v.q)*d.classes+v.edge]
			v.edge++
			switch {
			case to == dead:
			case to == v.q:
				cyclic[to] = true
			case number[to] == 0:
				calls = append(calls, open(to))
			case onStack[to]:
				low[v.q] = min(low[v.q], number[to])
			}
			continue
		}
		q := v.q
		calls = calls[:len(calls)-1]
		if len(calls) > 0 {
			from := calls[len(calls)-1].q
			low[from] = min(low[from], low[q])
		}
		if low[q] != number[q] {
			continue
		}
		at := slices.Index(stack, q)
		if len(stack)-at > 1 {
			for _, member := range stack[at:] {
				cyclic[member] = true
			}
		}
		for _, member := range stack[at:] {
			onStack[member] = false
			order = append(order, member)
		}
		stack = stack[:at]
	}
	return order, cyclic
}

// markSafe finds the states from which no text leads to death.
func (d *dfa) markSafe() {
	n := len(d.ends)
	d.safe = make([]bool, n)
	before := d.before()
	var queue []int32
	for q := range n {
		d.safe[q] = !slices.Contains(d.next[q*d.classes:(q+1)*d.classes], dead)
		if !d.safe[q] {
			queue = append(queue, int32(q))
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, q := range before[queue[0]] {
			if d.safe[q] {
				d.safe[q] = false
				queue = append(queue, q)
			}
		}
	}
}

// leads reports whether some code point from one to another leads from a state to one that ok accepts.
func (d *dfa) leads(q int32, from, to rune, ok func(q int32) bool) bool {
	for i := d.span(from); i < len(d.bounds) && d.bounds[i] <= to; i++ {
		if next := d.next[int(q)*d.classes+int(d.class[i])]; next != dead && ok(next) {
			return true
		}
	}
	return false
}
