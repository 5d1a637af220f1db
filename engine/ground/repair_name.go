package ground

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// Which half of a name a property holds.
const (
	firstHalf = 1
	lastHalf  = 2
)

var (
	halves = map[string]int{
		"first": firstHalf, "given": firstHalf, "forename": firstHalf, "firstname": firstHalf, "givenname": firstHalf, "fname": firstHalf,
		"last": lastHalf, "surname": lastHalf, "family": lastHalf, "lastname": lastHalf, "familyname": lastHalf, "lname": lastHalf,
	}
	// plainHalves may stand anywhere in a key; the others are behind "name" or at the end.
	plainHalves = words("forename firstname givenname fname surname lastname familyname lname")
)

// nameHalf is which half of a name a key is about, 0 for none, and what else the key says:
// whose.
func nameHalf(key string) (whose string, half int) {
	list := keyWords(key)
	for i, w := range list {
		if halves[w] == 0 {
			continue
		}
		rest := list[i+1:]
		switch {
		case len(rest) > 0 && (rest[0] == "name" || rest[0] == "names"):
			rest = rest[1:]
		case len(rest) > 0 && !plainHalves.has(w):
			return "", 0
		}
		return strings.Join(append(list[:i:i], rest...), " "), halves[w]
	}
	return "", 0
}

// splitNames puts a full name's halves where they belong. Splitting is about blanks, not
// language; titles are English and a few others', and what is filled in from the request
// needs English around it: elsewhere nouns have capitals too.
func splitNames(j *judge, rule string) {
	var s *spellings
	english := sync.OnceValue(j.request.isEnglish)
	eachCall(func(e *editor) {
		for _, p := range e.namePairs() {
			if s == nil {
				s = newSpellings(j.request.text)
			}
			n := &namer{e, s, p, english}
			n.repair()
		}
	})(j, rule)
}

// namePair are the two halves of a name in one object. A half that is not there has no value.
type namePair struct{ first, last argument }

// namePairs are the pairs that are clear: one of each half, strings that may be anything.
func (e *editor) namePairs() (list []namePair) {
	e.tools.eachObject(*e.call, func(o argument) {
		var order []string
		found := map[string][]argument{}
		take := func(name string, v *jsontext.Value) {
			whose, half := nameHalf(name)
			if half == 0 {
				return
			}
			if found[whose] == nil {
				order = append(order, whose)
			}
			found[whose] = append(found[whose], argument{o.property(name), v, o.value, o.path.To(name), o.requires(name)})
		}
		for _, m := range o.value.Members {
			take(m.Key, m.Value)
		}
		for _, name := range o.properties() {
			if o.value.Last(name) == nil {
				take(name, nil)
			}
		}
		for _, whose := range order {
			if p, ok := pairOf(found[whose]); ok {
				list = append(list, p)
			}
		}
	})
	return list
}

func pairOf(list []argument) (p namePair, ok bool) {
	if len(list) != 2 || !list[0].isFreeText() || !list[1].isFreeText() || list[0].value == nil && list[1].value == nil {
		return p, false
	}
	_, x := nameHalf(list[0].key)
	_, y := nameHalf(list[1].key)
	if x > y {
		list[0], list[1] = list[1], list[0]
	}
	return namePair{list[0], list[1]}, x != y
}

// isFreeText reports whether an argument, there or not, may hold any string.
func (a *argument) isFreeText() bool {
	return (a.value == nil || a.value.Is(jsontext.String) || a.value.Is(jsontext.Null)) &&
		!a.listed() && !a.grounded() && (a.takes("string") || !a.has("type"))
}

// words are those of a name, none of what is not there.
func (a *argument) nameWords() []string {
	if !a.value.Is(jsontext.String) {
		return nil
	}
	return strings.Fields(a.value.Text)
}

// namer repairs one name.
type namer struct {
	*editor
	*spellings
	pair    namePair
	english func() bool // the request is
}

// mostSteps bounds the steps in which a name is repaired; what they don't settle stays.
const mostSteps = 8

func (n *namer) repair() {
	first, last := n.pair.first.nameWords(), n.pair.last.nameWords()
	if len(first)+len(last) > 20 {
		return
	}
	f, l := first, last
	for range mostSteps {
		nextF, nextL, ok := n.step(f, l)
		if !ok {
			n.write(f, l, slices.Equal(f, first), slices.Equal(l, last))
			return
		}
		f, l = nextF, nextL
	}
}

