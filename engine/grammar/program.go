package grammar

import (
	"slices"
	"strings"
)

// node is a set of values ready to be read byte by byte. It is read-only once compiled.
type node struct {
	numbers  []*numberShape
	texts    []*textProgram
	literals []*literal // sorted by text
	arrays   []*arrayProgram
	objects  []*objectProgram
	depth    int32 // the least number of arrays and objects inside one another; endless: no value at all
	size     int32 // the number of values, at most endless; of arrays and objects a lower bound
}

// literal is a value that is spelt byte by byte.
type literal struct {
	text   string
	value  *value // nil of the beginning of a call
	number bool
	next   *node  // of the beginning of a call: its arguments
	name   string // of the tool that is called
}

type arrayProgram struct {
	min, max int32 // max: endless for no limit
	unique   bool
	contains []*contains
	places   [][]*node // by place, then by the set of contains that the item is to satisfy, as bits
	rest     []*node   // from len(places) on
	depth    int32
	distinct bool // always another array can be made than some given ones
}

type objectProgram struct {
	names    []string  // of the declared members, sorted
	values   [][]*node // by name, then by the set of obligations that the member is to meet, as bits
	required bitset
	closure  []bitset // by name: what its presence demands, itself included; nil without demands
	empty    bitset
	// dynamic has, by the set of obligations to meet, the undeclared names that can; nil: none. rests are the
	// values' nodes by the bits of the automaton, then by that set; dynamicDepth is what the deepest of them needs.
	dynamic      []*dfa
	rests        map[uint64][]*node
	dynamicDepth []int32
	free         []int32  // how many undeclared names there are
	named        []bitset // the declared names that an automaton takes too
	min, max     int32
	obligations  int
	depth        int32
	distinct     bool // always another object can be made than some given ones
	loose        bool // any name that is not there can be added
	plain        bool // nothing but required members restricts the set of members
}

const (
	// MaxDepth is how deep arrays and objects may nest in what is written.
	MaxDepth = 64
	// maxClaims bounds contains and obligations at one place: each is tried in every combination.
	maxClaims = 4
	// maxNodes bounds the size of a program.
	maxNodes = 20_000
)

// node returns the program of a goal. Its shapes are filled in by finish.
func (c *compiler) node(goal ...signed) *node {
	key, goal := goalKey(goal)
	if n := c.nodes[key]; n != nil {
		return n
	}
	n := &node{depth: endless}
	c.nodes[key] = n
	if len(c.nodes) > maxNodes {
		if len(c.nodes) == maxNodes+1 {
			c.reader.fault("", "schema", "more than %d different places", maxNodes)
		}
		return n
	}
	c.order = append(c.order, n)
	c.pending = append(c.pending, pendingNode{n, goal})
	return n
}

// pendingNode is a node whose shapes are not there yet.
type pendingNode struct {
	n    *node
	goal []signed
}

// finish fills in all nodes, finds out which have values, and takes out what has none.
func (c *compiler) finish() {
	for len(c.pending) > 0 {
		p := c.pending[len(c.pending)-1]
		c.pending = c.pending[:len(c.pending)-1]
		if !slices.ContainsFunc(p.goal, signed.isNever) {
			c.fill(p.n, c.all(p.goal))
		}
	}
	// How many values a node has matters where they must differ, and takes out what has too few: until that is
	// known all have enough.
	for _, n := range c.order {
		n.size = endless
	}
	for c.settle() {
		for changed := true; changed; {
			changed = false
			for _, n := range slices.Backward(c.order) {
				changed = n.count() || changed
			}
		}
	}
}

