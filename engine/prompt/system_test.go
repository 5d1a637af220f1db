package prompt

import (
	"fmt"
	"strings"
	"testing"
)

func TestSystemText(t *testing.T) {
	const friday = "date: 2026-09-18 Fri 09:41"
	for _, c := range []struct{ name, system, want string }{
		{"nothing", "", ""}, {"null", "null", ""}, {"null with blanks", " null\n", ""}, {"blanks", "  ", "  "},
		{"text", " Be kind.\n", " Be kind.\n"}, {"text with bad bytes", "a\x00\xff", "a\uFFFD\uFFFD"},
		{"date fact", friday, friday}, {"Null", "Null", "Null"},

		{"timestamp", "2026-09-18T09:41", friday}, {"blank", "2026-09-18 09:41", friday}, {"seconds", "2026-09-18T09:41:59", friday},
		{"fraction", "2026-09-18T09:41:59.123456789Z", friday}, {"comma", "2026-09-18T09:41:59,5+02:00", friday}, {"zone", "2026-09-18T09:41Z", friday},
		{"offset", "2026-09-18T09:41-0730", friday}, {"short offset", "2026-09-18 09:41 +02", friday}, {"UTC", "\t2026-09-18 09:41 UTC\n", friday},
		{"UTC and offset", "2026-09-18 09:41 UTC+02:00", friday}, {"abbreviation", "2026-09-18 09:41:00 EDT", friday},
		{"named zone", "2026-09-18T09:41+02:00[Europe/Berlin]", friday},

		{"timestamp and words", "Now: 2026-09-18T09:41", "Now: 2026-09-18T09:41"}, {"words after", "2026-09-18T09:41 be kind", "2026-09-18T09:41 be kind"},
		{"sentence", "2026-09-18T09:41.", "2026-09-18T09:41."}, {"half seconds", "2026-09-18T09:41:5", "2026-09-18T09:41:5"},
		{"three digits", "2026-09-18T09:415", "2026-09-18T09:415"}, {"date only", "2026-09-18", "2026-09-18"}, {"lower t", "2026-09-18t09:41", "2026-09-18t09:41"},
		{"two blanks", "2026-09-18  09:41", "2026-09-18  09:41"}, {"zone and words", "2026-09-18T09:41Z x", "2026-09-18T09:41Z x"},
		{"bad brackets", "2026-09-18T09:41[]", "2026-09-18T09:41[]"}, {"two zones", "2026-09-18T09:41[a]b]", "2026-09-18T09:41[a]b]"},
		{"no fraction", "2026-09-18T09:41:59.", "2026-09-18T09:41:59."}, {"half an offset", "2026-09-18T09:41+2", "2026-09-18T09:41+2"},
		{"no such day", "2026-02-30T09:41", "2026-02-30T09:41"}, {"no leap year", "2100-02-29T09:41", "2100-02-29T09:41"},
		{"leap year", "2000-02-29T00:00", "date: 2000-02-29 Tue 00:00"}, {"no such month", "2026-13-01T09:41", "2026-13-01T09:41"},
		{"no such hour", "2026-09-18T24:00", "2026-09-18T24:00"}, {"no such minute", "2026-09-18T09:60", "2026-09-18T09:60"}, {"day 0", "2026-09-00T09:41", "2026-09-00T09:41"},

		{"facts", `{"volume":30,"locale":"de-DE","date":"2026-09-18T09:41:07+02:00","user":"Ada","unknown":1}`, friday + "; locale: de-DE; user: Ada; volume: 30"},
		{"all", `{"volume":10,"thermostat":9,"assistant":8,"user":7,"location":6,"network":5,"battery":4,"device":3,"locale":2,"date":1}`,
			"date: 1; locale: 2; device: 3; battery: 4; network: 5; location: 6; user: 7; assistant: 8; thermostat: 9; volume: 10"},
		{"number text", `{"battery":0.50,"volume":1E2}`, "battery: 0.50; volume: 1E2"}, {"boolean", `{"network":false}`, "network: false"},
		{"escapes", `{"user":"\u00c9\n\"\u0000"}`, "user: É\n\"\uFFFD"}, {"last of a key", `{"user":"a","user":"b"}`, "user: b"},
		{"values that are no facts", `{"user":null,"location":{"a":1},"device":[1],"locale":"","volume":1}`, "volume: 1"},
		{"no facts", ` {"user":null,"x":"2026-09-18T09:41"}`, ` {"user":null,"x":"2026-09-18T09:41"}`}, {"empty object", "{}", "{}"},
		{"no object", `{"user":"a"`, `{"user":"a"`}, {"more than an object", `{"user":"a"} x`, `{"user":"a"} x`}, {"list", `["date"]`, `["date"]`},
		{"template", "{name} is kind", "{name} is kind"},
		{"date with weekday", `{"date":"2026-09-18 Fri 09:41"}`, friday}, {"date with words", `{"date":"Now it is 2026-09-18 09:41 in Rome"}`, friday},
		{"other date", `{"date":"18 September"}`, "date: 18 September"}, {"date that is none", `{"date":"2026-02-30T09:41"}`, "date: 2026-02-30T09:41"},
		{"second date", `{"date":"2026-02-30T09:41 or 2026-09-18 09:41"}`, friday}, {"digits before", `{"date":"12026-09-18T09:41"}`, "date: 12026-09-18T09:41"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := SystemText(c.system)
			if got != c.want {
				t.Errorf("SystemText(%q) = %q, want %q", c.system, got, c.want)
			}
			if again := SystemText(got); again != got {
				t.Errorf("SystemText(%q) = %q, want it unchanged", got, again)
			}
		})
	}
}

// TestWeekdays compares every day of four centuries with Zeller's congruence.
func TestWeekdays(t *testing.T) {
	names := [...]string{"Sat", "Sun", "Mon", "Tue", "Wed", "Thu", "Fri"}
	days := 0
	for year := 1900; year < 2300; year++ {
		for month := 1; month <= 12; month++ {
			for day := 1; day <= 31; day++ {
				date, _, ok := timestamp(fmt.Sprintf("%04d-%02d-%02d 00:00", year, month, day))
				if !ok {
					continue
				}
				days++
				y, m := year, month
				if m < 3 {
					y, m = y-1, m+12
				}
				want := names[(day+13*(m+1)/5+y+y/4-y/100+y/400)%7]
				if !strings.Contains(date, want) {
					t.Fatalf("%s, want %s", date, want)
				}
			}
		}
	}
	if days != 146097 {
		t.Errorf("%d days in 400 years, want 146097", days)
	}
}
