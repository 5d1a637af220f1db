package grammar

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// piece is a part of an ECMA pattern. A language is a part without assertions; the others need to know what
// stands beside them.
type piece struct {
	op       pieceOp
	language *regex
	subs     []*piece
	min, max int // pieceRepeat; max < 0: no limit
}

type pieceOp uint8

const (
	pieceLanguage pieceOp = iota
	pieceCat
	pieceAlt
	pieceRepeat
	pieceStart // ^
	pieceEnd   // $
	pieceWord  // \b
	pieceInner // \B
	pieceAhead
	pieceNotAhead
)

const (
	maxPatternBytes = 16 << 10
	maxPatternDepth = 100
	maxPatternSteps = 20_000 // of pieces, copies counted
	maxRepeat       = 2000   // of {n,m}, and of copies of a group that holds assertions
)

var (
	wordChars  = charSet{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	digitChars = charSet{'0', '9'}
	lineEnds   = charSet{'\n', '\n', '\r', '\r', 0x2028, 0x2029}
	spaceChars = charSet{'\t', '\r', ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f,
		0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff}
)

// pattern returns the language of the texts in which an ECMA-262 regular expression is found (with flag u's
// reading of code points). Back references and lookbehind are no regular language's business and are refused.
func (b *regexes) pattern(text string) (*regex, error) {
	if len(text) > maxPatternBytes {
		return nil, fmt.Errorf("pattern of %d bytes, more than %d", len(text), maxPatternBytes)
	}
	p := &patternParser{b: b, text: text}
	root, err := p.alternatives(0)
	if err == nil && p.at < len(p.text) {
		err = p.fail("unmatched )")
	}
	if err != nil {
		return nil, err
	}
	m := &matching{b: b, word: b.cat(b.every, b.chars(wordChars)), other: b.cat(b.every, b.chars(wordChars.not()))}
	after, err := m.from(root, contexts{b.every, b.every, b.every})
	if err != nil {
		return nil, err
	}
	return m.language(b.every, after)[atStart], nil
}

// contexts holds a language for each thing that may stand before a place.
type contexts [3]*regex

const (
	atStart = iota
	afterWord
	afterOther
)

func (c contexts) same() bool { return c[atStart] == c[afterWord] && c[afterWord] == c[afterOther] }

// matching turns pieces into languages, from the end of the pattern to its start: a piece and the languages of
// what follows it give the languages of the rest of the text from the piece on.
type matching struct {
	b           *regexes
	word, other *regex // texts that end in a word character, or in another one
	steps       int
}

func (m *matching) from(p *piece, after contexts) (contexts, error) {
	b := m.b
	if m.steps++; m.steps > maxPatternSteps {
		return after, errTooComplex
	}
	switch p.op {
	case pieceLanguage:
		return m.language(p.language, after), nil
	case pieceCat:
		var err error
		for _, s := range slices.Backward(p.subs) {
			if after, err = m.from(s, after); err != nil {
				return after, err
			}
		}
		return after, nil
	case pieceAlt:
		out := contexts{b.never, b.never, b.never}
		for _, s := range p.subs {
			one, err := m.from(s, after)
			if err != nil {
				return after, err
			}
			for i := range out {
				out[i] = b.alt(out[i], one[i])
			}
		}
		return out, nil
	case pieceRepeat:
		return m.copies(p, after)
	case pieceStart:
		return contexts{after[atStart], b.never, b.never}, nil
	case pieceEnd:
		for i := range after {
			after[i] = b.and(after[i], b.empty)
		}
		return after, nil
	case pieceWord, pieceInner:
		begins := b.cat(b.chars(wordChars), b.every)
		if p.op == pieceInner {
			begins = b.not(begins)
		}
		return contexts{b.and(begins, after[atStart]), b.and(b.not(begins), after[afterWord]), b.and(begins, after[afterOther])}, nil
	}
	ahead, err := m.from(p.subs[0], contexts{b.every, b.every, b.every})
	for i := range ahead {
		if p.op == pieceNotAhead {
			ahead[i] = b.not(ahead[i])
		}
		after[i] = b.and(ahead[i], after[i])
	}
	return after, err
}

// language puts a language in front: what it ends with decides the context of what follows.
func (m *matching) language(r *regex, after contexts) contexts {
	b := m.b
	if after.same() {
		rest := b.cat(r, after[0])
		return contexts{rest, rest, rest}
	}
	long := b.alt(b.cat(b.and(r, m.word), after[afterWord]), b.cat(b.and(r, m.other), after[afterOther]))
	if after[afterWord] == after[afterOther] {
		long = b.cat(b.and(r, b.cat(b.any, b.every)), after[afterWord])
	}
	if !r.nullable {
		return contexts{long, long, long}
	}
	for i := range after {
		after[i] = b.alt(after[i], long)
	}
	return after
}

// copies writes out a repeated piece that holds assertions.
func (m *matching) copies(p *piece, after contexts) (contexts, error) {
	if p.max < 0 || p.max > maxRepeat {
		return after, errors.New("an assertion inside an unlimited repetition")
	}
	optional := &piece{op: pieceAlt, subs: []*piece{p.subs[0], {language: m.b.empty}}}
	var err error
	for i := p.max; i > 0 && err == nil; i-- {
		one := p.subs[0]
		if i > p.min {
			one = optional
		}
		after, err = m.from(one, after)
	}
	return after, err
}

// patternParser reads the syntax of ECMA-262 with the tolerance of its annex B.
type patternParser struct {
	b    *regexes
	text string
	at   int
}

func (p *patternParser) fail(format string, args ...any) error {
	return fmt.Errorf("at byte %d of the pattern: %s", p.at, fmt.Sprintf(format, args...))
}

// take moves over a text if it is next.
func (p *patternParser) take(text string) bool {
	if strings.HasPrefix(p.text[p.at:], text) {
		p.at += len(text)
		return true
	}
	return false
}

func (p *patternParser) next() rune {
	c, n := utf8.DecodeRuneInString(p.text[p.at:])
	p.at += n
	return c
}

func (p *patternParser) more() bool { return p.at < len(p.text) }

func (p *patternParser) alternatives(depth int) (*piece, error) {
	if depth > maxPatternDepth {
		return nil, p.fail("nested deeper than %d", maxPatternDepth)
	}
	var options []*piece
	for {
		one, err := p.sequence(depth)
		if err != nil {
			return nil, err
		}
		options = append(options, one)
		if !p.take("|") {
			return p.join(pieceAlt, options), nil
		}
	}
}

func (p *patternParser) sequence(depth int) (*piece, error) {
	var parts []*piece
	for p.more() && p.text[p.at] != '|' && p.text[p.at] != ')' {
		one, err := p.term(depth)
		if err != nil {
			return nil, err
		}
		parts = append(parts, one)
	}
	return p.join(pieceCat, parts), nil
}

// join makes one language of pieces that are all languages.
func (p *patternParser) join(op pieceOp, subs []*piece) *piece {
	if len(subs) == 1 {
		return subs[0]
	}
	languages := make([]*regex, len(subs))
	for i, s := range subs {
		if s.op != pieceLanguage {
			return &piece{op: op, subs: subs}
		}
		languages[i] = s.language
	}
	if op == pieceCat {
		return &piece{language: p.b.cat(languages...)}
	}
	return &piece{language: p.b.alt(languages...)}
}

func (p *patternParser) term(depth int) (*piece, error) {
	atom, err := p.atom(depth)
	if err != nil || !p.more() {
		return atom, err
	}
	least, most, ok, err := p.quantifier()
	if err != nil || !ok {
		return atom, err
	}
	if p.more() && strings.IndexByte("*+?", p.text[p.at]) >= 0 {
		return nil, p.fail("nothing to repeat")
	}
	switch atom.op {
	case pieceLanguage:
		return &piece{language: p.b.repeat(atom.language, least, most)}, nil
	case pieceStart, pieceEnd, pieceWord, pieceInner:
		return nil, p.fail("nothing to repeat")
	}
	return &piece{op: pieceRepeat, subs: []*piece{atom}, min: least, max: most}, nil
}

// quantifier reads * + ? {n} {n,} {n,m}, greedy or lazy: the language is the same.
func (p *patternParser) quantifier() (least, most int, ok bool, err error) {
	switch {
	case p.take("*"):
		most = -1
	case p.take("+"):
		least, most = 1, -1
	case p.take("?"):
		most = 1
	case p.text[p.at] == '{':
		if least, most, ok, err = p.braces(); !ok || err != nil {
			return 0, 0, false, err
		}
	default:
		return 0, 0, false, nil
	}
	p.take("?")
	return least, most, true, nil
}

func (p *patternParser) braces() (least, most int, ok bool, err error) {
	end := strings.IndexByte(p.text[p.at:], '}')
	if end < 0 {
		return 0, 0, false, nil
	}
	low, high, ranged := strings.Cut(p.text[p.at+1:p.at+end], ",")
	if !onlyDigits(low) || !onlyDigits(high) {
		return 0, 0, false, nil // an ordinary brace
	}
	least, err = strconv.Atoi(low)
	if err != nil {
		return 0, 0, false, nil // an ordinary brace
	}
	most = least
	if ranged {
		if most = -1; high != "" {
			if most, err = strconv.Atoi(high); err != nil {
				return 0, 0, false, nil
			}
		}
	}
	switch {
	case most >= 0 && most < least:
		return 0, 0, false, p.fail("the numbers of {%d,%d} are out of order", least, most)
	case least > maxRepeat || most > maxRepeat:
		return 0, 0, false, p.fail("a repetition of more than %d", maxRepeat)
	}
	p.at += end + 1
	return least, most, true, nil
}

func (p *patternParser) atom(depth int) (*piece, error) {
	switch {
	case p.take("^"):
		return &piece{op: pieceStart}, nil
	case p.take("$"):
		return &piece{op: pieceEnd}, nil
	case p.take("("):
		return p.group(depth)
	case p.take("."):
		return p.chars(lineEnds.not()), nil
	case p.take("["):
		return p.class()
	case p.take(`\b`):
		return &piece{op: pieceWord}, nil
	case p.take(`\B`):
		return &piece{op: pieceInner}, nil
	case p.take(`\`):
		set, err := p.escape(false)
		return p.chars(set), err
	}
	switch c := p.next(); c {
	case '*', '+', '?':
		return nil, p.fail("nothing to repeat")
	default:
		return p.chars(charSet{c, c}), nil
	}
}

func (p *patternParser) chars(s charSet) *piece { return &piece{language: p.b.chars(s)} }

func (p *patternParser) group(depth int) (*piece, error) {
	op := pieceLanguage
	switch {
	case p.take("?:"):
	case p.take("?="):
		op = pieceAhead
	case p.take("?!"):
		op = pieceNotAhead
	case p.take("?<=") || p.take("?<!"):
		return nil, p.fail("lookbehind is not supported")
	case p.take("?<") || p.take("?P<"):
		end := strings.IndexByte(p.text[p.at:], '>')
		if end < 0 {
			return nil, p.fail("a group name without >")
		}
		p.at += end + 1
	case p.take("?"):
		return nil, p.fail("flags in a group are not supported")
	}
	inner, err := p.alternatives(depth + 1)
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, p.fail("a group without )")
	}
	if op == pieceLanguage {
		return inner, nil
	}
	return &piece{op: op, subs: []*piece{inner}}, nil
}

// class reads what follows a [.
func (p *patternParser) class() (*piece, error) {
	negated := p.take("^")
	var set charSet
	for {
		if !p.more() {
			return nil, p.fail("a class without ]")
		}
		if p.take("]") {
			break
		}
		low, err := p.classAtom()
		if err != nil {
			return nil, err
		}
		rest := p.text[p.at:]
		if single(low) && strings.HasPrefix(rest, "-") && len(rest) > 1 && rest[1] != ']' {
			p.at++
			high, err := p.classAtom()
			if err != nil {
				return nil, err
			}
			switch {
			case !single(high):
				low = append(append(low, '-', '-'), high...)
			case high[0] < low[0]:
				return nil, p.fail("a range out of order")
			default:
				low = charSet{low[0], high[0]}
			}
		}
		set = append(set, low...)
	}
	set = set.normal()
	if negated {
		set = set.not()
	}
	return p.chars(set), nil
}

func single(s charSet) bool { return len(s) == 2 && s[0] == s[1] }

func (p *patternParser) classAtom() (charSet, error) {
	if p.take(`\`) {
		return p.escape(true)
	}
	c := p.next()
	return charSet{c, c}, nil
}

// escape reads what follows a backslash.
func (p *patternParser) escape(inClass bool) (charSet, error) {
	if !p.more() {
		return nil, p.fail("a backslash at the end")
	}
	one := func(c rune) (charSet, error) { return charSet{c, c}, nil }
	c := p.next()
	switch c {
	case 'd':
		return digitChars, nil
	case 'D':
		return digitChars.not(), nil
	case 'w':
		return wordChars, nil
	case 'W':
		return wordChars.not(), nil
	case 's':
		return spaceChars, nil
	case 'S':
		return spaceChars.not(), nil
	case 't', 'n', 'v', 'f', 'r':
		return one(rune("\t\n\v\f\r"[strings.IndexRune("tnvfr", c)]))
	case 'b': // outside a class it is an assertion
		return one('\b')
	case 'c':
		if p.more() && unicode.IsLetter(rune(p.text[p.at])) {
			return one(p.next() % 32)
		}
		return nil, p.fail(`\c without a letter`)
	case 'x':
		if n, ok := p.hex(2); ok {
			return one(n)
		}
	case 'u':
		return p.unicodeEscape()
	case 'p', 'P':
		return p.property(c == 'P')
	case 'k':
		return nil, p.fail("back references are not supported")
	case '0':
		return one(0)
	}
	if c >= '1' && c <= '9' && !inClass {
		return nil, p.fail("back references are not supported")
	}
	return one(c)
}

func (p *patternParser) hex(digits int) (rune, bool) {
	if p.at+digits > len(p.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(p.text[p.at:p.at+digits], 16, 32)
	if err != nil {
		return 0, false
	}
	p.at += digits
	return rune(n), true
}

func (p *patternParser) unicodeEscape() (charSet, error) {
	if p.take("{") {
		end := strings.IndexByte(p.text[p.at:], '}')
		if end > 0 && end <= 6 {
			if n, ok := p.hex(end); ok && n <= utf8.MaxRune {
				p.at++
				return charSet{n, n}, nil
			}
		}
		return nil, p.fail(`\u{} without a code point`)
	}
	n, ok := p.hex(4)
	if !ok {
		return charSet{'u', 'u'}, nil
	}
	if n >= surrogateFrom && n < 0xdc00 {
		mark := p.at
		if p.take(`\u`) {
			if low, ok := p.hex(4); ok && low >= 0xdc00 && low <= surrogateTo {
				n = 0x10000 + (n-surrogateFrom)<<10 + low - 0xdc00
				return charSet{n, n}, nil
			}
		}
		p.at = mark
	}
	return charSet{n, n}, nil
}

// property reads the {Name} of \p{Name}: a general category or a script.
func (p *patternParser) property(negated bool) (charSet, error) {
	end := strings.IndexByte(p.text[p.at:], '}')
	if !p.more() || p.text[p.at] != '{' || end < 0 {
		return nil, p.fail(`\p without {}`)
	}
	name := p.text[p.at+1 : p.at+end]
	p.at += end + 1
	if _, after, found := strings.Cut(name, "="); found {
		name = after
	}
	table := unicode.Categories[name]
	if table == nil {
		table = unicode.Scripts[name]
	}
	if table == nil {
		table = unicode.Categories[longCategories[name]]
	}
	if table == nil {
		return nil, p.fail("the property %q is not supported", name)
	}
	set := tableSet(table)
	if negated {
		set = set.not()
	}
	return set, nil
}

// longCategories are the spelt-out names of the categories that patterns use.
var longCategories = map[string]string{"Letter": "L", "Alphabetic": "L", "Lowercase_Letter": "Ll", "Uppercase_Letter": "Lu",
	"Mark": "M", "Number": "N", "Decimal_Number": "Nd", "Punctuation": "P", "Symbol": "S", "Separator": "Z"}

func tableSet(t *unicode.RangeTable) charSet {
	var s charSet
	add := func(low, high, stride rune) {
		if stride == 1 {
			s = append(s, low, high)
			return
		}
		for c := low; c <= high; c += stride {
			s = append(s, c, c)
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return s.normal()
}
