package ground

import "testing"

// datedMonday judges a call with a date on Monday, 30 November 2026, with the rule or without.
func datedMonday(t *testing.T, request, value, off string) Verdict {
	tools := NewTools([]Tool{{Name: "book", Schema: []byte(`{"properties":{"date":{"type":"string"}}}`)}})
	return tools.Judge(NewTurn("date: 2026-11-30 Mon 10:00", []string{request}, true), []Call{{"book", parse(t, `{"date":"`+value+`"}`)}},
		Options{Off: map[string]bool{off: true}, Confidence: 1})
}

// TestDatesBesideOthers is seen from Monday, 30 November 2026. Every request comes with a wrong
// value and what becomes of it, none when it is left alone, and with a day that is right.
func TestDatesBesideOthers(t *testing.T) {
	const wrong, no = "2024-05-05", ""
	for _, c := range []struct{ text, repaired, right string }{
		{"weather in Rome on Saturday 19th", "2026-12-19", "2026-12-19"},
		{"weather in Rome on Sat, the 19th", "2026-12-19", "2026-12-19"},
		{"book it on Monday the 14th", "2026-12-14", "2026-12-14"},
		{"book it on Friday the thirteenth", "2027-08-13", "2027-08-13"},
		{"dinner on Saturday 19", no, "2026-12-19"},
		{"March 4th last year", "2025-03-04", "2025-03-04"},
		{"December 25 next year", "2027-12-25", "2027-12-25"},
		{"photos of 14 July '25", "2025-07-14", "2025-07-14"},
		{"photos of 14 July 25", no, "2025-07-14"},
		{"book it for Dec 5th, '27", "2027-12-05", "2027-12-05"},
		{"in 2025, on March 4", no, "2025-03-04"},
		{"last year on March 4", no, "2025-03-04"},
		{"next week Friday", "2026-12-11", "2026-12-11"},
		{"Friday next week", "2026-12-11", "2026-12-11"},
		{"Tuesday next", "2026-12-08", "2026-12-08"},
		{"How was the weather in Rome on November 3?", no, "2026-11-03"},
		{"what was it like in Rome on Friday", no, "2026-11-27"},
		{"how cold did it get in Rome Saturday night", no, "2026-11-28"},
		{"what had we for lunch on Friday", no, "2026-11-27"},
		{"who scored on Friday", no, "2026-11-27"},
		{"show the photos I took on Friday", no, "2026-11-27"},
		{"where did we go on the 3rd of November", no, "2026-11-03"},
		{"my spending since Monday", no, "2026-11-23"},
		{"I was wondering if you could book it on Friday", "2026-12-04", "2026-12-04"},
		{"how was the weather yesterday", "2026-11-29", "2026-11-29"},
		{"show my spending of last Friday", "2026-11-27", "2026-11-27"},
		{"push Friday's retro back a week", no, "2026-12-11"},
		{"postpone the Tuesday meeting by two days", no, "2026-12-03"},
		{"postpone Tuesday's meeting", no, "2026-12-03"},
		{"bring the Friday retro forward a day", no, "2026-12-03"},
		{"please delay Friday's delivery", no, "2026-12-05"},
		{"move the retro to Friday", "2026-12-04", "2026-12-04"},
		{"postpone the retro until next Friday", "2026-12-11", "2026-12-11"},
		{"My flight is on Friday; remind me a day earlier", no, "2026-12-03"},
		{"My flight is on Friday; remind me the evening before", no, "2026-12-03"},
		{"My flight is on Friday, remind me 24 hours before", no, "2026-12-03"},
		{"The party is on Friday, remind me two days later", no, "2026-12-06"},
		{"I fly on Friday, wake me the following morning", no, "2026-12-05"},
		{"I fly on Friday, remind me beforehand", no, "2026-12-03"},
		{"Monday is a holiday, so remind me the next day", no, "2026-12-08"},
		{"Monday's a holiday, remind me of the bins", no, "2026-12-08"},
		{"It's Friday, remind me at 9", no, "2026-11-30"},
		{"Yesterday I forgot my pills, remind me at 9", no, "2026-11-30"},
		{"Yesterday my doctor called, remind me at 9", no, "2026-11-30"},
		{"I forgot my pills yesterday, remind me at 9", no, "2026-11-30"},
		{"Last Friday the bus came late, wake me at 6", no, "2026-12-01"},
		{"buy the Sunday paper on the 10th", no, "2026-12-10"},
		{"buy the Sunday paper on the tenth", no, "2026-12-10"},
		{"buy the Sunday paper", no, "2026-12-06"},
		{"call Bob about Friday", no, "2026-11-30"},
		{"Meeting about the Monday numbers on the 8th", no, "2026-12-08"},
		{"watch The Day After Tomorrow on the 9th", no, "2026-12-09"},
		{"watch The Day After Tomorrow", no, "2026-11-30"},
		{"play Yesterday", no, "2026-11-30"},
		{"watch Freaky Friday", no, "2026-11-30"},
		{"record Saturday Night Live", no, "2026-11-30"},
		{"remind me, may 5 people come on the 12th", no, "2026-12-12"},
		{"remind me, may 5 people come on Friday", "2026-12-04", "2026-12-04"},
		{"May 5 people come on Friday?", no, "2026-12-04"},
		{"weather on 4-5 March", no, "2027-03-04"},
		{"a week from Friday", no, "2026-12-11"},
		{"in two weeks", "2026-12-14", "2026-12-14"},
		{"two weeks from today", "2026-12-14", "2026-12-14"},
		{"a week on Friday", no, "2026-12-11"},
		{"tomorrow's Friday, remind me at 9", no, "2026-11-30"},
		{"extend my stay from Friday by two nights", no, "2026-12-06"},
		{"weather history of November 3", no, "2026-11-03"},
		{"show my orders from November 3", no, "2026-11-03"},
		{"set my Friday alarm an hour later", no, "2026-12-04"},
		{"skip Friday, book the day after", no, "2026-12-05"},
		{"weather on November 3", "2027-11-03", "2027-11-03"},
		{"every other Friday", no, "2026-12-11"},
		{"book a room for two weeks on Monday", no, "2026-12-07"},
		{"on Friday I need a taxi", "2026-12-04", "2026-12-04"},
		{"bring the cake on Friday", "2026-12-04", "2026-12-04"},
		{"weather in Rome Saturday night", "2026-12-05", "2026-12-05"},
		{"¿qué tiempo hizo en Roma el viernes?", no, "2026-11-27"},
		{"wie war das Wetter am Freitag", no, "2026-11-27"},
		{"星期五罗马的天气怎么样", no, "2026-12-04"},
		{"كيف كان الطقس يوم الجمعة", no, "2026-11-27"},
	} {
		for _, value := range []string{wrong, c.right, c.right + "T10:00"} {
			want := c.repaired
			if want == no || value != wrong {
				want = value
			}
			once := datedMonday(t, c.text, value, "")
			got := once.Calls[0].Arguments.Last("date").Text
			if got != want || (got != value) != (len(once.Trace) > 0) {
				t.Errorf("%q, %s: %s, want %s", c.text, value, got, want)
			}
			if again := datedMonday(t, c.text, got, "").Calls[0].Arguments.Last("date").Text; again != got {
				t.Errorf("%q, %s: %s once, %s twice", c.text, value, got, again)
			}
		}
	}
}