func (n *namer) write(first, last []string, sameFirst, sameLast bool) {
	var edits []edit
	if !sameFirst {
		edits = append(edits, n.pair.first.becomeText(strings.Join(first, " ")))
	}
	if !sameLast {
		edits = append(edits, n.pair.last.becomeText(strings.Join(last, " ")))
	}
	if len(edits) > 0 {
		n.change("a name's halves", edits...)
	}
}

// step makes one change to a name; ok is false when there is none to make. What it decides by
// does not depend on the case of the halves.
func (n *namer) step(first, last []string) (f, l []string, ok bool) {
	bare, bareLast := withoutTitles(first), withoutTitles(last)
	lacksFirst, lacksLast := n.lacks(first), n.lacks(last)
	switch {
	case n.isLabelled(first, firstLabels) || n.isLabelled(last, lastLabels):
	case len(last) > 0 && len(bare) > len(last) && equalWords(bare[len(bare)-len(last):], last):
		return n.withoutTail(bare, last)
	case len(bare) > 0 && len(bareLast) > len(bare) && equalWords(bareLast[:len(bare)], bare):
		return withoutHead(bare, bareLast)
	case len(bare) > 1 && equalWords(bare, bareLast):
		return n.split(bare)
	case lacksLast && len(bare) > 0 && !lacksFirst:
		return n.secondHalf(first, bare)
	case lacksFirst && len(bareLast) > 0 && !lacksLast:
		return n.firstHalf(last, bareLast)
	}
	if len(last) > 0 && len(bare) < len(first) && !equalWords(bare, last) {
		return bare, last, true
	}
	return nil, nil, false
}

// lacks reports whether a half is missing, or nobody said it.
func (n *namer) lacks(half []string) bool {
	return len(half) == 0 || !n.said.HasText(strings.Join(half, " "))
}

// withoutTail takes a last name from the end of a whole one; what leads it goes with it.
func (n *namer) withoutTail(whole, last []string) (f, l []string, ok bool) {
	if len(n.find(strings.Join(slices.Concat(whole, last), " "), 1)) > 0 { // "Ann Lee Lee"
		return nil, nil, false
	}
	at := len(whole) - len(last)
	for at > 0 && particles.has(lowered(whole[at-1])) {
		at--
	}
	if at == 0 {
		return nil, nil, false
	}
	if at == len(whole)-len(last) {
		return whole[:at], last, true
	}
	return whole[:at], whole[at:], true
}

// withoutHead takes a first name from the beginning of a whole one.
func withoutHead(first, whole []string) (f, l []string, ok bool) {
	at := len(first)
	if at == 1 && len(whole) > 2 && isDouble(whole) {
		return whole[:2], whole[2:], true
	}
	return first, whole[at:], true
}

// secondHalf finds the last name that goes with a first one which may be a whole name. A
// capital behind a whole name may be a part of it or not: nothing is done then.
func (n *namer) secondHalf(first, bare []string) (f, l []string, ok bool) {
	next, one := n.beside(bare, n.behind)
	if len(bare) > 1 && !(len(bare) == 2 && mayBeDouble(bare)) {
		if len(next) > 0 || !one || len(bare) == 2 && !n.isOnePerson(bare) {
			return nil, nil, false
		}
		return n.split(bare)
	}
	if len(next) == 0 || !one || mayBeDouble([]string{bare[len(bare)-1], next[0]}) {
		return nil, nil, false
	}
	return bare, next, true
}

// secondNames are often the second words of first names. As last names they are rarer, and
// what is lost by leaving a name together is less than a last name that nobody has.
var secondNames = words("ann anne anna annie marie maria mary jo joe joy lou lu mae may beth jane jean rose grace sue kate ellen ellie elle lynn lynne jay ray bob " +
	"paul pierre luc claude claire louise sophie elena luisa teresa carmen jose josé luis carlos pablo antonio manuel miguel maría peter")

// mayBeDouble reports whether two words may be one first name.
func mayBeDouble(name []string) bool { return isDouble(name) || secondNames.has(lowered(name[1])) }

// isOnePerson reports whether two words are the first name and the last name of somebody: a
// last name has to be there, or was left empty, and the request has its word in the whole name
// only and as no thing.
func (n *namer) isOnePerson(whole []string) bool {
	if n.pair.last.value == nil && !n.pair.last.required {
		return false
	}
	together := n.find(strings.Join(whole, " "), mostHits)
	for _, w := range together {
		if n.isThing(whole[1], w) {
			return false
		}
	}
	return len(n.find(whole[1], mostHits)) == len(together) && !n.isTaken(whole[1], whole[0])
}

