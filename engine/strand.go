package engine

import (
	"bytes"
	"slices"

	"github.com/libneedle/libneedle/engine/grammar"
	"github.com/libneedle/libneedle/engine/ground"
	"github.com/libneedle/libneedle/engine/jsontext"
)

// strand is one way on for the list of calls: what it has come to, and what may follow.
type strand struct {
	calls  *grammar.Matcher
	at     cursor
	tokens []int32
}

func newStrand(calls *grammar.Matcher) strand { return strand{calls: calls, at: newCursor()} }

func (s *strand) clone() strand {
	return strand{s.calls.Clone(), s.at.clone(), slices.Clone(s.tokens)}
}

// accept moves on by a token; it reports false, and stays, when the grammar has it nowhere.
func (s *strand) accept(lex *lexicon, id int32) bool {
	if !s.calls.Accept(id) {
		return false
	}
	s.tokens = append(s.tokens, id)
	s.at.write(lex.tok.PieceBytes(int(id)))
	return true
}

// takesString reports whether a string can end behind some tokens, each of them as the grammar would have it
// written.
func (s *strand) takesString(lex *lexicon, tokens []int32) bool {
	c := s.clone()
	for _, id := range tokens {
		if !c.calls.Mask().Has(id) || !c.accept(lex, id) {
			return false
		}
	}
	return c.calls.AcceptBytes([]byte{'"'})
}

// takesOther reports whether the string that has begun may become something that nobody lists.
func (s *strand) takesOther() bool {
	return slices.ContainsFunc([]string{"\ue000", "\ue000\ue000\ue000\ue000\ue000\ue000"}, func(text string) bool {
		return s.calls.Clone().AcceptBytes([]byte(text + `"`))
	})
}

// place is where the value at hand stands.
func (s *strand) place() ground.Place { return ground.Place{Tool: s.at.tool, Path: s.at.path()} }

// valueRules say how values are chosen where the grammar leaves several. None of them takes the last legal
// token away.
type valueRules struct {
	options, lookahead, groundedIDs, repeats bool

	tools        *ground.Tools
	turn         *ground.Turn
	conversation []byte // as it would be written inside a JSON string
}

const (
	ruleOptions     = "options"
	ruleLookahead   = "lookahead"
	ruleImplied     = "implied"
	ruleGroundedIDs = "grounded-ids"
	ruleRepeats     = "repeats"
)

// listValueRules describes the rules for choosing values.
func listValueRules() []ground.Rule {
	return []ground.Rule{
		{Name: ruleOptions, What: "of the options that the conversation names, the likeliest as a whole is taken"},
		{Name: ruleLookahead, What: "where the model hesitates, four ways to write a value are followed to its end"},
		{Name: ruleImplied, English: true, What: "options that a description quotes, and bounds that a name implies, hold"},
		{Name: ruleGroundedIDs, What: "identifiers, and what the schema says so of, occur in the conversation"},
		{Name: ruleRepeats, What: "tokens and elements don't repeat without end"},
	}
}

// legal are the tokens of a mask that the rules leave.
func (r *valueRules) legal(lex *lexicon, s *strand, mask *grammar.Mask) tokenSet {
	words := tokenSet(mask.Words())
	if r.repeats {
		words = s.withoutRepeats(words)
		words = s.withoutMoreItems(lex, words)
	}
	if r.groundedIDs {
		words = r.laterGrounded(lex, s, r.onlyGrounded(lex, s, words))
	}
	return words
}

// limitedBy is the rule that takes a token out of a mask.
func (r *valueRules) limitedBy(lex *lexicon, s *strand, mask *grammar.Mask, id int32) string {
	without := *r
	without.groundedIDs = false
	if without.legal(lex, s, mask).has(id) {
		return ruleGroundedIDs
	}
	return ruleRepeats
}

const (
	// mostRepeats is how often a cycle of tokens may stand in a row in the list.
	mostRepeats = 6
	// longestCycle is the number of tokens up to which a cycle is noticed.
	longestCycle = 4
	// mostItems is how many elements an array may have, and mostSame how many equal ones in a row.
	mostItems = 64
	mostSame  = 7
	// itemsOfToken is how many elements one token is expected to finish at most.
	itemsOfToken = 4
)