// TestNamedDaysAreGrounded has right days that the rule leaves alone, and what no words name.
func TestNamedDaysAreGrounded(t *testing.T) {
	for _, c := range []struct {
		text, value string
		want        bool
	}{
		{"Meeting about the Monday numbers on the 8th", "2026-12-08", true},
		{"Meeting about the Monday numbers on the 8th", "2026-12-08T10:00", false}, // nobody named a time
		{"Meeting about the Monday numbers on the 8th at 10", "2026-12-08T10:00", true},
		{"Meeting about the Monday numbers on the 8th", "2026-12-09", false},
		{"the Sunday paper on the tenth", "2026-12-10", true},
		{"what was it like on Friday", "2026-11-27", true},
		{"what was it like on Friday", "2026-12-04", true},
		{"what was it like on Friday", "2026-11-20", false},
		{"how was November 3", "2026-11-03", true},
		{"a week from Friday", "2026-12-11", true},
		{"a week from Friday", "2026-12-04", false},
		{"a week on Friday", "2026-12-11", true},
		{"two days before Friday", "2026-12-02", true},
		{"remind me, may 5 people come on the 12th", "2027-05-05", false},
		{"14 July '25", "2025-07-14", true},
		{"14 July '25", "2027-07-14", false},
		{"on Friday", "2026-12-04 or so", false},
		{"on Friday", "2026-12-04T09:30:00Z", false},
		{"on Friday at half past 9, that is 9:30", "2026-12-04T09:30:00Z", true},
	} {
		if got := len(datedMonday(t, c.text, c.value, "date").Ungrounded) == 0; got != c.want {
			t.Errorf("%q, %s: %t, want %t", c.text, c.value, got, c.want)
		}
	}
}
