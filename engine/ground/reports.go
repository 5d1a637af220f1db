package ground

import (
	"slices"
	"strings"
	"unicode/utf8"
)

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

// report is a quotation with what tells whose it is: the indexes of the words from the verb to the
// end of both, and the bytes of the quotation.
type report struct{ from, to, at, end int }

func (r *Request) reports() (list []report) {
	last := 0
	for i, w := range r.words {
		if w.quoted || i < last {
			continue
		}
		one, ok := r.reportBehind(i)
		if !ok {
			one, ok = r.reportBefore(i)
		}
		if ok {
			list = append(list, one)
			last = one.to
		}
	}
	return list
}

// reportBehind reads a quotation behind words of saying that begin at i.
func (r *Request) reportBehind(i int) (one report, ok bool) {
	verb, apart := r.tells(i)
	if verb < 0 {
		return one, false
	}
	from := r.words[verb].end
	open, end := soonQuoted(r.text[from:])
	if end == 0 || apart && !strings.Contains(r.text[from:from+open], ",") {
		return one, false
	}
	one = report{i, verb + 1, from + open, from + end}
	for one.to < len(r.words) && r.words[one.to].at < one.end {
		one.to++
	}
	return one, true
}

// tells is the index of the last of the words at i that tell what somebody said; negative for
// none. apart says that a comma has to follow.
func (r *Request) tells(i int) (last int, apart bool) {
	before, next := r.before(i), r.at(i+1)
	switch w := r.words[i].text; {
	case w == "told" && (next == "me" || next == "us"), saying.has(w):
		if r.ownWords(i) || writing.has(before) {
			return -1, false
		}
		return i, false
	case w == "like" && likening.has(before) && r.at(i-2) != "i" && r.at(i-2) != "what":
		return i, false
	case w == "reads" && legible.has(before):
		return i, false
	case legible.has(w) && (next == "was" || next == "were") && before != "my" && before != "our":
		return i + 1, false
	case w == "according" && next == "to" && r.at(i+2) != "my" && r.at(i+2) != "our":
		return i + 1, true
	}
	return -1, false
}

var (
	likening = words("was were is he's she's goes went")
	// legible are what other people's words stand in.
	legible = words("email mail message text letter sms memo sign post chat subject notification words request order orders question answer reply demand instruction instructions")
)

// reportBefore reads a quotation that begins a sentence, before a verb of saying at i: `"Call
// Ann," said Bob`.
func (r *Request) reportBefore(i int) (one report, ok bool) {
	if !saying.has(r.words[i].text) || r.ownWords(i) || r.at(i+1) == "i" || r.at(i+1) == "we" || i == 0 {
		return one, false
	}
	for k := i; k > max(0, i-nearWords); k-- {
		between := r.text[r.words[k-1].end:r.words[k].at]
		close := strings.IndexAny(between, quotes)
		if close < 0 {
			continue
		}
		end := r.words[k-1].end + close
		start := max(0, end-mostQuoted)
		open := strings.LastIndexAny(r.text[start:end], quotes)
		if open < 0 {
			return one, false
		}
		open += start
		before := strings.TrimSpace(r.text[:open])
		if before != "" && !strings.ContainsAny(before[len(before)-1:], ".!?:;") {
			return one, false
		}
		one = report{k, i + 1, open, end}
		for one.from > 0 && r.words[one.from-1].at > open {
			one.from--
		}
		return one, one.from < k
	}
	return one, false
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

// soonQuoted is where a quotation that begins soon in a text begins and ends; 0 for none. One that
// is left open goes on to the end.
func soonQuoted(text string) (from, to int) {
	if open := strings.IndexAny(text[:min(len(text), mostBetween)], quotes); open >= 0 {
		_, size := utf8.DecodeRuneInString(text[open:])
		if length := strings.IndexAny(text[open+size:], quotes); length >= 0 && length < mostQuoted {
			return open, open + size + length
		}
		return open, min(len(text), open+mostQuoted)
	}
	return singleQuoted(text)
}

// singleQuoted is where words between single quotes end, with which a text soon goes on.
func singleQuoted(text string) (from, to int) {
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
				return open, start + at
			}
			next := strings.Index(after, pair[1])
			if next < 0 {
				break
			}
			at += len(pair[1]) + next
		}
	}
	return 0, 0
}

// retelling is what a request tells that somebody said, and what else it says.
type retelling struct {
	told, rest        *spoken
	quoted            []string // the quotations, in plain words
	commands, writing bool     // the rest asks for something, for something to be written
	agrees            bool     // the rest asks to do what is told: "do it"
	about             []string // the stems of the verbs that the rest asks with about what is told: "cancel it"
	explains          bool     // the rest asks what is told to be explained: "what does it mean"
}

