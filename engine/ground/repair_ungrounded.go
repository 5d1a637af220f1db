package ground

import (
	"slices"
	"strings"
	"unicode"

	"github.com/libneedle/libneedle/engine/jsontext"
)

var (
	// inferredKeys are words in the names of properties whose values follow from what a
	// request means, and need not stand in it.
	inferredKeys = words("category type kind priority sentiment intent format unit units metric status action mode level " +
		"currency country nation nationality state province region county continent language lang locale timezone tz zone code iso symbol " +
		"ticker gender sex sort order ordering direction method algorithm model style theme color colour size scale role scope field " +
		"column key separator delimiter encoding extension mime version source provider engine platform service protocol operator " +
		"function genre genres cuisine mood tone topic topics tag tags keyword keywords specialty industry sector species domain class " +
		"date time when day start end due schedule duration period frequency interval season year month week deadline recurrence weekday " +
		"url link uri path file filename folder directory visibility strategy policy quality position severity condition")
	// composedKeys are of those that a model writes itself.
	composedKeys = words("message messages body text content contents description note notes title subject summary query search code " +
		"expression formula regex pattern prompt question answer comment comments caption reason details detail instruction instructions " +
		"label script sql command html markdown template input greeting reply response explanation context remarks memo term terms equation")
	// neutral say that nothing is chosen.
	neutral = words("all any none default unknown auto automatic yes no true false on off dontcare unspecified normal standard " +
		"specified given na null nil anything anywhere other self me current")
)

// mostNamed is how many words a name has; longer texts are written, not named.
const mostNamed = 8

// dropUngrounded drops optional strings none of whose words the conversation has. What may be
// inferred is told by English words, so other languages are left alone.
func dropUngrounded(j *judge, rule string) {
	if !j.request.isEnglish() {
		return
	}
	var said *vocabulary
	eachCall(func(e *editor) {
		for _, a := range e.leaves() {
			if !a.value.Is(jsontext.String) || !a.isOptional() || a.isInferred() || j.isGrounded(&a) {
				continue
			}
			if said == nil {
				said = newVocabulary(j.plain)
			}
			if value := strings.Fields(plain(a.value.Text)); len(value) <= mostNamed && !said.hasAny(value) && !j.hasInitials(value) {
				e.change("nothing in the conversation says it", a.vanish())
			}
		}
	})(j, rule)
}

// isInferred reports whether an argument may be right though the conversation doesn't have it.
func (a *argument) isInferred() bool {
	list := keyWords(a.key)
	switch {
	case a.listed() || a.grounded() || a.isDefault() || hasWord(list, inferredKeys) || hasWord(list, composedKeys):
		return true
	case slices.Contains(list, "id") || slices.Contains(list, "uuid") || a.isTold():
		return true
	case a.has("pattern") || a.any("format", func(v *jsontext.Value) bool { return v.Text != "email" }):
		return true
	default:
		return !a.isMailAddress() && hasForm(a.value.Text) || isNeutral(a.value.Text)
	}
}

// isTold reports whether the schema names the value, as an example or in words.
func (a *argument) isTold() bool {
	value := squash(a.value.Text)
	return strings.Contains(squash(a.text()), value) || strings.Contains(squash(a.tool.Description), value) ||
		a.any("examples", func(v *jsontext.Value) bool { return strings.Contains(squash(text(v)), value) })
}

// hasForm reports whether a value is a code, a path, a date or the like rather than words:
// Latin letters with no digit among them, and not all capitals.
func hasForm(value string) bool {
	letters, lower := 0, 0
	for _, r := range value {
		switch {
		case unicode.IsLetter(r):
			if !unicode.Is(unicode.Latin, r) {
				return true
			}
			letters++
			if unicode.IsLower(r) {
				lower++
			}
		case !strings.ContainsRune(" ,.-'’&", r):
			return true
		}
	}
	return letters < fewestLetters || lower == 0 || strings.ContainsAny(strings.TrimRight(value, "."), ".") && !strings.Contains(value, ". ")
}

// isNeutral reports whether a value chooses nothing, or is a time.
func isNeutral(value string) bool {
	list := strings.Fields(plain(value))
	return slices.ContainsFunc(list, func(w string) bool { return neutral.has(w) || namesTimes(w) })
}

// hasInitials reports whether the conversation has a name's first letters: LA for Los Angeles,
// NYC for New York.
func (t *Turn) hasInitials(value []string) bool {
	var initials strings.Builder
	for _, w := range value {
		initials.WriteString(string([]rune(w)[:1]))
	}
	short := " " + initials.String()
	return len(value) > 1 && (strings.Contains(t.plain, short+" ") || strings.Contains(t.plain, short+"c "))
}

// vocabulary is the words of a conversation, and how they begin.
type vocabulary struct{ words, beginnings map[string]bool }

const (
	fewestShared = 3
	mostShared   = 24
)

func newVocabulary(plain string) *vocabulary {
	v := &vocabulary{map[string]bool{}, map[string]bool{}}
	for _, w := range strings.Fields(plain) {
		if v.words[w] {
			continue
		}
		v.words[w] = true
		n := 0
		for i := range w {
			if n >= fewestShared && n <= mostShared {
				v.beginnings[w[:i]] = true
			}
			n++
		}
		v.beginnings[w] = true
	}
	return v
}

// hasAny reports whether one of some words is in the vocabulary, but for how it ends.
func (v *vocabulary) hasAny(list []string) bool {
	return slices.ContainsFunc(list, func(w string) bool {
		runes := []rune(w)
		if v.words[w] || len(runes) < fewestShared {
			return v.words[w]
		}
		shared := min(max(fewestShared, 2*len(runes)/3), mostShared)
		if v.beginnings[string(runes[:shared])] {
			return true
		}
		for n := fewestShared; n <= min(len(runes), mostShared); n++ {
			if v.words[string(runes[:n])] {
				return true
			}
		}
		return false
	})
}
