package ground

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

const stayTool = `stay{"properties":{"date":{"type":"string"},"check_in":{"type":"string","format":"date"},"check_out":{"type":"string","format":"date"},"title":{"type":"string"}}}`

// judgeStays judges calls of stayTool on a day, with all rules.
func judgeStays(t *testing.T, today, request string, calls ...string) []string {
	t.Helper()
	name, schema, _ := strings.Cut(stayTool, "{")
	tools := NewTools([]Tool{{Name: name, Schema: []byte("{" + schema)}})
	var list []Call
	for _, c := range calls {
		list = append(list, Call{name, parse(t, c)})
	}
	written := func(calls []Call) (list []string) {
		for _, c := range calls {
			list = append(list, text(c.Arguments))
		}
		return list
	}
	turn := NewTurn("date: "+today, []string{request}, true)
	o := Options{Confidence: 1, Off: only("date")}
	o.Off[duplicates] = false
	once := tools.Judge(turn, list, o)
	if a, b := written(once.Calls), written(tools.Judge(turn, once.Calls, o).Calls); strings.Join(a, " ") != strings.Join(b, " ") {
		t.Errorf("%s, %q: %s once, %s twice", today, request, a, b)
	}
	return written(once.Calls)
}

// TestDoubtfulDates has values that are right, or may be, and values that are still repaired.
func TestDoubtfulDates(t *testing.T) {
	const wed, mon = "2026-12-09", "2026-11-30"
	for _, c := range []struct{ today, request, value, want string }{
		// Days gone by.
		{"2026-12-02", "log 80 kg for November 28th", "2026-11-28", ""},
		{"2026-12-02", "record 80 kg on Nov 28", "2026-11-28", ""},
		{"2026-12-02", "weighed 80 kg on November 3", "2026-11-03", ""},
		{"2026-12-02", "log my weight for Monday", "2026-11-30", ""},
		{"2026-12-02", "log my weight for Monday", "2026-11-29", "2026-12-07"},
		{"2026-12-02", "book it for this coming Monday", "2026-11-30", "2026-12-07"},
		{"2026-12-02", "book it for next Monday", "2026-11-30", "2026-12-07"},
		{"2026-12-02", "book it on November 28th", "2026-11-27", "2027-11-28"},
		{"2026-12-02", "the Acme invoice of November 20 is overdue, pay it", "2026-12-02", ""},
		{"2026-12-02", "pay the Acme invoice from November 20, 300 dollars, now", "2026-12-02", ""},
		// Days of something else.
		{wed, "rent is due on Friday, pay 900 to Landlord now", wed, ""},
		{wed, "rent is due on Friday, pay 900 to Landlord", wed, ""},
		{wed, "pay 900 to Landlord immediately, rent is due on Friday", wed, ""},
		{wed, "text Ann that I'll be there on Friday and add a todo for buying flowers", wed, ""},
		{wed, "create an event gym at 6pm and tell Ann I can't come tomorrow", wed, ""},
		{wed, "I leave for Rome on Friday, remind me to pack at 5pm", wed, ""},
		{wed, "remind me to pack at 5pm, I leave for Rome on Friday", wed, ""},
		{wed, "the guests come Saturday so add a todo to clean the house before then", wed, ""},
		{wed, "todo: prep for Friday's exam", wed, ""},
		{wed, "todo: prepare for the exam on Friday", wed, ""},
		{wed, "remind me at noon that I have an exam tomorrow", wed, ""},
		{wed, "what's Friday's weather", wed, "2026-12-11"},
		{wed, "on Friday at 7, book Nopi for two", wed, "2026-12-11"},
		{wed, "book Nopi for two, Friday at 8", wed, "2026-12-11"},
		{wed, "turn on the lights and wake me tomorrow", wed, "2026-12-10"},
		{wed, "remind me to pay the rent on Friday", wed, "2026-12-11"},
		{wed, "book a table for four on Friday", wed, "2026-12-11"},
		{wed, "I need a taxi on Friday, please book it", wed, "2026-12-11"},
		{wed, "now book it for Friday", wed, "2026-12-11"},
		// Midnight.
		{mon, "call Ann tomorrow at midnight", "2026-12-02T00:00", ""},
		{mon, "call Ann on Friday at midnight", "2026-12-05T00:00", ""},
		{mon, "call Ann late tomorrow night, 12:30 am", "2026-12-02T00:30", ""},
		{mon, "call Ann tomorrow at noon", "2026-12-02T12:00", "2026-12-01T12:00"},
		{mon, "call Ann tomorrow at 4 am", "2026-12-02T04:00", "2026-12-01T04:00"},
		// What speakers mean by this and by next.
		{mon, "pay the rent this Monday", mon, ""},
		{mon, "pay the rent on Monday", mon, ""},
		{mon, "pay the rent next Monday", mon, "2026-12-07"},
		{"2026-12-02", "pay the rent next Friday", "2026-12-04", ""},
		{"2026-12-02", "pay the rent next Friday", "2026-12-03", "2026-12-11"},
	} {
		want := c.want
		if want == "" {
			want = c.value
		}
		if got := judgeStays(t, c.today, c.request, `{"date":"`+c.value+`"}`)[0]; got != `{"date":"`+want+`"}` {
			t.Errorf("%s, %q: %s becomes %s, want %s", c.today, c.request, c.value, got, want)
		}
	}
}

