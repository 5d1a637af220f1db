package prompt

import (
	"errors"
	"testing"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// mustParse reads tools that are known to be good.
func mustParse(t testing.TB, tools string) *Toolset {
	t.Helper()
	set, err := ParseTools(tools)
	if err != nil {
		t.Fatalf("%s: %v", tools, err)
	}
	return set
}

// offset returns the place a *jsontext.SyntaxError in err gives, or -1.
func offset(err error) int {
	var syntax *jsontext.SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Offset
	}
	return -1
}
