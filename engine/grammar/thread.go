package grammar

import (
	"math/big"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
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
		slices.EqualFunc(f.values, g.values, (*value).equal) && slices.EqualFunc(f.differ, g.differ, (*value).equal) &&
		slices.EqualFunc(f.taken, g.taken, (*value).equal)
}

// maxThreads bounds the readings of one text. Those beyond are given up: the others can still be finished.
const maxThreads = maxShapes + 48

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
	return v.kind == kindNumber && n.hasNumber(v) || v.kind == kindString && n.hasText(v.text) ||
		v.kind == kindArray && len(n.arrays) > 0 || v.kind == kindObject && len(n.objects) > 0
}

// live reports whether an array can be finished. Where items must differ, those of a contains and the others are
// told apart by its complement: each kind must have values enough for the items it has and those it needs.
func (p *arrayProgram) live(f *frame) bool {
	unmet, claimed := int32(0), int32(0)
	for k, demand := range p.contains {
		if demand.min > int(p.max) {
			return false
		}
		unmet += max(int32(demand.min)-f.claims[k], 0)
		claimed += f.claims[k]
	}
	if f.count+unmet > p.max || p.min > p.max {
		return false
	}
	claims := slices.Clone(f.claims)
	fits := func(n *node, items int32) bool {
		return n.depth <= f.limit && (!p.unique || n.size == endless || n.size >= items)
	}
	at := f.count
	for ; int(at) < len(p.places) && (at < p.min || unmet > 0); at++ {
		k := p.claimAt(at, claims, f.limit)
		if k < 0 {
			if !fits(p.places[at][0], at+1) {
				return false
			}
			continue
		}
		if !fits(p.places[at][1<<k], at+1) {
			return false
		}
		if claims[k] < int32(p.contains[k].min) {
			unmet--
		}
		claims[k]++
		claimed++
	}
	if at >= p.min && unmet == 0 {
		return true
	}
	left := max(p.min-at, unmet)
	if at+left > p.max {
		return false
	}
	for k, demand := range p.contains {
		if claims[k] < int32(demand.min) && !fits(p.rest[1<<k], int32(demand.min)) {
			return false
		}
	}
	free := left - unmet
	if free == 0 || fits(p.rest[0], at-claimed+free) {
		return true
	}
	for k, demand := range p.contains { // all the rest must be claimed
		if total := claims[k] + left; fits(p.rest[1<<k], total) && (demand.max < 0 || int(total) <= demand.max) {
			return true
		}
	}
	return false
}

func (n *node) hasNumber(v *value) bool {
	return slices.ContainsFunc(n.numbers, func(s *numberShape) bool { return v.number == nil || s.holds(v.number) })
}

func (n *node) hasText(text string) bool {
	return slices.ContainsFunc(n.texts, func(p *textProgram) bool {
		q := p.d.run(text)
		return q != dead && p.ends(q, int32(utf8.RuneCountInString(text)))
	})
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
		over := false // more claims than are allowed, or one that changes nothing
		for k, demand := range p.contains {
			if set>>k&1 == 1 {
				next.claims[k]++
				most := demand.max
				if most < 0 && !p.unique {
					most = demand.min
				}
				over = over || most >= 0 && int(next.claims[k]) > most
			}
		}
		if over || !next.offers(n) || (p.min > next.count || len(p.contains) > 0) && !p.live(&next) {
			continue
		}
		out = add(out, thread{frame: &next, at: placeValue, node: n})
	}
	return out
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
	for i, word := range want {
		for word &^= f.seen[i]; word != 0; word &= word - 1 {
			if total++; !p.possible(f, 64*i+bits.TrailingZeros64(word)) {
				return false
			}
		}
	}
	extra := p.meeting(f, want, (1<<p.obligations-1)&^f.met, nil)
	if extra < 0 || total+extra > p.max {
		return false
	}
	return p.enough(f, want, total) // the names that meet obligations are among those it counts
}

// maxMeeting bounds the names tried for an obligation: one that needs more is rare and counts as not to be met.
const maxMeeting = 12

// meeting is the least number of members, beside those wanted, that meet obligations; -1 when they can't be met.
// used are the names that meet others already.
func (p *objectProgram) meeting(f *frame, want bitset, unmet int, used []int) int32 {
	if unmet == 0 {
		return 0
	}
	least := int32(-1)
	better := func(more int32, rest int, name int) {
		next := used
		if name >= 0 {
			next = append(slices.Clone(used), name)
		}
		if n := p.meeting(f, want, rest, next); n >= 0 && (least < 0 || n+more < least) {
			least = n + more
		}
	}
	first := unmet & -unmet
	for claim := 1; claim < 1<<p.obligations; claim++ {
		if claim&first == 0 || claim&^unmet != 0 {
			continue
		}
		tried := 0
		for i := 0; i < len(p.names) && tried < maxMeeting; i++ {
			if f.seen.has(i) || slices.Contains(used, i) || !p.fits(f, i, int32(claim)) {
				continue
			}
			if more := p.added(f, want, i); more >= 0 {
				tried++
				better(more, unmet&^claim, i)
			}
		}
		if p.open(f, int32(claim)) {
			better(1, unmet&^claim, -1)
		}
	}
	return least
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

// added counts the members, beside those wanted, that the presence of a name brings, itself included; -1 when one
// of them can't be written.
func (p *objectProgram) added(f *frame, want bitset, name int) int32 {
	if p.closure == nil {
		return one(!want.has(name))
	}
	more := int32(0)
	for i, word := range p.closure[name] {
		for word &^= f.seen[i] | want[i]; word != 0; word &= word - 1 {
			if more++; !p.possible(f, 64*i+bits.TrailingZeros64(word)) {
				return -1
			}
		}
	}
	return more
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
		total += min(p.free[0]-int32(len(f.dynamic)), p.min)
	}
	have := slices.Clone(want)
	have.addAll(f.seen)
	for i := range p.names {
		if total >= p.min {
			break
		}
		if have.has(i) || !p.fits(f, i, 0) {
			continue
		}
		if more := p.added(f, have, i); more > 0 && total+more <= p.max {
			have.add(i)
			if p.closure != nil {
				have.addAll(p.closure[i])
			}
			total += more
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