// withoutRepeats takes out of the legal tokens those that would begin one more repeat of a cycle, unless none
// were left.
func (s *strand) withoutRepeats(words tokenSet) tokenSet {
	for cycle := 1; cycle <= longestCycle; cycle++ {
		from := len(s.tokens) - cycle*mostRepeats
		if from < 0 || !slices.Equal(s.tokens[from:len(s.tokens)-cycle], s.tokens[from+cycle:]) {
			continue
		}
		if rest := words.without(s.tokens[len(s.tokens)-cycle]); !rest.empty() {
			words = rest
		}
	}
	return words
}

// withoutMoreItems takes out the tokens with which a long array would go on, unless none were left.
func (s *strand) withoutMoreItems(lex *lexicon, words tokenSet) tokenSet {
	if !s.at.nearlyFull() {
		return words
	}
	return words.only(func(id int32) bool {
		piece := lex.tok.PieceBytes(int(id))
		return bytes.IndexByte(piece, ',') < 0 || !s.at.overfills(piece)
	})
}

// nearlyFull reports whether one token could go on behind the last element of an array, which need not be the
// innermost one: a token may close what is in it.
func (c *cursor) nearlyFull() bool {
	return c.inArguments() && slices.ContainsFunc(c.open[argumentsDepth:], func(o container) bool {
		return !o.object && (o.items+itemsOfToken >= mostItems || o.same+itemsOfToken >= mostSame)
	})
}

// overfills reports whether a piece goes on behind the last element that an array may have.
func (c *cursor) overfills(piece []byte) bool {
	next := c.clone()
	for _, b := range piece {
		next.writeByte(b)
		top := next.top()
		if b == ',' && !next.inString && len(next.open) > argumentsDepth && !top.object && (top.items >= mostItems || top.same >= mostSame) {
			return true
		}
	}
	return false
}

// onlyGrounded leaves, inside a value that has to occur in the conversation, the tokens with which it does,
// unless none do.
func (r *valueRules) onlyGrounded(lex *lexicon, s *strand, words tokenSet) tokenSet {
	at := &s.at
	if !at.inArguments() || at.isKey && at.inString || !(at.inString || at.inScalar || at.top().wants) || !r.tools.Grounded(s.place()) {
		return words
	}
	var written []byte
	switch {
	case at.inString:
		written = at.written()
	case at.inScalar:
		written = at.text[at.value:]
	}
	var goOn [256][]int // where what is written ends, by the byte that follows
	for _, end := range wholeOccurrences(r.conversation, written) {
		if end < len(r.conversation) {
			b := r.conversation[end]
			goOn[b] = append(goOn[b], end)
		}
	}
	return words.only(func(id int32) bool {
		content, ends := at.valuePart(lex.tok.PieceBytes(int(id)))
		switch {
		case ends && len(written)+len(content) == 0:
			return false
		case !at.inString && beginsNull(written, content):
			return true
		}
		if len(content) == 0 {
			return !ends || slices.ContainsFunc(wholeOccurrences(r.conversation, written), func(end int) bool { return endsWord(r.conversation, end) })
		}
		return slices.ContainsFunc(goOn[content[0]], func(end int) bool {
			return bytes.HasPrefix(r.conversation[end:], content) && (!ends || endsWord(r.conversation, end+len(content)))
		})
	})
}

// isWordByte reports whether a byte belongs to a word, a number, or a character beyond ASCII.
func isWordByte(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b >= 0x80
}

// isJoint reports whether a byte holds the parts of identifiers together.
func isJoint(b byte) bool { return bytes.IndexByte([]byte("-_./@:"), b) >= 0 }

// beginsWord reports whether an identifier can begin at a place in what stands inside a JSON string: not with a
// blank, nor within a longer one.
func beginsWord(text []byte, at int) bool {
	if at < len(text) && (text[at] == ' ' || text[at] == '\\') {
		return false
	}
	head := text[:at]
	switch n := len(head); {
	case n == 0 || n >= 2 && head[n-2] == '\\': // an escaped line end, for one
		return true
	case isJoint(head[n-1]):
		return n < 2 || !isWordByte(head[n-2])
	default:
		return !isWordByte(head[n-1])
	}
}

