package ground

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// restoreCasing gives values the capitals that the request writes them with. It is about
// capitals, not words; what it takes for a date it knows in English.
func restoreCasing(j *judge, rule string) {
	s := newSpellings(j.request.text)
	if s.shouted {
		return
	}
	eachCall(func(e *editor) {
		for _, a := range e.leaves() {
			if !a.value.Is(jsontext.String) || !a.hasCasing() {
				continue
			}
			if text := s.cased(a.value.Text, hasHeading(a.key)); text != a.value.Text {
				e.change("the request writes it so", a.becomeText(text))
			}
		}
	})(j, rule)
}

// cased is a value as the request writes it, when it does so once. A heading also takes the
// capital that the first word of every sentence has.
func (s *spellings) cased(value string, heading bool) string {
	found := s.find(value, 2)
	if len(found) != 1 {
		return value
	}
	spelt := s.spelt(found[0])
	if slip.re().MatchString(spelt) {
		return value
	}
	_, first := utf8.DecodeRuneInString(spelt)
	_, small := utf8.DecodeRuneInString(value)
	switch {
	case !s.startsSentence(found[0].at) && capitals(spelt) > capitals(value),
		capitals(spelt[first:]) > capitals(value[small:]) && capitals(spelt) > capitals(value):
		return spelt
	case heading && capitals(spelt[:first]) > capitals(value[:small]):
		return spelt[:first] + value[small:]
	}
	return value
}

// slip is a word whose second capital is a slip of the shift key: "NEw", but not "TVs".
var slip = expression(`(?:^|[^\p{L}])\p{Lu}{2}(?:\p{Ll}{2,}|[a-rt-z])(?:$|[^\p{L}])`)

// hasCasing reports whether capitals are for reading in a value: not in what machines read,
// nor in what the schema spells out.
func (a *argument) hasCasing() bool {
	v := a.value.Text
	return !a.listed() && !a.grounded() && !a.has("format") && !a.has("pattern") &&
		!isCodeKey(a.key) && !isCode(v) && !isDateText(v) && !a.spellsOut(v)
}

// codeKeys are the last words of the names of what is no text to be read.
var codeKeys = words("id ids identifier uuid guid username login handle email emails mail url urls uri link website domain host " +
	"hostname path file filename folder directory slug hash token password secret key locale mime date datetime time timestamp day " +
	"weekday month year timezone unit units")

// isCodeKey reports whether a property holds what is no text to be read; "file_name" does.
func isCodeKey(key string) bool {
	list := keyWords(key)
	n := len(list)
	if n > 1 && (list[n-1] == "name" || list[n-1] == "address") {
		n--
	}
	return n > 0 && codeKeys.has(list[n-1])
}

// isCode reports whether a value looks like an identifier, an address or a number.
func isCode(value string) bool {
	if strings.ContainsAny(value, "@_\\{}<>=`") || strings.Contains(value, "://") || strings.HasPrefix(lowered(value), "www.") {
		return true
	}
	letters, digits, gaps := false, false, false
	last := ' '
	for _, r := range value {
		if unicode.IsLower(last) && unicode.IsUpper(r) || strings.ContainsRune("./:", last) && inWord(r) {
			return true
		}
		letters, digits = letters || unicode.IsLetter(r), digits || isDigit(r)
		gaps = gaps || unicode.IsSpace(r)
		last = r
	}
	return !letters || digits && !gaps
}

// dateWords are English words around the names of days and months.
var dateWords = words("on at in by the of this next last coming every until from to and am pm noon midnight morning afternoon evening " +
	"night today tonight tomorrow yesterday day week weekend month year")

// isDateText reports whether a value is made of the names of days and months, numbers and what
// stands around them.
func isDateText(value string) bool {
	named := false
	for _, w := range strings.Fields(plain(value)) {
		_, _, isMonth := month(w)
		_, long := weekdays[strings.TrimSuffix(w, "s")]
		_, short := shortWeekdays[w]
		first, _ := utf8.DecodeRuneInString(w)
		switch {
		case isMonth || long || short:
			named = true
		case !dateWords.has(w) && !isDigit(first):
			return false
		}
	}
	return named
}

// spellsOut reports whether the schema writes a value just so: as one to choose, or as the
// default.
func (a *argument) spellsOut(value string) bool {
	if d := a.fallback(); d.Is(jsontext.String) && d.Text == value {
		return true
	}
	text := a.text()
	for range mostHits {
		i := strings.Index(text, value)
		if i < 0 || value == "" {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(value):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		text = text[i+len(value):]
	}
	return true
}

// headings are the last words of the names of what is shown as a line of its own.
var headings = words("title subject message note notes label summary caption headline heading")

func hasHeading(key string) bool {
	list := keyWords(key)
	n := len(list)
	return n > 0 && (headings.has(list[n-1]) || n > 1 && list[n-2] == "event" && list[n-1] == "name")
}
