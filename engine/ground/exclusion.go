package ground

import (
	"slices"
	"strings"
)

// exclusions are the phrases before what is left out.
var exclusions = []string{
	"except", "except for", "all but", "everything but", "everyone but", "everybody but", "anything but", "anyone but", "other than",
	"apart from", "aside from", "excluding", "not including", "leave out", "leaving out", "but not", "but skip", "but leave out",
	"with the exception of", "instead of", "rather than",
}

const (
	// mostExcluded is how many words a phrase leaves out.
	mostExcluded = 4
	// mostListed is how many words of a list after a comma may be left out as well.
	mostListed = 12
)

var (
	// exceptions begin a condition: "except when", or no exclusion at all: "not only".
	exceptions = words("that when if this")
	hedges     = words("only just sure too very yet so later more less enough until before after a an even really that to all forgetting least")
	// auxiliary words make a statement of "not".
	auxiliary = words("do does did is are was were am be will would should could can must may might have has had or if why sure " +
		"it's that's there's he's she's i'm we're they're you're whether of for to need better rather please let's lets not and")
	articles = words("the a an my our your his her their any in on at for from with to about")
)

// exclusion is what one phrase leaves out.
type exclusion struct {
	span           // with the further items, as far as they are short
	said   *spoken // the first item
	first  string  // in plain words
	others []string
	behind []string // of a list that goes on behind a comma
}

// exclusion reads a phrase at i that leaves something out.
func (r *Request) exclusion(i int) (x exclusion, ok bool) {
	from := r.longest(i, exclusions)
	if from == 0 && uncommon.has(r.words[i].text) && r.ofAll(i) {
		if from = i + 1; r.at(from) == "for" {
			from++
		}
	}
	if from == 0 && r.words[i].text == "not" && !auxiliary.has(r.before(i)) && !hedges.has(r.at(i+1)) && i > 0 {
		from = i + 1
	}
	if from == 0 {
		return r.around(i)
	}
	if from == len(r.words) || exceptions.has(r.words[from].text) || r.onlyThat(i) {
		return x, false
	}
	words := r.within(from, r.words[from].clause, mostListed)
	words = words[:r.leftOut(from, words)]
	to := from + min(joint(words), unnamed(words)+mostExcluded)
	x.said = r.say(span{from, to})
	if list := items(r.words[from:to]); len(list) > 0 {
		x.first = list[0]
	}
	x.span = span{from, to}
	if rest := words[to-from:]; len(rest) > 0 && joins.has(rest[0].text) {
		for len(rest) > 0 {
			length := 1 + joint(rest[1:])
			if length <= mostExcluded {
				x.to = to + length
			}
			x.others = append(x.others, items(rest[:length])...)
			to, rest = to+length, rest[length:]
		}
	}
	x.behind = r.listBehind(from + len(words))
	return x, !r.isFact(i, x) && !r.adds(i, from)
}

var (
	joins = words("and or nor")
	// uncommon leave something out of all, and mean something else elsewhere.
	uncommon = words("besides save minus skip")
	// universal are words for all.
	universal = words("all every everything everyone everybody everywhere any anything anyone anybody anywhere whole entire")
	// behindItems are the words that an item ends at.
	behindItems = words("in to for under on at with from by over above below between before after during into onto via through within around " +
		"against as than where because who which please")
	// standIns take their place with them: "the one in the kitchen".
	standIns = words("one ones those that")
	// onlyWords turn the exceptions behind them to what is asked for: "don't delete anything but".
	onlyWords = words("don't dont not never nothing nobody mustn't shouldn't can't cannot won't")
)

// unnamed is how many words stand before the first that names something.
func unnamed(list []word) int {
	if i := slices.IndexFunc(list, func(w word) bool { return !articles.has(w.text) && !standIns.has(w.text) && !behindItems.has(w.text) }); i >= 0 {
		return i
	}
	return 0
}

// leftOut is how many of the words behind a phrase are left out: up to a preposition or a verb
// that asks for something else.
func (r *Request) leftOut(from int, list []word) int {
	named := false
	for k, w := range list {
		switch {
		case joins.has(w.text) && k+1 < len(list) && commands.has(list[k+1].text):
			return k
		case joins.has(w.text):
			named = false
		case !named && articles.has(w.text):
		case named && objects.has(w.text) && !behindItems.has(list[k-1].text) && !articles.has(list[k-1].text): // "but not Bob the news"
			return k
		case named && behindItems.has(w.text) && !standIns.has(list[k-1].text), named && commands.has(w.text):
			return k
		default:
			named = true
		}
	}
	return len(list)
}

