package ground

import (
	"slices"
	"strings"
	"unicode"
)

// plain is a text as options are looked for in it: words of letters and digits, lower-case,
// with one blank around each.
func plain(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	gap := true
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			b.WriteRune(unicode.ToLower(r))
			gap = false
		case !gap:
			b.WriteByte(' ')
			gap = true
		}
	}
	if !gap {
		b.WriteByte(' ')
	}
	return b.String()
}

// longOption is from how many characters on an option may be a part of words.
const longOption = 5

// names reports whether an option of an enumeration is named in the conversation: as whole
// words or, when it is long enough, anywhere.
func (t *Turn) names(option string) bool {
	o := plain(option)
	if o == " " {
		return false
	}
	if len([]rune(o))-2 >= longOption {
		o = strings.TrimSpace(o)
	}
	return strings.Contains(t.plain, o)
}

// Named are the options that the conversation names, in their order.
func (t *Turn) Named(options []string) (named []string) {
	for _, o := range options {
		if t.names(o) {
			named = append(named, o)
		}
	}
	return named
}

// sameDegree are options that are called by different words.
var sameDegree = [][]string{{"mid", "medium", "middle", "moderate"}, {"high", "max", "maximum"}, {"low", "min", "minimum"}}

// meansOption reports whether an option is named in the conversation, in the request by
// another form of its word or as a number too. One that is no word can't be named.
func (t *Turn) meansOption(option string) bool {
	name := strings.TrimSpace(plain(option))
	if name == "" || t.names(option) || t.said.HasNumber(name) || t.asked.numbers[countWords[name]] && isCount(name) {
		return true
	}
	for _, alike := range sameDegree {
		if slices.Contains(alike, name) && slices.ContainsFunc(alike, t.names) {
			return true
		}
	}
	return len(name) >= 3 && slices.ContainsFunc(t.request.words, func(w word) bool { return stem(w.text) == stem(name) })
}

func isCount(word string) bool { _, ok := countWords[word]; return ok }
