package ground

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// What stands around the days of a request: whether they are those it asks for. It knows English only.

var (
	// pastWords tell of what was; "was wondering" and the like don't.
	pastWords = words("was wasn't were weren't did didn't had hadn't went took saw ate sent bought met spent slept ran came made " +
		"gave said told heard lost won found forgot felt thought wrote drove flew fell began knew woke wore sold taught caught " +
		"drank swam sang stood chose broke rode threw kept held built paid left happened been ago")
	pondering = words("wondering hoping thinking looking going planning")
	// gotBehind make of "got" what is, not what was.
	gotBehind = words("i've you've we've they've he's she's it's have has")
	narrators = words("i we you he she they who it that")
	notPast   = words("need feed speed exceed proceed succeed seed weed bleed")
)

// tellsOfPast reports whether a request is about what was.
func (r *Request) tellsOfPast() bool {
	for i, w := range r.words {
		switch {
		case (w.text == "was" || w.text == "were") && (pondering.has(r.at(i+1)) || r.at(i-1) == "if"):
		case w.text == "had" && (r.at(i+1) == "better" || r.at(i-1) == "if"):
		case pastWords.has(w.text) || w.text == "got" && !gotBehind.has(r.at(i-1)):
			return true
		case narrators.has(r.at(i-1)) && isPastForm(w.text):
			return true
		}
	}
	return false
}

// looksBack reports whether a request is about what is kept of days gone by.
func (r *Request) looksBack() bool {
	return anyWord(r.words, kept)
}

var kept = words("history photo photos picture pictures orders spending expenses transactions")

func isPastForm(word string) bool {
	return len(word) > 3 && strings.HasSuffix(word, "ed") && !notPast.has(word)
}

// asking are the words that questions about what was begin with.
var asking = words("how what was were did who where when which")

// onlyTells reports whether a past day is of what a request tells, and need not be of what it
// asks for: "yesterday I forgot my pills, remind me at 9". One question is about its day.
func (r *Request) onlyTells(day span) bool {
	if len(r.words) > 0 && asking.has(r.words[0].text) && r.oneClause(0, len(r.words)) {
		return false
	}
	opens := r.before(day.from) == "" && day.to < len(r.words) && r.oneClause(day.from, day.to+1)
	return opens || r.tellsOfPast() || slices.ContainsFunc(r.words, func(w word) bool { return isPastForm(w.text) })
}

var (
	// countingOne stand before a length.
	countingOne = words("a an few couple half")
	neither     = words("for times once twice")
	nextTo      = words("next following previous preceding last past coming this")
	// parts are of a day, and may be those of another one.
	parts  = words("morning evening night afternoon noon")
	beyond = words("before after prior earlier later sooner following preceding thereafter ahead")
	aside  = words("beforehand afterwards afterward thereafter eve")
)

// movesDays reports whether words outside of the days make other ones of them: "a day
// earlier", "by two days", "the next morning", "the week after", "in 2025".
func (r *Request) movesDays(days []Date) bool {
	inDate := r.inDates(days)
	yearless := slices.ContainsFunc(days, func(d Date) bool { return !d.exact })
	for i, w := range r.words {
		if inDate[i] {
			continue
		}
		before, behind := r.at(i-1), r.at(i+1)
		_, small := smallWords[before]
		counted := small || countingOne.has(before) || onlyDigits(before) || before == "of" && r.at(i-2) == "couple"
		hours, long := strings.HasPrefix(w.text, "hour"), w.text == "nights" || lengths.has(w.text) && !strings.HasPrefix(w.text, "hour")
		switch {
		case yearless && r.mayBeYear(i):
			return true
		case aside.has(w.text), w.text == "advance" && before == "in":
			return true
		case (long || parts.has(w.text) || hours) && beyond.has(behind):
			return true
		case long && counted && !neither.has(r.at(i-2)):
			return true
		case (long || parts.has(w.text)) && nextTo.has(before):
			return true
		}
	}
	return false
}

// mayBeYear reports whether a word may be a year of our times.
func (r *Request) mayBeYear(i int) bool {
	n, ok := r.year(i)
	return ok && n >= 1900 && n < 2100 || len(r.at(i)) == 2 && onlyDigits(r.at(i)) && r.afterApostrophe(i)
}

