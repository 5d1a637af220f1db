package prompt

import (
	"fmt"
	"strings"
	"testing"
)

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
