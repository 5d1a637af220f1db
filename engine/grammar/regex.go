package grammar

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// regex is a regular language over code points (surrogates are none). Equal expressions of one builder are one
// pointer; the states of an automaton are told apart by that. Derivatives follow Brzozowski (1964) and Owens,
// Reppy and Turon (2009).
type regex struct {
	id       int32
	op       regexOp
	nullable bool
	set      charSet  // opSet
	subs     []*regex // of opAlt and opAnd sorted by id
	min, max int      // opRepeat; max < 0: no limit
}

type regexOp uint8

const (
	opNever regexOp = iota
	opEmpty
	opSet
	opCat
	opAlt
	opAnd
	opNot
	opRepeat
)

// charSet is a set of code points: sorted, disjoint ranges, from and to in turn.
type charSet []rune

const (
	surrogateFrom = 0xd800
	surrogateTo   = 0xdfff
)

// everyRune has all code points that text can hold.
var everyRune = charSet{0, surrogateFrom - 1, surrogateTo + 1, utf8.MaxRune}

func (s charSet) has(c rune) bool {
	for i := 0; i < len(s) && s[i] <= c; i += 2 {
		if c <= s[i+1] {
			return true
		}
	}
	return false
}

// normal sorts ranges, joins those that touch and takes surrogates out.
func (s charSet) normal() charSet {
	type span struct{ from, to rune }
	var spans []span
	for i := 0; i < len(s); i += 2 {
		spans = append(spans, span{s[i], s[i+1]})
	}
	slices.SortFunc(spans, func(a, b span) int { return int(a.from - b.from) })
	var out charSet
	add := func(from, to rune) {
		if from > to {
			return
		}
		if n := len(out); n > 0 && from <= out[n-1]+1 {
			out[n-1] = max(out[n-1], to)
			return
		}
		out = append(out, from, to)
	}
	for _, p := range spans {
		add(p.from, min(p.to, surrogateFrom-1))
		add(max(p.from, surrogateTo+1), min(p.to, utf8.MaxRune))
	}
	return out
}

func (s charSet) not() charSet {
	var out charSet
	next := rune(0)
	for i := 0; i < len(s); i += 2 {
		if s[i] > next {
			out = append(out, next, s[i]-1)
		}
		next = s[i+1] + 1
	}
	if next <= utf8.MaxRune {
		out = append(out, next, utf8.MaxRune)
	}
	return out.normal()
}

// regexes makes regular expressions, each once.
type regexes struct {
	byKey               map[string]*regex
	derived             map[derivation]*regex
	work                int    // of the automaton that is being built
	never, empty, every *regex // every has all texts
	any                 *regex // one code point
}

func newRegexes() *regexes {
	b := &regexes{byKey: map[string]*regex{}}
	b.never = b.make(regex{op: opNever})
	b.empty = b.make(regex{op: opEmpty, nullable: true})
	b.any = b.make(regex{op: opSet, set: everyRune})
	b.every = b.make(regex{op: opRepeat, subs: []*regex{b.any}, max: -1, nullable: true})
	return b
}

func (b *regexes) make(r regex) *regex {
	key := []byte{byte(r.op)}
	for _, c := range r.set {
		key = binary.AppendVarint(key, int64(c))
	}
	if r.op == opRepeat {
		key = binary.AppendVarint(binary.AppendVarint(key, int64(r.min)), int64(r.max))
	}
	for _, s := range r.subs {
		key = binary.AppendVarint(key, int64(s.id))
	}
	if found := b.byKey[string(key)]; found != nil {
		return found
	}
	r.id = int32(len(b.byKey))
	b.byKey[string(key)] = &r
	return &r
}

func (b *regexes) chars(s charSet) *regex {
	if s = s.normal(); len(s) == 0 {
		return b.never
	}
	return b.make(regex{op: opSet, set: s})
}

func (b *regexes) literal(text string) *regex {
	r := b.empty
	for i := len(text); i > 0; {
		c, n := utf8.DecodeLastRuneInString(text[:i])
		r, i = b.cat(b.chars(charSet{c, c}), r), i-n
	}
	return r
}

func (b *regexes) cat(parts ...*regex) *regex {
	r := b.empty
	for _, p := range slices.Backward(parts) {
		r = b.cat2(p, r)
	}
	return r
}

func (b *regexes) cat2(l, r *regex) *regex {
	switch {
	case l == b.never || r == b.never:
		return b.never
	case l == b.empty:
		return r
	case r == b.empty:
		return l
	case l.op == opCat:
		return b.cat2(l.subs[0], b.cat2(l.subs[1], r))
	case l == b.every && (r == b.every || r.op == opCat && r.subs[0] == b.every):
		return r
	}
	return b.make(regex{op: opCat, subs: []*regex{l, r}, nullable: l.nullable && r.nullable})
}