var (
	moving = words("push postpone move delay shift reschedule rebook defer change bump slide nudge advance")
	moved  = words("pushed pushing postponed postponing moved moving delayed delaying shifted rescheduled rescheduling deferred")
	// beforeVerbs tell a verb from a noun: "my shift".
	beforeVerbs = words("please to and you then let's can could i we just")
)

// moves reports whether the request puts something on another day.
func (r *Request) moves() bool {
	for i, w := range r.words {
		before := r.before(i)
		switch {
		case moved.has(w.text):
			return true
		case moving.has(w.text) && (before == "" || beforeVerbs.has(before)):
			return true
		case w.text == "forward" || w.text == "forwards":
			return true
		case w.text == "put" && (r.at(i+1) == "off" || r.at(i+1) == "back"):
			return true
		}
	}
	return false
}

// isTarget reports whether a day is where something is moved to.
func (r *Request) isTarget(day span) bool {
	return targets.has(r.at(day.from-1)) || targets.has(r.words[day.from].text)
}

var targets = words("to until till")

var (
	beingWords   = words("is isn't was wasn't will won't has hasn't being")
	concerns     = words("about regarding concerning it's its today's tomorrow's")
	ownersOfDays = words("the a an my our your his her their")
	isOne        = words("a an my our your his her their the no not off")
)

// mentions reports whether a day is only spoken of: "Monday is a holiday", "about Friday",
// "the Sunday paper".
func (r *Request) mentions(day span) bool {
	first, before := r.words[day.from].text, r.before(day.from)
	name, contracted := strings.CutSuffix(first, "'s")
	_, isWeekday := weekdays[name]
	behind := ""
	if day.to < len(r.words) && r.oneClause(day.from, day.to+1) {
		behind = r.at(day.to)
	}
	switch {
	case beingWords.has(behind) || concerns.has(before):
		return true
	case contracted && isOne.has(behind):
		return true
	default:
		return isWeekday && ownersOfDays.has(before)
	}
}

// isTitleDay reports whether capitals make a name of a day: "The Day After Tomorrow", "Freaky
// Friday", "Saturday Night Fever".
func (r *Request) isTitleDay(day span) bool {
	last := day.to - 1
	_, isWeekday := weekdays[strings.TrimSuffix(r.words[last].text, "'s")]
	if isWeekday {
		named := day.from == last && last > 1 && r.before(last) != "" && r.isCapital(last-1) && !beforePlaces.has(r.at(last-2))
		return named || day.to < len(r.words) && r.besideNext(last) && r.isNameWord(day.to)
	}
	for i := day.from; i < day.to; i++ {
		if _, _, isMonth := month(r.words[i].text); isMonth || shortOrLong(r.words[i].text) > 0 {
			return false
		}
		if r.isCapital(i) && r.before(i) != "" {
			return true
		}
	}
	return false
}

var beforePlaces = words("in at for from to near of")

// besideNext reports whether nothing but a blank stands between a word and the next one.
func (r *Request) besideNext(i int) bool { return r.text[r.words[i].end:r.words[i+1].at] == " " }

// isNameWord reports whether a word is written like a part of a name.
func (r *Request) isNameWord(i int) bool {
	w := r.words[i]
	_, size := utf8.DecodeRuneInString(r.text[w.at:])
	return r.isCapital(i) && strings.ContainsFunc(r.text[w.at+size:w.end], unicode.IsLower) && !strings.HasPrefix(w.text, "i'")
}

// namesDay reports whether a value is a day that the request names in its own way, "the 11th" of
// this month or the next among them.
func (j *judge) namesDay(value string) bool {
	day, err := time.Parse(time.DateOnly, value)
	if err != nil || j.today.IsZero() {
		return false
	}
	if j.days == nil {
		j.days = append([]Date{}, j.dates()...)
		j.loose = j.request.looseDays(j.days)
	}
	soon := !day.Before(j.today) && day.Before(j.today.AddDate(0, 1, 0))
	return slices.ContainsFunc(j.days, func(d Date) bool { return d.means(day) }) ||
		soon && slices.Contains(j.loose, day.Day())
}
