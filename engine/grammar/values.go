package grammar

import (
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strings"
)

// values is a set of JSON values: for each type a union of shapes. An object of the set has one of the shapes
// in objects, and so on.
type values struct {
	null, yes, no bool
	numbers       []*numberShape
	texts         []*textShape
	arrays        []*arrayShape
	objects       []*objectShape
	literals      []*value // numbers, arrays and objects that are listed one by one
}

// textShape is a set of strings: of a language, and of lengths in code points.
type textShape struct {
	language *regex
	min, max int32    // max < 0: no limit
	words    []string // when not nil, the whole set; language and lengths are then checked already
}

// arrayShape is a set of arrays.
type arrayShape struct {
	sources  []*arraySource
	min, max int // max < 0: no limit
	contains []*contains
	unique   bool
}

// arraySource is what one schema demands of items.
type arraySource struct {
	prefix []signed
	rest   signed
}

// contains demands that the number of items from a place on that satisfy a schema lies between two.
type contains struct {
	schema   signed
	from     int
	min, max int // max < 0: no limit
}

// objectShape is a set of objects.
type objectShape struct {
	sources     []*objectSource
	required    []string // sorted
	needs       []*dependency
	names       []signed // demanded of every name
	min, max    int      // max < 0: no limit
	obligations []*obligation
}

// objectSource is what one schema demands of members.
type objectSource struct {
	properties map[string]signed
	order      []string
	patterns   []patternDemand
	rest       signed
	neutral    bool // of a condition, not of a declaration: it says nothing of undeclared members
}

type patternDemand struct {
	key    *regex
	schema signed
}

// obligation demands a member with a name of a language and a value of a schema.
type obligation struct {
	key    *regex
	schema signed
}

// signed is a schema or its complement. The zero value takes everything.
type signed struct {
	s   *schema
	not bool
}

var nothing = signed{s: &schema{id: -1, never: true}}

func (x signed) trivial() bool { return x.s == nil || x.s.always && !x.not || x.s.never && x.not }
func (x signed) isNever() bool { return x.s != nil && (x.s.never && !x.not || x.s.always && x.not) }

// maxShapes bounds the alternatives of one type at one place.
const maxShapes = 400

// languages are the regular expressions and automata of a grammar, each made once.
type languages struct {
	re       *regexes
	automata map[*regex]*dfa
	complex  map[*regex]bool // that have too many states
}

func newLanguages() *languages {
	return &languages{re: newRegexes(), automata: map[*regex]*dfa{}, complex: map[*regex]bool{}}
}

// automaton determinises a language; nil when it is empty.
func (l *languages) automaton(r *regex) (*dfa, error) {
	if l.complex[r] {
		return nil, errTooComplex
	}
	d, known := l.automata[r]
	if known {
		return d, nil
	}
	d, err := newDFA(l.re, []*regex{r}, func(bits uint64) bool { return bits == 1 })
	if err != nil {
		l.complex[r] = true
		return nil, err
	}
	l.automata[r] = d
	return d, nil
}

// maxSpending bounds what is done for one schema, in members, items and alternatives looked at: a few tenths of a
// second.
const maxSpending = 2_000_000

// compiler turns one schema into a program.
type compiler struct {
	*languages
	tool   bool // undeclared keys are refused unless a schema allows them
	ascii  bool // listed values may also be spelt in ASCII
	reader *reader
	spent  int

	sets     map[signed]*values
	busy     map[signed]bool
	guessing int  // a set is only asked whether it is clearly empty: what is not known may be taken for everything
	unsure   bool // it was

	nodes   map[string]*node
	order   []*node
	pending []pendingNode
	refine  []func() // build the automata of undeclared names
	refined int      // the number of nodes with values when they were built last
	rounds  int
}

func newCompiler(tool bool, l *languages) *compiler {
	return &compiler{languages: l, tool: tool, ascii: !tool, sets: map[signed]*values{}, busy: map[signed]bool{}, nodes: map[string]*node{}}
}

// spend counts work; beyond the limit sets stay as they are, and the schema is refused.
func (c *compiler) spend(n int) {
	if c.spent += n; c.spent > maxSpending && c.spent-n <= maxSpending {
		c.reader.fault("", "schema", "its alternatives are %v", errTooComplex)
	}
}

func (c *compiler) exhausted() bool { return c.spent > maxSpending }

// everything is the set of all values.
func (c *compiler) everything() *values { return c.ofTypes(anyType) }

