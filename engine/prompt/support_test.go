package prompt

import "testing"

// mustParse reads tools that are known to be good.
func mustParse(t testing.TB, tools string) *Toolset {
	t.Helper()
	set, err := ParseTools(tools)
	if err != nil {
		t.Fatalf("%s: %v", tools, err)
	}
	return set
}
