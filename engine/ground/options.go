package ground

import (
	"slices"
	"strings"
	"unicode"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// What a required option is judged by: that no option is named speaks against a call only where whoever means
// one would name it. There are enumerations of which people don't speak in the words of the schema.

var (
	// graded are options of an order, a scale or a pair of opposites: "turn it all the way up", "kill the lights".
	graded = words("low lower lowest mid middle medium moderate average high higher highest small smaller smallest large larger largest big tiny huge mini maxi " +
		"xs s m l xl xxl xxxl short tall long min max minimum maximum minimal maximal little much few many less more most least full half empty partial " +
		"on off open opened close closed shut locked unlocked up down yes no true false enabled disabled active inactive enable disable start stop " +
		"male female man woman men women boy girl male's female's slow slower fast faster quick fastest slowest quiet silent loud soft hard strong weak light heavy " +
		"mild hot cold cool warm dim bright dark easy simple difficult hard beginner intermediate advanced expert novice junior senior " +
		"young old new newest oldest latest earliest ascending descending asc desc cheap expensive free basic plus pro premium enterprise economy business first second third " +
		"public private friends unlisted hidden visible todo pending progress doing done finished completed complete incomplete started resolved unresolved " +
		"good bad poor fair excellent positive negative neutral never sometimes often always rarely daily weekly monthly yearly hourly annually quarterly " +
		"once extra very ultra super turbo to in not and")
	// unmarked are options for when nothing is said.
	unmarked = words("none any all default standard normal regular auto automatic automatically other others unknown unspecified undefined general plain usual")
	// choosing words say that something should be chosen, and not what.
	choosing = words("set get change adjust choose select pick use give make order put want need like i i'd me my we the a an to for of on in at it its this that please " +
		"can could would will you some just now and with")
)

// restsFor reports whether it is no evidence that nobody names one of some options.
func (j *judge) restsFor(c Call, a *argument, options []string) bool {
	every := func(set func(string) bool) bool {
		return !slices.ContainsFunc(options, func(o string) bool { return !set(o) })
	}
	switch {
	case unmarked.has(strings.TrimSpace(plain(a.value.Text))):
		return true
	case every(isGraded), every(isAbbreviation):
		return j.saysMore(c, a)
	case every(isTimeWord):
		return j.namesTime()
	}
	return false
}

// isGraded reports whether all words of an option are of a scale.
func isGraded(option string) bool {
	parts := strings.Fields(plain(option))
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(w string) bool { return !graded.has(w) && !unmarked.has(w) })
}

// longestCode is how many letters the longest codes have: of currencies, countries, units.
const longestCode = 3

// isAbbreviation reports whether an option is an abbreviation that stands for a name: "USD", "de".
func isAbbreviation(option string) bool {
	letters := []rune(option)
	return len(letters) < longestCode || len(letters) == longestCode && strings.ToUpper(option) == option && unicode.IsLetter(letters[0])
}

func isTimeWord(option string) bool { return namesTimes(strings.ToLower(option)) }

// namesTime reports whether the request names a day or a time, in whatever words.
func (j *judge) namesTime() bool {
	return slices.ContainsFunc(j.request.words, func(w word) bool { return isTimeWord(w.text) || isDigit(rune(w.text[0])) }) || len(j.dates()) > 0
}

// saysMore reports whether the request has a word that may mean an option: "set the speed" has none.
func (j *judge) saysMore(c Call, a *argument) bool {
	known := map[string]bool{}
	for _, w := range slices.Concat(keyWords(c.Name), keyWords(a.key)) {
		known[stem(w)] = true
	}
	return slices.ContainsFunc(j.request.words, func(w word) bool { return !choosing.has(w.text) && !known[stem(w.text)] })
}

// suggests reports whether the request says an option in another form: with a beginning of its word, "prod" for
// production, in a compound, "backyard" for back, as an irregular form, "swam", with one word of several, or with a
// word that commonly stands for it.
func (t *Turn) suggests(option string) bool {
	parts := strings.Fields(plain(option))
	for _, p := range parts {
		if len(parts) > 1 && (len(p) < longCompound || englishWords.has(p)) {
			continue
		}
		if slices.ContainsFunc(t.request.words, func(w word) bool { return suggestsWord(w.text, p, len(parts) > 1) }) {
			return true
		}
	}
	return false
}

const (
	// longCompound is from how many letters on an option may be a part of a compound.
	longCompound = 4
	// longRest is how many letters the other part of a compound has.
	longRest = 3
)

// suggestsWord reports whether a word of a request says that of an option; part says that it is one of several.
func suggestsWord(said, option string, part bool) bool {
	said = strings.TrimSuffix(said, "'s")
	switch {
	case len(said) >= fewestOption && !englishWords.has(said) && !common.has(said) && !choosing.has(said) && strings.HasPrefix(option, said):
		return true
	case !part && len(option) >= longCompound && len(said) >= len(option)+longRest && (strings.HasPrefix(said, option) || strings.HasSuffix(said, option)):
		return true
	}
	x, y := baseForm(said), baseForm(option)
	return x == y || meanAlike(x, y)
}

// baseForm is the stem of a word; for irregular forms that of the verb or the singular.
func baseForm(word string) string {
	if base := irregularForms()[word]; base != "" {
		return stem(base)
	}
	return stem(word)
}

// guessable are words in the names of enumerations that are chosen by what a request means,
// not by what it says.
var guessable = []string{"category", "type", "kind", "priority", "sentiment", "intent", "format", "unit", "metric", "status", "action", "mode", "level"}

// unnamedOption withholds calls with a required enumeration none of whose options is named.
func unnamedOption(j *judge, rule string) {
	if !j.request.isEnglish() { // options are named in other words
		return
	}
	named := map[string]bool{}
	j.eachRequired(func(c Call, a *argument) bool {
		options := a.options()
		if len(options) < 2 || !a.value.Is(jsontext.String) || sameText(a.fallback(), a.value) || guessed(a.key) || j.restsFor(c, a, options) {
			return false
		}
		for _, o := range options {
			if _, known := named[o]; !known {
				named[o] = j.meansOption(o) || j.suggests(o)
			}
			if named[o] {
				return false
			}
		}
		j.withhold(rule, Place{c.Name, a.path}, "none of its options is named, and it is %s", text(a.value))
		return true
	})
}

// guessed reports whether an enumeration is chosen by what a request means.
func guessed(key string) bool {
	return slices.ContainsFunc(guessable, func(w string) bool { return strings.Contains(strings.ToLower(key), w) })
}