func (c *compiler) ofTypes(t types) *values {
	v := &values{null: t&typeNull != 0, yes: t&typeBoolean != 0, no: t&typeBoolean != 0}
	switch {
	case t&typeNumber != 0:
		v.numbers = []*numberShape{{}}
	case t&typeInteger != 0:
		v.numbers = []*numberShape{{integer: true, multiple: big.NewRat(1, 1)}}
	}
	if t&typeString != 0 {
		v.texts = []*textShape{{language: c.re.every, max: -1}}
	}
	if t&typeArray != 0 {
		v.arrays = []*arrayShape{{max: -1}}
	}
	if t&typeObject != 0 {
		v.objects = []*objectShape{{max: -1}}
	}
	return v
}

// of returns the set of a schema, or of its complement. It is not to be written to.
func (c *compiler) of(x signed) *values {
	switch {
	case x.trivial():
		return c.everything()
	case x.isNever():
		return &values{}
	}
	if v := c.sets[x]; v != nil {
		return v
	}
	if c.busy[x] && c.guessing > 0 {
		c.unsure = true
		return c.everything()
	}
	if c.busy[x] {
		c.reader.fault(x.s.pointer, "$ref", "the schema refers to itself without a value between")
		return c.everything()
	}
	c.busy[x] = true
	var v *values
	if x.not {
		v = c.complement(x.s)
	} else {
		v = c.positive(x.s)
	}
	delete(c.busy, x)
	if !c.unsure {
		c.sets[x] = v
	}
	return v
}

// positive is the set of a schema: what its own keywords take, and all applicators at once.
func (c *compiler) positive(s *schema) *values {
	v := c.own(s)
	meet := func(w *values) { v = c.and(v, w, s) }
	if s.enum != nil {
		meet(c.listed(s.enum))
	}
	for _, list := range s.all {
		for _, sub := range list {
			meet(c.of(signed{s: sub}))
		}
	}
	for _, list := range s.any {
		meet(c.anyOf(list, s))
	}
	for _, list := range s.one {
		v = c.oneOf(v, list, s)
	}
	if s.not != nil {
		meet(c.of(signed{s.not, true}))
	}
	if s.cond != nil && (s.then != nil || s.other != nil) {
		yes := c.and(c.of(signed{s: s.cond}), c.of(signed{s: s.then}), s)
		no := c.and(c.of(signed{s.cond, true}), c.of(signed{s: s.other}), s)
		meet(c.or(yes, no, s))
	}
	for _, p := range s.object.implies {
		without := c.everything()
		without.objects = []*objectShape{lacking(p.name)}
		with := c.ofTypes(typeObject)
		with.objects[0].required = []string{p.name}
		meet(c.or(without, c.and(with, c.of(signed{s: p.schema}), s), s))
	}
	return v
}

// lacking is the shape of the objects without a member.
func lacking(name string) *objectShape {
	source := &objectSource{properties: map[string]signed{name: nothing}, order: []string{name}, neutral: true}
	return &objectShape{max: -1, sources: []*objectSource{source}}
}

// own is the set that the keywords about types, numbers, strings, arrays and objects take.
func (c *compiler) own(s *schema) *values {
	t := s.types
	if t == 0 {
		t = anyType
	}
	v := c.ofTypes(t)
	if len(v.numbers) > 0 {
		v.numbers[0] = v.numbers[0].and(&s.number)
	}
	if len(v.texts) > 0 {
		v.texts = []*textShape{c.ownText(s)}
	}
	if len(v.arrays) > 0 {
		v.arrays = []*arrayShape{ownArray(s)}
	}
	if len(v.objects) > 0 {
		v.objects = []*objectShape{ownObject(s)}
	}
	return v
}

func (c *compiler) ownText(s *schema) *textShape {
	t := &textShape{language: c.re.every, min: s.text.min, max: s.text.max}
	if s.text.pattern != nil {
		t.language = s.text.pattern
	}
	if s.text.format != nil {
		t.language = c.re.and(t.language, s.text.format)
		t.max = lower(t.max, s.text.formatMax)
	}
	return t
}