func (r *Request) retelling(list []report) retelling {
	var inside, outside []span
	var t retelling
	for _, one := range list {
		outside = append(outside, span{one.from, one.to})
		from := one.from
		for from < one.to && r.words[from].at < one.at {
			from++
		}
		to := from
		for to < one.to && r.words[to].at < one.end {
			to++
		}
		inside = append(inside, span{min(one.from+1, from), to})
		t.quoted = append(t.quoted, plain(r.text[one.at:min(len(r.text), one.end)]))
	}
	parts := r.outside(outside)
	t.told, t.rest = r.say(inside...), r.say(parts...)
	for _, p := range parts {
		for i := p.from; i < p.to; i++ {
			t.agrees = t.agrees || r.agrees(i)
			t.explains = t.explains || r.longest(i, explaining) > 0
			if r.asks(i, p.from) {
				if r.refers(i, p.to) {
					t.about = append(t.about, stem(r.words[i].text))
				}
				t.commands = true
				t.writing = t.writing || writingVerbs.has(r.words[i].text)
			}
		}
	}
	return t
}

var (
	// agreeing ask to do what somebody said.
	agreeing = []string{"do it", "do that", "do this", "do so", "do as", "do what", "do exactly", "do them", "do the same", "go ahead", "make it so", "make that happen",
		"make it happen", "take care of it", "take care of that", "handle it", "handle that", "see to it", "follow it", "follow that", "follow them", "follow his",
		"follow her", "follow their", "follow the instructions", "obey", "comply", "carry it out", "carry that out", "execute it", "execute that", "fulfill", "check please",
		"find out", "look it up", "look that up", "answer it", "answer that"}
	// explaining ask what words mean.
	explaining = []string{"mean in", "what does", "what's the meaning", "what is the meaning", "translate", "translation", "how do you say", "what do they mean", "what does it mean", "what does that mean"}
	explainers = words("translate translation translator define definition dictionary meaning explain lookup interpret language")
	// toldOf stand for what is told.
	toldOf = words("it that them this those these both")
	// looking verbs need no object: "can you check?".
	looking = words("check look answer")
)

// agrees reports whether the words at i ask to do what is told; "don't do it" does not, nor does "go ahead and text Mia".
func (r *Request) agrees(i int) bool {
	if r.words[i].quoted || !r.begins(i) {
		return false
	}
	if looking.has(r.words[i].text) {
		return i+1 == len(r.words) || r.words[i+1].clause != r.words[i].clause
	}
	end := r.longest(i, agreeing)
	if r.words[i].text == "do" && r.before(i) == "please" && (i+1 == len(r.words) || r.words[i+1].clause != r.words[i].clause) {
		return true
	}
	return end > 0 && (r.words[i].text != "go" || end == len(r.words) || r.words[end].clause != r.words[end-1].clause)
}

// refers reports whether the command at i is about what is told: "cancel that order"; to is where it ends.
func (r *Request) refers(i, to int) bool {
	for _, w := range r.within(i+1, r.words[i].clause, min(nearWords, to-i-1)) {
		if toldOf.has(w.text) {
			return true
		}
	}
	return false
}

// isAbout reports whether the rest asks for what a tool does about what is told: with a word of the tool's name, "put it"
// for one that creates, or with any verb for a tool that what is told does not ask for.
func (t *retelling) isAbout(name []string, told bool) bool {
	return slices.ContainsFunc(t.about, func(verb string) bool {
		return !told || slices.Contains(name, verb) || creating.has(verb) && slices.ContainsFunc(name, creating.has)
	})
}

// creating are the stems of verbs for making an entry somewhere.
var creating = stems("create add put schedule save make set enter record log")

// asks reports whether the word at i is a command, in a part of the request that begins at from. A
// "text from Bob" that says something is none.
func (r *Request) asks(i, from int) bool {
	w := r.words[i].text
	if !commands.has(w) || r.words[i].quoted || i != from && !r.begins(i) {
		return false
	}
	if !nouns.has(w) {
		return true
	}
	for k := i + 1; k < len(r.words) && k < i+mostListed && r.words[k].clause == r.words[i].clause; k++ {
		switch t := r.words[k].text; {
		case relative.has(t):
			return true
		case saying.has(t), t == "reads", t == "was", t == "were":
			return false
		}
	}
	return true
}

// relative begin what is said of something, or what shall be written.
var relative = words("that what who which whether how if why when where")

// asksFor reports whether a call is what the request itself asks for, and not what it tells that
// somebody said. values are the call's.
func (t *retelling) asksFor(tool string, values []string) bool {
	name := nameWords(tool)
	named := func(s *spoken) bool { return slices.ContainsFunc(name, func(w string) bool { return s.stems[w] }) }
	only, part := false, false // values that only the report has, and that are not all of it
	for _, v := range values {
		if t.told.names(v) && !t.rest.names(v) {
			only = true
			part = part || !slices.Contains(t.quoted, plain(v))
		}
	}
	asked, told := named(t.rest), named(t.told)
	switch {
	case t.agrees || t.isAbout(nameAndShort(tool), told) || t.explains && hasWord(keyWords(tool), explainers):
		return true
	case asked && !only:
		return true
	case !t.commands || told && part:
		return false
	case part:
		return asked
	default:
		return asked || !told || t.writing && hasWord(nameAndShort(tool), writingStems)
	}
}
