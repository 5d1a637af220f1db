package ground

import (
	"slices"
	"strconv"
	"time"
)

// A correction says behind a prohibition what is wanted in its place: "don't set an alarm for 6, set one for 7".

var (
	// correcting words stand before what is wanted instead.
	correcting = words("only just but rather instead")
	// lightVerbs take the place of the forbidden one: "make it blue", "use staging".
	lightVerbs = words("make set use do put try change take have get pick choose go")
	// anaphors stand for what the prohibition has named.
	anaphors = words("it one ones him her them that those there")
)

// shortCorrection is how many words a correction without a verb has: "only the 7am one".
const shortCorrection = 5

// corrected reports whether a call is what a correction asks for: it has a value that only the correction has, and what it
// shares with the prohibition is meant by "it", or can't be meant otherwise.
func (p *prohibition) corrected(tool string, values []*sought, own map[string]bool, days []Date) bool {
	verbless, takesOver, ok := p.correction(tool, own)
	if !ok {
		return false
	}
	in, behind := span{p.at, p.split}, span{p.to, min(len(p.request.words), p.to+longestClause)}
	takesOver = takesOver || verbless || anyWord(p.request.words[behind.from:behind.to], anaphors)
	fresh := false
	for _, v := range values {
		inside := p.clause.has(v) || p.request.saysTime(in, p.clause, v.text, days)
		after := p.after.has(v) || p.request.saysTime(behind, p.after, v.text, days)
		if inside && !after && !takesOver {
			return false
		}
		fresh = fresh || after && !inside
	}
	return fresh
}

// correction reads how the words behind a prohibition begin: with a verb of the tool, of the prohibition or a generic
// one, or with a value.
func (p *prohibition) correction(tool string, own map[string]bool) (verbless, takesOver, ok bool) {
	r, i, marked := p.request, p.to, false
	for range mostPolite {
		if w := r.at(i); !correcting.has(w) && (!polite.has(w) || lightVerbs.has(w)) {
			break
		}
		marked = marked || correcting.has(r.at(i))
		i++
	}
	verb := r.at(i)
	if commands.has(verb) || p.clause.stems[stem(verb)] && slices.Contains(nameAndShort(tool), stem(verb)) {
		return false, lightVerbs.has(verb), lightVerbs.has(verb) || p.clause.stems[stem(verb)] || slices.Contains(nameAndShort(tool), stem(verb))
	}
	if i >= len(r.words) || persons.has(verb) {
		return false, false, false
	}
	list := r.within(i, r.words[i].clause, shortCorrection+1)
	for _, w := range list {
		known := own[stem(w.text)] || articles.has(w.text) || polite.has(w.text) || correcting.has(w.text) || anaphors.has(w.text)
		if ofModals.has(w.text) || !marked && !known {
			return false, false, false
		}
	}
	return true, true, len(list) <= shortCorrection
}

// saysTime reports whether words name a day or a time that a value is, in their own way: "7am" for 07:00.
func (r *Request) saysTime(words span, said *spoken, value string, days []Date) bool {
	if words.from >= words.to || len(value) > longestTime {
		return false
	}
	from, to := r.words[words.from].at, r.words[words.to-1].end
	if day, err := time.Parse(time.DateOnly, value); err == nil {
		return slices.ContainsFunc(days, func(d Date) bool { return d.At >= from && d.End <= to && d.Day.Equal(day) })
	}
	m := moment.re().FindStringSubmatch(value)
	if m == nil || m[1] != "" {
		return false
	}
	hour, _ := strconv.Atoi(m[2])
	minute, _ := strconv.Atoi(m[3])
	found := minute == 0 && (said.names(strconv.Itoa(hour)) || said.names(strconv.Itoa(hour%12)))
	findClocks(r.text[from:to], func(at int) { found = found || at == hour*60+minute })
	return found
}

// sameVerbs are verbs of which one is said for the other: a tool that sets a light is meant by "don't switch it on".
var sameVerbs = [][]string{
	{"turn", "switch", "flip", "put", "set", "make", "change", "adjust", "control", "toggle"}, {"delete", "remove", "erase", "clear", "cancel", "drop"},
	{"create", "make", "add", "set", "start", "schedule", "book", "reserve", "order", "open", "put", "place"}, {"send", "text", "message", "email", "mail", "write", "reply", "forward"},
	{"call", "phone", "ring", "dial", "contact"}, {"play", "start", "put", "resume"}, {"buy", "order", "purchase", "get"}, {"pay", "transfer", "send", "wire"},
	{"show", "get", "list", "find", "search", "read", "check", "look"}, {"close", "shut", "lock"}, {"move", "rename", "reschedule", "change", "update", "edit"},
	{"stop", "end", "cancel", "quit", "close"}, {"deploy", "release", "ship", "push"},
}

// forbidsElse reports whether a prohibition is of another action on what the tool is about, "rename it and don't delete
// the file", where the request asks for the tool's own elsewhere.
func (p *prohibition) forbidsElse(rest *spoken, forbidden []word, tool string, values []*sought) bool {
	at := slices.IndexFunc(forbidden, func(w word) bool { return !passing.has(w.text) })
	if at < 0 || p.subject.from < p.subject.to {
		return false
	}
	verb, name := stem(forbidden[at].text), nameAndShort(tool)
	if len(name) < 2 || slices.Contains(name, verb) || !rest.stems[name[0]] || unspecific.has(keyWords(tool)[0]) {
		return false
	}
	for _, group := range sameVerbs {
		has := func(s string) bool { return slices.ContainsFunc(group, func(w string) bool { return stem(w) == s }) }
		if has(verb) && slices.ContainsFunc(name, has) {
			return false
		}
	}
	return !slices.ContainsFunc(values, func(v *sought) bool { return p.clause.has(v) && !rest.has(v) })
}

// isJoined reports whether the words from i to end and the next are parts of one name: "do-not-delete-me".
func (r *Request) isJoined(i, end int) bool {
	for k := i + 1; k <= end && k < len(r.words); k++ {
		if gap := r.text[r.words[k-1].end:r.words[k].at]; gap == "-" || gap == "_" || gap == "/" || gap == "." {
			return true
		}
	}
	return false
}