// lower is the lower one of two limits, of which negative ones are none.
func lower[N int | int32](a, b N) N {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

func ownArray(s *schema) *arrayShape {
	a := &arrayShape{min: s.array.min, max: s.array.max, unique: s.array.unique}
	source := &arraySource{rest: signed{s: s.array.items}}
	for _, p := range s.array.prefix {
		source.prefix = append(source.prefix, signed{s: p})
	}
	if source.rest.s != nil || source.prefix != nil {
		a.sources = []*arraySource{source}
	}
	if s.array.contains != nil {
		a.contains = []*contains{{signed{s: s.array.contains}, 0, s.array.minContains, s.array.maxContains}}
	}
	return a
}

func ownObject(s *schema) *objectShape {
	o := &objectShape{min: s.object.min, max: s.object.max, needs: s.object.needs}
	o.required = slices.Sorted(slices.Values(s.object.required))
	source := &objectSource{properties: map[string]signed{}, rest: signed{s: s.object.additional}}
	for _, p := range s.object.properties {
		source.properties[p.name] = signed{s: p.schema}
		source.order = append(source.order, p.name)
	}
	for _, p := range s.object.patterns {
		source.patterns = append(source.patterns, patternDemand{p.key, signed{s: p.schema}})
	}
	if s.object.properties != nil || s.object.patterns != nil || s.object.additional != nil {
		o.sources = []*objectSource{source}
	}
	if s.object.names != nil {
		o.names = []signed{{s: s.object.names}}
	}
	return o
}

// listed is the set of some values.
func (c *compiler) listed(list []*value) *values {
	v := &values{}
	var words []string
	for _, item := range list {
		switch item.kind {
		case kindNull:
			v.null = true
		case kindBool:
			v.yes, v.no = v.yes || item.yes, v.no || !item.yes
		case kindString:
			words = append(words, item.text)
		default:
			v.literals = append(v.literals, item)
		}
	}
	if words != nil {
		v.texts = []*textShape{{words: words, language: c.re.every, max: -1}}
	}
	return v
}

// and is the set of the values in both. s is the schema to blame for too many shapes.
func (c *compiler) and(a, b *values, s *schema) *values {
	if c.spend(1); c.exhausted() {
		return a
	}
	v := &values{null: a.null && b.null, yes: a.yes && b.yes, no: a.no && b.no}
	v.numbers = cross(a.numbers, b.numbers, func(x, y *numberShape) *numberShape {
		if z := x.and(y); z.some(nil, nil, false, false, nil) {
			return z
		}
		return nil
	})
	v.texts = cross(a.texts, b.texts, c.andText)
	v.arrays = cross(a.arrays, b.arrays, c.andArray)
	v.objects = cross(a.objects, b.objects, c.andObject)
	listed := literalSet{}
	inB := newLiteralSet(b.literals)
	for _, l := range a.literals {
		if inB.has(l) || c.takesShaped(b, l) {
			listed.add(v, l)
		}
	}
	for _, l := range b.literals {
		if c.takesShaped(a, l) {
			listed.add(v, l)
		}
	}
	c.limit(v, s)
	return v
}

func (c *compiler) limit(v *values, s *schema) {
	if n := max(len(v.numbers), len(v.texts), len(v.arrays), len(v.objects)); n > maxShapes {
		c.reader.fault(s.pointer, "schema", "%d alternatives for one value, more than %d", n, maxShapes)
		v.numbers, v.texts = truncate(v.numbers), truncate(v.texts)
		v.arrays, v.objects = truncate(v.arrays), truncate(v.objects)
	}
}

func truncate[T any](list []T) []T { return list[:min(len(list), maxShapes)] }

// cross intersects each shape with each other one; nil stands for nothing in common.
func cross[T any](a, b []*T, and func(x, y *T) *T) []*T {
	var out []*T
	for _, x := range a {
		for _, y := range b {
			if len(out) > 2*maxShapes {
				return out
			}
			z := x
			if x != y {
				z = and(x, y)
			}
			if z != nil {
				out = append(out, z)
			}
		}
	}
	return out
}

// or is the set of the values in any.
func (c *compiler) or(a, b *values, s *schema) *values {
	v := &values{null: a.null || b.null, yes: a.yes || b.yes, no: a.no || b.no}
	v.numbers = union(a.numbers, b.numbers)
	v.texts = joinWords(union(a.texts, b.texts))
	v.arrays = union(a.arrays, b.arrays)
	v.objects = union(a.objects, b.objects)
	listed := literalSet{}
	for _, l := range slices.Concat(a.literals, b.literals) {
		listed.add(v, l)
	}
	c.limit(v, s)
	return v
}

// joinWords makes one shape of those that list their strings.
func joinWords(shapes []*textShape) []*textShape {
	listed := 0
	for _, t := range shapes {
		listed += int(one(t.words != nil))
	}
	if listed < 2 {
		return shapes
	}
	var out []*textShape
	all, seen := *shapes[0], map[string]bool{}
	all.words = nil
	for _, t := range shapes {
		if t.words == nil {
			out = append(out, t)
			continue
		}
		all.language, all.min, all.max = t.language, t.min, t.max
		for _, w := range t.words {
			if !seen[w] {
				seen[w] = true
				all.words = append(all.words, w)
			}
		}
	}
	return append(out, &all)
}

func union[T comparable](a, b []T) []T {
	if len(a) == 0 {
		return b
	}
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(a, x) {
			out = append(out, x)
		}
	}
	return out
}