var (
	// objects begin another thing than the one that is left out.
	objects = words("the a an my our your his their this")
	// concluding words begin what remains: "all but the hall, so kitchen and den".
	concluding = words("so then thus hence therefore meaning namely which that ie")
	// factual words make a statement of a clause; willing words a wish.
	factual = words("is are was were have has had got gets seem seems know knows i've we've you've they've he's she's it's they're we're everyone's everybody's everything's")
	willing = words("want wants wanna need needs wish like love prefer should must shall let i'd we'd let's gonna going to be")
	// singleOne and severalOnes stand for what was left out.
	singleOne   = words("it him her that this")
	severalOnes = words("them those these both")
	// adding words say that more is wanted, and not less: "apart from milk I also need eggs".
	adding = words("also too both additionally well")
)

// isFact reports whether an exception at i is stated of what is, and what the request asks for is the exception: "all
// doors are locked except the back door, lock it".
func (r *Request) isFact(i int, x exclusion) bool {
	start := i
	for start > 0 && i-start < longestClause && r.before(start) != "" {
		start--
	}
	stated := false
	for k := start; k < i; k++ {
		w := r.words[k].text
		if willing.has(w) || commands.has(w) && r.begins(k) {
			return false
		}
		stated = stated || factual.has(w) || isPast(w)
	}
	if !stated {
		return false
	}
	stands := singleOne
	if len(x.others)+len(x.behind) > 0 || strings.HasSuffix(strings.TrimSpace(x.first), "s") {
		stands = severalOnes
	}
	asked := false
	for k := x.to; k < min(len(r.words), x.to+mostListed); k++ {
		if asked && stands.has(r.words[k].text) {
			return true
		}
		asked = asked || commands.has(r.words[k].text) && r.begins(k)
	}
	return false
}

// adds reports whether "apart from" at i, at the beginning of a sentence, means "besides".
func (r *Request) adds(i, from int) bool {
	if w := r.words[i].text; w != "apart" && w != "aside" || r.before(i) != "" {
		return false
	}
	added := false
	for k := from; k < min(len(r.words), from+2*mostListed); k++ {
		if strings.ContainsAny(r.between(k), ".!?;") || universal.has(r.words[k].text) {
			return added && !universal.has(r.words[k].text)
		}
		added = added || adding.has(r.words[k].text)
	}
	return added
}

// ofAll reports whether a word for all stands closely before i; before "skip" it is in an earlier
// clause.
func (r *Request) ofAll(i int) bool {
	skips := r.words[i].text == "skip"
	if skips != (r.before(i) == "" || r.before(i) == "and" || r.before(i) == "but") {
		return false
	}
	near := nearWords
	if skips {
		near = mostListed
	}
	for k := i - 1; k >= max(0, i-near); k-- {
		if universal.has(r.words[k].text) {
			return true
		}
		if !skips && r.words[k].clause != r.words[i].clause {
			return false
		}
	}
	return false
}

// onlyThat reports whether the exception at i is of nothing: "don't call anyone but Bob".
func (r *Request) onlyThat(i int) bool {
	switch r.words[i].text {
	case "instead", "rather", "not", "skip", "leave", "leaving":
		return false
	}
	clause := r.words[i].clause
	if r.words[i].text == "but" || i > 0 && r.words[i-1].text == "but" {
		return false
	}
	for k := i - 1; k >= max(0, i-mostListed) && r.words[k].clause == clause; k-- {
		if onlyWords.has(r.words[k].text) {
			return true
		}
	}
	return false
}

// around reads an exclusion on both sides of its words: "leave the den alone", "the den excluded".
func (r *Request) around(i int) (x exclusion, ok bool) {
	from, to := i+1, i+1
	switch r.words[i].text {
	case "leave":
		for to < len(r.words) && to <= i+mostExcluded && r.words[to].clause == r.words[i].clause && !r.leaves(i, to) {
			to++
		}
		if to == len(r.words) || r.words[to].clause != r.words[i].clause || !r.leaves(i, to) {
			return x, false
		}
	case "excluded", "exempted", "excepted":
		if r.at(i+1) != "" && r.words[i+1].clause == r.words[i].clause {
			return x, false
		}
		for from, to = i, i; from > 0 && i-from < nearWords && r.before(from) != "" && !excludes.has(r.before(from)); from-- {
		}
	default:
		return x, false
	}
	list := items(r.words[from:to])
	if len(list) == 0 {
		return x, false
	}
	x.said, x.first, x.others, x.span = r.say(span{from, to}), list[0], list[1:], span{from, to}
	return x, true
}

// leaves reports whether the word at k ends what "leave" at i leaves out: "alone", or how it is behind a word for all.
func (r *Request) leaves(i, k int) bool {
	if leftAlone.has(r.words[k].text) {
		return true
	}
	return isPole(r.words[k].text) && anyWord(r.words[max(0, i-mostListed):i], universal)
}

var (
	leftAlone = words("alone untouched")
	// excludes are what no name in front of "excluded" has.
	excludes = words("all every everything everyone everybody everywhere with is are be the on off in at to for of not")
)

// joint is the index of the first word that joins items, or where the words end.
func joint(words []word) int {
	if i := slices.IndexFunc(words, func(w word) bool { return joins.has(w.text) }); i >= 0 {
		return i
	}
	return len(words)
}