// endsWord reports whether an identifier can end at a place: not within a longer one.
func endsWord(text []byte, at int) bool {
	rest := text[at:]
	switch {
	case len(rest) == 0:
		return true
	case isJoint(rest[0]):
		return len(rest) < 2 || !isWordByte(rest[1])
	default:
		return !isWordByte(rest[0])
	}
}

// laterGrounded takes out the tokens that begin, behind the end of a key or of another value, one that has to occur
// in the conversation and does not, unless none were left.
func (r *valueRules) laterGrounded(lex *lexicon, s *strand, words tokenSet) tokenSet {
	if !s.at.inArguments() || !words.meets(lex.starting) {
		return words
	}
	return words.only(func(id int32) bool {
		return !lex.starting.has(id) || r.startsGrounded(&s.at, lex.tok.PieceBytes(int(id)))
	})
}

// startsGrounded reports whether the scalars that begin inside a piece occur in the conversation where they have to.
func (r *valueRules) startsGrounded(at *cursor, piece []byte) bool {
	next := at.clone()
	for _, b := range piece {
		next.writeByte(b)
		text := next.text[next.value:]
		switch {
		case next.value <= len(at.text) || !next.inArguments():
			continue
		case next.inScalar:
		case next.inString && !next.isKey:
			text = text[1:]
		default:
			continue
		}
		if len(wholeOccurrences(r.conversation, text)) == 0 && !bytes.HasPrefix([]byte("null"), text) && r.tools.Grounded(ground.Place{Tool: next.tool, Path: next.path()}) {
			return false
		}
	}
	return true
}

// beginsNull reports whether a literal is, or may become, null: no identifier is none that is made up.
func beginsNull(written, content []byte) bool {
	return bytes.HasPrefix([]byte("null"), slices.Concat(written, content))
}

// wholeOccurrences are the ends of the occurrences of a text in another that begin a word there.
func wholeOccurrences(in, text []byte) (ends []int) {
	for at := 0; at+len(text) <= len(in); {
		i := bytes.Index(in[at:], text)
		if i < 0 {
			break
		}
		if beginsWord(in, at+i) {
			ends = append(ends, at+i+len(text))
		}
		at += i + 1
	}
	return ends
}

// valuePart is what of some bytes belongs to the scalar that is open or begins with them, without quotes, and
// whether it ends in them.
func (c *cursor) valuePart(piece []byte) (content []byte, ends bool) {
	if !c.inString && !c.inScalar {
		if len(piece) > 0 && piece[0] == '"' {
			next := c.clone()
			next.writeByte('"')
			return next.valuePart(piece[1:])
		}
		if len(piece) > 0 && bytes.IndexByte([]byte("{[]"), piece[0]) >= 0 {
			return nil, false
		}
	}
	for i, b := range piece {
		switch {
		case c.inString && b == '"' && !escapedAt(c.text, piece, i):
			return piece[:i], true
		case !c.inString && (b == ',' || b == '}' || b == ']'):
			return piece[:i], true
		}
	}
	return piece, false
}

// escapedAt reports whether the byte at i of a piece behind a text has an odd number of backslashes before it.
func escapedAt(text, piece []byte, i int) bool {
	n := 0
	for i--; i >= 0 && piece[i] == '\\'; i-- {
		n++
	}
	for k := len(text) - 1; i < 0 && k >= 0 && text[k] == '\\'; k-- {
		n++
	}
	return n%2 == 1
}

// inStrings are texts as they stand between the quotes of JSON strings, with a byte between them that stands in
// none: nothing occurs across two texts.
func inStrings(texts []string) (all []byte) {
	for _, text := range texts {
		all = append(append(all, insideString(text)...), '\n')
	}
	return all
}

// insideString is a text as it stands between the quotes of a JSON string.
func insideString(text string) []byte {
	quoted := jsontext.AppendString(nil, text)
	return quoted[1 : len(quoted)-1]
}
