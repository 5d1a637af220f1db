package ground

import (
	"slices"
	"testing"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// allRules are the repairs and the gates.
func allRules() []Rule { return slices.Concat(Repairs(), Gates()) }

// only switches all rules off but one.
func only(rule string) map[string]bool {
	off := map[string]bool{}
	for _, r := range allRules() {
		off[r.Name] = r.Name != rule
	}
	return off
}

func parse(t testing.TB, text string) *jsontext.Value {
	t.Helper()
	v, err := jsontext.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
