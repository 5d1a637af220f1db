package engine

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/libneedle/libneedle/engine/prompt"
)

// environmentCase is a request of one of the public package's six environments, with the right calls.
type environmentCase struct {
	ID, System, Query string
	Tools             json.RawMessage
	Expected          json.RawMessage
}

// environmentCases reads what scripts/environments has written; the tests that need it are skipped where nobody
// has installed the package.
func environmentCases(t testing.TB) []environmentCase {
	t.Helper()
	path := os.Getenv("NEEDLE_ENVIRONMENTS")
	if path == "" {
		t.Skip("NEEDLE_ENVIRONMENTS names no file; scripts/environments writes one")
	}
	return readLines[environmentCase](t, path, 192)
}

// environmentAnswers are the cases that have calls, with these.
func environmentAnswers(t testing.TB) (list []answered) {
	for _, c := range environmentCases(t) {
		var calls []struct {
			Name      string
			Arguments json.RawMessage
		}
		if err := json.Unmarshal(c.Expected, &calls); err != nil {
			t.Fatal(err)
		}
		tools, err := prompt.ParseTools(string(c.Tools))
		if err != nil {
			t.Fatal(err)
		}
		a := answered{leaderboardRequest: leaderboardRequest{ID: c.ID, System: c.System, Query: c.Query, Tools: c.Tools}}
		for _, call := range calls {
			name, arguments, err := tools.ToWire(call.Name, call.Arguments)
			if err != nil {
				t.Fatalf("%s: %v", c.ID, err)
			}
			a.calls = append(a.calls, prompt.Call{Name: name, Arguments: arguments})
		}
		if len(calls) > 0 {
			list = append(list, a)
		}
	}
	return list
}
