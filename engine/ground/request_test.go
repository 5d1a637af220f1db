package ground

import (
	"strings"
	"testing"
	"time"
)

func TestNegated(t *testing.T) {
	for text, want := range map[string]bool{
		"don't turn on the lights":                 true,
		"dont call Bob":                            true,
		"Don’t call Bob":                           true,
		"do not delete my alarm":                   true,
		"Please do not send it.":                   true,
		"never unlock the door":                    true,
		"you must not open the garage":             true,
		"you mustn't open the garage":              true,
		"you shouldn't play that":                  true,
		"should not start before 9":                true,
		"make sure not to wake him":                true,
		"no need to book a table":                  true,
		"turn on the lamp, but don't dim it":       true,
		"I don't want you to call her":             true,
		"play jazz and never repeat a song":        true,
		"needn't set an alarm":                     true,
		"better not cancel the meeting":            true,
		"Set a timer.\nDon't play music":           true,
		"if it rains, don't water the lawn":        true,
		"Ann must not be called":                   true,
		"avoid calling Ann":                        true,
		"you can't call Ann":                       true,
		"Message mom: never send money":            true, // triggers find their words there as well
		`add "Don't Starve" to my cart`:            true,
		"stop playing music":                       false, // what a tool may do
		"don't be shy, call Ann":                   false,
		"don't be late":                            false,
		"you never called Jim! Call him.":          false,
		"I never got the mail, send it again":      false,
		"can't you call Ann?":                      false,
		"I can't sleep, play music":                false,
		"I cannot be disturbed":                    false,
		"turn it up not to 5 but 7":                false,
		"Text Ana: don't come":                     true,
		"don't forget to turn on the lights":       false,
		"Do not forget the milk":                   false,
		"don't hesitate to call him":               false,
		"don't worry, play some jazz":              false,
		"never mind, stop the music":               false,
		"turn on do not disturb":                   false,
		"why don't you play some music":            false,
		"whenever I come home, turn on the lights": false,
		"I don't know the address, look it up":     false,
		"we don't have milk, add it to the list":   false,
		"if I don't answer, text Bob":              false,
		"I no longer need the alarm, delete it":    false,
		"set a timer for ten minutes":              false,
		"the donut shop":                           false,
		"Note the nevermore poem":                  false,
		"it doesn't work, restart the router":      false,
		"nicht anrufen, no llamar, 不要打电话, لا تتصل": false,
		"":      false,
		"don't": false,
	} {
		if got := NewRequest(text).Negated(); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

func TestForbids(t *testing.T) {
	for _, c := range []struct {
		text, tool string
		values     []string
		want       bool
	}{
		{"don't call Bob", "call_contact", []string{"Bob"}, true},
		{"do not call", "call_contact", nil, true},
		{"never unlock the front door", "unlock_door", []string{"front door"}, true},
		{"don't send the email", "send_email", nil, true},
		{"please don't play music", "play_music", nil, true},
		{"you shouldn't be playing it", "play_music", nil, false}, // "be" leads on
		{"don't start the timer", "set_timer", nil, true},
		{"do not lock the doors", "lock_door", nil, true},
		{"must not delete anything", "delete_file", []string{"a.txt"}, true},
		{"no need to book a table", "book_table", nil, true},
		{"don't ever book a table for 5", "book_table", []string{"5"}, true},
		{"don't book it for 5, book it for 6", "book_table", []string{"6"}, false},
		{"don't book it for 5, book it for 6", "book_table", []string{"5"}, true},
		{"don't call Bob, call Ann instead", "call_contact", []string{"Ann"}, false},
		{"don't call Bob, call Ann instead", "call_contact", []string{"Bob"}, true},
		{"don't call, text Ann", "send_text", []string{"Ann"}, false},
		{"don't turn on the big study lights", "control_lights", nil, false}, // too far behind
		{"don't forget to call Bob", "call_contact", []string{"Bob"}, false},
		{"call Bob and don't tell him", "call_contact", []string{"Bob"}, false},
		{"don't set it", "set_timer", nil, false}, // "set" says nothing
		{"don't get the weather", "get_weather", nil, true},
		{"why don't you call Bob", "call_contact", []string{"Bob"}, false},
		{"call Bob", "call_contact", []string{"Bob"}, false},
		{"ne pas appeler Bob", "call_contact", []string{"Bob"}, false},
		{"don't turn on the kitchen lights", "control_lights", []string{"kitchen", "on"}, true},
		{"please don't switch on the study lights", "set_light", []string{"study", "on"}, true},
		{"no need to turn on the lights", "control_lights", []string{"on"}, true},
		{"don't turn off the kitchen lights, turn them on", "control_lights", []string{"kitchen", "off"}, true},
		{"don't turn off the kitchen lights, turn them on", "control_lights", []string{"kitchen", "on"}, false},
		{"don't turn off the kitchen light, turn it on", "turn_on_light", []string{"kitchen"}, false},
		{"don't turn on the bedroom lights, only the kitchen", "control_lights", []string{"kitchen", "on"}, false},
		{"don't lock the door, unlock it", "unlock_door", nil, false},
		{"don't lock the door, unlock it", "lock_door", nil, true},
	} {
		if got := NewRequest(c.text).Forbids(c.tool, c.values); got != c.want {
			t.Errorf("%q forbids %s %q: %t, want %t", c.text, c.tool, c.values, got, c.want)
		}
	}
}

func TestExcludes(t *testing.T) {
	for _, c := range []struct {
		text, value string
		want        bool
	}{
		{"turn off all the lights except the kitchen", "kitchen", true},
		{"turn off all lights except for the living room", "living_room", true},
		{"invite everyone but Bob", "Bob", true},
		{"invite all but Bob and Ann", "Ann", true},
		{"play anything but jazz", "jazz", true},
		{"delete everything other than report.pdf", "report.pdf", true},
		{"close all blinds apart from the bedroom ones", "bedroom", true},
		{"email the team, excluding Dana", "dana", true},
		{"order pizza but not with olives", "olives", true},
		{"add the list but skip milk", "milk", true},
		{"add all of them but leave out eggs", "eggs", true},
		{"set alarms for 6, 7 and 8 except 7", "7", true},
		{"all of it with the exception of the hall", "hall", true},
		{"everything aside from floor 2", "2", true},
		{"read my mails, not including Mondays", "Monday", true},
		{"turn off all the lights except the kitchen", "bedroom", false},
		{"turn off the kitchen except when I am there", "there", false},
		{"the kitchen is cold, heat everything but the hall", "kitchen", false},
		{"turn on the kitchen light", "kitchen", false},
		{"skip this song", "song", false},
		{"I want nothing but jazz", "jazz", false},
		{"accept the invitation", "invitation", false},
		{"alle außer Bob", "Bob", false},
		{"", "x", false},
		{"everything except", "", false},
	} {
		if got := NewRequest(c.text).Excludes(c.value); got != c.want {
			t.Errorf("%q excludes %q: %t, want %t", c.text, c.value, got, c.want)
		}
	}
}

func TestReports(t *testing.T) {
	for text, want := range map[string]bool{
		`She said "turn on the lights"`:                    true,
		`Bob texted: "call me at 5"`:                       true,
		`my boss wrote “cancel the meeting”`:               true,
		`Ana emailed me "book a table"`:                    true,
		`he told me "open the door"`:                       true,
		`They posted «play jazz» again`:                    true,
		`he said 'turn it off' to me`:                      true,
		`he said ‘turn it off’.`:                           true,
		`she says "stop"`:                                  true,
		`the neighbour complained "lower the volume"`:      true,
		`someone asked "what time is it"`:                  true,
		`Kim mentioned „lights off“ yesterday`:             true,
		`he replied, "set it to 20"`:                       true,
		`Lee messaged the group "order pizza"`:             true,
		`they told us "unlock it"`:                         true,
		`I said "turn on the lights"`:                      false,
		`turn on the lights`:                               false,
		`he said it's fine, so turn on Bob's lights`:       false,
		`she said the dogs' bowl isn't full`:               false,
		`text Ana "I am late"`:                             false,
		`play "She Said" by the Beatles`:                   false,
		`he said to turn on the lights`:                    false,
		`tell him "hello"`:                                 false,
		`what's said about the weather in the boys' room?`: false,
		`sie sagte „Licht an“`:                             false,
		``:                                                 false,
	} {
		if got := NewRequest(text).Reports(); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

// TestLongTexts has texts of a quarter of a megabyte in which every word begins a rule.
func TestLongTexts(t *testing.T) {
	for _, text := range []string{"never ", "never, ", "said '", "except ", "don't said \"", "1,", "one ", "1 000 ", "may 3 ", "in a ", "000,", "a day after ", "in a week from friday ", "friday the 31st ", "was on friday ", "next week ", "the 4 march '25 "} {
		long := strings.Repeat(text, 1<<18/len(text))
		r, e := NewRequest(long), NewEvidence(long+strings.Repeat("k", 1<<18))
		r.Forbids("call_never_said", []string{"x"})
		r.Excludes("never mind")
		r.Reports()
		r.Dates(time.Date(2026, 9, 18, 0, 0, 0, 0, time.UTC))
		e.HasNumber("5")
	}
}

// FuzzRequest reads any text; words lie in it, one behind the other.
func FuzzRequest(f *testing.F) {
	for _, text := range []string{"don't call Bob, call Ann", `she said "x"`, "all but '", "no longer\xff no", "’’'s"} {
		f.Add(text, "call_contact")
	}
	f.Fuzz(func(t *testing.T, text, tool string) {
		r := NewRequest(text)
		at := 0
		for _, w := range r.words {
			if w.at < at || w.end <= w.at || w.end > len(text) || w.text == "" {
				t.Fatalf("word %q at %d to %d of %q", w.text, w.at, w.end, text)
			}
			at = w.end
		}
		r.Negated()
		r.Reports()
		if r.Forbids(tool, []string{tool}) && !r.Negated() {
			t.Error("something is forbidden without a negation")
		}
		r.Excludes(tool)
		for _, d := range r.Dates(dayOf(2026, 11, 27)) {
			if d.At < 0 || d.End > len(text) || d.At >= d.End {
				t.Errorf("a date at %d to %d of %q", d.At, d.End, text)
			}
		}
	})
}