// listBehind are the items of a list that goes on behind a comma: ", Ann and Carl".
func (r *Request) listBehind(end int) (list []string) {
	if end == len(r.words) || end == 0 || strings.TrimSpace(r.text[r.words[end-1].end:r.words[end].at]) != "," || concluding.has(r.words[end].text) {
		return nil
	}
	at, joined := end, false
	for at < len(r.words) && at < end+mostListed {
		if gap := r.between(at); at > end && gap != "" && gap != "," {
			break
		}
		if at > end && joined && r.between(at) == "," {
			break
		}
		joined = joined || joins.has(r.words[at].text)
		at++
	}
	if !joined {
		return nil
	}
	return r.commaItems(end, at)
}

// commaItems are the items between two words, divided by commas too.
func (r *Request) commaItems(from, to int) (list []string) {
	start := from
	for i := from + 1; i <= to; i++ {
		if i == to || r.between(i) == "," {
			list = append(list, items(r.words[start:i])...)
			start = i
		}
	}
	return list
}

// between is what stands between a word and the one before, without blanks.
func (r *Request) between(i int) string {
	return strings.TrimSpace(r.text[r.words[i-1].end:r.words[i].at])
}

// items are what "and" and "or" divide, without articles.
func items(words []word) (list []string) {
	var item []string
	flush := func() {
		if len(item) > 0 {
			list = append(list, plain(strings.Join(item, " ")))
		}
		item = nil
	}
	for _, w := range words {
		switch {
		case joins.has(w.text):
			flush()
		case len(item) == 0 && articles.has(w.text):
		default:
			item = append(item, w.text)
		}
	}
	flush()
	return list
}

// omissions are all exclusions of a request, and what else it says.
type omissions struct {
	request *Request
	list    []exclusion
	rest    *spoken
}

func (r *Request) omissions() *omissions {
	o := &omissions{request: r}
	var spans []span
	for i := range r.words {
		if x, ok := r.exclusion(i); ok {
			o.list, spans = append(o.list, x), append(spans, x.span)
		}
	}
	if len(spans) > 0 {
		o.rest = r.say(r.outside(spans)...)
	}
	return o
}

// Excludes reports whether a value is named among what the request leaves out, and not outside of
// it: "not the kitchen fan" leaves a kitchen that is asked for. A list that has it and leaves it
// out again does: "6, 7 and 8 except 7".
func (r *Request) Excludes(value string) bool { return r.omissions().exclude(value) }

func (o *omissions) exclude(value string) bool {
	if len(o.list) == 0 {
		return false
	}
	v := look(value)
	whole, said := v.words, o.rest.has(v)
	is := func(item string) bool { return alikeWords(item, whole) }
	isOne := func(item string) bool { return is(item) || alikeWords(withoutLast(item), whole) }
	asked := said && !o.listed(value)
	return slices.ContainsFunc(o.list, func(x exclusion) bool {
		return slices.ContainsFunc(x.behind, isOne) || !asked && (is(x.first) || slices.ContainsFunc(x.others, isOne)) ||
			x.said.has(v) && !said
	})
}

// listed reports whether a value is an item of a list of several before the first exclusion.
func (o *omissions) listed(value string) bool {
	r, v := o.request, strings.Fields(plain(value))
	for i := 0; i+len(v) <= o.list[0].from && len(v) > 0; i++ {
		end := i + len(v)
		same := true
		for k := range v {
			same = same && r.words[i+k].text == v[k]
		}
		if !same || end >= len(r.words) {
			continue
		}
		joined := joins.has(r.at(i-1)) || joins.has(r.at(end))
		if joined || r.between(end) == "," && end < o.list[0].from-1 && !commands.has(r.at(end)) {
			return true
		}
	}
	return false
}

// withoutLast are plain words but for the last: "hall" for "hall lights".
func withoutLast(words string) string {
	words = strings.TrimRight(words, " ")
	return words[:strings.LastIndexByte(words, ' ')+1]
}

// alikeWords compares plain words, but for a plural.
func alikeWords(x, y string) bool {
	return x == y || isPlural(x, y) || isPlural(y, x)
}

// isPlural reports whether plain words are others and an "s".
func isPlural(words, others string) bool {
	one, ok := strings.CutSuffix(words, "s ")
	return ok && len(others) > 1 && one == strings.TrimRight(others, " ")
}

// unasked marks the words that the request forbids or leaves out.
func (r *Request) unasked() []bool {
	marked := make([]bool, len(r.words))
	mark := func(p span) {
		for i := p.from; i < p.to; i++ {
			marked[i] = true
		}
	}
	for _, n := range r.negations() {
		mark(span{n.at, n.at + len(n.words)})
	}
	for i := range r.words {
		if x, ok := r.exclusion(i); ok {
			mark(x.span)
		}
	}
	return marked
}