// TestRanges has ends that are counted from starts; none is repaired to a day before its start.
func TestRanges(t *testing.T) {
	const wed, no = "2026-12-09", "2024-05-05"
	for _, c := range []struct{ today, request, in, out, wrong string }{
		{wed, "hotel in Nice from Monday to Friday for 2", "2026-12-14", "2026-12-18", "2026-12-18"},
		{wed, "hotel in Nice, Monday through Friday", "2026-12-14", "2026-12-18", "2026-12-18"},
		{wed, "hotel in Nice from Monday until Thursday", "2026-12-14", "2026-12-17", "2026-12-17"},
		{wed, "hotel in Nice from next Monday to Friday", "2026-12-14", "2026-12-18", "2026-12-18"},
		{wed, "hotel in Nice next week Monday to Friday", "2026-12-14", "2026-12-18", "2026-12-18"},
		{wed, "hotel in Nice between Monday and Friday", "2026-12-14", "2026-12-18", "2026-12-18"},
		{wed, "hotel in Nice from Monday to Monday", "2026-12-14", "2026-12-21", "2026-12-21"},
		{wed, "hotel in Nice arriving Monday, departing Friday", "2026-12-14", "2026-12-18", no},
		{wed, "flight on Saturday and back on Thursday", "2026-12-12", "2026-12-17", no},
		{wed, "show events Monday to Friday", "2026-12-07", "2026-12-11", no},
		{wed, "hotel from Thursday to Tuesday", "2026-12-10", "2026-12-15", "2026-12-15"},
		{"2026-11-30", "hotel from Monday to Friday", "2026-11-30", "2026-12-04", no},
		{"2026-12-02", "check in Friday and check out in 5 days", "2026-12-04", "2026-12-09", no},
		{"2026-12-02", "fly on Friday and come back in a week", "2026-12-04", "2026-12-11", no},
		{"2026-12-02", "on December 20, back in 10 days", "2026-12-20", "2026-12-30", no},
		{"2026-12-02", "hotel March 4 to March 8, 2028", "2028-03-04", "2028-03-08", "2028-03-08"},
		{"2026-12-02", "hotel March 4 2028 to March 8", "2028-03-04", "2028-03-08", "2028-03-08"},
		{"2026-12-02", "hotel December 30 to January 3, 2028", "2027-12-30", "2028-01-03", "2028-01-03"},
		{"2026-12-28", "hotel from December 30 to January 3", "2026-12-30", "2027-01-03", "2027-01-03"},
		{"2026-12-02", "list events from November 1 to November 15", "2026-11-01", "2026-11-15", no},
		{"2026-12-02", "list past events from November 1 until today", "2026-11-01", "2026-12-02", no},
		{"2026-12-02", "hotel, leaving January 15, arriving January 12", "2027-01-12", "2027-01-15", no},
	} {
		stay := func(out string) string { return `{"check_in":"` + c.in + `","check_out":"` + out + `"}` }
		if got := judgeStays(t, c.today, c.request, stay(c.out))[0]; got != stay(c.out) {
			t.Errorf("%s, %q: %s becomes %s", c.today, c.request, stay(c.out), got)
		}
		if got := judgeStays(t, c.today, c.request, stay(no))[0]; got != stay(c.wrong) {
			t.Errorf("%s, %q: %s becomes %s, want %s", c.today, c.request, stay(no), got, stay(c.wrong))
		}
	}
}