// flatten collects the operands of nested alternatives or intersections, sorted, each once.
func flatten(op regexOp, parts []*regex) []*regex {
	var out []*regex
	for _, p := range parts {
		if p.op == op {
			out = append(out, p.subs...)
		} else {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *regex) int { return int(a.id - b.id) })
	return slices.Compact(out)
}

func (b *regexes) alt(parts ...*regex) *regex {
	parts = flatten(opAlt, parts)
	var rest []*regex
	var set charSet
	sets := 0
	for _, p := range parts {
		switch {
		case p == b.every:
			return p
		case p == b.never:
		case p.op == opSet:
			set, sets = append(set, p.set...), sets+1
			rest = append(rest, p)
		default:
			rest = append(rest, p)
		}
	}
	if sets > 1 {
		rest = slices.DeleteFunc(rest, func(p *regex) bool { return p.op == opSet })
		rest = flatten(opAlt, append(rest, b.chars(set)))
	}
	switch len(rest) {
	case 0:
		return b.never
	case 1:
		return rest[0]
	}
	nullable := slices.ContainsFunc(rest, func(p *regex) bool { return p.nullable })
	return b.make(regex{op: opAlt, subs: rest, nullable: nullable})
}

func (b *regexes) and(parts ...*regex) *regex {
	parts = flatten(opAnd, parts)
	var rest []*regex
	for _, p := range parts {
		switch p {
		case b.never:
			return p
		case b.every:
		default:
			rest = append(rest, p)
		}
	}
	switch len(rest) {
	case 0:
		return b.every
	case 1:
		return rest[0]
	}
	nullable := !slices.ContainsFunc(rest, func(p *regex) bool { return !p.nullable })
	return b.make(regex{op: opAnd, subs: rest, nullable: nullable})
}

func (b *regexes) not(r *regex) *regex {
	switch {
	case r.op == opNot:
		return r.subs[0]
	case r == b.never:
		return b.every
	case r == b.every:
		return b.never
	}
	return b.make(regex{op: opNot, subs: []*regex{r}, nullable: !r.nullable})
}

// repeat is r from min to max times; max < 0 means without limit.
func (b *regexes) repeat(r *regex, min, max int) *regex {
	switch {
	case max >= 0 && max < min:
		return b.never
	case max == 0 || r == b.empty:
		return b.empty
	case r == b.never && min == 0:
		return b.empty
	case r == b.never:
		return r
	case min == 1 && max == 1:
		return r
	case r.op == opRepeat && r.min == 0 && r.max < 0: // (a*)* and the like
		return r
	}
	if r.nullable {
		min = 0
	}
	return b.make(regex{op: opRepeat, subs: []*regex{r}, min: min, max: max, nullable: min == 0})
}

// derivation names an expression and a class of code points.
type derivation struct{ id, class int32 }

// derive is the language of the rests of r's texts that begin with c. class identifies the code points that
// no set in r tells from c.
func (b *regexes) derive(r *regex, class int32, c rune) *regex {
	key := derivation{r.id, class}
	d := b.derived[key]
	if d == nil {
		b.work += 1 + len(r.subs) + len(r.set)/8
		d = b.deriveNew(r, class, c)
		b.derived[key] = d
	}
	return d
}

func (b *regexes) deriveNew(r *regex, class int32, c rune) *regex {
	each := func() []*regex {
		out := make([]*regex, len(r.subs))
		for i, s := range r.subs {
			out[i] = b.derive(s, class, c)
		}
		return out
	}
	switch r.op {
	case opSet:
		if r.set.has(c) {
			return b.empty
		}
	case opCat:
		d := b.cat2(b.derive(r.subs[0], class, c), r.subs[1])
		if r.subs[0].nullable {
			d = b.alt(d, b.derive(r.subs[1], class, c))
		}
		return d
	case opAlt:
		return b.alt(each()...)
	case opAnd:
		return b.and(each()...)
	case opNot:
		return b.not(b.derive(r.subs[0], class, c))
	case opRepeat:
		least, most := max(r.min-1, 0), r.max
		if most > 0 {
			most--
		}
		return b.cat2(b.derive(r.subs[0], class, c), b.repeat(r.subs[0], least, most))
	}
	return b.never
}

// sets calls f once for each set of code points in r.
func (r *regex) sets(seen map[*regex]bool, f func(charSet)) {
	if seen[r] {
		return
	}
	seen[r] = true
	if r.op == opSet {
		f(r.set)
	}
	for _, s := range r.subs {
		s.sets(seen, f)
	}
}
