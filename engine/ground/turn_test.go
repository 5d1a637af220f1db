package ground

import (
	"testing"
	"time"
)

func TestToday(t *testing.T) {
	for system, want := range map[string]string{
		"date: 2026-11-30 Mon 10:00; locale: en":      "2026-11-30",
		"date: 2026-11-30":                            "2026-11-30",
		"Today is 2026-11-30.":                        "2026-11-30",
		"It is 2026-11-30T10:00.":                     "2026-11-30",
		"since 2020-01-01; date: 2026-11-30":          "2026-11-30",
		"update: 2020-01-01; date: 2026-11-30":        "2026-11-30",
		"case 10000-01-01; today is 2026-11-30":       "2026-11-30",
		"date: 0000-01-01":                            "0000-01-01",
		"date: 9999-12-31":                            "9999-12-31",
		"date: 10000-01-01":                           "0001-01-01",
		"date: 2026-02-30":                            "0001-01-01",
		"":                                            "0001-01-01",
		"no date":                                     "0001-01-01",
		"日期：2026-11-30":                               "2026-11-30",
		"heute ist der 30. November 2026, 2026-11-30": "2026-11-30",
	} {
		if got := today(system).Format(time.DateOnly); got != want {
			t.Errorf("%q: %s, want %s", system, got, want)
		}
	}
}
