package engine

import (
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"testing"

	"github.com/libneedle/libneedle/engine/grammar"
	"github.com/libneedle/libneedle/engine/prompt"
)

// leaderboard reads the requests of testdata/requests.
func leaderboard(t testing.TB) []leaderboardRequest {
	t.Helper()
	return readLines[leaderboardRequest](t, "../testdata/requests/bfcl.jsonl", 443)
}

type leaderboardRequest struct {
	ID, System, Query string
	Tools             json.RawMessage
	Answers           []map[string]map[string]any
}

// TestRequestsEnd answers real requests with the demo's model, which knows nothing of their tools: whatever it
// wants to write, what comes out are valid calls of the tools, refusals, or cut answers. NEEDLE_REQUESTS says how
// many of the 443 are tried; without it every tenth is.
func TestRequestsEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("decodes for a minute")
	}
	step := 10
	if n, err := strconv.Atoi(os.Getenv("NEEDLE_REQUESTS")); err == nil && n > 0 {
		step = max(443/n, 1)
	}
	e := openDemo(t, Options{Threads: 2})
	ends := map[string]int{}
	all := leaderboard(t)
	for i := 0; i < len(all); i += step {
		r := all[i]
		s, err := e.NewSession(background, SessionOptions{System: r.System, Tools: string(r.Tools)})
		if errors.Is(err, ErrPrefix) {
			ends["tools beyond the demo's context"]++
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
			continue
		}
		ends[endOf(t, r.ID, s, r.Query)]++
		s.Close()
	}
	t.Logf("%v", ends)
	if ends["delivered"]+ends["refused"] == 0 {
		t.Errorf("%v: nothing came to an end", ends)
	}
}

func endOf(t *testing.T, id string, s *Session, query string) string {
	t.Helper()
	r, err := s.Complete(background, query, CompleteOptions{MaxNewTokens: 160})
	if err != nil {
		t.Errorf("%s: %v", id, err)
		return "error"
	}
	checkEnvelope(t, r.JSON())
	switch {
	case r.ErrorCode == "truncated" || r.ErrorCode == "overflow":
		return r.ErrorCode
	case r.ErrorCode != "":
		t.Errorf("%s: %s", id, r.JSON())
		return "error"
	case len(r.FunctionCalls) > 0:
		return "delivered"
	}
	return "refused"
}

// BenchmarkCompileTools compiles 24 real tools, as a session does that meets them first.
func BenchmarkCompileTools(b *testing.B) {
	var tools []grammar.Tool
	for _, r := range leaderboard(b) {
		set, err := prompt.ParseTools(string(r.Tools))
		if err != nil {
			b.Fatal(err)
		}
		for _, t := range set.Tools() {
			tools = append(tools, grammar.Tool{Name: t.Name + "_" + strconv.Itoa(len(tools)), Schema: t.Schema})
		}
	}
	i := 0
	for b.Loop() {
		if _, err := grammar.CompileTools(tools[i:i+24], grammar.Options{Mode: grammar.ModeTool}); err != nil {
			b.Fatal(err)
		}
		i = (i + 24) % (len(tools) - 24)
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/set")
}
