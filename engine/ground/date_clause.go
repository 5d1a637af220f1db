package ground

import "slices"

// Whether a request's days are those of what it asks for, or of something else that it speaks of. It knows English only.

var (
	// backward are words for a day that is told before them.
	backward = words("then that")
	// atOnce name today, "now" where it opens no clause.
	atOnce = words("immediately asap overdue")
	// messaging verbs have content that may name days of its own.
	messaging = words("text tell message email mail write dm sms notify inform ask send reply answer warn let")
	// contentOpens are words that content begins with, behind a verb of messaging or reminding.
	contentOpens = words("that saying i i'll i'm i've i'd we we'll we're we've you're he she they it it's there")
	// wanting say that a clause asks, though no verb of a command begins it.
	wanting = words("need needs want wants would like can could will shall may let's i'd please should")
	// asksFor words begin questions, of which a day's own things are asked.
	asksFor = words("what what's how how's show get check give list see is are will when when's any find")
	papers  = words("invoice invoices bill bills receipt receipts statement letter email mail message report order ticket photo article paper minutes")
	theirs  = words("the my our your his her their")
	purpose = words("for about")
)

// doubtful reports whether the request does something with its days that leaves open whether
// they are the calls'.
func (r *Request) doubtful(days []Date) bool {
	if r.isNow(days) || r.atMidnight() {
		return true
	}
	parts, several := r.parts(), false
	for i, first := range parts {
		several = several || first.asks && slices.ContainsFunc(parts[i+1:], part.isAsked)
		if first.asks {
			break
		}
	}
	return slices.ContainsFunc(days, func(d Date) bool {
		p := parts[partOf(parts, d.words.from)]
		near := p.around(d.words)
		return r.aside(d.words, parts) || r.inContent(d.words, near, several) || r.belongs(d, near)
	})
}

// part is what a request says in one clause, or with one verb that asks for something.
type part struct {
	span
	asks bool
}

func (p part) isAsked() bool { return p.asks }

// around is as much of the part as may have to do with a day in it.
func (p part) around(day span) span {
	return span{max(p.from, day.from-longestClause), min(p.to, day.to+longestClause)}
}

// parts divides the request where clauses and commands begin.
func (r *Request) parts() (list []part) {
	for i, w := range r.words {
		command := commands.has(w.text) && r.begins(i) && (!nouns.has(w.text) || !definite.has(r.at(i-1)))
		opens := i == 0 || r.words[i-1].clause != w.clause
		joined := joins.has(r.at(i-1)) || r.at(i-1) == "so" || r.at(i-1) == "then" || r.at(i-1) == "also"
		if opens || command && joined {
			list = append(list, part{span{i, i}, false})
		}
		last := &list[len(list)-1]
		last.to, last.asks = i+1, last.asks || command
	}
	return list
}

// partOf is the index of the part that a word stands in.
func partOf(parts []part, at int) int {
	n, _ := slices.BinarySearchFunc(parts, at+1, func(p part, end int) int { return p.to - end })
	return n
}

// aside reports whether a day stands in a clause that only tells something, beside one that asks:
// "rent is due on Friday, pay it", "I leave on Friday, remind me to pack".
func (r *Request) aside(day span, parts []part) bool {
	n := partOf(parts, day.from)
	p := parts[n]
	if p.asks {
		return false
	}
	near := p.around(day)
	if r.wants(near) || !slices.ContainsFunc(parts, part.isAsked) {
		return false
	}
	if slices.ContainsFunc(parts[:n], part.isAsked) {
		return contentOpens.has(r.at(p.from)) || theirs.has(r.at(p.from)) || r.tellsBeing(near)
	}
	return !r.onlyDay(p.span, day)
}

func (r *Request) wants(p span) bool {
	return slices.ContainsFunc(r.words[p.from:p.to], func(w word) bool {
		return wanting.has(w.text) || asksFor.has(w.text) && w.text != "is" && w.text != "are"
	})
}

func (r *Request) tellsBeing(p span) bool {
	return slices.ContainsFunc(r.words[p.from:p.to], func(w word) bool { return beingWords.has(w.text) || w.text == "are" })
}

