package ground

import (
	"slices"
	"strings"
	"unicode"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// englishWords are common in English requests, and no words of its neighbours.
var englishWords = words("the and with what what's whats which who where how when why i i'm i'd i'll you your my me it it's this that these " +
	"please can could would should will want need find get show give tell book search look check set send make call play add buy " +
	"weather flights flight from near at to")

// isEnglish reports whether a request has a word that shows it to be English: what rules ask
// that would misread other languages in Latin letters.
func (r *Request) isEnglish() bool {
	return slices.ContainsFunc(r.words, func(w word) bool { return englishWords[w.text] })
}

// keyWords are the words of a property's or a tool's name, lower-case: "pickupCity" has two.
func keyWords(name string) []string {
	var b strings.Builder
	lower := false
	for _, c := range name {
		if unicode.IsUpper(c) && lower {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(c)
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			c = ' '
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return strings.Fields(b.String())
}

// anyOf reports whether one of the words is in a set.
func anyOf(list []string, set map[string]bool) bool {
	return slices.ContainsFunc(list, func(w string) bool { return set[w] })
}

// isOptional reports whether an argument is a property that can be left out.
func (a *argument) isOptional() bool { return a.parent.Is(jsontext.Object) && !a.required }

// isDefault reports whether an argument is what one of its schemas falls back to.
func (a *argument) isDefault() bool { return sameText(a.fallback(), a.value) }

// timeWords are about days and times, never about places.
var timeWords = words("today tonight tomorrow yesterday now later soon morning afternoon evening night noon midnight midday " +
	"week weeks weekend month year day days hour hours minute minutes second seconds am pm a.m p.m o'clock next this last " +
	"daily weekly monthly yearly")

// namesTimes reports whether a word is a weekday, a month, or another word of time.
func namesTimes(w string) bool {
	w = strings.TrimSuffix(w, "'s")
	_, isMonth := months[w]
	_, isDay := weekdays[w]
	_, short := shortMonths[w]
	_, shortDay := shortWeekdays[w]
	return isMonth || isDay || short || shortDay || timeWords[w]
}
