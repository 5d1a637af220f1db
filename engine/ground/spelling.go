package ground

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// spellings finds how a text writes values, whatever their case.
type spellings struct {
	text    string
	lower   string
	at      []int // where each byte of lower comes from, and the end
	shouted bool  // there are hardly any small letters: capitals say nothing
}

// written is where a value stands in a text, in bytes.
type written struct{ at, end int }

// longestValue and mostHits bound how much of a text is looked at for one value.
const (
	longestValue = 2000
	mostHits     = 200
)

func newSpellings(text string) *spellings {
	s := &spellings{text: text, at: make([]int, 0, len(text)+1)}
	lower := make([]byte, 0, len(text))
	large, small := 0, 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case isCapital(r):
			large++
		case unicode.IsLower(r):
			small++
		}
		if r == utf8.RuneError && size == 1 {
			lower = append(lower, text[i]) // must not be found for U+FFFD
		} else {
			lower = utf8.AppendRune(lower, unicode.ToLower(r))
		}
		for len(s.at) < len(lower) {
			s.at = append(s.at, i)
		}
		i += size
	}
	s.lower, s.at = string(lower), append(s.at, len(text))
	s.shouted = large > 1 && large >= 4*small
	return s
}

func isCapital(r rune) bool { return unicode.IsUpper(r) || unicode.IsTitle(r) }

// capitals counts the capitals of a text.
func capitals(text string) (n int) {
	for _, r := range text {
		if isCapital(r) {
			n++
		}
	}
	return n
}

// lowered is a text in the way in which it is looked for.
func lowered(text string) string { return strings.Map(unicode.ToLower, text) }

// find is where a value stands as whole words, at most so often.
func (s *spellings) find(value string, most int) (list []written) {
	value = lowered(value)
	if value == "" || len(value) > longestValue {
		return nil
	}
	from := 0
	for range mostHits {
		i := strings.Index(s.lower[from:], value)
		if i < 0 || len(list) == most {
			return list
		}
		start := from + i
		w := written{s.at[start], s.at[start+len(value)]}
		if s.whole(w) {
			list = append(list, w)
			from = start + len(value)
			continue
		}
		_, size := utf8.DecodeRuneInString(s.lower[start:])
		from = start + size
		for from < len(s.lower) { // whole words begin behind this one
			r, size := utf8.DecodeRuneInString(s.lower[from:])
			if !inWord(r) {
				break
			}
			from += size
		}
	}
	return nil
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || isDigit(r) || r == '_' }

// joints are what holds the parts of addresses and compounds together.
const joints = "-.@/\\‐‑"

// whole reports whether no word goes on before or behind a place in the text.
func (s *spellings) whole(w written) bool {
	before, size := utf8.DecodeLastRuneInString(s.text[:w.at])
	if strings.ContainsRune(joints, before) {
		before, _ = utf8.DecodeLastRuneInString(s.text[:w.at-size])
	}
	after, size := utf8.DecodeRuneInString(s.text[w.end:])
	if strings.ContainsRune(joints, after) {
		after, _ = utf8.DecodeRuneInString(s.text[w.end+size:])
	}
	return !inWord(before) && !inWord(after)
}

// spelt is how the text writes what stands at a place.
func (s *spellings) spelt(w written) string { return s.text[w.at:w.end] }

// startsSentence reports whether a sentence begins at a byte of the text, quotation marks and
// brackets aside.
func (s *spellings) startsSentence(at int) bool {
	head := s.text[:at]
	bare := strings.TrimRightFunc(head, func(r rune) bool {
		return r != '\n' && !strings.ContainsRune(".!?。！？…", r) && !inWord(r) && !strings.ContainsRune(",;:&+-–—/", r)
	})
	last, _ := utf8.DecodeLastRuneInString(bare)
	switch {
	case bare == "" || last == '\n':
		return true
	case last == '.':
		return !abbreviates(bare[strings.LastIndexAny(bare, " \n\t")+1:])
	}
	return strings.ContainsRune("!?。！？…", last)
}
