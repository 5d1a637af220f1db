package ground

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

const dateTool = `book{"properties":{"date":{"type":"string"},"end_date":{"type":"string"},"startTime":{"type":"string"},"note":{"type":"string"},` +
	`"on":{"type":"object","properties":{"x":{"type":"string","format":"date"}}},"birthday":{},"due":{"enum":["2026-01-01"]},"dates":{"items":{"type":"string"}},"day_id":{}}}`

func TestDateRepair(t *testing.T) {
	const wrong = "2024-05-05"
	for text, want := range map[string]string{
		"book a table for tomorrow":           "2026-11-28",
		"book it for today":                   "2026-11-27",
		"what happens tonight":                "2026-11-27",
		"the day after tomorrow at 7":         "2026-11-29",
		"on March 4th":                        "2027-03-04",
		"on the 4th of March 2028":            "2028-03-04",
		"on Feb 29":                           "2028-02-29",
		"in three days":                       "2026-11-30",
		"in 2 weeks":                          "2026-12-11",
		"on Friday":                           "2026-12-04",
		"next Monday":                         "2026-11-30",
		"by December 31st":                    "2026-12-31",
		"new year's brunch on January 1":      "2027-01-01",
		"until Tuesday":                       "2026-12-01",
		"on Friday, December 4th":             "2026-12-04",
		"on 2027-02-03":                       "2027-02-03",
		"on 2024-05-05":                       wrong,
		`play "Black Friday" tomorrow`:        "2026-11-28",
		"Tomorrow, please, and only tomorrow": "2026-11-28",
		"move it from Monday to Tuesday":      wrong,
		"two days before Friday":              wrong,
		"on Friday the 11th":                  "2026-12-11",
		"pay rent on Friday next week":        "2026-12-04",
		"the 11th to pay, it's a Friday":      wrong,
		"buy the Monday magazine on the 5th":  wrong,
		"the day before March 4th":            wrong,
		"a week from Monday":                  wrong,
		"a week on Monday":                    wrong,
		"on Good Friday":                      wrong,
		"the last Friday of March":            wrong,
		"the first Monday in December":        wrong,
		"not on Monday":                       wrong,
		"any day except Monday":               wrong,
		"don't book it on Monday":             wrong,
		"after Monday":                        wrong,
		"on 3/4 or tomorrow":                  wrong,
		"every Monday":                        wrong,
		"book a table":                        wrong,
		"on Christmas":                        wrong,
		"mañana, am Montag, 明天, غدا, le 4 mars, el lunes": wrong,
	} {
		call := `book{"date":"` + wrong + `"}`
		checkRule(t, "date", judged{"", text, dateTool, call, strings.ReplaceAll(call, wrong, want)})
	}
}

