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
	hedges     = words("only just sure too very yet so later more less enough until before after a an even really that to all")
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
}

// exclusion reads a phrase at i that leaves something out.
func (r *Request) exclusion(i int) (x exclusion, ok bool) {
	from := r.longest(i, exclusions)
	if from == 0 && r.words[i].text == "not" && !auxiliary[r.before(i)] && !hedges[r.at(i+1)] && i > 0 {
		from = i + 1
	}
	if from == 0 || from == len(r.words) || exceptions[r.words[from].text] {
		return x, false
	}
	words := r.within(from, r.words[from].clause, mostListed)
	to := from + min(joint(words), mostExcluded)
	x.said = r.say(span{from, to})
	if list := items(r.words[from:to]); len(list) > 0 {
		x.first = list[0]
	}
	x.span = span{from, to}
	if rest := words[to-from:]; len(rest) > 0 && joins[rest[0].text] {
		for len(rest) > 0 {
			length := 1 + joint(rest[1:])
			if length <= mostExcluded {
				x.to = to + length
			}
			x.others = append(x.others, items(rest[:length])...)
			to, rest = to+length, rest[length:]
		}
	}
	x.others = append(x.others, r.listBehind(from+len(words))...)
	return x, true
}

var joins = words("and or nor")

// joint is the index of the first word that joins items, or where the words end.
func joint(words []word) int {
	if i := slices.IndexFunc(words, func(w word) bool { return joins[w.text] }); i >= 0 {
		return i
	}
	return len(words)
}

// listBehind are the items of a list that goes on behind a comma: ", Ann and Carl".
func (r *Request) listBehind(end int) (list []string) {
	if end == len(r.words) || end == 0 || strings.TrimSpace(r.text[r.words[end-1].end:r.words[end].at]) != "," {
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
		joined = joined || joins[r.words[at].text]
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
		case joins[w.text]:
			flush()
		case len(item) == 0 && articles[w.text]:
		default:
			item = append(item, w.text)
		}
	}
	flush()
	return list
}

// omissions are all exclusions of a request, and what else it says.
type omissions struct {
	list []exclusion
	rest *spoken
}

func (r *Request) omissions() *omissions {
	o := &omissions{}
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

// Excludes reports whether a value is named among what the request leaves out. One that is
// a part of that ("not the kitchen fan") must not be named outside of it.
func (r *Request) Excludes(value string) bool { return r.omissions().exclude(value) }

func (o *omissions) exclude(value string) bool {
	whole := plain(value)
	return slices.ContainsFunc(o.list, func(x exclusion) bool {
		if alikeWords(x.first, whole) || slices.ContainsFunc(x.others, func(item string) bool { return alikeWords(item, whole) || alikeWords(withoutLast(item), whole) }) {
			return true
		}
		return x.said.names(value) && !o.rest.names(value)
	})
}

// withoutLast are plain words but for the last: "hall" for "hall lights".
func withoutLast(words string) string {
	words = strings.TrimRight(words, " ")
	return words[:strings.LastIndexByte(words, ' ')+1]
}

// alikeWords compares plain words, but for a plural.
func alikeWords(x, y string) bool {
	return x == y || x != "" && x != " " && (strings.TrimRight(x, " ")+"s " == y || strings.TrimRight(y, " ")+"s " == x)
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
