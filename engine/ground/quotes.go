package ground

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// closers are the marks that end what each mark begins.
var closers = map[rune]string{
	'"': `"`, '“': "”", '”': "”", '„': "“”", '«': "»", '»': "«", '「': "」", '『': "』",
	'‘': "’", '‚': "‘’", '\'': "'", '‹': "›", '›': "‹", '＂': "＂",
}

// spans finds what stands between quotation marks in a text. Spans within spans are none of
// their own, unless the text is quoted as a whole.
func spans(text string) []written {
	trimmed := strings.TrimSpace(text)
	list := quotedIn(text, strings.Index(text, trimmed))
	if len(list) == 1 && trimmed != "" {
		inner := text[list[0].at:list[0].end]
		_, first := utf8.DecodeRuneInString(trimmed)
		_, last := utf8.DecodeLastRuneInString(trimmed)
		if len(inner)+first+last == len(trimmed) {
			within := quotedIn(inner, 0)
			for i := range within {
				within[i].at += list[0].at
				within[i].end += list[0].at
			}
			return within
		}
	}
	return list
}

// quotedIn are the spans from a byte of a text on.
func quotedIn(text string, from int) (list []written) {
	unclosed := map[rune]bool{} // marks that have no partner in the rest
	for i := from; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if closers[r] == "" || unclosed[r] || !opens(text, i-size, i, r) {
			continue
		}
		end, after := closing(text, i, r)
		if end < 0 {
			unclosed[r] = after < 0
			continue
		}
		if inner := strings.TrimSpace(text[i:end]); inner != "" && utf8.ValidString(inner) {
			at := i + strings.Index(text[i:end], inner)
			list = append(list, written{at, at + len(inner)})
		}
		i = after
	}
	return list
}

// opens reports whether a mark can begin a span: something follows it, and it is neither an
// apostrophe nor a sign for inches.
func opens(text string, at, end int, mark rune) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[end:])
	if end == len(text) || unicode.IsSpace(after) && !isGuillemet(mark) {
		return false
	}
	switch mark {
	case '\'', '‘', '‚':
		return !inWord(before)
	case '"', '”':
		return !isDigit(before)
	}
	return true
}

// isGuillemet: French has blanks inside them.
func isGuillemet(r rune) bool { return strings.ContainsRune("«»‹›", r) }

// closing is where a span ends that begins at a byte, and where its mark ends; -1 for nowhere.
// Where another span begins first, the one before is none: -1 and a place.
func closing(text string, from int, mark rune) (end, after int) {
	single := mark == '\'' || mark == '‘' || mark == '‚'
	for i, r := range text[from:] {
		if !strings.ContainsRune(closers[mark], r) {
			continue
		}
		end, after = from+i, from+i+utf8.RuneLen(r)
		before, _ := utf8.DecodeLastRuneInString(text[:end])
		next, _ := utf8.DecodeRuneInString(text[after:])
		switch {
		case closers[r] == string(r) && unicode.IsSpace(before) && inWord(next):
			return -1, end
		case !single || end > from && !inWord(next):
			return end, after
		}
	}
	return -1, -1
}