func TestDatePlaces(t *testing.T) {
	for _, c := range []judged{
		{"", "tomorrow at 7", dateTool, `book{"startTime":"2024-05-05T07:00:00"}`, `book{"startTime":"2026-11-28T07:00:00"}`},
		{"", "tomorrow at 7", dateTool, `book{"date":"2024-05-05 07:00"}`, `book{"date":"2026-11-28 07:00"}`},
		{"", "tomorrow", dateTool, `book{"on":{"x":"2024-05-05"}}`, `book{"on":{"x":"2026-11-28"}}`},
		{"", "tomorrow", dateTool, `book{"dates":["2024-05-05"],"note":"b"}`, `book{"dates":["2026-11-28"],"note":"b"}`},
		{"", "wake me tomorrow at 7 and at 8", dateTool, "book{\"date\":\"2024-05-05T07:00\"}\nbook{\"date\":\"2024-05-05T08:00\"}",
			"book{\"date\":\"2026-11-28T07:00\"}\nbook{\"date\":\"2026-11-28T08:00\"}"},
		{"", "from Monday to Wednesday", dateTool, `book{"date":"2024-05-05","end_date":"2024-05-06"}`, `book{"date":"2026-11-30","end_date":"2026-12-02"}`},
		{"", "on Monday and on Tuesday", dateTool, "book{\"date\":\"2024-05-05\"}\nbook{\"date\":\"2024-05-06\"}", "book{\"date\":\"2026-11-30\"}\nbook{\"date\":\"2026-12-01\"}"},
		{"", "on Monday and on Tuesday", dateTool, "book{\"date\":\"2026-12-01\"}\nbook{\"date\":\"2024-05-06\"}", "book{\"date\":\"2026-12-01\"}\nbook{\"date\":\"2026-11-30\"}"},
		{"", "Tuesday, after what was on Monday", dateTool, "book{\"date\":\"2026-12-01\",\"end_date\":\"2026-11-30\"}", "book{\"date\":\"2026-12-01\",\"end_date\":\"2026-11-30\"}"},
		{"", "tomorrow from 3 to 4", dateTool, `book{"date":"2024-05-05","end_date":"2024-05-05"}`, `book{"date":"2024-05-05","end_date":"2024-05-05"}`},
		{"", "on Monday and on Tuesday", dateTool, "book{\"date\":\"2024-05-05\"}\nbook{\"date\":\"2024-05-06\",\"end_date\":\"2024-05-07\"}", "book{\"date\":\"2024-05-05\"}\nbook{\"date\":\"2024-05-06\",\"end_date\":\"2024-05-07\"}"},
		{"", "tonight at 1 am", dateTool, `book{"date":"2026-11-28T01:00"}`, `book{"date":"2026-11-28T01:00"}`},
		{"", "tomorrow at 11 pm", dateTool, `book{"date":"2026-11-29T04:00:00Z"}`, `book{"date":"2026-11-29T04:00:00Z"}`},
		{"", "her birthday is March 4th", dateTool, `book{"birthday":"1990-03-04"}`, `book{"birthday":"1990-03-04"}`},
		{"", "her birthday is March 4th 1990", dateTool, `book{"birthday":"1991-03-04"}`, `book{"birthday":"1990-03-04"}`},
		{"", "tomorrow", dateTool, `book{"note":"2024-05-05"}`, `book{"note":"2024-05-05"}`},
		{"", "tomorrow", dateTool, `book{"due":"2026-01-01"}`, `book{"due":"2026-01-01"}`},
		{"", "tomorrow", dateTool, `book{"day_id":"2026-01-01"}`, `book{"day_id":"2026-01-01"}`},
		{"", "tomorrow", dateTool, `book{"date":"2026-01-01/2026-01-02"}`, `book{"date":"2026-01-01/2026-01-02"}`},
		{"", "tomorrow", dateTool, `book{"date":"2026-02-30"}`, `book{"date":"2026-02-30"}`},
		{"", "tomorrow", dateTool, `book{"date":"tomorrow"}`, `book{"date":"tomorrow"}`},
		{"", "tomorrow", dateTool, `book{"date":20240505}`, `book{"date":20240505}`},
	} {
		checkRule(t, "date", c)
	}
}

// TestWrongDatesAreRepaired names days of the week on random days.
func TestWrongDatesAreRepaired(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	tools := NewTools([]Tool{{Name: "book", Schema: []byte(`{"properties":{"date":{"type":"string"}}}`)}})
	repaired := func(today time.Time, text string) time.Time {
		v := tools.Judge(NewTurn("date: "+today.Format(time.DateOnly), []string{text}, true),
			[]Call{{"book", parse(t, `{"date":"1980-01-01T08:00"}`)}}, Options{Confidence: 1})
		day, err := time.Parse("2006-01-02T15:04", v.Calls[0].Arguments.Last("date").Text)
		if err != nil || day.Hour() != 8 {
			t.Fatalf("%q: %v", text, err)
		}
		return dayOf(day.Date())
	}
	for range 1000 {
		today := dayOf(1990, 1, 1).AddDate(0, 0, r.IntN(40_000))
		day := time.Weekday(r.IntN(7))
		for _, lead := range []string{"", "this ", "next "} {
			if got := repaired(today, "book a table for "+lead+day.String()); got.Weekday() != day || !got.After(today) || got.After(today.AddDate(0, 0, 13)) {
				t.Fatalf("%s%s on %s is %s", lead, day, today.Format(time.DateOnly), got.Format(time.DateOnly))
			}
		}
		n := r.IntN(40)
		for text, days := range map[string]int{"today": 0, "tomorrow": 1, "the day after tomorrow": 2, fmt.Sprintf("in %d days", n): n, "in three days": 3} {
			if got := repaired(today, "do it "+text); !got.Equal(today.AddDate(0, 0, days)) {
				t.Fatalf("%s on %s is %s", text, today.Format(time.DateOnly), got.Format(time.DateOnly))
			}
		}
	}
	for _, c := range [][3]string{
		{"2026-12-31", "tomorrow", "2027-01-01"}, {"2026-12-30", "Friday", "2027-01-01"}, {"2028-02-28", "tomorrow", "2028-02-29"},
		{"2027-02-28", "tomorrow", "2027-03-01"}, {"2028-02-29", "on February 29th", "2028-02-29"}, {"2028-03-01", "on February 29th", "2032-02-29"},
		{"2026-12-31", "on March 4th", "2027-03-04"}, {"2027-03-05", "March 4th", "2028-03-04"}, {"2096-12-31", "on February 29th", "2104-02-29"},
	} {
		today, _ := time.Parse(time.DateOnly, c[0])
		if got := repaired(today, c[1]).Format(time.DateOnly); got != c[2] {
			t.Errorf("%s on %s is %s, want %s", c[1], c[0], got, c[2])
		}
	}
}
