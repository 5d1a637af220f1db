package ground

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Date is a day that a request names.
type Date struct {
	Day     time.Time // midnight, UTC
	Or      time.Time // the words may mean this day as well; zero for none
	At, End int       // bytes of the words in the request's text

	words          span
	exact, tonight bool // a year is named; it is the night after the day
	unsure         bool // read, but too doubtful to change a value by
	kind           dateKind
	also           []time.Time // what speakers mean by the words, too, and a right value may be
}

// dateKind says how words name a day.
type dateKind int

const (
	fixed      dateKind = iota
	anyWeekday          // a day of the week that no other word holds to a week
	yearless            // a month's day that may be of any year
	distance            // days counted from today, or from another day
)

var (
	months   = index("january february march april may june july august september october november december")
	weekdays = index("sunday monday tuesday wednesday thursday friday saturday")
	// Abbreviations; those that are words of their own count next to a day's number, or
	// behind "on", "next" and the like.
	shortMonths   = map[string]int{"jan": 0, "feb": 1, "mar": 2, "apr": 3, "jun": 5, "jul": 6, "aug": 7, "sep": 8, "sept": 8, "oct": 9, "nov": 10, "dec": 11}
	shortWeekdays = map[string]int{"sun": 0, "mon": 1, "tue": 2, "tues": 2, "wed": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5, "sat": 6}
	// leading stand before a weekday.
	leading = words("on this next coming last past by until till before since every")
)

func index(list string) map[string]int {
	at := map[string]int{}
	for i, w := range strings.Fields(list) {
		at[w] = i
	}
	return at
}

// calendar reads the days of a request.
type calendar struct {
	*Request
	today time.Time
	past  bool // the request tells of what was
}

// reading is a day that words name; end is the word behind them, 0 for no day.
type reading struct {
	end           int
	day, or       time.Time
	exact, unsure bool
	kind          dateKind
	also          []time.Time
}

// Dates are the days that the request names, in its order, seen from today: ISO dates,
// months with a day (the next one to come, unless a year is named), weekdays, today and
// its neighbours, and days so far from another one. "next" before a weekday is the week
// after this one, weeks beginning on Monday; without it, or with "this", it is the next
// such day after today. In a request about what was it is the last one, or else the next.
// The second day of a range is counted from the first. Days that four digits can't give a year to
// are none.
func (r *Request) Dates(today time.Time) (list []Date) {
	c := calendar{r, dayOf(today.Date()), r.tellsOfPast() || r.looksBack()}
	for i := 0; i < len(r.words); {
		d := c.date(i)
		if d.end == 0 {
			i++
			continue
		}
		if y := d.day.Year(); y >= 0 && y <= 9999 {
			list = append(list, Date{d.day, d.or, r.words[i].at, r.words[d.end-1].end, span{i, d.end}, d.exact, r.words[i].text == "tonight", d.unsure, d.kind, d.also})
		}
		i = d.end
	}
	c.pair(list)
	return slices.DeleteFunc(list, func(d Date) bool { return d.Day.Year() > 9999 })
}

