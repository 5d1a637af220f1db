package ground

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Evidence is what a conversation says: its texts as they are compared, and the values
// of the numbers in them. It is read-only and safe for concurrent use.
type Evidence struct {
	texts   []string // squashed
	numbers map[decimal]bool
}

// NewEvidence reads the texts of a conversation. It takes time and memory in proportion
// to their lengths.
func NewEvidence(texts ...string) *Evidence {
	e := &Evidence{numbers: map[decimal]bool{}}
	for _, t := range texts {
		e.texts = append(e.texts, squash(t))
		findNumbers(t, func(d decimal) { e.numbers[d] = true })
	}
	return e
}

// fewestLetters is the length from which on a string has to occur.
const fewestLetters = 3

// HasText reports whether a string occurs in one of the texts, where case, blanks, "-"
// and "_" don't count. Strings of at most two letters always do: they prove nothing.
func (e *Evidence) HasText(value string) bool {
	value = squash(value)
	return utf8.RuneCountInString(value) < fewestLetters || e.contains(value)
}

// contains reports whether a squashed value is in one of the texts.
func (e *Evidence) contains(value string) bool {
	return slices.ContainsFunc(e.texts, func(t string) bool { return strings.Contains(t, value) })
}

// HasNumber reports whether the value of a JSON number is mentioned, in digits or in
// English words. What is no JSON number is not.
func (e *Evidence) HasNumber(text string) bool {
	d, ok := parseDecimal(text)
	return ok && e.numbers[d]
}

// squash leaves what texts are compared by.
func squash(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}