// settle finds the depths of all nodes and takes out the arrays and objects that can't be finished; it reports
// whether there were any, or whether this is the first time.
func (c *compiler) settle() bool {
	for _, n := range c.order {
		n.depth = endless
	}
	// What is reached last holds the least: most depths are found in one round. Undeclared names are known when
	// the depths of their values are, and may give objects that were out of reach a depth in turn.
	c.refined = -1
	for changed := true; changed; {
		changed = false
		for _, n := range slices.Backward(c.order) {
			changed = n.measure() || changed
		}
		if !changed {
			changed = c.refineNames()
		}
	}
	c.rounds++
	taken := c.rounds == 1
	for _, n := range c.order {
		before := len(n.arrays) + len(n.objects)
		n.arrays = slices.DeleteFunc(n.arrays, func(a *arrayProgram) bool { return a.depth == endless })
		n.objects = slices.DeleteFunc(n.objects, func(o *objectProgram) bool { return o.depth == endless })
		taken = taken || len(n.arrays)+len(n.objects) < before
		for _, a := range n.arrays {
			a.shorten()
		}
	}
	return taken
}

// shorten lowers the greatest length to what the places allow: no array goes past an item that has no values.
func (p *arrayProgram) shorten() {
	for place := int32(0); place < p.max && int(place) <= len(p.places); place++ {
		if !slices.ContainsFunc(p.at(place), func(n *node) bool { return n.depth != endless }) {
			p.max = place
		}
	}
}

// refineNames builds the automata of undeclared names; it reports whether that can change a depth.
func (c *compiler) refineNames() bool {
	known := 0
	for _, n := range c.order {
		known += int(one(n.depth != endless))
	}
	if c.refined == known {
		return false
	}
	c.refined = known
	for _, f := range c.refine {
		f()
	}
	return len(c.refine) > 0
}

func (c *compiler) fill(n *node, v *values) {
	n.numbers = v.numbers
	c.fillLiterals(n, v)
	for _, t := range v.texts {
		if t.words != nil {
			continue
		}
		p, err := c.textProgram(t)
		if err != nil { // with lenient compilation the value keeps its lengths
			c.reader.fault("", "pattern", "patterns, formats and lengths that meet at one place are %v", err)
			p, _ = c.textProgram(&textShape{language: c.re.every, min: t.min, max: t.max})
		}
		if p != nil {
			n.texts = append(n.texts, p)
		}
	}
	for _, a := range v.arrays {
		if p := c.arrayProgram(a); p != nil {
			n.arrays = append(n.arrays, p)
		}
	}
	for _, o := range v.objects {
		if p := c.objectProgram(o); p != nil {
			n.objects = append(n.objects, p)
		}
	}
}

// textProgram is nil when a shape has no text.
func (c *compiler) textProgram(t *textShape) (*textProgram, error) {
	d, err := c.automaton(t.language)
	if err != nil {
		return nil, err
	}
	return newTextProgram(d, t.min, t.max)
}

func (c *compiler) fillLiterals(n *node, v *values) {
	add := func(text string, v *value) {
		n.literals = append(n.literals, &literal{text: text, number: v.kind == kindNumber, value: v})
	}
	var listed []*value
	if v.null {
		listed = append(listed, &value{kind: kindNull})
	}
	if v.yes {
		listed = append(listed, &value{kind: kindBool, yes: true})
	}
	if v.no {
		listed = append(listed, &value{kind: kindBool})
	}
	for _, t := range v.texts {
		for _, w := range t.words {
			listed = append(listed, &value{kind: kindString, text: w})
		}
	}
	for _, l := range append(listed, v.literals...) {
		add(string(l.appendCompact(nil, false)), l)
		if c.ascii {
			add(string(l.appendCompact(nil, true)), l)
		}
		if l.kind == kindNumber && l.number != nil && l.number.IsInt() && strings.ContainsAny(l.text, ".eE") {
			add(l.number.Num().String(), l)
		}
	}
	slices.SortFunc(n.literals, func(a, b *literal) int { return strings.Compare(a.text, b.text) })
	n.literals = slices.CompactFunc(n.literals, func(a, b *literal) bool { return a.text == b.text })
}

// combinations returns the nodes of an item, or a member's value, for each set of claims it is to meet. What
// is limited from above must not be met by others: those get the complement.
func (c *compiler) combinations(base []signed, claims []signed, limited []bool) []*node {
	out := make([]*node, 1<<len(claims))
	for set := range out {
		goal := slices.Clone(base)
		for i, claim := range claims {
			switch {
			case set>>i&1 == 1:
				goal = append(goal, claim)
			case limited[i]:
				goal = append(goal, signed{claim.s, !claim.not})
			}
		}
		out[set] = c.node(goal...)
	}
	return out
}