func (n *namer) firstHalf(last, bare []string) (f, l []string, ok bool) {
	if len(bare) > 1 && !particles.has(lowered(bare[0])) {
		return n.split(bare)
	}
	next, one := n.beside(bare, n.before)
	if len(next) == 0 || !one {
		return nil, nil, false
	}
	return next, bare, true
}

// split takes a whole name apart where that is clear: behind the only other word, in front of
// a particle, behind initials or a double first name.
func (n *namer) split(whole []string) (f, l []string, ok bool) {
	spelt, ok := n.named(whole)
	if !ok || isParticle(spelt, 0) {
		return nil, nil, false
	}
	end := len(whole)
	if end > 2 && suffixes.has(withoutDot(whole[end-1])) {
		end--
	}
	at := 1
	for at < end-1 && !isParticle(whole, at) {
		at++
	}
	switch {
	case isParticle(whole, at) && at < end-1:
	case end == 2 && !mayBeDouble(whole), end == 3 && isDouble(whole):
	case end > 2 && !slices.ContainsFunc(whole[1:end-1], func(w string) bool { return !isInitial(w) }):
	default:
		return nil, nil, false
	}
	return spelt[:at], spelt[at:], true
}

// named is a whole name, which the conversation has with capitals, as it is written there.
func (n *namer) named(whole []string) (spelt []string, ok bool) {
	text := strings.Join(whole, " ")
	if len(whole) > 6 || !n.said.HasText(text) {
		return nil, false
	}
	for _, w := range n.find(text, 1) {
		if spelt = strings.Fields(n.spelt(w)); len(spelt) == len(whole) && hasNameForm(spelt) {
			return spelt, true
		}
	}
	return whole, hasNameForm(whole)
}

// hasNameForm reports whether words are all capitalised, particles aside, and of letters.
func hasNameForm(list []string) bool {
	for _, w := range list {
		first, _ := utf8.DecodeRuneInString(w)
		if !isCapital(first) && !particles.has(lowered(w)) && !suffixes.has(withoutDot(w)) || strings.ContainsFunc(w, func(r rune) bool { return !inName(r) && r != '.' }) {
			return false
		}
	}
	return true
}

func inName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || isApostrophe(r) || r == '-' || r == '‐' || r == '‑'
}

// beside is the capitalised word, with its particles, that stands beside a name wherever the
// request has it. one is false where there are several, or it is not clear that it is a name.
func (n *namer) beside(half []string, look func(written) ([]string, bool)) (next []string, one bool) {
	found := n.find(strings.Join(half, " "), mostHits)
	for _, w := range found {
		words, clear := look(w)
		if !clear || next != nil && words != nil && !slices.Equal(next, words) {
			return nil, false
		}
		if words != nil {
			next = words
		}
	}
	if next != nil && (n.shouted || !n.english() || n.isTaken(strings.Join(next, " "), strings.Join(half, " "))) {
		return nil, false
	}
	return next, true
}

// behind is the last name behind a first one.
func (n *namer) behind(w written) (next []string, clear bool) {
	if before, at := n.wordBefore(w.at); isName(before) && !n.startsSentence(at) {
		return nil, false
	}
	word, end := n.wordBehind(w.end)
	for particles.has(lowered(word)) && len(next) < 4 {
		next = append(next, word)
		word, end = n.wordBehind(end)
	}
	if !isName(word) {
		return nil, true
	}
	if more, _ := n.wordBehind(end); isName(more) && !suffixes.has(lowered(more)) {
		return nil, false
	}
	return append(next, withoutGenitive(word)), !isInitial(word) && !n.isThing(word, written{w.at, end})
}

var (
	// giving are verbs that have a thing behind the person: "get Ada Tylenol".
	giving = words("book get give buy bring order send fetch make reserve grab pour cook play read lend pay hand pass sell win ship mail show teach fly find deny offer owe serve")
	// services are with a capital where they are sold.
	services = words("economy business premium first class coach standard deluxe superior suite vip platinum gold silver bronze basic pro plus family king queen twin single double " +
		"breakfast lunch dinner brunch uber lyft taxi tickets ticket flight hotel")
	// behindNames may go on behind a name that no mark ends.
	behindNames = words("a about above after ago all also am an and any are as at be because been before behind below beside besides between but by called can could did do does " +
		"during each every except for from had has have he her here him his how i if in instead inside into is isn't it its just last like may me might " +
		"must my named near next not now of off on one or our out outside over please she should since so soon than that the their them then there these they " +
		"this those through til till to today tomorrow tonight too two under until up via was we were what when where which while who whose will with without would you your " +
		"asap again arriving born living staying works lives wants needs said says using under")
)