// beforeDay are words that may stand before a day and make no statement with it.
var beforeDay = words("on for by from at until till ok okay hey hi so and then also only just please sorry no")

// onlyDay reports whether nothing but a day and its time makes a clause: "on Friday at 7, ...".
func (r *Request) onlyDay(p, day span) bool {
	for i := p.from; i < day.from; i++ {
		if !beforeDay.has(r.at(i)) {
			return false
		}
	}
	return true
}

// inContent reports whether a day is of a message's or a reminder's words, or may be: "tell Ann I
// can't come tomorrow". several says that something else is asked for as well.
func (r *Request) inContent(day, near span, several bool) bool {
	for i := near.from; i < day.from; i++ {
		w := r.at(i)
		if !r.begins(i) || !messaging.has(w) && w != "remind" || nouns.has(w) && definite.has(r.at(i-1)) {
			continue
		}
		if w != "remind" && several {
			return true
		}
		return anyWord(r.words[i+1:day.from], contentOpens)
	}
	return false
}

// dayForAll reports whether all that the request asks for has a day of its own.
func (r *Request) dayForAll(days []Date) bool {
	inDate := r.inDates(days)
	return !slices.ContainsFunc(r.parts(), func(p part) bool { return p.asks && !slices.Contains(inDate[p.from:p.to], true) })
}

// belongs reports whether a day is a thing's of which the request speaks: "Friday's exam", "the
// invoice of November 20", "for the exam on Friday".
func (r *Request) belongs(d Date, near span) bool {
	day := d.words
	before := r.at(day.from - 1)
	if r.isPossessive(day) && !r.wantsToSee(near) {
		return true
	}
	switch {
	case before == "dated", (before == "of" || before == "from") && papers.has(r.at(day.from-2)):
		return true
	case before == "of" && d.kind == yearless:
		return true
	}
	for i := day.from - 1; i > 0 && day.from-i <= 5 && r.oneClause(i-1, day.from); i-- {
		if purpose.has(r.at(i-1)) && theirs.has(r.at(i)) {
			return true
		}
	}
	return false
}

// isPossessive reports whether a day has something: "tomorrow's meeting".
func (r *Request) isPossessive(day span) bool {
	name := r.at(day.to - 1)
	return len(name) > 2 && name[len(name)-2:] == "'s" && day.to < len(r.words) && r.oneClause(day.from, day.to+1)
}

// wantsToSee reports whether a clause asks to look at what a day has.
func (r *Request) wantsToSee(p span) bool {
	return anyWord(r.words[p.from:p.to], asksFor)
}

// isNow reports whether something shall be done now, or by a day that is told before.
func (r *Request) isNow(days []Date) bool {
	inDate := r.inDates(days)
	for i, w := range r.words {
		before := r.at(i - 1)
		last := i+1 == len(r.words) || r.words[i+1].clause != w.clause
		switch {
		case inDate[i]:
		case atOnce.has(w.text), before == "right" && (w.text == "now" || w.text == "away"), before == "straight" && w.text == "away":
			return true
		case w.text == "now" && before != "from" && (r.before(i) != "" && !polite.has(before) && !joins.has(before) || r.before(i) == "" && last && i > 0):
			return true
		case backward.has(w.text) && (before == "before" || before == "by") && last:
			return true
		}
	}
	return false
}

// smallHours is a time behind midnight, as people write it.
var smallHours = expression(`(?i)\b(?:midnight|(?:12|0?[1-4])(?:[:.]\d\d)? ?a\.?m\b|00:\d\d)|\bnight at (?:12|[1-4])\b`)

// atMidnight reports whether a time is named that belongs to the night before for some: "Friday
// at midnight". In the small hours that is so where a night is named.
func (r *Request) atMidnight() bool {
	found := smallHours.re().FindString(r.text)
	if found == "" {
		return false
	}
	return len(found) == len("midnight") || slices.ContainsFunc(r.words, func(w word) bool { return w.text == "night" || w.text == "tonight" })
}