func dayOf(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// date reads a day from the word i on.
func (c *calendar) date(i int) reading {
	if d := c.apart(i); d.end > 0 {
		return d
	}
	return c.plainDate(i)
}

// plainDate reads a day that is not told by its distance from another one.
func (c *calendar) plainDate(i int) reading {
	for _, read := range []func(int) reading{c.isoDate, c.monthDay, c.dayMonth, c.relative, c.inDays, c.weekday} {
		if d := read(i); d.end > 0 {
			return d
		}
	}
	return reading{}
}

func (r *Request) at(i int) string {
	if i < 0 || i >= len(r.words) {
		return ""
	}
	return r.words[i].text
}

// isoDate reads YYYY-MM-DD, of which "-" makes three words; a "T" and a time may follow.
func (c *calendar) isoDate(i int) reading {
	if i+2 >= len(c.words) {
		return reading{}
	}
	from, to := c.words[i].at, c.words[i+2].at+2
	if to-from != isoLength || to > c.words[i+2].end {
		return reading{}
	}
	day, err := time.Parse(time.DateOnly, c.text[from:to])
	if behind := c.text[to:c.words[i+2].end]; err != nil || behind != "" && behind[0] != 'T' && behind[0] != 't' {
		return reading{}
	}
	return reading{end: i + 3, day: day, exact: true}
}

// month is the month that a word names; exact says that it is no abbreviation.
func month(word string) (m time.Month, exact, ok bool) {
	if n, known := months[word]; known {
		return time.Month(n + 1), true, true
	}
	n, known := shortMonths[word]
	return time.Month(n + 1), false, known
}

// ordinal is the day of a month that a word names: "4", "4th", "fourth".
func ordinal(word string) (n int, ok bool) {
	digits := strings.TrimRight(word, "stndrh")
	if n, err := strconv.Atoi(digits); err == nil && len(digits) <= 2 {
		switch ending := word[len(digits):]; ending {
		case "", "st", "nd", "rd", "th":
			return n, n >= 1 && n <= 31
		}
		return 0, false
	}
	n, ok = smallWords[word]
	return n, ok && n >= 1 && n <= 31 && (strings.HasSuffix(word, "th") || n <= 3)
}

// year is a year in words i and on, if there is one: four digits.
func (r *Request) year(i int) (n int, ok bool) {
	n, err := strconv.Atoi(r.at(i))
	return n, err == nil && len(r.at(i)) == 4 && n >= 1000
}

// shortYear is the year of a word like '25, the nearest one.
func (c *calendar) shortYear(i int) (n int, ok bool) {
	if len(c.at(i)) != 2 || !onlyDigits(c.at(i)) || !c.afterApostrophe(i) {
		return 0, false
	}
	n, err := strconv.Atoi(c.at(i))
	if n += c.today.Year() / 100 * 100; n > c.today.Year()+20 {
		n -= 100
	}
	return n, err == nil
}

func (r *Request) afterApostrophe(i int) bool {
	c, _ := utf8.DecodeLastRuneInString(r.text[:r.words[i].at])
	return isApostrophe(c) || c == '‘'
}

// weeksAway are the words before "week".
var weeksAway = map[string]int{"last": -1, "this": 0, "next": 1}

// yearsAway are the words before "year".
var yearsAway = map[string]int{"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}

// yearBehind is the year that words from i on give to a month's day before them.
func (c *calendar) yearBehind(i int) (end, n int, ok bool) {
	if at := c.at(i); at == "of" || at == "in" {
		i++
	}
	if n, ok = c.year(i); ok {
		return i + 1, n, true
	}
	if n, ok = c.shortYear(i); ok {
		return i + 1, n, true
	}
	n, ok = yearsAway[c.at(i)]
	return i + 2, c.today.Year() + n, ok && c.at(i+1) == "year"
}

// monthDay reads "March 4th", "march the fourth", with a year or without.
func (c *calendar) monthDay(i int) reading {
	m, _, ok := month(c.at(i))
	at := i + 1
	if c.at(at) == "the" {
		at++
	}
	number := c.at(at)
	n, isDay := c.dayNumber(&at)
	if !ok || !isDay || !isOrdinal(number) && c.isVerb(i, at) {
		return reading{}
	}
	d := c.inYear(at, m, n)
	d.toCome(c.at(i - 1))
	d.unsure = d.unsure || !isOrdinal(number) && c.mayBeVerb(i, at)
	return d
}

// dayMonth reads "4 March", "the 4th of March", with a year or without.
func (c *calendar) dayMonth(i int) reading {
	at := i
	if c.at(at) == "the" {
		at++
	}
	n, ok := c.dayNumber(&at)
	of := ok && c.at(at) == "of"
	if of {
		at++
	}
	m, _, isMonth := month(c.at(at))
	if !ok || !isMonth || !of && c.isVerb(at, at+1) {
		return reading{}
	}
	d := c.inYear(at+1, m, n)
	d.toCome(c.at(i - 1))
	d.unsure = d.unsure || c.endsRange(i) || !of && c.mayBeVerb(at, at+1)
	return d
}

// isVerb reports whether "may" or "march" at i, of a date that ends before the word behind,
// is a verb: "may 5 people come", "the second may be late".
func (r *Request) isVerb(i, behind int) bool { return r.mayBeVerb(i, behind) && !r.isCapital(i) }

// mayBeVerb is isVerb where the capital may be that of a sentence.
func (r *Request) mayBeVerb(i, behind int) bool {
	if w := r.at(i); w != "may" && w != "march" || r.isCapital(i) && r.before(i) != "" {
		return false
	}
	return !r.closes(behind) && !(i > 0 && beforeMonths.has(r.at(i-1)))
}

// beforeMonths are words before months.
var beforeMonths = words("on by until till from for before after since through this next last monday tuesday wednesday thursday friday saturday sunday")

// behindDates are words that go on behind a date.
var behindDates = words("at in on for to from until till by and or with through please around near then this next last of")

// closes reports whether what stands before i can be a date's end: nothing that it could
// count or describe follows.
func (r *Request) closes(i int) bool {
	if i >= len(r.words) || r.words[i].clause != r.words[i-1].clause || behindDates.has(r.at(i)) {
		return true
	}
	_, isYear := r.year(i)
	return isYear || len(r.at(i)) == 2 && r.afterApostrophe(i)
}

func (r *Request) isCapital(i int) bool {
	c, _ := utf8.DecodeRuneInString(r.text[r.words[i].at:])
	return unicode.IsUpper(c)
}

// endsRange reports whether a day's number at i is the second of two: "4-5 March".
func (r *Request) endsRange(i int) bool {
	if i == 0 || i >= len(r.words) {
		return false
	}
	_, number := ordinal(r.at(i - 1))
	between := strings.TrimSpace(r.text[r.words[i-1].end:r.words[i].at])
	_, number2 := ordinal(r.at(i - 2))
	return number && between != "" && between != "," || number2 && connecting.has(r.at(i-1))
}

var connecting = words("to and or through until till")

// dayNumber reads a day of a month, "twenty-first" in two words, and goes on behind it.
func (r *Request) dayNumber(at *int) (n int, ok bool) {
	if tens := r.at(*at); tens == "twenty" || tens == "thirty" {
		if one, isDay := ordinal(r.at(*at + 1)); isDay && one < 10 {
			*at += 2
			n = smallWords[tens] + one
			return n, n <= 31
		}
	}
	n, ok = ordinal(r.at(*at))
	if ok && (r.afterApostrophe(*at) || r.goesOn(*at)) {
		return 0, false
	}
	if ok {
		*at++
	}
	return n, ok
}

// goesOn reports whether a number is only the beginning of one, or of a time: "3:30", "5.5".
func (r *Request) goesOn(i int) bool {
	rest := r.text[r.words[i].end:]
	return len(rest) > 0 && rest[0] == '%' || len(rest) > 1 && strings.IndexByte(":.,/", rest[0]) >= 0 && isDigit(rune(rest[1]))
}

// inYear is a month's day in the year that follows, or the next time that there is such
// a day, today included.
func (c *calendar) inYear(at int, m time.Month, n int) reading {
	if end, y, ok := c.yearBehind(at); ok {
		if day := dayOf(y, m, n); day.Day() == n {
			return reading{end: end, day: day, exact: true}
		}
		return reading{}
	}
	next, ok := c.nearest(m, n, 1)
	if !ok {
		return reading{}
	}
	d := reading{end: at, day: next, unsure: c.bareYear(at), kind: yearless}
	if last, ok := c.nearest(m, n, -1); ok && c.past {
		d.day, d.or = last, next
	} else if ok {
		d.also = []time.Time{last}
	}
	return d
}

// toCome makes a day one of the future alone, when the word before it does: "next March 4".
func (d *reading) toCome(before string) {
	if d.kind == yearless && (before == "next" || before == "coming") {
		d.kind, d.also = fixed, nil
	}
}

// nearest is the next day of a month, today included, or the last one before today.
func (c *calendar) nearest(m time.Month, n, step int) (time.Time, bool) {
	for away := 0; away <= 8; away++ { // leap days are up to 8 years apart
		day := dayOf(c.today.Year()+step*away, m, n)
		if day.Day() == n && day.Before(c.today) == (step < 0) {
			return day, true
		}
	}
	return time.Time{}, false
}

// bareYear reports whether the number behind a month's day may be its year: "14 July 25".
func (r *Request) bareYear(i int) bool {
	return len(r.at(i)) == 2 && onlyDigits(r.at(i)) && !r.goesOn(i) && r.closes(i+1)
}

// relative reads today and its neighbours, and weekdays of the weeks around this one.
func (c *calendar) relative(i int) reading {
	for _, p := range []struct {
		phrase string
		days   int
	}{
		{"the day after tomorrow", 2}, {"day after tomorrow", 2}, {"the day before yesterday", -2}, {"day before yesterday", -2},
		{"today", 0}, {"tonight", 0}, {"this morning", 0}, {"this afternoon", 0}, {"this evening", 0}, {"tomorrow", 1}, {"yesterday", -1},
	} {
		if end := c.phrase(i, p.phrase); end > 0 {
			return reading{end: end, day: c.today.AddDate(0, 0, p.days)}
		}
	}
	at, weeks, ok := c.week(i)
	if !ok {
		return reading{}
	}
	if c.at(at) == "on" {
		at++
	}
	if n, ok := weekdays[c.at(at)]; ok { // "next week on Friday"
		return reading{end: at + 1, day: c.inWeek(n, weeks)}
	}
	return reading{}
}

// week reads "next week", "last week" and "this week".
func (r *Request) week(i int) (end, weeks int, ok bool) {
	weeks, ok = weeksAway[r.at(i)]
	return i + 2, weeks, ok && r.at(i+1) == "week"
}

// inWeek is a weekday of the week that is so many weeks from this one.
func (c *calendar) inWeek(weekday, weeks int) time.Time {
	return c.today.AddDate(0, 0, -(int(c.today.Weekday())+6)%7+7*weeks+(weekday+6)%7)
}

// inDays reads "in three days".
func (c *calendar) inDays(i int) reading {
	if c.at(i) != "in" {
		return reading{}
	}
	end, days, ok := c.length(i + 1)
	if !ok {
		return reading{}
	}
	return reading{end: end, day: c.today.AddDate(0, 0, days), kind: distance}
}

var daysOf = map[string]int{"day": 1, "week": 7, "fortnight": 14}

// length reads how many days some words are: "two weeks".
func (r *Request) length(i int) (end, days int, ok bool) {
	n, err := strconv.Atoi(r.at(i))
	if word, known := smallWords[r.at(i)]; known {
		n, err = word, nil
	} else if r.at(i) == "a" {
		n, err = 1, nil
	}
	if err != nil || n < 0 || n > 10_000 {
		return 0, 0, false
	}
	unit := daysOf[strings.TrimSuffix(r.at(i+1), "s")]
	return i + 2, n * unit, unit > 0
}

// apart reads a day by its distance from another one: "two weeks from today", "a week on
// Friday", "the day before March 4th". "for two days from Friday" is a stay.
func (c *calendar) apart(i int) reading {
	at := i
	if c.at(at) == "in" {
		at++
	}
	end, days, ok := c.length(at)
	if !ok && c.at(at) == "the" && c.at(at+1) == "day" {
		end, days, ok = at+2, 1, true
	}
	if !ok || c.at(i-1) == "for" {
		return reading{}
	}
	lead := c.at(end)
	switch {
	case lead == "before":
		days = -days
	case lead == "from" && c.at(at) != "the", lead == "after", lead == "on" && days%7 == 0:
	default:
		return reading{}
	}
	if c.at(end+1) == "now" {
		return reading{end: end + 2, day: c.today.AddDate(0, 0, days)}
	}
	d := c.plainDate(end + 1)
	if d.end == 0 || c.phrase(i, "the day after tomorrow") > 0 {
		return reading{}
	}
	first := c.at(end + 1)
	d.kind, d.also = fixed, nil
	d.day, d.exact, d.unsure = d.day.AddDate(0, 0, days), false, lead != "from" || first != "today" && first != "tomorrow"
	if !d.or.IsZero() {
		d.or = d.or.AddDate(0, 0, days)
	}
	return d
}

// weekday reads a day of the week, with the word before it.
func (c *calendar) weekday(i int) reading {
	lead, at := "", i
	if leading.has(c.at(i)) {
		lead, at = c.at(i), i+1
		if leading.has(c.at(at)) { // "on this Monday", "this coming Monday"
			lead, at = c.at(at), at+1
		}
	}
	name := strings.TrimSuffix(c.at(at), "'s")
	n, ok := weekdays[name]
	if !ok {
		n, ok = shortWeekdays[name]
		ok = ok && lead != ""
	}
	if !ok {
		return reading{}
	}
	end := at + 1
	if d := c.dayBehind(end); d.end > 0 { // "Friday, December 11", "Friday the 11th"
		if int(d.day.Weekday()) != n && (d.or.IsZero() || int(d.or.Weekday()) != n) {
			return reading{}
		}
		return d
	}
	if behind := c.at(end); (behind == "next" || behind == "last") && c.at(end+1) != "to" && c.closes(end+1) { // "Tuesday next"
		lead, end = behind, end+1
	}
	return c.byLead(n, lead, end)
}

// byLead is the weekday that a word before it says, or a week behind it.
func (c *calendar) byLead(n int, lead string, end int) reading {
	next := c.today.AddDate(0, 0, (n-int(c.today.Weekday())+6)%7+1)
	last := c.today.AddDate(0, 0, -((int(c.today.Weekday())-n+6)%7 + 1))
	at := end
	if c.at(at) == "of" {
		at++
	}
	behind, weeks, ok := c.week(at)
	switch {
	case ok:
		return reading{end: behind, day: c.inWeek(n, weeks)}
	case lead == "next": // this week's to some speakers
		return reading{end: end, day: c.inWeek(n, 1), also: []time.Time{next}}
	case lead == "coming":
		return reading{end: end, day: next}
	case lead == "last" || lead == "past":
		return reading{end: end, day: last}
	case lead == "since" || c.past:
		return reading{end: end, day: last, or: next}
	}
	d := reading{end: end, day: next, unsure: c.bareDay(end), kind: anyWeekday, also: []time.Time{last}}
	if lead == "this" {
		d.kind, d.also = fixed, nil
	}
	if int(c.today.Weekday()) == n {
		d.also = append(d.also, c.today)
	}
	return d
}

// bareDay reports whether a number behind a weekday may be its day: "Saturday 19".
func (r *Request) bareDay(i int) bool {
	_, ok := ordinal(r.at(i))
	return ok && onlyDigits(r.at(i)) && !r.goesOn(i) && r.closes(i+1)
}

// dayBehind reads what makes a date of a weekday before it: a month and a day, or the next
// day of this number on that weekday.
func (c *calendar) dayBehind(i int) reading {
	for _, read := range []func(int) reading{c.monthDay, c.dayMonth} {
		if d := read(i); d.end > 0 {
			return d
		}
	}
	at, the := i, c.at(i) == "the"
	if the {
		at++
	}
	digits := isOrdinal(c.at(at))
	n, ok := c.dayNumber(&at)
	if !ok || !digits && (!the || onlyDigits(c.at(at-1)) || !c.closes(at)) {
		return reading{}
	}
	weekday := shortOrLong(strings.TrimSuffix(c.at(i-1), "'s"))
	next := c.numbered(n, weekday, 0, 1)
	if last := c.numbered(n, weekday, -1, -1); c.past && !last.IsZero() {
		return reading{end: at, day: last, or: next}
	}
	if next.IsZero() {
		return reading{}
	}
	return reading{end: at, day: next, also: []time.Time{c.numbered(n, weekday, -1, -1)}}
}

// numbered is the nearest day of this number that is such a weekday, seen from a day and in
// a direction; zero for none within two years.
func (c *calendar) numbered(n, weekday, from, step int) time.Time {
	for away := range 2 * 366 {
		if day := c.today.AddDate(0, 0, from+step*away); day.Day() == n && int(day.Weekday()) == weekday {
			return day
		}
	}
	return time.Time{}
}

// shortOrLong is the number of a weekday, whose name may be abbreviated.
func shortOrLong(name string) int {
	if n, ok := weekdays[name]; ok {
		return n
	}
	return shortWeekdays[name]
}

// isOrdinal reports whether a word is a number with an ending: "11th".
func isOrdinal(word string) bool {
	digits := strings.TrimRight(word, "stndrh")
	_, ok := ordinal(word)
	return ok && len(digits) < len(word) && onlyDigits(digits)
}

// looseDays are days of a month that the request names without saying of which: "the 11th",
// "on the eleventh".
func (r *Request) looseDays(dates []Date) (list []int) {
	inDate := r.inDates(dates)
	for i, w := range r.words {
		at := i
		if inDate[i] || !isOrdinal(w.text) && !(r.at(i-1) == "the" && beforeDays.has(r.at(i-2))) {
			continue
		}
		if n, ok := r.dayNumber(&at); ok && !onlyDigits(w.text) {
			list = append(list, n)
		}
	}
	return list
}

// beforeDays are words before "the tenth".
var beforeDays = words("on by until till from to before after since for")

// inDates marks the words of dates.
func (r *Request) inDates(dates []Date) []bool {
	marked := make([]bool, len(r.words))
	for _, d := range dates {
		for i := d.words.from; i < d.words.to; i++ {
			marked[i] = true
		}
	}
	return marked
}