func (c *compiler) anyOf(list []*schema, s *schema) *values {
	all := make([]*values, len(list))
	for i, sub := range list {
		all[i] = c.of(signed{s: sub})
	}
	for len(all) > 1 { // in pairs, so that long lists are not copied for each option
		half := all[:0]
		for i := 0; i < len(all); i += 2 {
			if i+1 < len(all) {
				half = append(half, c.or(all[i], all[i+1], s))
			} else {
				half = append(half, all[i])
			}
		}
		all = half
	}
	if len(all) == 0 {
		return &values{}
	}
	return all[0]
}

// oneOf is the set of the values of a set that are in exactly one: of each option what the others don't take.
// Options with nothing in common within the set need no complement.
func (c *compiler) oneOf(within *values, list []*schema, s *schema) *values {
	out := &values{}
	for i, sub := range list {
		v := c.and(within, c.of(signed{s: sub}), s)
		for j, other := range list {
			if i != j && !c.disjoint(v, c.of(signed{s: other})) {
				v = c.except(v, other, s)
			}
		}
		out = c.or(out, v, s)
	}
	return out
}

// except takes a schema's values out of a set. Shapes that have nothing in common with it stay as they are.
func (c *compiler) except(v *values, s *schema, blame *schema) *values {
	whole := c.of(signed{s: s})
	touched, apart := &values{}, *v
	touched.null, touched.yes, touched.no = v.null, v.yes, v.no
	touched.numbers, touched.texts = v.numbers, v.texts
	touched.literals, apart.literals = v.literals, nil
	apart.null, apart.yes, apart.no, apart.numbers, apart.texts, apart.arrays, apart.objects = false, false, false, nil, nil, nil, nil
	for _, x := range v.arrays {
		if c.disjoint(&values{arrays: []*arrayShape{x}}, whole) {
			apart.arrays = append(apart.arrays, x)
		} else {
			touched.arrays = append(touched.arrays, x)
		}
	}
	for _, x := range v.objects {
		if c.disjoint(&values{objects: []*objectShape{x}}, whole) {
			apart.objects = append(apart.objects, x)
		} else {
			touched.objects = append(touched.objects, x)
		}
	}
	return c.or(&apart, c.and(touched, c.of(signed{s, true}), blame), blame)
}

// disjoint reports that two sets surely have nothing in common.
func (c *compiler) disjoint(a, b *values) bool {
	unsure := c.unsure
	c.guessing++
	empty := c.clearlyEmpty(c.and(a, b, &schema{}), 3)
	c.guessing--
	c.unsure = unsure // what was not known made the set larger: an empty one is empty all the same
	return empty
}

// clearlyEmpty reports that a set surely has no values. It looks a few levels deep.
func (c *compiler) clearlyEmpty(v *values, levels int) bool {
	if v.null || v.yes || v.no || len(v.numbers) > 0 || len(v.literals) > 0 {
		return false
	}
	for _, t := range v.texts {
		if len(t.words) > 0 {
			return false
		}
		if t.words == nil {
			if p, err := c.textProgram(t); err != nil || p != nil {
				return false
			}
		}
	}
	for _, a := range v.arrays {
		if a.min == 0 || levels == 0 {
			return false
		}
		hopeless := false
		for i := range min(a.min, 8) {
			hopeless = hopeless || c.emptyGoal(a.goal(i), levels-1)
		}
		if !hopeless {
			return false
		}
	}
	for _, o := range v.objects {
		if levels == 0 {
			return false
		}
		if !slices.ContainsFunc(o.required, func(name string) bool { return c.emptyGoal(o.goal(c, name), levels-1) }) {
			return false
		}
	}
	return true
}

