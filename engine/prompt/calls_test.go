package prompt

import (
	"fmt"
	"strings"
	"testing"
)

// show writes calls as text, for comparison.
func show(calls []Call) string {
	var b strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&b, "%s(%s)", c.Name, c.Arguments)
	}
	return b.String()
}

func TestParseCalls(t *testing.T) {
	for _, c := range [][2]string{
		{"[]", ""}, {" [ ]\n", ""}, {`[{"name":"a","arguments":{}}]`, "a({})"},
		{`[{"name":"a","arguments":{"x":1.50,"x":"\u00e9"}},{"name":"b","arguments":{"y":[{}]}}]`, `a({"x":1.50,"x":"é"})b({"y":[{}]})`},
		{` [ { "arguments" : { "x" : 1 } , "name" : "a" } ] `, `a({"x":1})`},
	} {
		calls, err := ParseCalls(c[0])
		if err != nil || calls == nil || show(calls) != c[1] {
			t.Errorf("ParseCalls(%q) = %s, %v; want %s", c[0], show(calls), err, c[1])
		}
	}
}

func TestParseCallsErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		at   int
	}{
		{"", 0}, {"{}", 0}, {"null", 0}, {"[", 1}, {"[1]", 1}, {"[{}]", 1}, {`[{"name":"a"}]`, 1}, {`[{"arguments":{}}]`, 1}, {`[{"name":3,"arguments":{}}]`, 9},
		{`[{"name":"","arguments":{}}]`, 9}, {`[{"name":"a","arguments":[]}]`, 25}, {`[{"name":"a","arguments":{}}] x`, 30},
		{`[{"name":"a","arguments":{},"id":1}]`, 33}, {`[{"name":"a","name":"b","arguments":{}}]`, 20}, {`[{"name":"a","arguments":{}},]`, 29}, {`[{"name":"a","arguments":{},"arguments":{}}]`, 40},
	} {
		if calls, err := ParseCalls(c.text); calls != nil || offset(err) != c.at {
			t.Errorf("ParseCalls(%q): %v, want an error at %d", c.text, err, c.at)
		}
	}
}

func TestPartialCalls(t *testing.T) {
	const text = `[{"name":"a","arguments":{"x":"}]"}},{"arguments":{"y":{}},"name":"b"}]`
	first := strings.Index(text, `}},`) + 1
	second := strings.Index(text, `"b"`) + 3
	for cut := range len(text) + 1 {
		want := ""
		if cut >= first {
			want = `a({"x":"}]"})`
		}
		if cut >= second {
			want += `b({"y":{}})`
		}
		if got := show(PartialCalls(text[:cut])); got != want {
			t.Errorf("of %q: %s, want %s", text[:cut], got, want)
		}
	}
	if got := show(PartialCalls(`[{"name":"a","arguments":{}},{"name":"b","arguments":[1]},{"name":"c","arguments":{}}]`)); got != "a({})" {
		t.Errorf("after damage: %s", got)
	}
}