func TestDatesOfSeveralCalls(t *testing.T) {
	for _, c := range []struct {
		today, request string
		calls, want    []string
	}{
		{"2026-12-02", "create event lunch tomorrow and event dinner on Friday", []string{"2026-12-18", "2026-12-18", "2026-12-03"}, []string{"2026-12-04", "2026-12-03"}},
		{"2026-12-09", "remind me on Monday to pack and on Friday to fly", []string{"2026-12-14", "2026-12-18"}, []string{"2026-12-14", "2026-12-18"}},
		{"2026-12-09", "what's the weather tomorrow? also remind me to water plants", []string{"2026-12-10", "2026-12-09"}, []string{"2026-12-10", "2026-12-09"}},
		{"2026-12-09", "wake me tomorrow and remind me tomorrow", []string{"2026-12-11", "2026-12-12"}, []string{"2026-12-10"}},
	} {
		var calls, want []string
		for _, d := range c.calls {
			calls = append(calls, `{"date":"`+d+`"}`)
		}
		for _, d := range c.want {
			want = append(want, `{"date":"`+d+`"}`)
		}
		if got := judgeStays(t, c.today, c.request, calls...); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%q: %s, want %s", c.request, got, want)
		}
	}
}

// TestEndsStayBehindStarts repairs random stays and calls made twice. judgeStays judges them twice.
func TestEndsStayBehindStarts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	names := strings.Split("Monday,Friday,next Tuesday,this Sunday,tomorrow,today,March 4,March 8 2028,December 30,in 5 days,in a week,Wednesday next week,2027-01-02", ",")
	frames := []string{"hotel from A to B", "arrive A, leave B", "on A and back on B", "A until B", "stay A and remind me B", "between A and B", "A"}
	start := dayOf(2026, 1, 1)
	for range 3000 {
		today := start.AddDate(0, 0, r.IntN(800))
		day := func() time.Time { return today.AddDate(0, 0, r.IntN(40)-10) }
		request := strings.NewReplacer("A", names[r.IntN(len(names))], "B", names[r.IntN(len(names))]).Replace(frames[r.IntN(len(frames))])
		in := day()
		out := in.AddDate(0, 0, r.IntN(9))
		call := `{"check_in":"` + in.Format(time.DateOnly) + `","check_out":"` + out.Format(time.DateOnly) + `"}`
		calls := []string{call}
		if r.IntN(2) == 0 {
			calls = []string{call, call, `{"date":"` + day().Format(time.DateOnly) + `"}`}[r.IntN(3):]
		}
		for _, got := range judgeStays(t, today.Format(time.DateOnly), request, calls...) {
			v := parse(t, got)
			if a, b := v.Last("check_in"), v.Last("check_out"); a != nil && b != nil && b.Text < a.Text {
				t.Fatalf("%s, %q: %s becomes %s", today.Format(time.DateOnly), request, calls, got)
			}
		}
	}
}