func (c *compiler) emptyGoal(goal []signed, levels int) bool {
	if slices.ContainsFunc(goal, signed.isNever) {
		return true
	}
	if len(goal) == 0 || c.exhausted() {
		return false
	}
	return c.clearlyEmpty(c.all(goal), levels)
}

// all is the set of the values that satisfy each schema of a goal.
func (c *compiler) all(goal []signed) *values {
	v := c.everything()
	for _, x := range goal {
		v = c.and(v, c.of(x), x.s)
	}
	return v
}

// goalKey sorts a goal, takes doubles out, and names it.
func goalKey(goal []signed) (string, []signed) {
	goal = slices.DeleteFunc(slices.Clone(goal), signed.trivial)
	number := func(x signed) int { return 2*x.s.id + int(one(x.not)) }
	sort.Slice(goal, func(i, j int) bool { return number(goal[i]) < number(goal[j]) })
	goal = slices.Compact(goal)
	var b strings.Builder
	for _, x := range goal {
		fmt.Fprint(&b, number(x), ",")
	}
	return b.String(), goal
}

func (c *compiler) andText(x, y *textShape) *textShape {
	if x.words == nil && y.words != nil {
		x, y = y, x
	}
	z := &textShape{language: c.re.and(x.language, y.language), min: max(x.min, y.min), max: lower(x.max, y.max)}
	if x.words != nil {
		z.words = []string{}
		for _, w := range x.words {
			if c.textHolds(y, w) {
				z.words = append(z.words, w)
			}
		}
		if len(z.words) == 0 {
			return nil
		}
		return z
	}
	if z.language == c.re.never || z.max >= 0 && z.max < z.min {
		return nil
	}
	return z
}

// textHolds reports whether a string is in a shape.
func (c *compiler) textHolds(t *textShape, text string) bool {
	if t.words != nil {
		return slices.Contains(t.words, text)
	}
	n := int32(len([]rune(text)))
	if n < t.min || t.max >= 0 && n > t.max {
		return false
	}
	if t.language == c.re.every {
		return true
	}
	d, err := c.automaton(t.language)
	if err != nil {
		c.reader.fault("", "pattern", "patterns and formats that meet at one place are %v", err)
	}
	if d == nil {
		return err != nil
	}
	q := d.run(text)
	return q != dead && d.ends[q]
}

func (c *compiler) andArray(x, y *arrayShape) *arrayShape {
	z := &arrayShape{min: max(x.min, y.min), max: lower(x.max, y.max), unique: x.unique || y.unique}
	if z.max >= 0 && z.max < z.min {
		return nil
	}
	z.sources, z.contains = union(x.sources, y.sources), union(x.contains, y.contains)
	c.spend(len(z.sources) + len(z.contains))
	return z
}

// goal lists what is demanded of the item at a place.
func (a *arrayShape) goal(place int) []signed {
	var out []signed
	for _, s := range a.sources {
		if place < len(s.prefix) {
			out = append(out, s.prefix[place])
		} else {
			out = append(out, s.rest)
		}
	}
	return out
}

func (c *compiler) andObject(x, y *objectShape) *objectShape {
	z := &objectShape{min: max(x.min, y.min), max: lower(x.max, y.max)}
	if z.max >= 0 && z.max < z.min {
		return nil
	}
	z.sources = union(x.sources, y.sources)
	z.required = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(x.required), y.required...))))
	z.needs, z.names, z.obligations = union(x.needs, y.needs), union(x.names, y.names), union(x.obligations, y.obligations)
	c.spend(len(z.sources) + len(z.required) + len(z.needs) + len(z.obligations))
	for _, name := range z.required { // cheap, and it keeps the products of alternatives small
		if slices.ContainsFunc(z.sources, func(s *objectSource) bool { p, ok := s.properties[name]; return ok && p.isNever() }) {
			return nil
		}
	}
	return z
}

// goal lists what is demanded of the value of a member.
func (o *objectShape) goal(c *compiler, name string) []signed {
	var out []signed
	declared := false
	for _, s := range o.sources {
		p, ok := s.properties[name]
		declared = declared || ok
		if ok {
			out = append(out, p)
		}
		for _, pattern := range s.patterns {
			if c.textHolds(&textShape{language: pattern.key, max: -1}, name) {
				out, ok = append(out, pattern.schema), true
			}
		}
		if !ok {
			out = append(out, s.rest)
		}
	}
	for _, n := range o.names {
		if !c.valid(n, &value{kind: kindString, text: name}) {
			return []signed{nothing}
		}
	}
	return out
}
