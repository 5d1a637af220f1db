package ground

import (
	"slices"
	"strings"
	"time"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// repairDates gives dates the day that the request names. It knows English only; dates in
// ISO form are none of a language.
func repairDates(j *judge, rule string) {
	days := j.askedDays()
	if len(days) == 0 {
		return
	}
	if j.on(duplicates) {
		dropDuplicates(j, duplicates) // judged once more, the calls would have fewer dates
	}
	if !slices.ContainsFunc(days, func(d Date) bool { return !d.Day.Equal(days[0].Day) }) {
		j.redateAll(rule, days[0])
		return
	}
	j.redateEach(rule, days)
}

// redateAll gives the only date of each call the only day. Where the request asks for several
// things and names no day for one of them, a day is not every call's.
func (j *judge) redateAll(rule string, day Date) {
	var all []datedCall
	for i := range j.calls {
		e := &editor{j, rule, &j.calls[i]}
		if dates := e.dates(); len(dates) == 1 {
			all = append(all, datedCall{e, dates[0]})
		}
	}
	if len(all) > 1 && !j.request.dayForAll(j.dates()) {
		return
	}
	for _, p := range all {
		p.redate(p.dated, day)
	}
}

// datedCall is a date with the call that it is of.
type datedCall struct {
	*editor
	dated
}

// redateEach gives the calls' dates the days of a request that names several, when there is one
// for each.
func (j *judge) redateEach(rule string, days []Date) {
	var all []datedCall
	for i := range j.calls {
		e := &editor{j, rule, &j.calls[i]}
		for _, d := range e.dates() {
			all = append(all, datedCall{e, d})
		}
	}
	if len(all) != len(days) {
		return
	}
	// Values that are one of the days are taken for right, in whatever order they are.
	all, days = without(all, days, func(p datedCall, d Date) bool { return p.day.Equal(d.Day) })
	before := len(all)
	all, days = without(all, days, func(p datedCall, d Date) bool { return p.isAt(d) })
	if len(all) < before {
		return // the request may be understood in another way, and what is left, too
	}
	for i, p := range all {
		if !p.endsEarly(all, days) {
			p.redate(p.dated, days[i])
		}
	}
}

// without leaves out dates and days that are the same.
func without(all []datedCall, days []Date, same func(datedCall, Date) bool) ([]datedCall, []Date) {
	all = slices.DeleteFunc(all, func(p datedCall) bool {
		i := slices.IndexFunc(days, func(d Date) bool { return same(p, d) })
		if i >= 0 {
			days = slices.Delete(days, i, i+1)
		}
		return i >= 0
	})
	return all, days
}

// endWords are those in the names of parameters for the end of something.
var endWords = words("end ends ending until till to out checkout return returning ret back dropoff finish stop")

// isEnd reports whether an argument's name says that it is an end.
func (a *argument) isEnd() bool { return hasWord(keyWords(a.key), endWords) }

// endsEarly reports whether a call would end before it starts, if all dates became the days.
func (p *datedCall) endsEarly(all []datedCall, days []Date) bool {
	var starts, ends []string
	for _, d := range p.dates() {
		text := d.value.Text
		if i := slices.IndexFunc(all, func(o datedCall) bool { return o.value == d.value }); i >= 0 {
			text = days[i].Day.Format(time.DateOnly) + d.behind
		}
		if d.isEnd() {
			ends = append(ends, text)
		} else {
			starts = append(starts, text)
		}
	}
	return len(starts) > 0 && len(ends) > 0 && slices.Min(ends) < slices.Max(starts)
}

// dated is an argument that begins with a date.
type dated struct {
	argument
	day    time.Time
	behind string
}

const isoLength = len(time.DateOnly)

// dates are a call's arguments that hold dates.
func (e *editor) dates() (list []dated) {
	for _, a := range e.leaves() {
		if !a.value.Is(jsontext.String) || a.listed() || a.grounded() || len(a.value.Text) < isoLength || !a.isOfDays() {
			continue
		}
		day, err := time.Parse(time.DateOnly, a.value.Text[:isoLength])
		behind := a.value.Text[isoLength:]
		if err == nil && (behind == "" || timeBehind.re().MatchString(behind)) {
			list = append(list, dated{a, day, behind})
		}
	}
	return list
}

var timeBehind = expression(`^[Tt ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)? ?([Zz]|[+-]\d{2}:?\d{2})?$`)

// ofDays are words in the names of parameters that hold a day.
var ofDays = words("date day time when start end due deadline schedule scheduled from until to till by on at begin birthday birthdate datetime " +
	"checkin checkout arrival departure expiry expires")

// isOfDays reports whether an argument's name or its schema's format say that it is a day.
func (a *argument) isOfDays() bool {
	return a.any("format", func(v *jsontext.Value) bool { return v.Text == "date" || v.Text == "date-time" }) ||
		slices.ContainsFunc(strings.Split(strings.ToLower(a.key), "_"), func(p string) bool {
			p = strings.TrimSuffix(p, "s")
			return ofDays.has(p) || ofDays.has(p+"s") || strings.HasSuffix(p, "date") || strings.HasSuffix(p, "time") || strings.HasSuffix(p, "day")
		})
}

// isAt reports whether a value is the named day already, be it in a way that a rule can't see.
func (d *dated) isAt(named Date) bool {
	apart := int(d.day.Sub(named.Day) / (24 * time.Hour))
	hour := strings.TrimLeft(d.behind, "Tt ")
	switch {
	case named.mayBe(d.day):
		return true
	case apart == 1 && named.tonight: // at one in the morning
		return hour != "" && hour < "06"
	case apart == 1 || apart == -1: // the same moment in another zone
		return strings.ContainsAny(d.behind, "Zz+-")
	default:
		return strings.Contains(d.key, "birth") && !named.exact && d.day.Month() == named.Day.Month() && d.day.Day() == named.Day.Day()
	}
}

func (e *editor) redate(d dated, named Date) {
	if !d.isAt(named) {
		e.derive("the request names this day", d.becomeText(named.Day.Format(time.DateOnly)+d.behind))
	}
}

// askedDays are the days that the request names and asks for; none where it does with one of
// them what Dates can't follow: "two days before Friday", "not on Monday", "Good Friday".
func (t *Turn) askedDays() (list []Date) {
	days, r := t.dates(), t.request
	if len(days) == 0 || numericDate.re().MatchString(r.text) || len(r.looseDays(days)) > 0 || r.movesDays(days) || r.doubtful(days) {
		return nil
	}
	unasked, moves := r.unasked(), r.moves()
	for _, d := range days {
		switch {
		case r.words[d.words.from].quoted:
			continue
		case d.unsure || !d.Or.IsZero() || slices.Contains(unasked[d.words.from:d.words.to], true) || r.shifted(d.words):
			return nil
		case moves && !r.isTarget(d.words) || r.mentions(d.words) || r.isTitleDay(d.words):
			return nil
		case d.Day.Before(t.today) && !d.exact && r.onlyTells(d.words):
			return nil
		}
		list = append(list, d)
	}
	return list
}

// numericDate is a date in a form that is read differently in different countries.
var numericDate = expression(`(?:^|[^\d/.])\d{1,2}[/.]\d{1,2}(?:[/.]\d{2,4})?(?:[^\d/.]|$)`)

var (
	shifting = words("before after prior following than not each every other another any some either one")
	lengths  = words("day days week weeks fortnight month months year years hour hours weekend")
	holidays = words("good black ash super cyber fat shrove palm easter whit maundy taco casual ruby manic")
	ordinals = words("first second third fourth fifth last 1st 2nd 3rd 4th 5th")
)

// shifted reports whether the words around a day make another one of it.
func (r *Request) shifted(day span) bool {
	first := r.words[day.from].text
	lead := day.from
	for lead > 0 && (r.at(lead-1) == "on" || r.at(lead-1) == "the" || r.at(lead-1) == "this") {
		lead--
	}
	before, behind := r.at(lead-1), r.at(day.to)
	_, isMonth := months[r.at(day.to+1)]
	switch {
	case shifting.has(before) || shifting.has(first):
		return true
	case (before == "from" || before == "of") && lengths.has(r.at(lead-2)):
		return true
	case (lead < day.from || leading.has(first)) && lengths.has(before): // "a week on Friday"
		return true
	case holidays.has(before) || ordinals.has(before) || first == "every" || first == "since":
		return true
	case behind == "week" || behind == "fortnight" || behind == "after" || behind == "before" || behind == "of":
		return true
	case behind == "in" && isMonth:
		return true
	default:
		return behind == "eve"
	}
}