// anyObject is the program of the objects that may have any members.
func (c *compiler) anyObject() (*objectProgram, error) {
	n, err := c.root([]byte(`{}`))
	if err != nil {
		return nil, err
	}
	return n.objects[0], nil
}

func (c *compiler) arrayProgram(a *arrayShape) *arrayProgram {
	p := &arrayProgram{min: int32(a.min), max: endless, unique: a.unique, depth: endless}
	if a.max >= 0 {
		p.max = int32(a.max)
	}
	places := 0
	for _, s := range a.sources {
		places = max(places, len(s.prefix))
	}
	for _, k := range a.contains {
		if k.min > 0 || k.max >= 0 {
			p.contains = append(p.contains, k)
			places = max(places, k.from)
		}
	}
	if len(p.contains) > maxClaims {
		c.reader.fault(a.contains[0].schema.s.pointer, "contains", "more than %d at one place", maxClaims)
		p.contains = p.contains[:maxClaims]
	}
	at := func(place int) []*node {
		var claims []signed
		var limited []bool
		for _, k := range p.contains {
			this := k.schema
			if this.s == nil {
				this = signed{s: &schema{id: -2, always: true}}
			}
			if place < k.from {
				this = nothing // can't be claimed here
			}
			claims, limited = append(claims, this), append(limited, (k.max >= 0 || a.unique) && place >= k.from)
		}
		return c.combinations(a.goal(place), claims, limited)
	}
	for i := range min(places, int(p.max)) {
		p.places = append(p.places, at(i))
	}
	p.rest = at(places)
	return p
}

// at returns the nodes of the item at a place.
func (p *arrayProgram) at(place int32) []*node {
	if int(place) < len(p.places) {
		return p.places[place]
	}
	return p.rest
}

func (c *compiler) objectProgram(o *objectShape) *objectProgram {
	p := &objectProgram{min: int32(o.min), max: endless, depth: endless, rests: map[uint64][]*node{}}
	if o.max >= 0 {
		p.max = int32(o.max)
	}
	owed := o.obligations
	if len(owed) > maxClaims {
		c.reader.fault("", "not", "more than %d members demanded by complements at one place", maxClaims)
		owed = owed[:maxClaims]
	}
	p.obligations = len(owed)
	p.names = o.declared()
	p.empty = newBitset(len(p.names))
	for _, name := range p.names {
		p.values = append(p.values, c.declaredNodes(o, owed, name))
	}
	p.demand(o)
	p.dynamic, p.dynamicDepth = make([]*dfa, 1<<len(owed)), make([]int32, 1<<len(owed))
	p.free, p.named = make([]int32, 1<<len(owed)), make([]bitset, 1<<len(owed))
	if !c.closed(o) {
		c.dynamicNames(p, o, owed)
	}
	p.loose = p.min == 0 && p.max == endless && len(p.closure) == 0
	p.plain = p.loose && p.obligations == 0
	return p
}

