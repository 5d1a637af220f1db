package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
)

// demoRow is a request to the demo's model with the right calls.
type demoRow struct {
	System, Query, Kind string
	Tools               json.RawMessage
	Expected            json.RawMessage
}

// demoRows are the rows of testdata/demo that are one request of a user.
func demoRows(t testing.TB) (rows []demoRow) {
	t.Helper()
	for _, r := range readLines[demoRow](t, "../testdata/demo/eval.jsonl", 240) {
		if r.Kind != "result" {
			rows = append(rows, r)
		}
	}
	return rows
}

// ruleSets are what the tables of accuracy compare.
func ruleSets() (names []string, options []CompleteOptions) {
	off := func(groups ...string) CompleteOptions { return CompleteOptions{Off: groups} }
	return []string{"raw", "values", "gates", "repairs", "everything"}, []CompleteOptions{
		off(AllRules), off("gates", "repairs"), off("values", "repairs"), off("values", "gates"), off(),
	}
}

// TestDocsAccuracy answers the demo's rows with and without the rules: everything on is not below raw.
func TestDocsAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("decodes a thousand answers")
	}
	checkDocs(t, "accuracy", accuracyDocs(t, "the demo's rows", demoRows(t)))
}

// TestDocsEnvironmentAccuracy does the same with the public package's environments, whose tools the demo's model has
// never seen.
func TestDocsEnvironmentAccuracy(t *testing.T) {
	var rows []demoRow
	for _, c := range environmentCases(t) {
		rows = append(rows, demoRow{System: c.System, Query: c.Query, Tools: c.Tools, Expected: c.Expected})
	}
	checkDocs(t, "environment accuracy", accuracyDocs(t, "the environments", rows))
}

func accuracyDocs(t *testing.T, name string, rows []demoRow) string {
	e := openDemo(t, Options{PrefixCache: len(rows)})
	names, options := ruleSets()
	head, line, cells := "| requests |", "|---|", fmt.Sprintf("| %s (%d) |", name, len(rows))
	var right []int
	for k := range names {
		n := countRight(t, e, rows, options[k], names[k] == os.Getenv("NEEDLE_SHOW"))
		right = append(right, n)
		head, line, cells = head+" "+names[k]+" |", line+"---|", cells+fmt.Sprintf(" %.1f%% |", 100*float64(n)/float64(len(rows)))
	}
	if right[len(right)-1] < right[0] {
		t.Errorf("%s: with everything on %d are right, raw %d", name, right[len(right)-1], right[0])
	}
	return head + "\n" + line + "\n" + cells + "\n"
}

// TestDocsCost counts the tokens that the rules for choosing values try on the demo's rows.
func TestDocsCost(t *testing.T) {
	if testing.Short() {
		t.Skip("decodes hundreds of answers")
	}
	e := openDemo(t, Options{})
	rows := demoRows(t)
	var plain, values, tried, hesitant int
	for _, r := range rows {
		plain += answerRow(t, e, r, CompleteOptions{Plain: true}).Tokens
		got := answerRow(t, e, r, CompleteOptions{})
		values += got.Tokens
		tried += got.Speculated
		hesitant += min(got.Speculated, 1)
	}
	n := float64(len(rows))
	checkDocs(t, "cost", fmt.Sprintf("| a request of the demo's rows | plain | values chosen |\n|---|---|---|\n"+
		"| tokens of the answer | %.1f | %.1f |\n| tokens tried beside them | 0 | %.1f |\n| requests where some are tried | 0 | %.0f%% |\n",
		float64(plain)/n, float64(values)/n, float64(tried)/n, 100*float64(hesitant)/n))
}

// countRight counts the rows whose calls are the expected ones.
func countRight(t *testing.T, e *Engine, rows []demoRow, o CompleteOptions, show bool) int {
	var right atomic.Int64
	var group sync.WaitGroup
	next := make(chan demoRow)
	for range 2 {
		group.Go(func() {
			for r := range next {
				got := answerRow(t, e, r, o)
				if sameCalls(t, appendCalls(nil, got.FunctionCalls), r.Expected) {
					right.Add(1)
				} else if show {
					t.Logf("%s\n   want %s\n   got  %s", r.Query, r.Expected, got.JSON())
				}
			}
		})
	}
	for _, r := range rows {
		next <- r
	}
	close(next)
	group.Wait()
	return int(right.Load())
}

func answerRow(t *testing.T, e *Engine, r demoRow, o CompleteOptions) *Response {
	s, err := e.NewSession(background, SessionOptions{System: r.System, Tools: string(r.Tools)})
	if err != nil {
		t.Error(err)
		return &Response{}
	}
	defer s.Close()
	o.MaxNewTokens = 110 // what fits beside tools that fill most of the context
	got, err := s.Complete(background, r.Query, o)
	if err != nil || got.ErrorCode == CodeName(CodeOverflow) {
		t.Errorf("%s: %v", r.Query, err)
		return &Response{}
	}
	return got
}

// sameCalls compares by value: 20.0 is 20.
func sameCalls(t testing.TB, x, y []byte) bool {
	var values [2]any
	for i, text := range [][]byte{x, y} {
		if err := json.Unmarshal(text, &values[i]); err != nil {
			t.Errorf("%v in %s", err, text)
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
