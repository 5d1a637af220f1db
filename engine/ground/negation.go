package ground

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// negations are the phrases that forbid what follows.
var negations = []string{
	"don't", "dont", "do not", "never", "no longer", "must not", "mustn't", "mustnt", "should not", "shouldn't", "shouldnt",
	"make sure not", "be sure not", "no need", "need not", "needn't", "better not", "rather not", "please not",
	"let's not", "lets not", "under no circumstances",
}

var (
	// encouraging turn a negation into a request: "don't forget to".
	encouraging = words("forget hesitate worry mind fail miss wait disturb be")
	// stative are what people ask each other about: "don't you have some jazz?".
	stative = words("know have remember think care feel see understand believe own recall hear like mind need")
	// persons say things of themselves, with other words than those that wish.
	persons = words("i we they he she it")
	wishing = words("want wanna wish")
	// conditions make a statement of what follows.
	conditions = words("if when unless whenever in case that who which why while until")
	// postponing words say from when on something is not forbidden any more.
	postponing = words("until till unless")
)

// negation is a clause, or its end, that is forbidden.
type negation struct {
	at    int    // the index of the first of the words
	words []word // behind the phrase; not empty
}

func (r *Request) negations() (list []negation) {
	for i := range r.words {
		end := r.longest(i, negations)
		if end == 0 || !r.oneClause(i, end) {
			continue
		}
		rest := r.within(end, r.words[i].clause, longestClause)
		if len(rest) == 0 || r.stated(i, end) {
			continue
		}
		list = append(list, negation{end, rest})
	}
	return list
}

// stated reports whether the negation from i to end forbids nothing.
func (r *Request) stated(i, end int) bool {
	before, next, second := r.before(i), r.at(end), r.at(end+1)
	plain := r.text[r.words[i].at:r.words[end-1].end]
	switch {
	case encouraging[next] || next == "bother" && !aboutDoing(second):
		return true
	case next == "let" && encouraging[r.at(end+2)]: // "don't let me forget"
		return true
	case conditions[before]: // "why don't you", "if not"
		return true
	case next == "you" && stative[second]:
		return true
	case next == "want" && second == "to" && encouraging[r.at(end+2)]:
		return true
	case persons[before] && !obliging(plain):
		youShould := next == "think" && second == "you"
		return !wishing[next] && !youShould && (next != "need" || second != "you") || i >= 2 && conditions[r.before(i-1)]
	case before != "" && r.words[i].text == "never" && thirdPerson(next): // "my phone never rings"
		return true
	case r.words[i].text == "no" && (next == "need" || next == "want" || next == "needed"): // "no longer need it"
		return true
	default:
		return false
	}
}

func aboutDoing(word string) bool {
	return word == "to" || word == "with" || strings.HasSuffix(word, "ing") && len(word) > len("thing")
}

func obliging(phrase string) bool {
	return strings.Contains(strings.ToLower(phrase), "must") || strings.Contains(strings.ToLower(phrase), "should")
}

func thirdPerson(verb string) bool {
	return strings.HasSuffix(verb, "s") && !strings.HasSuffix(verb, "ss") && len(verb) > 3
}

// Negated reports whether something is forbidden in the request.
func (r *Request) Negated() bool { return len(r.negations()) > 0 }

var (
	// unspecific are words of tools' names that say nothing about what a tool does.
	unspecific = words("get set the and for with add new all any one")
	// leadingOn stand between a negation and what it forbids, and don't count.
	leadingOn = words("ever you to please dare go ahead and want me us i")
	// stopping are words for bringing something to its end.
	stopping = words("stop cancel delete remove disable dismiss end mute pause silence block unsubscribe clear off quit abort close")
)

// nearWords is how close behind a negation a word of a tool's name has to be.
const nearWords = 3

// nameWords are the stems of the words of a tool's name that say what it does.
func nameWords(tool string) (name []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(tool), func(c rune) bool { return c == '_' || c == '-' || c == ' ' || c == '.' }) {
		if len(w) >= 3 && !unspecific[w] {
			name = append(name, stem(w))
		}
	}
	return name
}

// nameAndShort are the stems of all words of a tool's name.
func nameAndShort(tool string) (name []string) {
	for _, w := range keyWords(tool) {
		name = append(name, stem(w))
	}
	return name
}

// prohibitions are what a request forbids, and what else it says. They belong to one
// goroutine.
type prohibitions struct {
	list []*prohibition
	rest *spoken
}

// prohibition is read on demand: a text may consist of them.
type prohibition struct {
	request       *Request
	at, split, to int // the indexes of the first word, of "until", and of the end
	words         []word
	read          bool

	clause, postponed, after *spoken // to "until", from there on, and behind the clause
}

