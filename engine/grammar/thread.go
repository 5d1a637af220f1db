package grammar

import (
	"math/big"
	"slices"
	"strings"
)

// frame is a value that is not finished yet: an array, an object, a call, the list of calls, or the whole text.
// Frames are never written to once a thread has them.
type frame struct {
	kind   frameKind
	parent *frame
	limit  int32 // how deep the values in it may nest
	count  int32 // of the items, members or calls begun

	array  *arrayProgram
	claims []int32 // by contains: how many items were claimed for it

	object  *objectProgram
	seen    bitset   // declared names
	want    bitset   // names that must come sooner or later; nil: those required
	dynamic []string // other names
	met     int      // obligations, as bits

	// Where items must differ. A frame that collects keeps what it has read, names and values; differ are the
	// values of which its own must be none, as far as they agree with it up to here; taken those of which the
	// value that is being read must be none.
	collects      bool
	names         []string
	values        []*value
	differ, taken []*value

	calls *callList
}

type frameKind uint8

const (
	frameRoot frameKind = iota
	frameArray
	frameObject
	frameList
	frameCall
)

// thread is one reading of the text so far: a place in the frame it stands in. Several threads go side by side
// where the schema leaves open which alternative a text will turn out to be.
type thread struct {
	frame *frame
	at    place
	node  *node // placeValue, placeColon

	// literals: those from low to high are still possible, after the first n bytes
	low, high int32
	n         int32 // bytes of a literal or name; code points of a string
	q         int32 // state of an automaton
	claim     int32 // placeKey: the obligations this name is to meet, as bits

	unit    unit // the code point that is being spelt
	texts   *textProgram
	numbers *numberShape
	text    string // of a number, of a name that is not declared, or of a string that must differ
}

type place uint8

const (
	placeValue   place = iota // before a value
	placeLiteral              // in a listed value
	placeText                 // in a string
	placeNumber               // in a number
	placeOpen                 // after [ or { or the [ of the calls
	placeComma                // after a comma in an object
	placeKey                  // in a member's name
	placeColon                // after a name
	placeAfter                // after a value in its frame
	placeStart                // before the list of calls
)

// same reports that two threads can't be told apart by what follows.
func (t *thread) same(u *thread) bool {
	return t.at == u.at && t.node == u.node && t.low == u.low && t.high == u.high && t.n == u.n && t.q == u.q &&
		t.claim == u.claim && t.unit == u.unit && t.texts == u.texts && t.numbers == u.numbers && t.text == u.text &&
		t.frame.same(u.frame)
}

func (f *frame) same(g *frame) bool {
	if f == g {
		return true
	}
	return f != nil && g != nil && f.kind == g.kind && f.parent == g.parent && f.limit == g.limit && f.count == g.count &&
		f.array == g.array && f.object == g.object && f.met == g.met && f.calls == g.calls &&
		slices.Equal(f.claims, g.claims) && slices.Equal(f.seen, g.seen) && slices.Equal(f.want, g.want) &&
		slices.Equal(f.dynamic, g.dynamic) && f.collects == g.collects && slices.Equal(f.names, g.names) &&
		slices.EqualFunc(f.values, g.values, (*value).equal) && slices.Equal(f.differ, g.differ) &&
		slices.Equal(f.taken, g.taken)
}

// maxThreads bounds the readings of one text. Those beyond are given up: the others can still be finished.
const maxThreads = 96

// add appends a thread unless there is one like it.
func add(threads []thread, t thread) []thread {
	if len(threads) >= maxThreads {
		return threads
	}
	for i := range threads {
		if threads[i].same(&t) {
			return threads
		}
	}
	return append(threads, t)
}

func takenNumbers(values []*value) []*big.Rat {
	var out []*big.Rat
	for _, v := range values {
		if v.kind == kindNumber && v.number != nil {
			out = append(out, v.number)
		}
	}
	return out
}

// offers reports whether a node has a value that may stand in the frame.
func (f *frame) offers(n *node) bool {
	if n.depth > f.limit {
		return false
	}
	if len(f.taken) == 0 || n.size == endless || int(n.size) > len(f.taken) {
		return true
	}
	used := int32(0)
	for _, v := range f.taken {
		used += one(n.has(v))
	}
	return n.size > used
}

// has reports whether a value is surely or possibly one of the node's.
func (n *node) has(v *value) bool {
	text := string(v.appendCompact(nil, false))
	if slices.ContainsFunc(n.literals, func(l *literal) bool { return l.text == text }) {
		return true
	}
	return v.kind == kindNumber && len(n.numbers) > 0 || v.kind == kindString && len(n.texts) > 0 ||
		v.kind == kindArray && len(n.arrays) > 0 || v.kind == kindObject && len(n.objects) > 0
}

