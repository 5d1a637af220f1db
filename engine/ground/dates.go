package ground

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Date is a day that a request names.
type Date struct {
	Day     time.Time // midnight, UTC
	At, End int       // bytes of the words in the request's text

	words          span
	exact, tonight bool // a year is named; it is the night after the day
}

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

// Dates are the days that the request names, in its order, seen from today: ISO dates,
// months with a day (the next one to come, unless a year is named), weekdays, today and
// its neighbours, and "in three days". "next" before a weekday is the week
// after this one, weeks beginning on Monday; without it, or with "this", it is the next
// such day after today.
func (r *Request) Dates(today time.Time) (list []Date) {
	today = dayOf(today.Date())
	for i := 0; i < len(r.words); {
		end, day, ok := r.date(i, today)
		if !ok {
			i++
			continue
		}
		_, withYear := r.year(end - 1)
		iso := r.text[r.words[i].at:r.words[end-1].end] == day.Format(time.DateOnly)
		list = append(list, Date{day, r.words[i].at, r.words[end-1].end, span{i, end}, withYear || iso, r.words[i].text == "tonight"})
		i = end
	}
	return list
}

func dayOf(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// date reads a day from the word i on, and says which word follows it.
func (r *Request) date(i int, today time.Time) (end int, day time.Time, ok bool) {
	for _, read := range []func(int, time.Time) (int, time.Time, bool){r.isoDate, r.monthDay, r.dayMonth, r.relative, r.weekday} {
		if end, day, ok = read(i, today); ok {
			return end, day, true
		}
	}
	return 0, day, false
}

func (r *Request) at(i int) string {
	if i < 0 || i >= len(r.words) {
		return ""
	}
	return r.words[i].text
}

// isoDate reads YYYY-MM-DD, of which "-" makes three words; a "T" and a time may follow.
func (r *Request) isoDate(i int, _ time.Time) (int, time.Time, bool) {
	if i+2 >= len(r.words) {
		return 0, time.Time{}, false
	}
	from, to := r.words[i].at, r.words[i+2].at+2
	if to-from != len("2006-01-02") || to > r.words[i+2].end {
		return 0, time.Time{}, false
	}
	day, err := time.Parse(time.DateOnly, r.text[from:to])
	if behind := r.text[to:r.words[i+2].end]; err != nil || behind != "" && behind[0] != 'T' && behind[0] != 't' {
		return 0, time.Time{}, false
	}
	return i + 3, day, true
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

// monthDay reads "March 4th", "march the fourth", with a year or without.
func (r *Request) monthDay(i int, today time.Time) (int, time.Time, bool) {
	m, _, ok := month(r.at(i))
	at := i + 1
	if r.at(at) == "the" {
		at++
	}
	n, isDay := r.dayNumber(&at)
	if !ok || !isDay {
		return 0, time.Time{}, false
	}
	return r.inYear(at, m, n, today)
}

// dayMonth reads "4 March", "the 4th of March", with a year or without.
func (r *Request) dayMonth(i int, today time.Time) (int, time.Time, bool) {
	at := i
	if r.at(at) == "the" {
		at++
	}
	n, ok := r.dayNumber(&at)
	if ok && r.at(at) == "of" {
		at++
	}
	m, exact, isMonth := month(r.at(at))
	// "in 4 may": a bare number before a word that may be another.
	if !ok || !isMonth || m == time.May && at == i+1 && !exact {
		return 0, time.Time{}, false
	}
	return r.inYear(at+1, m, n, today)
}

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
	if ok {
		*at++
	}
	return n, ok
}

// inYear is a month's day in the year that follows, or the next time that there is such
// a day, today included.
func (r *Request) inYear(at int, m time.Month, n int, today time.Time) (int, time.Time, bool) {
	if y, ok := r.year(at); ok {
		day := dayOf(y, m, n)
		return at + 1, day, day.Day() == n
	}
	for y := today.Year(); y <= today.Year()+8; y++ { // leap days are up to 8 years apart
		if day := dayOf(y, m, n); day.Day() == n && !day.Before(today) {
			return at, day, true
		}
	}
	return 0, time.Time{}, false
}

// relative reads today and its neighbours, and "in three days".
func (r *Request) relative(i int, today time.Time) (int, time.Time, bool) {
	for _, p := range []struct {
		phrase string
		days   int
	}{
		{"the day after tomorrow", 2}, {"day after tomorrow", 2}, {"the day before yesterday", -2}, {"day before yesterday", -2},
		{"today", 0}, {"tonight", 0}, {"this morning", 0}, {"this afternoon", 0}, {"this evening", 0}, {"tomorrow", 1}, {"yesterday", -1},
	} {
		if end := r.phrase(i, p.phrase); end > 0 {
			return end, today.AddDate(0, 0, p.days), true
		}
	}
	if at := r.phrase(i, "next week"); at > 0 {
		if r.at(at) == "on" {
			at++
		}
		if n, ok := weekdays[r.at(at)]; ok { // "next week on Friday"
			monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
			return at + 1, monday.AddDate(0, 0, 7+(n+6)%7), true
		}
	}
	if r.at(i) != "in" || i+2 >= len(r.words) {
		return 0, time.Time{}, false
	}
	n, err := strconv.Atoi(r.at(i + 1))
	if word, known := smallWords[r.at(i+1)]; known {
		n, err = word, nil
	} else if r.at(i+1) == "a" {
		n, err = 1, nil
	}
	if err != nil || n < 0 || n > 10_000 {
		return 0, time.Time{}, false
	}
	switch strings.TrimSuffix(r.at(i+2), "s") {
	case "day":
		return i + 3, today.AddDate(0, 0, n), true
	case "week":
		return i + 3, today.AddDate(0, 0, 7*n), true
	case "fortnight":
		return i + 3, today.AddDate(0, 0, 14*n), true
	}
	return 0, time.Time{}, false
}

// weekday reads a day of the week, with the word before it.
func (r *Request) weekday(i int, today time.Time) (int, time.Time, bool) {
	lead, at := "", i
	if leading[r.at(i)] {
		lead, at = r.at(i), i+1
		if leading[r.at(at)] { // "on this Monday", "this coming Monday"
			lead, at = r.at(at), at+1
		}
	}
	name := strings.TrimSuffix(r.at(at), "'s")
	n, ok := weekdays[name]
	if !ok {
		n, ok = shortWeekdays[name]
		ok = ok && lead != ""
	}
	if !ok {
		return 0, time.Time{}, false
	}
	end := at + 1
	if behind, day, ok := r.dayBehind(end, today); ok { // "Friday, December 11", "Friday the 11th"
		return behind, day, int(day.Weekday()) == n
	}
	ahead := (n-int(today.Weekday())+6)%7 + 1 // 1 to 7
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	switch nextWeek := r.phrase(end, "next week"); {
	case nextWeek > 0:
		return nextWeek, monday.AddDate(0, 0, 7+(n+6)%7), true
	case lead == "next":
		return end, monday.AddDate(0, 0, 7+(n+6)%7), true
	case lead == "last" || lead == "past":
		back := (int(today.Weekday())-n+6)%7 + 1
		return end, today.AddDate(0, 0, -back), true
	}
	return end, today.AddDate(0, 0, ahead), true
}

// dayBehind reads what makes a date of a weekday before it: a month and a day, or the next
// day of this number on that weekday.
func (r *Request) dayBehind(i int, today time.Time) (int, time.Time, bool) {
	for _, read := range []func(int, time.Time) (int, time.Time, bool){r.monthDay, r.dayMonth} {
		if end, day, ok := read(i, today); ok {
			return end, day, true
		}
	}
	at := i
	if r.at(at) == "the" {
		at++
	}
	if !isOrdinal(r.at(at)) {
		return 0, time.Time{}, false
	}
	n, ok := r.dayNumber(&at)
	if !ok {
		return 0, time.Time{}, false
	}
	weekday := shortOrLong(strings.TrimSuffix(r.at(i-1), "'s"))
	for day := today; day.Before(today.AddDate(2, 0, 0)); day = day.AddDate(0, 0, 1) {
		if day.Day() == n && int(day.Weekday()) == weekday {
			return at, day, true
		}
	}
	return 0, time.Time{}, false
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

// looseDays are days of a month that the request names without saying of which: "the 11th".
func (r *Request) looseDays(dates []Date) (list []int) {
	for i, w := range r.words {
		inDate := func(d Date) bool { return d.words.from <= i && i < d.words.to }
		if isOrdinal(w.text) && !slices.ContainsFunc(dates, inDate) {
			n, _ := ordinal(w.text)
			list = append(list, n)
		}
	}
	return list
}
