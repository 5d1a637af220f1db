package ground

import "strings"

// span is words of a request, by their indexes; to is not in it.
type span struct{ from, to int }

// spoken is a part of a request, in which values are found as whole words.
type spoken struct {
	plain   string
	numbers *Evidence
	stems   map[string]bool
}

// say takes parts of a request.
func (r *Request) say(spans ...span) *spoken {
	var b strings.Builder
	s := &spoken{stems: map[string]bool{}}
	for _, p := range spans {
		if p.from >= p.to {
			continue
		}
		b.WriteString(r.text[r.words[p.from].at:r.words[p.to-1].end])
		b.WriteByte('\n')
		for _, w := range r.words[p.from:p.to] {
			s.stems[stem(w.text)] = true
		}
	}
	s.plain, s.numbers = plain(b.String()), NewEvidence(b.String())
	return s
}

// outside are the words between spans that are in their order, overlapping or not.
func (r *Request) outside(spans []span) (list []span) {
	at := 0
	for _, p := range spans {
		if p.from > at {
			list = append(list, span{at, p.from})
		}
		at = max(at, p.to)
	}
	return append(list, span{at, len(r.words)})
}

// names reports whether a value of a call is said: a number in any way of writing, a text as
// whole words, in the plural too.
func (s *spoken) names(value string) bool {
	if s == nil {
		return false
	}
	return s.has(look(value))
}

// sought is a value in the way in which many parts of a request are asked for it: long ones are read once.
type sought struct {
	text          string
	number        decimal
	isNumber      bool
	words, plural string
}

func look(value string) *sought {
	d, ok := parseDecimal(value)
	words := plain(value)
	return &sought{value, d, ok, words, strings.TrimRight(words, " ") + "s "}
}

func (s *spoken) has(v *sought) bool {
	switch {
	case s == nil:
		return false
	case v.isNumber:
		return s.numbers.numbers[v.number]
	case v.words == " ":
		return false
	}
	return strings.Contains(s.plain, v.words) || strings.Contains(s.plain, v.plural)
}
