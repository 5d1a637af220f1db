package engine

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
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
	f, err := os.Open("../testdata/demo/eval.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r demoRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if r.Kind != "result" {
			rows = append(rows, r)
		}
	}
	if len(rows) != 234 {
		t.Fatalf("%d rows, expected 234", len(rows))
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

// TestDemoAccuracy answers the demo's rows with and without the rules: everything on is not below raw.
func TestDemoAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("decodes a thousand answers")
	}
	e := openDemo(t, Options{})
	rows := demoRows(t)
	names, options := ruleSets()
	right := make([]int, len(names))
	for k := range names {
		var group sync.WaitGroup
		var mu sync.Mutex
		next := make(chan demoRow)
		for range 2 {
			group.Go(func() {
				for r := range next {
					got := answerRow(t, e, r, options[k])
					ok := sameCalls(t, appendCalls(nil, got.FunctionCalls), r.Expected)
					mu.Lock()
					if ok {
						right[k]++
					} else if os.Getenv("NEEDLE_SHOW") == names[k] {
						fmt.Printf("%s\n   want %s\n   got  %s withheld %s conf %.3f\n", r.Query, r.Expected, appendCalls(nil, got.FunctionCalls), appendCalls(nil, got.SuppressedCalls), got.Confidence)
						for _, f := range got.Trace {
							fmt.Printf("        %s %s: %s -> %s (%s)\n", f.Rule, f.Place, f.Before, f.After, f.Why)
						}
					}
					mu.Unlock()
				}
			})
		}
		for _, r := range rows {
			next <- r
		}
		close(next)
		group.Wait()
	}
	var table []string
	for k, name := range names {
		table = append(table, fmt.Sprintf("%s %.1f%%", name, 100*float64(right[k])/float64(len(rows))))
	}
	t.Log(strings.Join(table, ", "))
	if right[len(right)-1] < right[0] {
		t.Errorf("with everything on %d rows are right, raw %d", right[len(right)-1], right[0])
	}
}

func answerRow(t *testing.T, e *Engine, r demoRow, o CompleteOptions) *Response {
	s, err := e.NewSession(background, SessionOptions{System: r.System, Tools: string(r.Tools)})
	if err != nil {
		t.Error(err)
		return &Response{}
	}
	defer s.Close()
	got, err := s.Complete(background, r.Query, o)
	if err != nil {
		t.Error(err)
		return &Response{}
	}
	return got
}

// sameCalls compares by value: 20.0 is 20.
func sameCalls(t *testing.T, x, y []byte) bool {
	var values [2]any
	for i, text := range [][]byte{x, y} {
		if err := json.Unmarshal(text, &values[i]); err != nil {
			t.Errorf("%v in %s", err, text)
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