func (r *Request) prohibitions() *prohibitions {
	p := &prohibitions{}
	var spans []span
	for _, n := range r.negations() {
		end := n.at + len(n.words)
		spans = append(spans, span{n.at, end})
		split := n.at
		for split < end && !postponing[r.words[split].text] {
			split++
		}
		p.list = append(p.list, &prohibition{request: r, at: n.at, split: split, to: end, words: n.words})
	}
	if len(p.list) > 0 {
		p.rest = r.say(r.outside(spans)...)
	}
	return p
}

func (p *prohibition) readParts() {
	if p.read {
		return
	}
	p.read = true
	p.clause, p.postponed = p.request.say(span{p.at, p.split}), p.request.say(span{p.split, p.to})
	p.after = p.request.say(span{p.to, min(len(p.request.words), p.to+longestClause)})
}

// near are the words of a clause up to the third that counts. Words that lead on, particles and
// a call's own values don't: "turn on the kitchen" stands between "don't" and "lights".
func near(clause []word, own map[string]bool) (list []word) {
	counted := 0
	for _, w := range clause {
		if postponing[w.text] || counted == nearWords || len(list) == mostNear {
			break
		}
		if leadingOn[w.text] && (w.text != "go" || len(list) == 0) {
			continue
		}
		list = append(list, w)
		if !passing[w.text] && !own[stem(w.text)] {
			counted++
		}
	}
	return list
}

// mostNear bounds the words of which few count.
const mostNear = 12

// passing are particles and articles.
var passing = words("on off up down in at of the a an my our your his her their this that these those all both any")

// ownWords are the stems of the words of a call's values.
func ownWords(values []string) map[string]bool {
	own := map[string]bool{}
	for _, v := range values {
		for _, w := range strings.Fields(plain(v)) {
			own[stem(w)] = true
		}
	}
	return own
}

// poles are words of which one undoes the other.
var poles = [][2]string{
	{"on", "off"}, {"open", "close"}, {"open", "shut"}, {"lock", "unlock"}, {"up", "down"}, {"start", "stop"}, {"increase", "decrease"},
	{"raise", "lower"}, {"mute", "unmute"}, {"enable", "disable"}, {"add", "remove"}, {"arm", "disarm"},
}

// undoes reports whether a call does the opposite of what some words forbid: "don't turn it off"
// says nothing against turning it on.
func undoes(forbidden []word, name []string, own map[string]bool) bool {
	has := func(pole string) bool { return own[stem(pole)] || slices.Contains(name, stem(pole)) }
	said := func(pole string) bool {
		return slices.ContainsFunc(forbidden, func(w word) bool { return stem(w.text) == stem(pole) })
	}
	return slices.ContainsFunc(poles, func(p [2]string) bool {
		return said(p[0]) && !said(p[1]) && has(p[1]) && !has(p[0]) || said(p[1]) && !said(p[0]) && has(p[0]) && !has(p[1])
	})
}

// isPole reports whether a value is a word that another one undoes.
func isPole(value string) bool {
	v := stem(strings.TrimSpace(plain(value)))
	return slices.ContainsFunc(poles, func(p [2]string) bool { return stem(p[0]) == v || stem(p[1]) == v })
}

// Forbids reports whether a tool's own action is forbidden: a word of its name follows
// a negation closely. It is forgiven where the request says, outside of what is forbidden,
// one of the call's values and none of them only inside ("don't book it for 5, book it for
// 6"), or names no value but the action again ("play it, but don't play it loud").
func (r *Request) Forbids(tool string, values []string) bool {
	return r.prohibitions().forbid(tool, values)
}

func (p *prohibitions) forbid(tool string, values []string) bool {
	name, own := nameWords(tool), ownWords(values)
	ends := slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(tool), func(c rune) bool { return c == '_' || c == '-' }), func(w string) bool { return stopping[w] })
	return slices.ContainsFunc(p.list, func(one *prohibition) bool {
		var matched []string
		stops, forbidden := false, near(one.words, own)
		if undoes(forbidden, nameAndShort(tool), own) {
			return false
		}
		for _, w := range forbidden {
			if s := stem(w.text); slices.Contains(name, s) {
				matched = append(matched, s)
			}
			stops = stops || stopping[w.text] || slices.Contains(stoppingStems, stem(w.text))
		}
		// "don't play this any more" asks for what ends it.
		if len(matched) == 0 || ends && !stops {
			return false
		}
		one.readParts()
		return !one.reopens(forbidden, name, values) && !one.forgiven(p.rest, forbidden, matched, values)
	})
}

var stoppingStems = func() (list []string) {
	for w := range stopping {
		list = append(list, stem(w))
	}
	return list
}()