// live reports whether an array can be finished.
func (p *arrayProgram) live(f *frame) bool {
	unmet := int32(0)
	for k, demand := range p.contains {
		unmet += max(int32(demand.min)-f.claims[k], 0)
	}
	if f.count+unmet > p.max || p.min > p.max {
		return false
	}
	claims := slices.Clone(f.claims)
	fits := func(n *node, more int32) bool {
		if n.depth > f.limit {
			return false
		}
		return !p.unique || n.size == endless || n.size >= int32(len(f.values))+more
	}
	at := f.count
	for ; int(at) < len(p.places) && (at < p.min || unmet > 0); at++ {
		claimed := p.claimAt(at, claims, f.limit)
		switch {
		case claimed >= 0:
			if claims[claimed] < int32(p.contains[claimed].min) {
				unmet--
			}
			claims[claimed]++
		case !fits(p.places[at][0], at-f.count+1):
			return false
		}
	}
	if at >= p.min && unmet == 0 {
		return true
	}
	left := max(p.min-at, unmet)
	if at+left > p.max {
		return false
	}
	free := left - unmet
	for k, demand := range p.contains {
		if claims[k] < int32(demand.min) && !fits(p.rest[1<<k], left) {
			return false
		}
	}
	if free == 0 || fits(p.rest[0], left+at-f.count) {
		return true
	}
	for k, demand := range p.contains { // all the rest must be claimed
		if fits(p.rest[1<<k], left) && (demand.max < 0 || int(claims[k]+left) <= demand.max) {
			return true
		}
	}
	return false
}

// claimAt chooses a contains that still needs items for an item, or one that the item can't avoid; -1 for none.
func (p *arrayProgram) claimAt(at int32, claims []int32, limit int32) int {
	nodes := p.at(at)
	for k, demand := range p.contains {
		if nodes[1<<k].depth <= limit && claims[k] < int32(demand.min) {
			return k
		}
	}
	if nodes[0].depth <= limit {
		return -1
	}
	for k, demand := range p.contains {
		if nodes[1<<k].depth <= limit && (demand.max < 0 || int(claims[k]) < demand.max) {
			return k
		}
	}
	return -1
}

// finished reports whether an array may end.
func (p *arrayProgram) finished(f *frame) bool {
	for k, demand := range p.contains {
		if int(f.claims[k]) < demand.min {
			return false
		}
	}
	return f.count >= p.min && !f.repeats()
}

// items adds the threads that begin the next item.
func (p *arrayProgram) items(f *frame, out []thread) []thread {
	if f.count >= p.max {
		return out
	}
	for set, n := range p.at(f.count) {
		if n.depth > f.limit {
			continue
		}
		next := *f
		next.count++
		next.taken = p.taken(f)
		if len(p.contains) > 0 {
			next.claims = slices.Clone(f.claims)
		}
		over := false
		for k, demand := range p.contains {
			if set>>k&1 == 1 {
				next.claims[k]++
				over = over || demand.max >= 0 && int(next.claims[k]) > demand.max
			}
		}
		// The item itself joins values when it ends; until then it counts as one that differs.
		if over || !next.offers(n) || (p.min > next.count || len(p.contains) > 0) && !p.liveAfter(&next) {
			continue
		}
		out = add(out, thread{frame: &next, at: placeValue, node: n})
	}
	return out
}

// liveAfter is live with one more value taken than f.values says: the item that is about to be written.
func (p *arrayProgram) liveAfter(f *frame) bool {
	if !p.unique {
		return p.live(f)
	}
	g := *f
	g.values = append(slices.Clone(f.values), &value{})
	return p.live(&g)
}

// wanted returns the names that must be there in the end.
func (f *frame) wanted() bitset {
	if f.want != nil {
		return f.want
	}
	return f.object.required
}

// fits reports whether a declared member can be written at the frame's depth, meeting a set of obligations.
func (p *objectProgram) fits(f *frame, name int, claim int32) bool {
	return p.values[name][claim].depth <= f.limit
}

// live reports whether an object can be finished.
func (p *objectProgram) live(f *frame) bool {
	want, total := f.wanted(), f.count
	for i := range p.names {
		if want.has(i) && !f.seen.has(i) {
			if total++; !p.possible(f, i) {
				return false
			}
		}
	}
	for k := range p.obligations {
		if f.met>>k&1 == 0 {
			if total++; !p.canMeet(f, k) {
				return false
			}
		}
	}
	return total <= p.max && p.enough(f, want, total)
}

// possible reports whether a member can be written with some set of obligations.
func (p *objectProgram) possible(f *frame, name int) bool {
	for claim := range p.values[name] {
		if p.fits(f, name, int32(claim)) {
			return true
		}
	}
	return false
}

