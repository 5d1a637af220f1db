package ground

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Request is what a user says in one turn, in words and clauses. The rules on it know
// English only: in other languages nothing is negated, excluded or reported. It is
// read-only.
type Request struct {
	text  string
	words []word
}

// word is lower-case, with a straight apostrophe inside; at and end are its bytes in the
// text. Words of one clause have one number.
type word struct {
	text    string
	at, end int
	clause  int
	quoted  bool // between double quotation marks
}

// longestClause bounds how many words of a clause are looked at, so that no text takes
// longer than in proportion to its length.
const longestClause = 40

// NewRequest reads a turn's text.
func NewRequest(text string) *Request {
	r := &Request{text: text}
	clause, start, quoted, curly := 0, -1, false, 0
	finish := func(end int) {
		if start < 0 {
			return
		}
		w := strings.ToLower(straight.Replace(text[start:end]))
		if w = strings.Trim(w, "'"); w != "" {
			if startsClause.has(w) {
				clause++
			}
			r.words = append(r.words, word{w, start, end, clause, quoted || curly > 0})
		}
		start = -1
	}
	for i, c := range text {
		switch {
		case unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.Mn, c) || start >= 0 && (isApostrophe(c) || isAccent(c) && beforeLetter(text[i:])):
			if start < 0 {
				start = i
			}
		default:
			finish(i)
			switch c {
			case '"':
				quoted = !quoted
			case '“':
				curly++
			case '”':
				curly = max(curly-1, 0)
			}
			if endsClause(text, i, c) {
				clause++
			}
		}
	}
	finish(len(text))
	return r
}

// straight makes all apostrophes the one of typewriters.
var straight = strings.NewReplacer("’", "'", "ʼ", "'", "`", "'", "´", "'", "＇", "'", "‘", "'")

func isApostrophe(c rune) bool { return c == '\'' || c == '’' || c == 'ʼ' }

// isAccent reports marks that keyboards have beside the apostrophe: they are one within a word.
func isAccent(c rune) bool { return c == '`' || c == '´' || c == '＇' || c == '‘' }

// beforeLetter reports whether a letter follows a text's first character.
func beforeLetter(text string) bool {
	_, size := utf8.DecodeRuneInString(text)
	next, _ := utf8.DecodeRuneInString(text[size:])
	return unicode.IsLetter(next)
}

// endsClause reports a mark between clauses; one between digits is none, nor is a dot
// within a name.
func endsClause(text string, at int, c rune) bool {
	if !strings.ContainsRune(",;:.!?()\n—…", c) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+utf8.RuneLen(c):])
	switch {
	case unicode.IsDigit(before) && unicode.IsDigit(after):
		return false
	case c == '.' && unicode.IsLetter(after):
		return false
	default:
		return true
	}
}

// startsClause are words that turn to something else.
var startsClause = words("but instead just only rather otherwise however though although because")

// phrase is where a phrase that begins at i ends; 0 if it does not. Words of a phrase are
// divided by single blanks.
func (r *Request) phrase(i int, phrase string) int {
	for more := true; more; i++ {
		var p string
		p, phrase, more = strings.Cut(phrase, " ")
		if i >= len(r.words) || r.words[i].text != p {
			return 0
		}
	}
	return i
}

// longest is the end of the longest of the phrases that begins at i; 0 for none.
func (r *Request) longest(i int, phrases []string) (end int) {
	for _, p := range phrases {
		end = max(end, r.phrase(i, p))
	}
	return end
}

// oneClause reports whether the words from i to end are of one clause.
func (r *Request) oneClause(i, end int) bool { return r.words[i].clause == r.words[end-1].clause }

// before is the word before i in its clause, "" for none.
func (r *Request) before(i int) string {
	if i == 0 || r.words[i-1].clause != r.words[i].clause {
		return ""
	}
	return r.words[i-1].text
}

// within are the words from i on that are of a clause, at most so many.
func (r *Request) within(i, clause, most int) []word {
	end := i
	for end < min(len(r.words), i+most) && r.words[end].clause == clause {
		end++
	}
	return r.words[i:end]
}
