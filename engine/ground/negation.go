package ground

import (
	"slices"
	"strings"
	"time"
)

// negations are the phrases that forbid what follows.
var negations = []string{
	"don't", "dont", "do not", "never", "no longer", "must not", "mustn't", "mustnt", "should not", "shouldn't", "shouldnt",
	"make sure not", "be sure not", "no need", "need not", "needn't", "better not", "better if you don't", "better if you didn't", "rather not", "nobody is to", "no one is to", "nobody may", "no one may", "please not",
	"let's not", "lets not", "under no circumstances", "shall not", "shan't", "not to", "may not", "ought not",
	"rather you didn't", "rather you did not", "rather you don't", "prefer you didn't", "prefer you did not", "prefer that you don't",
	"prefer if you didn't", "prefer it if you didn't", "wouldn't want you", "would not want you",
	"forbid you", "forbidden to", "prohibit you", "prohibited from",
	"you are not allowed", "you're not allowed", "you aren't allowed", "you are not permitted", "you're not permitted",
}

// inabilities forbid something to the one they speak to, or with a passive: "you can't call".
var inabilities = []string{"can't", "cant", "cannot", "can not", "could not", "couldn't"}

// ceasing forbid what the word behind them does: "avoid calling".
var ceasing = []string{"hold off on", "hold off", "forget about", "stop", "quit", "avoid", "refrain from", "abstain from", "cease"}

var (
	// encouraging turn a negation into a request: "don't forget to".
	encouraging = words("forget hesitate worry mind fail miss wait disturb be mention")
	// stative are what people ask each other about: "don't you have some jazz?".
	stative = words("know have remember think care feel see understand believe own recall hear like mind need")
	// persons say things of themselves, with other words than those that wish.
	persons = words("i we they he she it")
	wishing = words("want wanna wish")
	// conditions make a statement of what follows.
	conditions = words("if when unless whenever in case that who which why while until since or whether")
	// postponing words say from when on something is not forbidden any more.
	postponing = words("until till unless")
	// ofModals are the words around a negation that leave its subject before them.
	ofModals = words("must should may can could shall will would ought is are it's really definitely absolutely just")
	// asides stand between commas behind a negation: "do not, under any circumstances, call".
	asides = words("under in at for on whatever ever please i no by and")
	// meaning explains what was said before: "it, I mean the door".
	meaning = []string{"i mean", "namely", "that is", "meaning", "i am talking about", "i'm talking about", "by which i mean"}
)

// negation is a clause, or its end, that is forbidden.
type negation struct {
	at      int    // the index of the first of the words
	words   []word // behind the phrase; not empty
	phrase  int    // the index of the phrase
	subject span   // of a passive: "Ann must not be called"
	ability bool   // what can't be done
	ceasing bool   // what shall come to an end
}

func (r *Request) negations() (list []negation) {
	last := 0
	for i := range r.words {
		n, ok := r.negation(i)
		if !ok {
			continue
		}
		if r.isPassive(n.at) {
			n.subject = r.subject(i, last)
		}
		last = n.at + len(n.words)
		list = append(list, n)
	}
	return list
}

// negation reads a phrase at i that forbids something.
func (r *Request) negation(i int) (n negation, ok bool) {
	end := r.longest(i, negations)
	n.phrase = i
	if end == 0 {
		if end = r.longest(i, inabilities); end > 0 && (r.before(i) == "you" || r.isPassive(end)) {
			n.ability = true
		} else if end = r.longest(i, ceasing); end > 0 && !r.isDoing(i, end) {
			end = 0
		} else if end > 0 {
			n.ceasing = r.words[i].text == "stop" || r.words[i].text == "quit"
		}
	}
	if end == 0 || !r.oneClause(i, end) || r.isJoined(i, end) {
		return n, false
	}
	clause := r.words[i].clause
	if from := r.behindAside(end, clause); from > end {
		end, clause = from, r.words[from].clause
	}
	n.at, n.words = end, r.within(end, clause, longestClause)
	if to := end + len(n.words); len(n.words) > 0 && to < len(r.words) && r.longest(to, meaning) > 0 {
		n.words = r.words[end : to+len(r.within(to, r.words[to].clause, longestClause))]
	}
	return n, len(n.words) > 0 && !r.stated(i, end)
}

