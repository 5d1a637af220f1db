package ground

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// quotation is what the request has between quotation marks.
type quotation struct{ text, folded string }

// quoter restores what is quoted in a request.
type quoter struct {
	quotations []quotation
	outside    string // the rest of the conversation, in words
}

// restoreQuoted replaces values that are nearly, or the beginning of, what the request has
// between quotation marks.
func restoreQuoted(j *judge, rule string) {
	q := newQuoter(j)
	if len(q.quotations) == 0 {
		return
	}
	eachCall(func(e *editor) {
		list := e.leaves()
		for i := range list {
			a := &list[i]
			_, half := nameHalf(a.key)
			if !a.value.Is(jsontext.String) || half != 0 || a.listed() || a.grounded() || a.has("format") || a.spellsOut(a.value.Text) {
				continue
			}
			if text, why := q.restored(a, list); text != a.value.Text {
				e.change(why, a.becomeText(text))
			}
		}
	})(j, rule)
}

func newQuoter(j *judge) *quoter {
	text := j.request.text
	q := &quoter{}
	seen := map[string]bool{}
	var rest strings.Builder
	rest.WriteString(strings.TrimSuffix(j.conversation, text))
	from := 0
	for _, w := range spans(text) {
		rest.WriteString(text[from:w.at] + " | ")
		from = w.end
		if quoted := text[w.at:w.end]; !seen[quoted] {
			seen[quoted] = true
			q.quotations = append(q.quotations, quotation{quoted, folded(quoted)})
		}
	}
	rest.WriteString(text[from:])
	q.outside = plain(rest.String())
	return q
}

// restored is the quotation that a value stands for, or the value itself when there is none,
// or more than one.
func (q *quoter) restored(a *argument, all []argument) (text, why string) {
	value := a.value.Text
	key := folded(value)
	if !hasLetter(key) {
		return value, ""
	}
	if one, several := q.only(func(c *quotation) bool { return c.folded == key }); several {
		return value, ""
	} else if one != nil {
		return one.like(value), "the request quotes it so"
	}
	if letters(value) < fewestLetters || strings.Contains(q.outside, plain(value)) {
		return value, ""
	}
	one, _ := q.only(func(c *quotation) bool { return c.isCut(value, key) })
	if one == nil || one.isSpread(a, all) {
		return value, ""
	}
	return one.withoutComma(), "the request's quotation goes on"
}

// only is the one quotation for which something holds.
func (q *quoter) only(holds func(*quotation) bool) (one *quotation, several bool) {
	for i := range q.quotations {
		switch {
		case !holds(&q.quotations[i]):
		case one != nil:
			return nil, true
		default:
			one = &q.quotations[i]
		}
	}
	return one, false
}

// like is the quotation in place of all of a value. A comma at its end is the sentence's, and
// so may a full stop be: they are taken where the value has them, a full stop also where
// sentences end before it.
func (c *quotation) like(value string) string {
	short := c.withoutComma()
	if strings.HasSuffix(c.text, ",") && strings.HasSuffix(value, ",") {
		return c.text
	}
	if strings.HasSuffix(short, ".") && !strings.HasSuffix(value, ".") && !hasSentences(short) {
		return strings.TrimSuffix(short, ".")
	}
	return short
}

func (c *quotation) withoutComma() string {
	return strings.TrimRightFunc(strings.TrimSuffix(c.text, ","), unicode.IsSpace)
}

// hasSentences reports whether a sentence ends before the last character of a text.
func hasSentences(text string) bool {
	return strings.HasSuffix(text, "..") || strings.Contains(text, ". ") || strings.Contains(text, "! ") || strings.Contains(text, "? ")
}

// isCut reports whether a value is a quotation that breaks off: behind a word, or within one
// when there are words before it.
func (c *quotation) isCut(value, key string) bool {
	rest, ok := strings.CutPrefix(c.folded, key)
	if !ok || !hasContent(rest) {
		return false
	}
	if c.breaks(len(key)) {
		return true
	}
	words := strings.Fields(value)
	return len(words) > 1 && c.breaks(len(folded(strings.Join(words[:len(words)-1], " "))))
}

// breaks reports whether a word of the quotation ends behind so many bytes of its folding.
func (c *quotation) breaks(length int) bool {
	n := 0
	for i, r := range c.text {
		if n >= length {
			return n == length && !inWord(r)
		}
		n += len(folding(r, c.text[i+utf8.RuneLen(r):]))
	}
	return n == length
}

// isSpread reports whether other arguments hold the whole quotation or a part of its rest: it
// is not one value then.
func (c *quotation) isSpread(a *argument, all []argument) bool {
	rest := strings.TrimPrefix(c.folded, folded(a.value.Text))
	for i := range all {
		b := &all[i]
		if b.value == a.value || b.value.Kind != jsontext.String && b.value.Kind != jsontext.Number {
			continue
		}
		other := folded(b.value.Text)
		if other == c.folded || utf8.RuneCountInString(other) > 1 && strings.Contains(rest, other) {
			return true
		}
	}
	return false
}

// folded is a text as quotations are compared: in lower case, without blanks and punctuation.
// Marks that make another thing of a text stay: "C#", "-5".
func folded(text string) string {
	var b strings.Builder
	for i, r := range text {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(text[i:])
		}
		b.WriteString(folding(r, text[i+size:]))
	}
	return b.String()
}

// folding is what a character counts for, before others.
func folding(r rune, rest string) string {
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.IsSpace(r) || unicode.Is(unicode.Cf, r):
		return ""
	case unicode.IsPunct(r) && !strings.ContainsRune("#@%&*/\\", r) && !(r == '-' && isDigit(next)):
		return ""
	}
	return string(unicode.ToLower(r))
}

// letters counts the letters of a text.
func letters(text string) (n int) {
	for _, r := range text {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

func hasLetter(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

func hasContent(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || isDigit(r) })
}