// canMeet reports whether a member that is still to come can meet an obligation.
func (p *objectProgram) canMeet(f *frame, k int) bool {
	claim := int32(1) << k
	for i := range p.names {
		if !f.seen.has(i) && p.fits(f, i, claim) {
			return true
		}
	}
	return p.open(f, claim)
}

// open reports whether undeclared names are left that meet a set of obligations.
func (p *objectProgram) open(f *frame, claim int32) bool {
	d := p.dynamic[claim]
	if d == nil || p.dynamicDepth[claim] > f.limit {
		return false
	}
	return p.free[claim] == endless || int(p.free[claim]) > len(f.dynamic)
}

// enough reports whether the least number of members can be reached from total, which has those wanted.
func (p *objectProgram) enough(f *frame, want bitset, total int32) bool {
	if total >= p.min || p.open(f, 0) && p.free[0] == endless {
		return max(total, p.min) <= p.max
	}
	if p.open(f, 0) {
		total += p.free[0] - int32(len(f.dynamic))
	}
	have := slices.Clone(want)
	have.addAll(f.seen)
	for i := range p.names {
		if have.has(i) || !p.fits(f, i, 0) {
			continue
		}
		more := newBitset(len(p.names))
		more.add(i)
		if p.closure != nil {
			more.addAll(p.closure[i])
		}
		added, fine := int32(0), true
		for k := range p.names {
			if more.has(k) && !have.has(k) {
				added++
				fine = fine && p.possible(f, k)
			}
		}
		if fine && total+added <= p.max {
			have.addAll(more)
			total += added
		}
	}
	return total >= p.min
}

// finished reports whether an object may end.
func (p *objectProgram) finished(f *frame) bool {
	return f.count >= p.min && f.seen.holds(f.wanted()) && f.met == 1<<p.obligations-1 && !f.repeats()
}

// with is the frame after a declared member's name; nil when the object could not be finished then.
func (p *objectProgram) with(f *frame, name int, claim int32) *frame {
	if f.seen.has(name) || !p.fits(f, name, claim) || f.met&int(claim) != 0 {
		return nil
	}
	g := *f
	g.count++
	g.met |= int(claim)
	g.seen = f.seen.with(name)
	if p.closure != nil {
		g.want = slices.Clone(f.wanted())
		g.want.addAll(p.closure[name])
	}
	if !p.plain && !p.live(&g) {
		return nil
	}
	if f.collects {
		g.names = append(slices.Clone(f.names), p.names[name])
		if g.taken = p.taken(&g); !g.offers(p.values[name][claim]) {
			return nil
		}
	}
	return &g
}

// may reports whether a declared name may come next.
func (p *objectProgram) may(f *frame, name int, claim int32) bool {
	if p.plain && !f.collects {
		return !f.seen.has(name) && p.fits(f, name, claim)
	}
	return p.with(f, name, claim) != nil
}

// withOther is the frame after an undeclared member's name; nil when the object could not be finished then.
func (p *objectProgram) withOther(f *frame, name string, claim int32) *frame {
	if f.met&int(claim) != 0 {
		return nil
	}
	g := *f
	g.count++
	g.met |= int(claim)
	g.dynamic = append(slices.Clone(f.dynamic), name)
	if !p.plain && !p.live(&g) {
		return nil
	}
	if f.collects {
		g.names = append(slices.Clone(f.names), name)
		g.taken = p.taken(&g)
	}
	return &g
}

// keys adds the threads that begin the next name.
func (p *objectProgram) keys(f *frame, out []thread) []thread {
	if f.count >= p.max {
		return out
	}
	for claim := range int32(1) << p.obligations {
		if f.met&int(claim) != 0 {
			continue
		}
		t := thread{frame: f, at: placeKey, claim: claim, high: int32(len(p.names)), q: dead}
		if p.open(f, claim) && (p.plain || p.withOther(f, "", claim) != nil) {
			t.q = 0
		}
		if t.keyLive() {
			out = add(out, t)
		}
	}
	return out
}

// keyLive reports whether a name can be finished.
func (t *thread) keyLive() bool {
	p := t.frame.object
	if t.q != dead {
		d := p.dynamic[t.claim]
		if d.count[t.q] == endless {
			return true
		}
		used := int32(0)
		for i := t.low; i < t.high; i++ {
			used += one(p.named[t.claim].has(int(i)))
		}
		for _, name := range t.frame.dynamic {
			used += one(strings.HasPrefix(name, t.text))
		}
		if d.count[t.q] > used {
			return true
		}
	}
	for i := t.low; i < t.high; i++ {
		if p.may(t.frame, int(i), t.claim) {
			return true
		}
	}
	return false
}
