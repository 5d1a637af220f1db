package ground

import (
	"slices"
	"strings"
	"time"
)

// Days that stand beside others: what one means depends on the one before it. It knows English only.

// pair reads days by those before them. The end of a range is the first such day behind its
// start; where no range is named a later day that lands before an earlier one is in doubt, and
// so is a distance behind another day: "check in on Friday and out in 5 days".
func (c *calendar) pair(list []Date) {
	other := -1 // the last day before, from which a distance may be counted
	for i := 1; i < len(list); i++ {
		if b := list[i-1]; !b.Day.Equal(c.today) && b.kind != distance {
			other = i - 1
		}
		first, second := &list[i-1], &list[i]
		ranges := c.ranges(first.words, second.words)
		switch {
		case second.kind == distance:
			if other >= 0 { // or it is counted from that one
				second.Or = list[other].Day.Add(second.Day.Sub(c.today))
			}
		case !first.Or.IsZero() || !second.Or.IsZero():
		case first.kind == yearless && second.exact:
			c.shareYear(first, second, ranges)
		case second.Day.Before(first.Day) || ranges && second.Day.Equal(first.Day):
			c.follow(first, second, ranges)
		}
	}
}

// shareYear gives a day without a year the one of the day behind it: "March 4 to March 8, 2028".
func (c *calendar) shareYear(first, second *Date, ranges bool) {
	day := dayOf(second.Day.Year(), first.Day.Month(), first.Day.Day())
	if day.After(second.Day) {
		day = day.AddDate(-1, 0, 0)
	}
	switch {
	case day.Equal(first.Day) || day.Day() != first.Day.Day():
	case ranges:
		first.Day, first.exact, first.kind = day, true, fixed
	default:
		first.Or = day
	}
}

// follow moves a day behind the one before it, when a range says so, or else doubts it.
func (c *calendar) follow(first, second *Date, ranges bool) {
	later, ok := second.behind(first.Day)
	switch {
	case !ok && first.kind != fixed && len(first.also) > 0: // "from November 1 until today"
		first.Or = first.also[0]
	case !ok:
		second.unsure = second.unsure || ranges
	case ranges && (first.exact || !slices.ContainsFunc(first.also, c.today.Equal)):
		second.also = append(second.also, second.Day)
		second.Day = later
	default:
		second.Or = later
	}
}

// behind is the first day of the same name behind another one.
func (d *Date) behind(day time.Time) (time.Time, bool) {
	switch d.kind {
	case anyWeekday:
		return day.AddDate(0, 0, (int(d.Day.Weekday())-int(day.Weekday())+6)%7+1), true
	case yearless:
		for year := day.Year(); year <= day.Year()+8; year++ {
			if later := dayOf(year, d.Day.Month(), d.Day.Day()); later.Day() == d.Day.Day() && later.After(day) {
				return later, true
			}
		}
	}
	return time.Time{}, false
}

// ranging are words between the ends of a range.
var ranging = words("to through thru until till")

// ranges reports whether two days are the ends of a range: "Monday to Friday".
func (r *Request) ranges(a, b span) bool {
	last, first := r.at(b.from-1), r.at(b.from)
	switch {
	case !r.oneClause(a.from, b.from+1): // a year may follow a comma
		return false
	case ranging.has(first) && b.from == a.to, ranging.has(last):
		return true
	case b.from == a.to:
		between := strings.TrimSpace(r.text[r.words[a.to-1].end:r.words[b.from].at])
		return between == "-" || between == "–"
	default:
		return last == "and" && b.from == a.to+1 && r.at(a.from-1) == "between"
	}
}

// means reports whether the words may mean a day.
func (d *Date) means(day time.Time) bool {
	return d.Day.Equal(day) || !d.Or.IsZero() && d.Or.Equal(day) || slices.ContainsFunc(d.also, day.Equal)
}

// mayBe is means, with all years gone by for a month's day that is named without one.
func (d *Date) mayBe(day time.Time) bool {
	return d.means(day) || d.kind == yearless && day.Before(d.Day) && day.Month() == d.Day.Month() && day.Day() == d.Day.Day()
}
