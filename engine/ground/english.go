package ground

import (
	"strings"

	"github.com/libneedle/libneedle/engine/jsontext"
)

var (
	// englishWords are common in English requests, and hardly words of its neighbours.
	englishWords = words("the and with what what's whats which who where how when why i'm i'd i'll you your my it it's this that these " +
		"please can could would should need find get show give tell book search look set send make add buy " +
		"weather flights flight from near at to is are for of " +
		"turn switch play call order start open close lock unlock remind dim raise lower increase decrease light " +
		"lights want put change adjust move go take check schedule create delete remove reserve convert calculate " +
		"up off")
	// foreignWords are common in Spanish, Portuguese, French, Italian, German and Dutch requests.
	foreignWords = words("una para por con qué que cómo en un mi el está estoy uma com não você pour avec dans une est quel quelle je il per che sono " +
		"der das und ist ein eine einen ich mir bitte für von zu mit wie wetter nach auf im den dem het een voor naar met weer")
)

// isEnglish reports whether a request has more words that show it to be English than to be
// of another language in Latin letters: what rules ask that would misread those.
func (r *Request) isEnglish() bool {
	english := 0
	for _, w := range r.words {
		switch {
		case englishWords.has(w.text):
			english++
		case foreignWords.has(w.text):
			english--
		}
	}
	return english > 0
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
	return isMonth || isDay || short || shortDay || timeWords.has(w)
}