// isDoing reports whether a word for an end at i has what ends behind it, and is no part of
// another negation: "can't stop playing".
func (r *Request) isDoing(i, end int) bool {
	next := r.at(end)
	if r.before(i) == "to" && !intending.has(r.at(i-2)) { // "the back road to avoid waking her"
		return false
	}
	return strings.HasSuffix(next, "ing") && len(next) > len("thing") && !noDoing.has(next) && r.words[i].clause == r.words[end].clause &&
		!slices.Contains(inabilities, r.before(i)) && !slices.Contains(negations, r.before(i)) && r.before(i) != "not" && !persons.has(r.before(i))
}

var intending = words("want like prefer try need have wish")

var noDoing = words("anything something nothing everything morning evening during spring string ceiling building")

// behindAside is where a clause goes on that begins with an aside; 0 for nowhere.
func (r *Request) behindAside(end, clause int) int {
	if end >= len(r.words) || r.words[end].clause == clause || r.between(end) != "," || !asides.has(r.words[end].text) {
		return 0
	}
	to := end + len(r.within(end, r.words[end].clause, mostAside))
	if to == len(r.words) || r.between(to) != "," {
		return 0
	}
	return to
}

// mostAside is how many words an aside has.
const mostAside = 6

// isPassive reports whether the words at i are what is done to a subject: "be called".
func (r *Request) isPassive(i int) bool {
	if first := r.at(i); first != "be" && first != "get" && first != "ever" {
		return false
	}
	for j := i; j < i+3 && j < len(r.words); j++ {
		switch w := r.words[j].text; {
		case w == "be", w == "get", w == "ever", strings.HasSuffix(w, "ly"):
		default:
			return j > i && (r.words[i].text != "ever" || r.at(j-1) == "be") && isPast(w)
		}
	}
	return false
}

var (
	pastForms = words("sent told gave given took taken did done made came got said found paid bought brought left kept wrote written spoke spoken " +
		"drove began ran won lost sold met had been shown played shut hidden held built woken woke lit fed rung rang sung heard shared set put read cut run")
	// timeless are the past forms that the present has too.
	timeless = words("set put read cut run shut")
)

// isPast reports whether a word is a past form, or a participle.
func isPast(w string) bool {
	return pastForms.has(w) || strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "eed") && len(w) > 4
}

// subject are the words before the phrase at i that a passive is about, from an index on.
func (r *Request) subject(i, from int) span {
	to := i
	for to > from && r.before(to) != "" && ofModals.has(r.words[to-1].text) {
		to--
	}
	start := to
	for start > from && to-start < longestClause && r.before(start) != "" {
		start--
	}
	commanded := false
	for k := start; k < to; k++ {
		commanded = commanded || commands.has(r.words[k].text) && r.begins(k)
		if commanded && (joins.has(r.words[k].text) || r.words[k].text == "so") {
			start = k + 1
		}
	}
	if to-start == 1 && pronouns.has(r.words[start].text) && start > from {
		before := r.words[start-1].clause
		k := start - 1
		for k > from && start-k < longestClause && r.words[k-1].clause == before {
			k--
		}
		if !commands.has(r.words[k].text) {
			start = k
		}
	}
	return span{start, to}
}

var pronouns = words("it he she they this that these those")