// reopens reports whether a call is what the prohibition asks for in its end: later, or the
// opposite of what must not stay.
func (p *prohibition) reopens(near []word, name, values []string) bool {
	if slices.ContainsFunc(values, p.postponed.names) {
		return true
	}
	if len(near) == 0 || !staying[near[0].text] {
		return false
	}
	return slices.ContainsFunc(opposites, func(o [2]string) bool {
		return slices.Contains(name, stem(o[0])) && p.clause.names(o[1])
	})
}

var (
	staying   = words("leave keep let")
	opposites = [][2]string{
		{"close", "open"}, {"shut", "open"}, {"lock", "open"}, {"lock", "unlocked"}, {"open", "closed"}, {"open", "shut"},
		{"unlock", "locked"}, {"turn", "off"}, {"turn", "on"}, {"switch", "off"}, {"switch", "on"}, {"start", "off"},
	}
)

// forgiven reports whether the request asks for a call elsewhere.
func (p *prohibition) forgiven(rest *spoken, near []word, matched, values []string) bool {
	again := !slices.ContainsFunc(matched, func(w string) bool { return !rest.stems[w] })
	if !again && !p.after.stems["instead"] && slices.ContainsFunc(near, func(w word) bool { return somebody[w.text] }) {
		return false // "don't call him, Bob is asleep"
	}
	elsewhere := false
	for _, v := range values {
		inside, outside := p.clause.names(v), rest.names(v)
		if inside && !outside && !isPole(v) {
			return false
		}
		elsewhere = elsewhere || outside && !inside && (again || p.after.names(v))
	}
	return elsewhere || again
}

var somebody = words("him her them")

// stem takes the commonest endings off a word.
func stem(w string) string {
	for _, ending := range []string{"ing", "ed", "es", "s", "e"} {
		if short, ok := strings.CutSuffix(w, ending); ok && len(short) >= 3 {
			w = short
			break
		}
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] { // "stopped"
		w = w[:n-1]
	}
	return w
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
func (r *Request) Reports() bool { return len(r.reports()) > 0 }

// report is a quotation: the index of the verb, and the bytes from its end to the quotation's.
type report struct{ verb, at, end int }

func (r *Request) reports() (list []report) {
	for i, w := range r.words {
		told := w.text == "told" && (r.at(i+1) == "me" || r.at(i+1) == "us")
		if !told && !saying[w.text] || w.quoted || r.ownWords(i) || writing[r.before(i)] {
			continue
		}
		if end := quotationEnd(r.text[w.end:]); end > 0 {
			list = append(list, report{i, w.end, w.end + end})
		}
	}
	return list
}

// writing are what a text stands on or in: "a note that says".
var writing = words("that which note label song lyrics title")

// ownWords reports whether the verb at i is about the user: "I just said".
func (r *Request) ownWords(i int) bool {
	before := r.before(i)
	if before == "just" || before == "already" || before == "also" || before == "had" || before == "have" {
		before = r.at(i - 2)
	}
	return before == "i" || before == "we" || before == "i've"
}

// quotationEnd is where a quotation that begins soon in a text ends; 0 for none. One that is
// left open goes on to the end.
func quotationEnd(text string) int {
	if open := strings.IndexAny(text[:min(len(text), mostBetween)], quotes); open >= 0 {
		_, size := utf8.DecodeRuneInString(text[open:])
		if length := strings.IndexAny(text[open+size:], quotes); length >= 0 && length < mostQuoted {
			return open + size + length
		}
		return min(len(text), open+mostQuoted)
	}
	return singleQuoted(text)
}

// singleQuoted is where words between single quotes end, with which a text soon goes on.
func singleQuoted(text string) int {
	text = text[:min(len(text), mostBetween+mostQuoted)]
	for _, pair := range [][2]string{{" '", "'"}, {" ‘", "’"}, {":'", "'"}} {
		open := strings.Index(text, pair[0])
		if open < 0 || open > mostBetween {
			continue
		}
		start := open + len(pair[0])
		inner := text[start:]
		for at := strings.Index(inner, pair[1]); at >= 0; {
			after := inner[at+len(pair[1]):]
			if at > 0 && (after == "" || strings.ContainsAny(after[:1], " .,!?;:)")) {
				return start + at
			}
			next := strings.Index(after, pair[1])
			if next < 0 {
				break
			}
			at += len(pair[1]) + next
		}
	}
	return 0
}

// unreported is what the request says outside of what it reports.
func (r *Request) unreported(list []report) (inside, rest *spoken) {
	var told, verbs []span
	at := 0
	for _, one := range list {
		from := max(at, one.verb)
		to := from
		for to < len(r.words) && (to <= one.verb || r.words[to].at < one.end) {
			to++
		}
		if from < to {
			told, verbs = append(told, span{min(from+1, to), to}), append(verbs, span{from, to})
			at = to
		}
	}
	return r.say(told...), r.say(r.outside(verbs)...)
}