// isThing reports whether a word at the end of what stands in the request is, by what stands
// around it, hardly a last name: "book Ada Economy", "Ada Economy class".
func (n *namer) isThing(word string, w written) bool {
	if services.has(lowered(withoutGenitive(word))) {
		return true
	}
	if verb, _ := n.wordBefore(w.at); giving.has(lowered(verb)) {
		return true
	}
	next, _ := n.wordBehind(w.end)
	first, _ := utf8.DecodeRuneInString(next)
	return next != "" && word == withoutGenitive(word) && unicode.IsLower(first) && n.english() && !behindNames.has(straight.Replace(lowered(next))) &&
		!particles.has(lowered(next)) && !suffixes.has(lowered(next))
}

// before is the first name in front of a last one. The capital of a sentence's first word
// says nothing.
func (n *namer) before(w written) (next []string, clear bool) {
	word, at := n.wordBefore(w.at)
	if !isName(word) || n.startsSentence(at) {
		return nil, true
	}
	if more, start := n.wordBefore(at); isName(more) && !n.startsSentence(start) {
		return nil, false
	}
	return []string{word}, !isInitial(word) && word == withoutGenitive(word)
}

// wordBehind is the word directly behind a byte of the request, "" when a mark is between, and
// where it ends.
func (n *namer) wordBehind(at int) (word string, end int) {
	rest := n.text[at:]
	start := strings.TrimLeft(rest, " \u00a0")
	if len(start) == len(rest) {
		return "", at
	}
	length := strings.IndexFunc(start, func(r rune) bool { return !inName(r) })
	if length < 0 {
		length = len(start)
	}
	return start[:length], at + len(rest) - len(start) + length
}

// wordBefore is the word directly before a byte of the request, and where it begins. A title's
// dot is no mark between.
func (n *namer) wordBefore(at int) (word string, start int) {
	head := strings.TrimRight(n.text[:at], " \u00a0")
	if len(head) == at {
		return "", at
	}
	bare := strings.TrimSuffix(head, ".")
	start = strings.LastIndexFunc(bare, func(r rune) bool { return !inName(r) })
	if start >= 0 {
		_, size := utf8.DecodeRuneInString(bare[start:])
		start += size
	} else {
		start = 0
	}
	if word = bare[start:]; len(bare) < len(head) && !abbreviates(word+".") {
		return "", at
	}
	return word, start
}

// isTaken reports whether another argument of the call has what was found, and not the name's
// other half with it, or may have it as an option.
func (n *namer) isTaken(name, half string) bool {
	word := plain(name)
	for _, a := range n.leaves() {
		if a.value != n.pair.first.value && a.value != n.pair.last.value {
			if text := plain(a.value.Text); strings.Contains(text, word) && !strings.Contains(text, plain(half)) {
				return true
			}
		}
	}
	arguments := n.arguments()
	return slices.ContainsFunc(arguments.properties(), func(key string) bool {
		at := arguments.property(key)
		return slices.ContainsFunc(at.options(), func(o string) bool { return strings.Contains(plain(o), word) })
	})
}

// firstLabels and lastLabels are what announces one half only, in English.
var (
	firstLabels = []string{"first name", "given name", "forename", "first_name", "firstname"}
	lastLabels  = []string{"last name", "surname", "family name", "last_name", "lastname"}
)

// isLabelled reports whether the request says of several words that they are one half.
func (n *namer) isLabelled(half, labels []string) bool {
	if len(half) < 2 {
		return false
	}
	for _, w := range n.find(strings.Join(half, " "), mostHits) {
		head := lowered(n.text[max(0, w.at-32):w.at])
		head = strings.TrimRight(head, " :=\"'“‘")
		for _, verb := range []string{" is", " as", " of"} {
			head = strings.TrimSuffix(head, verb)
		}
		if slices.ContainsFunc(labels, func(l string) bool { return strings.HasSuffix(strings.TrimRight(head, " :="), l) }) {
			return true
		}
	}
	return false
}