// stated reports whether the negation from i to end forbids nothing.
func (r *Request) stated(i, end int) bool {
	before, next, second := r.before(i), r.at(end), r.at(end+1)
	plain := r.text[r.words[i].at:r.words[end-1].end]
	first := r.words[i].text
	switch {
	case r.isPassive(end):
		return r.blandPassive(i, end)
	case encouraging.has(next) || next == "bother" && !aboutDoing(second):
		return true
	case first == "never" && isPast(next) && !timeless.has(next): // "you never called"
		return !ensured(r, i)
	case next == "let" && encouraging.has(r.at(end+2)): // "don't let me forget"
		return true
	case first == "not" && (definite.has(next) || articles.has(next) || next != "" && next[0] <= '9'): // "not to 5"
		return true
	case conditions.has(before): // "why don't you", "if not"
		return true
	case before == "you" && conditions.has(r.before(i-1)) && end > i: // "if you can't"
		return true
	case before == "you" && r.at(i-2) == "come" && r.at(i-3) == "how": // "how come you don't"
		return true
	case next == "you" && stative.has(second):
		return true
	case next == "want" && second == "to" && encouraging.has(r.at(end+2)):
		return true
	case first == "may" && before != "you", first == "not" && (before == "i'm" || before == "decided" || before == "chose"):
		return true
	case persons.has(before) && slices.Contains(given, plain): // "I forbid you"
		return false
	case persons.has(before) && !obliging(plain):
		youShould := next == "think" && second == "you"
		return !wishing.has(next) && !youShould && (next != "need" || second != "you") || i >= 2 && conditions.has(r.before(i-1))
	case before != "" && r.words[i].text == "never" && thirdPerson(next): // "my phone never rings"
		return true
	case r.words[i].text == "no" && (next == "need" || next == "want" || next == "needed"): // "no longer need it"
		return true
	default:
		return false
	}
}

// given are phrases that people say of themselves when they forbid something.
var given = []string{"forbid you", "prohibit you", "wouldn't want you", "would not want you", "prefer you didn't", "prefer you did not", "prefer that you don't",
	"prefer if you didn't", "prefer it if you didn't"}

// blandPassive reports whether a negation before a passive forbids nothing: "don't be scared",
// "if it must not be called".
func (r *Request) blandPassive(i, end int) bool {
	switch w := r.words[i].text; {
	case w == "don't", w == "dont", w == "do":
		return r.at(end) == "be"
	case r.before(i) == "i", r.before(i) == "we": // "I cannot be disturbed"
		return r.longest(i, inabilities) > 0
	}
	start := i
	for start > 0 && i-start < longestClause && r.before(start) != "" {
		start--
	}
	if r.words[i].text == "never" && start == i {
		return true
	}
	return start < i && conditions.has(r.words[start].text) && r.words[start].text != "in" && r.words[start].text != "that" || conditions.has(r.before(i))
}