// declared lists the names that a shape knows of: of properties, and of what is required or depends.
func (o *objectShape) declared() []string {
	names := slices.Clone(o.required)
	for _, s := range o.sources {
		names = append(names, s.order...)
	}
	for _, d := range o.needs {
		names = append(append(names, d.name), d.needs...)
	}
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

func (c *compiler) declaredNodes(o *objectShape, owed []*obligation, name string) []*node {
	claims, limited := make([]signed, len(owed)), make([]bool, len(owed))
	for i, x := range owed {
		claims[i] = x.schema
		if !c.textHolds(&textShape{language: x.key, max: -1}, name) {
			claims[i] = nothing
		}
	}
	return c.combinations(o.goal(c, name), claims, limited)
}

// demand fills in what is required, and what the presence of a name demands.
func (p *objectProgram) demand(o *objectShape) {
	p.required = newBitset(len(p.names))
	for _, name := range o.required {
		p.required.add(p.index(name))
	}
	if len(o.needs) == 0 {
		return
	}
	p.closure = make([]bitset, len(p.names))
	for i := range p.closure {
		p.closure[i] = newBitset(len(p.names))
		p.closure[i].add(i)
	}
	for changed := true; changed; {
		changed = false
		for i := range p.closure {
			for _, d := range o.needs {
				if !p.closure[i].has(p.index(d.name)) {
					continue
				}
				for _, name := range d.needs {
					changed = p.closure[i].addAll(p.closure[p.index(name)]) || changed
				}
			}
		}
	}
	for i := range p.names {
		if p.required.has(i) {
			p.required.addAll(p.closure[i])
		}
	}
}

func (p *objectProgram) index(name string) int {
	i, _ := slices.BinarySearch(p.names, name)
	return i
}

// keyTests are the languages that tell undeclared names apart; a name's bits say of which it is.
type keyTests struct {
	languages []*regex
	names     uint64     // what propertyNames demands
	owed      []uint64   // by obligation
	patterns  [][]uint64 // by source and pattern
}

func (k *keyTests) bit(r *regex) uint64 {
	i := slices.Index(k.languages, r)
	if i < 0 {
		i, k.languages = len(k.languages), append(k.languages, r)
	}
	return 1 << i
}

// dynamicNames finds the nodes of undeclared members, and leaves their automata to be built by refine, when it
// is known which nodes have values.
func (c *compiler) dynamicNames(p *objectProgram, o *objectShape, owed []*obligation) {
	var k keyTests
	for _, x := range o.names {
		key, err := c.keyLanguage(c.of(x))
		if err != nil {
			c.reader.fault(x.s.pointer, "propertyNames", "%v", err)
			continue
		}
		k.names |= k.bit(key)
	}
	for _, x := range owed {
		k.owed = append(k.owed, k.bit(x.key))
	}
	for _, s := range o.sources {
		bits := make([]uint64, len(s.patterns))
		for i, pattern := range s.patterns {
			bits[i] = k.bit(pattern.key)
		}
		k.patterns = append(k.patterns, bits)
	}
	if len(k.languages) > 60 {
		c.reader.fault("", "patternProperties", "more than 60 patterns at one place")
		return
	}
	if len(k.languages) == 0 {
		k.languages = []*regex{c.re.every}
	}
	_, err := newDFA(c.re, k.languages, func(bits uint64) bool {
		if _, ok := p.rests[bits]; !ok {
			p.rests[bits] = c.dynamicNodes(o, owed, &k, bits)
		}
		return true
	})
	if err != nil {
		c.reader.fault("", "patternProperties", "the patterns at one place are %v", err)
		return
	}
	c.refine = append(c.refine, func() {
		for claim := range p.dynamic {
			p.dynamic[claim], _ = newDFA(c.re, k.languages, func(bits uint64) bool {
				nodes := p.rests[bits]
				return nodes != nil && nodes[claim].depth < MaxDepth
			})
			p.measureNames(claim)
			for _, nodes := range p.rests {
				if nodes != nil && nodes[claim].depth < MaxDepth {
					p.dynamicDepth[claim] = max(p.dynamicDepth[claim], nodes[claim].depth)
				}
			}
		}
	})
}

// measureNames finds out how many undeclared names an automaton has.
func (p *objectProgram) measureNames(claim int) {
	d := p.dynamic[claim]
	p.named[claim], p.free[claim] = newBitset(len(p.names)), 0
	if d == nil {
		return
	}
	p.free[claim] = d.count[0]
	for i, name := range p.names {
		if q := d.run(name); q != dead && d.ends[q] {
			p.named[claim].add(i)
			if p.free[claim] != endless {
				p.free[claim]--
			}
		}
	}
}

// dynamicNodes is nil when the names with these bits are surely refused.
func (c *compiler) dynamicNodes(o *objectShape, owed []*obligation, k *keyTests, bits uint64) []*node {
	if bits&k.names != k.names {
		return nil
	}
	var goal []signed
	declaring, allowed := false, false
	for i, s := range o.sources {
		matched := false
		for j, pattern := range s.patterns {
			if bits&k.patterns[i][j] != 0 {
				goal, matched = append(goal, pattern.schema), true
			}
		}
		if !matched {
			goal = append(goal, s.rest)
		}
		declaring = declaring || !s.neutral
		allowed = allowed || matched || s.rest.s != nil
	}
	if c.tool && declaring && !allowed {
		return nil
	}
	if slices.ContainsFunc(goal, signed.isNever) {
		return nil
	}
	claims, limited := make([]signed, len(owed)), make([]bool, len(owed))
	for i, x := range owed {
		claims[i] = x.schema
		if bits&k.owed[i] == 0 {
			claims[i] = nothing
		}
	}
	return c.combinations(goal, claims, limited)
}

// closed reports that no undeclared name is taken: in mode tool that is so unless a schema says otherwise.
func (c *compiler) closed(o *objectShape) bool {
	declaring, open := false, false
	for _, s := range o.sources {
		if s.rest.isNever() && len(s.patterns) == 0 {
			return true
		}
		declaring = declaring || !s.neutral
		open = open || s.rest.s != nil || len(s.patterns) > 0
	}
	return c.tool && declaring && !open
}

// measure recomputes the least depth of a node; it reports a change.
func (n *node) measure() bool {
	depth := n.depth
	if len(n.numbers)+len(n.texts)+len(n.literals) > 0 {
		depth = 0
	}
	for _, a := range n.arrays {
		a.depth = a.leastDepth()
		depth = min(depth, a.depth)
	}
	for _, o := range n.objects {
		o.depth = o.leastDepth()
		depth = min(depth, o.depth)
	}
	changed := depth < n.depth
	n.depth = depth
	return changed
}

func (p *arrayProgram) leastDepth() int32 {
	f := &frame{kind: frameArray, array: p, claims: make([]int32, len(p.contains))}
	return f.leastDepth(func() bool { return p.live(f) })
}

func (p *objectProgram) leastDepth() int32 {
	f := &frame{kind: frameObject, object: p, seen: p.empty}
	return f.leastDepth(func() bool { return p.live(f) })
}

// leastDepth is the least limit of nesting under which an array or object can be finished, and itself.
func (f *frame) leastDepth(live func() bool) int32 {
	if f.limit = MaxDepth - 1; !live() { // most that can't be finished can't be at any depth
		return endless
	}
	for f.limit = 0; !live(); f.limit++ {
	}
	return f.limit + 1
}

// count finds out how many values a node has; it reports a change.
func (n *node) count() bool {
	// Shapes of one type may overlap: the largest counts.
	var numbers, texts int64
	total := int64(0)
	spelt := literalSet{}
	for _, l := range n.literals {
		key := l.value.key()
		if spelt[key] {
			continue
		}
		spelt[key] = true
		switch l.value.kind {
		case kindNumber:
			numbers++
		case kindString:
			texts++
		default:
			total++
		}
	}
	for _, x := range n.numbers {
		numbers = max(numbers, int64(x.size()))
	}
	for _, t := range n.texts {
		texts = max(texts, int64(t.size()))
	}
	total += numbers + texts
	// Arrays, or objects, that can't be told apart for sure are used once, whatever their shape.
	arrays, objects := int64(min(len(n.arrays), 1)), int64(min(len(n.objects), 1))
	for _, a := range n.arrays {
		if a.distinct = a.manyItems(); a.distinct {
			arrays = int64(endless)
		}
	}
	for _, o := range n.objects {
		if o.distinct = o.manyMembers(); o.distinct {
			objects = int64(endless)
		}
	}
	total += arrays + objects
	size := int32(min(total, int64(endless)))
	changed := size != n.size
	n.size = size
	return changed
}

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset       { return make(bitset, (n+63)/64) }
func (b bitset) has(i int) bool    { return b[i/64]>>(i%64)&1 == 1 }
func (b bitset) add(i int)         { b[i/64] |= 1 << (i % 64) }
func (b bitset) with(i int) bitset { c := slices.Clone(b); c.add(i); return c }
func (b bitset) holds(c bitset) bool {
	for i, word := range c {
		if word&^b[i] != 0 {
			return false
		}
	}
	return true
}

func (b bitset) addAll(c bitset) (changed bool) {
	for i, word := range c {
		changed = changed || word&^b[i] != 0
		b[i] |= word
	}
	return changed
}
