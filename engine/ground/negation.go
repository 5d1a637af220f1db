package ground

import (
	"slices"
	"strings"
)

// negations are the phrases that forbid what follows.
var negations = []string{
	"don't", "dont", "do not", "never", "no longer", "must not", "mustn't", "mustnt", "should not", "shouldn't", "shouldnt",
	"make sure not", "be sure not", "no need", "need not", "needn't", "better not", "rather not", "please not",
}

var (
	// encouraging turn a negation into a request: "don't forget to".
	encouraging = words("forget hesitate worry mind fail miss wait disturb be bother")
	// stative are what people say that they don't, without forbidding anything: "I don't know".
	stative = words("know have remember think care feel see understand believe speak own recall get hear like drive mind need seem work")
	// persons say things of themselves.
	persons = words("i we they he she it")
	// conditions make a statement of what follows.
	conditions = words("if when unless whenever in case that who which why while until")
)

// negation is a clause, or its end, that is forbidden.
type negation struct {
	words []word // behind the phrase; not empty
	more  bool   // the request goes on after the clause
}

func (r *Request) negations() (list []negation) {
	for i := range r.words {
		end := r.longest(i, negations)
		if end == 0 || !r.oneClause(i, end) {
			continue
		}
		rest := r.within(end, r.words[i].clause, longestClause)
		if len(rest) == 0 || r.stated(i, rest[0].text) {
			continue
		}
		list = append(list, negation{rest, end+len(rest) < len(r.words)})
	}
	return list
}

// stated reports whether the negation at i, before a word, forbids nothing.
func (r *Request) stated(i int, next string) bool {
	before := r.before(i)
	switch {
	case encouraging[next]:
		return true
	case conditions[before]: // "why don't you", "if not"
		return true
	case persons[before] && (stative[next] || i >= 2 && conditions[r.before(i-1)]):
		return true
	case r.words[i].text == "no" && (next == "need" || next == "want" || next == "needed"): // "no longer need it"
		return true
	default:
		return false
	}
}

// Negated reports whether something is forbidden in the request.
func (r *Request) Negated() bool { return len(r.negations()) > 0 }

// unspecific are words of tools' names that say nothing about what a tool does.
var unspecific = words("get set the and for with add new all any one")

// nearWords is how close behind a negation a word of a tool's name has to be.
const nearWords = 3

// Forbids reports whether a tool's own action is forbidden: a word of its name follows
// a negation closely. It is forgiven where the request goes on after the clause and none
// of the call's values is in it: "don't book it for 5, book it for 6".
func (r *Request) Forbids(tool string, values []string) bool {
	var name []string
	for _, w := range strings.FieldsFunc(strings.ToLower(tool), func(c rune) bool { return c == '_' || c == '-' || c == ' ' || c == '.' }) {
		if len(w) >= 3 && !unspecific[w] {
			name = append(name, stem(w))
		}
	}
	for _, n := range r.negations() {
		near := n.words[:min(nearWords, len(n.words))]
		if !slices.ContainsFunc(near, func(w word) bool { return slices.Contains(name, stem(w.text)) }) {
			continue
		}
		clause := r.evidence(n.words)
		if !n.more || slices.ContainsFunc(values, func(v string) bool { return clause.names(v) }) {
			return true
		}
	}
	return false
}

// stem takes the commonest endings off a word.
func stem(w string) string {
	for _, ending := range []string{"ing", "ed", "es", "s", "e"} {
		if short, ok := strings.CutSuffix(w, ending); ok && len(short) >= 3 {
			return short
		}
	}
	return w
}

// exclusions are the phrases before what is left out.
var exclusions = []string{
	"except", "except for", "all but", "everything but", "everyone but", "anything but", "other than", "apart from", "aside from",
	"excluding", "not including", "leave out", "leaving out", "but not", "but skip", "but leave out", "with the exception of",
}

// mostExcluded is how many words a phrase leaves out.
const mostExcluded = 4

// Excludes reports whether a value is named among what the request leaves out.
func (r *Request) Excludes(value string) bool {
	for i := range r.words {
		end := r.longest(i, exclusions)
		if end == 0 || end == len(r.words) || exceptions[r.words[end].text] {
			continue
		}
		if r.evidence(r.within(end, r.words[end].clause, mostExcluded)).names(value) {
			return true
		}
	}
	return false
}

// exceptions begin a condition: "except when".
var exceptions = words("that when if")

// names reports whether a value of a call is in the texts.
func (e *Evidence) names(value string) bool {
	if d, ok := parseDecimal(value); ok {
		return e.numbers[d]
	}
	return squash(value) != "" && e.contains(squash(value))
}

var (
	// saying are the verbs of reported speech.
	saying = words("said says texted wrote emailed messaged posted complained mentioned asked replied shouted")
	quotes = `"“”„«»`
)

const (
	// mostBetween is how many bytes may stand between such a verb and what it reports.
	mostBetween = 40
	// mostQuoted is how long a quotation between single quotes may be.
	mostQuoted = 400
)

// Reports reports whether the request tells what somebody else said: a verb of saying,
// not the user's own, is followed by a quotation. An apostrophe is no quotation mark; a
// single quote that has a partner is.
func (r *Request) Reports() bool {
	for i, w := range r.words {
		told := w.text == "told" && i+1 < len(r.words) && (r.words[i+1].text == "me" || r.words[i+1].text == "us")
		if !told && !saying[w.text] || r.before(i) == "i" || w.quoted {
			continue
		}
		behind := r.text[w.end:min(len(r.text), w.end+mostBetween)]
		if strings.ContainsAny(behind, quotes) || singleQuoted(r.text[w.end:]) {
			return true
		}
	}
	return false
}

// singleQuoted reports whether a text soon has words between single quotes.
func singleQuoted(text string) bool {
	text = text[:min(len(text), mostBetween+mostQuoted)]
	for _, pair := range [][2]string{{" '", "'"}, {" ‘", "’"}, {":'", "'"}} {
		open := strings.Index(text, pair[0])
		if open < 0 || open > mostBetween {
			continue
		}
		inner := text[open+len(pair[0]):]
		for at := strings.Index(inner, pair[1]); at >= 0; {
			after := inner[at+len(pair[1]):]
			if at > 0 && (after == "" || strings.ContainsAny(after[:1], " .,!?;:)")) {
				return true
			}
			next := strings.Index(after, pair[1])
			if next < 0 {
				break
			}
			at += len(pair[1]) + next
		}
	}
	return false
}
