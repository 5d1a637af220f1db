package ground

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// TestDates is seen from Friday, 27 November 2026.
func TestDates(t *testing.T) {
	today := time.Date(2026, 11, 27, 22, 30, 0, 0, time.FixedZone("east", 3600))
	for text, want := range map[string]string{
		"book a table for tomorrow":          "2026-11-28",
		"today at 5 and tonight":             "2026-11-27 2026-11-27",
		"the day after tomorrow":             "2026-11-29",
		"what happened yesterday":            "2026-11-26",
		"on 2027-02-03 at 10:30":             "2027-02-03",
		"2027-02-03T10:30 and 2027-02-30":    "2027-02-03",
		"2027-02-3 and 2027-002-3":           "",
		"March 4th":                          "2027-03-04",
		"the 4th of March":                   "2027-03-04",
		"march the fourth, 2028":             "2028-03-04",
		"4 March 2025":                       "2025-03-04",
		"Dec 24":                             "2026-12-24",
		"november 27":                        "2026-11-27",
		"November 26th":                      "2027-11-26",
		"December twenty-first":              "2026-12-21",
		"May 3":                              "2027-05-03",
		"February 29":                        "2028-02-29",
		"February 29, 2027":                  "",
		"April 31":                           "",
		"on monday":                          "2026-11-30",
		"this Friday":                        "2026-12-04",
		"Friday":                             "2026-12-04",
		"next Monday":                        "2026-11-30",
		"next Sunday":                        "2026-12-06",
		"next friday at noon":                "2026-12-04",
		"this coming Wednesday":              "2026-12-02",
		"last Friday and last Monday":        "2026-11-20 2026-11-23",
		"by Tue":                             "2026-12-01",
		"Saturday's party":                   "2026-11-28",
		"in 3 days, in two weeks, in a week": "2026-11-30 2026-12-11 2026-12-04",
		"from Monday to Wednesday":           "2026-11-30 2026-12-02",
		"on Friday the 11th":                 "2026-12-11",
		"Sunday 13th at noon":                "2026-12-13",
		"Friday, December 11":                "2026-12-11",
		"Monday, 30 November 2026":           "2026-11-30",
		"Friday, December 12":                "2026-12-12", // the weekday is wrong, the day is not
		"Friday next week":                   "2026-12-04",
		"next week on Tuesday":               "2026-12-01",
		"next week":                          "",
		"may I have 3 cups":                  "",
		"remind me, may 5 people come":       "",
		"the second may be late":             "",
		"march 5 km":                         "",
		"on may 5 we fly":                    "2027-05-05",
		"Friday, may 7":                      "2027-05-07",
		"the 5th of may or so":               "2027-05-05",
		"March 3:30 and Dec 5.5":             "",
		"Saturday 19th":                      "2026-12-19",
		"Sat, the 19th":                      "",
		"on Sat, the 19th":                   "2026-12-19",
		"Monday the 14th":                    "2026-12-14",
		"Friday the thirteenth":              "2027-08-13",
		"Friday the second bus leaves":       "2026-12-04",
		"what was it like on Friday":         "2026-11-20",
		"how was November 3":                 "2026-11-03",
		"what happened on Monday the 16th":   "2026-11-16",
		"I was wondering, is Friday free":    "2026-12-04",
		"March 4th last year":                "2025-03-04",
		"on December 25 next year":           "2027-12-25",
		"December 25 of this year":           "2026-12-25",
		"14 July '25":                        "2025-07-14",
		"14 July ’98":                        "1998-07-14",
		"Dec 5th, '27":                       "2027-12-05",
		"Dec '27":                            "",
		"March 4th in 2028":                  "2028-03-04",
		"February 29 next year":              "",
		"next week Friday":                   "2026-12-04",
		"Friday last week":                   "2026-11-20",
		"Monday of next week":                "2026-11-30",
		"last week on Tuesday":               "2026-11-17",
		"Tuesday this week":                  "2026-11-24",
		"Tuesday next":                       "2026-12-01",
		"Tuesday next to the bar":            "2026-12-01",
		"Friday last":                        "2026-11-20",
		"a week from Friday":                 "2026-12-11",
		"in a week from Friday":              "2026-12-11",
		"two weeks from today":               "2026-12-11",
		"in 3 days from now":                 "2026-11-30",
		"a week on Friday":                   "2026-12-11",
		"two days on Friday":                 "2026-12-04",
		"two days before Friday":             "2026-12-02",
		"the day before March 4th":           "2027-03-03",
		"the day after Christmas":            "",
		"a week after tomorrow":              "2026-12-05",
		"for 3 days from Friday":             "2026-12-04",
		"a day after a day after Friday":     "2026-12-05",
		"since Monday":                       "2026-11-23",
		"the sun sat there, mar the paint":   "",
		"second place in the march":          "",
		"in 5 minutes, room 2027":            "",
		"call 2027-11":                       "",
		"mañana, am Montag, 明天, غدا, le 4 mars, Ärzte": "",
		"": "",
	} {
		var got []string
		for _, d := range NewRequest(text).Dates(today) {
			got = append(got, d.Day.Format(time.DateOnly))
			if d.At < 0 || d.End > len(text) || d.At >= d.End {
				t.Errorf("%q: %d to %d", text, d.At, d.End)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestDatesAtTheEdges has days that four digits give no year to.
func TestDatesAtTheEdges(t *testing.T) {
	for _, c := range [][3]string{
		{"9999-12-31", "tomorrow", ""},
		{"9999-12-30", "the day after tomorrow", ""},
		{"9999-12-31", "today", "9999-12-31"},
		{"9999-12-31", "in 3 weeks", ""},
		{"9999-12-31", "Friday, next Monday and a week from today", "9999-12-31"},
		{"9999-12-31", "March 4th", ""},
		{"9999-12-31", "yesterday", "9999-12-30"},
		{"0000-01-01", "yesterday", ""},
		{"0000-01-01", "the day before yesterday", ""},
		{"0000-01-01", "last Friday", ""},
		{"0000-01-01", "tomorrow", "0000-01-02"},
		{"0000-01-02", "what was on March 4 last year", ""},
	} {
		today, err := time.Parse(time.DateOnly, c[0])
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range NewRequest(c[1]).Dates(today) {
			got = append(got, d.Day.Format(time.DateOnly))
		}
		if c[1][0] != 'F' && strings.Join(got, " ") != c[2] || len(strings.Join(got, "")) > 10*len(got) {
			t.Errorf("%s, %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

// TestWeekdaysAgree names days of the week on random days, and random dates in words.
func TestWeekdaysAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		today := dayOf(1990, 1, 1).AddDate(0, 0, r.IntN(40_000))
		day := time.Weekday(r.IntN(7))
		for lead, within := range map[string][2]int{"": {1, 7}, "on ": {1, 7}, "this ": {1, 7}, "next ": {1, 13}, "last ": {-7, -1}} {
			text := "do it " + lead + day.String()
			got := NewRequest(text).Dates(today)
			if len(got) != 1 || got[0].Day.Weekday() != day {
				t.Fatalf("%q on %s: %v", text, today.Format(time.DateOnly), got)
			}
			ahead := int(got[0].Day.Sub(today) / (24 * time.Hour))
			if ahead < within[0] || ahead > within[1] {
				t.Fatalf("%q on %s is %d days ahead", text, today.Format(time.DateOnly), ahead)
			}
		}
		// Within a year each day of a month comes once, leap days aside.
		then := today.AddDate(0, 0, r.IntN(365))
		if then.Day() == 29 && then.Month() == time.February {
			continue
		}
		for _, text := range []string{then.Format("January 2"), then.Format("2 January"), fmt.Sprintf("the %d%s of %s", then.Day(), ending(then.Day()), then.Month())} {
			got := NewRequest("on " + text).Dates(today)
			if len(got) != 1 || !got[0].Day.Equal(then) {
				t.Fatalf("%q on %s: %v, want %s", text, today.Format(time.DateOnly), got, then.Format(time.DateOnly))
			}
		}
	}
}

func ending(n int) string {
	switch {
	case n/10 == 1:
		return "th"
	case n%10 < 4:
		return []string{"th", "st", "nd", "rd"}[n%10]
	default:
		return "th"
	}
}