// ensured reports whether the clause before i asks to see to something: "make sure Ann is".
func ensured(r *Request, i int) bool {
	for k := i - 1; k >= 0 && i-k < mostNear && r.words[k].clause == r.words[i].clause; k-- {
		if w := r.words[k].text; w == "sure" || w == "ensure" {
			return true
		}
	}
	return false
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

// Negated reports whether something is forbidden in the request. What a message or a quotation
// forbids counts: a tool's trigger finds its words there as well. What happened, or did not, does
// not count, nor does a request to stop something, which a tool may do.
func (r *Request) Negated() bool {
	_, taken := r.retraction()
	return taken > 0 || slices.ContainsFunc(r.negations(), func(n negation) bool { return !n.ceasing })
}

var (
	// unspecific are words of tools' names that say nothing about what a tool does.
	unspecific = words("get set the and for with add new all any one")
	// leadingOn stand between a negation and what it forbids, and don't count.
	leadingOn = words("ever you to please dare go ahead and want me us i be")
	// stopping are words for bringing something to its end.
	stopping      = words(stoppingText)
	stoppingStems = stems(stoppingText)
)

const stoppingText = "stop cancel delete remove disable dismiss end mute pause silence block unsubscribe clear off quit abort close"

// nearWords is how close behind a negation a word of a tool's name has to be.
const nearWords = 3

// nameWords are the stems of the words of a tool's name that say what it does.
func nameWords(tool string) (name []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(tool), func(c rune) bool { return c == '_' || c == '-' || c == ' ' || c == '.' }) {
		if len(w) >= 3 && !unspecific.has(w) {
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
	request *Request
	list    []*prohibition
	rest    *spoken
	today   time.Time // zero when nothing says it
	dates   []Date    // that the request names, once they are asked for
	dated   bool
}

// days are the days that the request names.
func (p *prohibitions) days() []Date {
	if !p.dated && !p.today.IsZero() {
		p.dates = p.request.Dates(p.today)
	}
	p.dated = true
	return p.dates
}

// prohibition is read on demand: a text may consist of them.
type prohibition struct {
	negation
	request   *Request
	split, to int  // the indexes of "until", and of the end
	noted     bool // behind "Note:", which asks for a note or points out something
	read      bool

	clause, postponed, after *spoken // to "until", from there on, and behind the clause
}

// prohibitions are the negations but for those that a quotation has, or a text that shall be
// written.
func (r *Request) prohibitions() *prohibitions {
	p := &prohibitions{request: r}
	var forbidden []span
	list := r.negations()
	if len(list) == 0 {
		return p
	}
	quoted := spans(r.text)
	for _, n := range list {
		dictated, noted := r.dictated(n.phrase)
		if within(&quoted, r.words[n.phrase].at, n.words[0].end) || dictated {
			continue
		}
		end := n.at + len(n.words)
		from := n.at
		if n.subject.from < n.subject.to {
			from = n.subject.from
		}
		forbidden = append(forbidden, span{from, end})
		split := n.at
		for split < end && !postponing.has(r.words[split].text) {
			split++
		}
		p.list = append(p.list, &prohibition{negation: n, request: r, split: split, to: end, noted: noted})
	}
	if len(p.list) > 0 {
		p.rest = r.say(r.outside(forbidden)...)
	}
	return p
}

// within reports whether bytes of a text are in one of the spans; those before are dropped.
func within(list *[]written, from, to int) bool {
	for len(*list) > 0 && (*list)[0].end <= from {
		*list = (*list)[1:]
	}
	return len(*list) > 0 && (*list)[0].at <= from && to <= (*list)[0].end
}

func (p *prohibition) readParts() {
	if p.read {
		return
	}
	p.read = true
	p.clause, p.postponed = p.request.say(p.subject, span{p.at, p.split}), p.request.say(span{p.split, p.to})
	p.after = p.request.say(span{p.to, min(len(p.request.words), p.to+longestClause)})
}

// forbidden are the words near the phrase, for a passive on both sides of it.
func (p *prohibition) forbidden(own map[string]bool) []word {
	list := near(p.words, own)
	if p.ceasing {
		return list[:min(len(list), 1)]
	}
	if joins.has(p.request.before(p.phrase)) { // "be played and never be stopped"
		return list
	}
	from := max(p.subject.from, p.subject.to-nearWords)
	return append(list, p.request.words[from:p.subject.to]...)
}

// isIn reports whether the negation is a part of a value that the request gives behind a verb:
// "text Leo he shouldn't message me".
func (p *prohibition) isIn(value []word) bool {
	r, tried := p.request, 0
	for k := range value {
		if value[k].text != r.words[p.phrase].text {
			continue
		}
		if tried++; tried > nearWords {
			return false
		}
		start := p.phrase - k
		if (start > r.firstCommand() || start > 0 && r.writes(start-1) >= 0) && sameWords(value, r.words, k, start) {
			return true
		}
	}
	return false
}

// sameWords compares the words of a value around the k-th with those of a request from start on.
func sameWords(value, words []word, k, start int) bool {
	for j := max(0, k-longestClause); j < min(len(value), k+longestClause); j++ {
		if start+j >= len(words) || words[start+j].text != value[j].text {
			return false
		}
	}
	return k+1 < len(value)
}

// near are the words of a clause up to the third that counts. Words that lead on, particles and
// a call's own values don't: "turn on the kitchen" stands between "don't" and "lights".
func near(clause []word, own map[string]bool) (list []word) {
	counted := 0
	for _, w := range clause {
		if postponing.has(w.text) || counted == nearWords || len(list) == mostNear {
			break
		}
		if leadingOn.has(w.text) && (w.text != "go" || len(list) == 0) {
			continue
		}
		list = append(list, w)
		if !passing.has(w.text) && !own[stem(w.text)] {
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
	if p.request.retracts(name) {
		return true
	}
	parts := strings.FieldsFunc(strings.ToLower(tool), func(c rune) bool { return c == '_' || c == '-' })
	ends := hasWord(parts, stopping)
	writes := hasWord(parts, writingVerbs)
	var looked []*sought
	var texts [][]word // of the values with several words
	for _, v := range values {
		looked = append(looked, look(v))
		if strings.ContainsAny(strings.TrimSpace(v), " \n") {
			texts = append(texts, NewRequest(v).words)
		}
	}
	return slices.ContainsFunc(p.list, func(one *prohibition) bool {
		var matched []string
		stops, forbidden := false, one.forbidden(own)
		if undoes(forbidden, nameAndShort(tool), own) || one.noted && writes {
			return false
		}
		for _, w := range forbidden {
			if s := stem(w.text); slices.Contains(name, s) {
				matched = append(matched, s)
			}
			stops = stops || stoppingStems.has(stem(w.text))
		}
		// "don't play this any more" asks for what ends it.
		if len(matched) == 0 || ends && !stops || one.goesOn(ends, own) {
			return false
		}
		if slices.ContainsFunc(texts, one.isIn) {
			return false
		}
		one.readParts()
		return !one.reopens(forbidden, name, looked) && !one.corrected(tool, looked, own, p.days()) &&
			!one.forbidsElse(p.rest, forbidden, tool, looked) && !one.forgiven(p.rest, forbidden, matched, looked)
	})
}

// goesOn reports whether something shall not come to an end, "don't stop playing", and a call does
// not end it; or whether it shall, and the call does.
func (p *prohibition) goesOn(ends bool, own map[string]bool) bool {
	if p.ceasing {
		for s := range own {
			if stoppingStems.has(s) {
				return true
			}
		}
		return false
	}
	return !ends && len(p.words) > 1 && (p.words[0].text == "stop" || p.words[0].text == "quit") && strings.HasSuffix(p.words[1].text, "ing")
}

// reopens reports whether a call is what the prohibition asks for in its end: later, or the
// opposite of what must not stay.
func (p *prohibition) reopens(near []word, name []string, values []*sought) bool {
	if slices.ContainsFunc(values, p.postponed.has) {
		return true
	}
	if len(near) == 0 || !staying.has(near[0].text) {
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
func (p *prohibition) forgiven(rest *spoken, near []word, matched []string, values []*sought) bool {
	again := len(matched) > 0 && !slices.ContainsFunc(matched, func(w string) bool { return !rest.stems[w] })
	if !again && !p.after.stems["instead"] && anyWord(near, somebody) {
		return false // "don't call him, Bob is asleep"
	}
	if p.ability && slices.ContainsFunc(p.words, func(w word) bool { return isPast(w.text) && rest.stems[stem(w.text)] }) && (p.after.stems["it"] || p.after.stems["them"]) {
		return true // "the light can't be turned on, turn it on"
	}
	elsewhere := false
	for _, v := range values {
		inside, outside := p.clause.has(v), rest.has(v)
		if inside && !outside && !isPole(v.text) {
			return false
		}
		elsewhere = elsewhere || outside && !inside && (again || p.after.has(v))
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
