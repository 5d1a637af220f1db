package ground

import (
	"testing"
	"time"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// mostTime is what judging an input of the fuzzer may take, on a slow machine.
const mostTime = 20 * time.Second

func FuzzJudge(f *testing.F) {
	for _, c := range []judged{
		{"", "book it on Monday and Tuesday", dateTool, `book{"date":"2024-05-05","end_date":"2024-05-06T10:00Z"}`, ""},
		{"", "turn on all the kitchen lights except the hall", roomTool, `light{"room":"bedroom"}`, ""},
		{"", "don't call Bob, \"call Ann\"", gateTools, bob, ""},
		{"", "he said 'go' from home to home", wayTool, `go{"from":"home","to":"home"}`, ""},
		{"", "set it", numberTool, `vol{"level":3,"in":{"n":[1,{"a":"b"}]}}`, ""},
	} {
		lines(f, c.tools, func(name string, schema *jsontext.Value) {
			lines(f, c.calls, func(_ string, v *jsontext.Value) {
				f.Add("date: 2026-11-27", c.text, name, text(schema), "["+text(v)+"]")
			})
		})
	}
	f.Fuzz(func(t *testing.T, system, request, name, schema, list string) {
		read, err := jsontext.Parse(list)
		if err != nil || !read.Is(jsontext.Array) {
			return
		}
		var calls []Call
		for _, m := range read.Members {
			if m.Value.Is(jsontext.Object) {
				calls = append(calls, Call{name, m.Value})
			}
		}
		checkJudge(t, NewTools([]Tool{{Name: name, Schema: []byte(schema)}}), system, request, calls)
	})
}

func checkJudge(t *testing.T, tools *Tools, system, request string, calls []Call) {
	t.Helper()
	start, before := time.Now(), writtenCalls(calls)
	turn := NewTurn(system, []string{request}, true)
	v := tools.Judge(turn, calls, Options{Confidence: 1})
	if took := time.Since(start); took > mostTime {
		t.Errorf("judging took %v", took)
	}
	if writtenCalls(calls) != before {
		t.Error("the calls given are changed")
	}
	if off := tools.Judge(turn, calls, Options{Off: only("")}); writtenCalls(off.Calls) != before || off.Withheld || len(off.Dropped)+len(off.Trace) > 0 {
		t.Errorf("all rules are off, and %s becomes %s: %+v", before, writtenCalls(off.Calls), off.Trace)
	}
	if same := tools.Judge(turn, calls, Options{Confidence: 1}); writtenCalls(same.Calls) != writtenCalls(v.Calls) || same.Withheld != v.Withheld {
		t.Errorf("%s becomes %s, and then %s", before, writtenCalls(v.Calls), writtenCalls(same.Calls))
	}
	if again := tools.Judge(turn, v.Calls, Options{Confidence: 1}); writtenCalls(again.Calls) != writtenCalls(v.Calls) {
		t.Errorf("%s becomes %s, and that %s", before, writtenCalls(v.Calls), writtenCalls(again.Calls))
	}
}
