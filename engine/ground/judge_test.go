package ground

import (
	"strings"
	"testing"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// judged is what is given to Judge, and what is expected of it.
type judged struct {
	earlier string // a turn before the request
	text    string
	tools   string // name{schema of the arguments}, one a line
	calls   string // name{arguments}, one a line
	want    string // the calls that are delivered, "" where they are withheld
}

// lines reads names with JSON behind.
func lines(t testing.TB, text string, each func(name string, v *jsontext.Value)) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		at := strings.IndexByte(line, '{')
		if at < 0 {
			continue
		}
		v, err := jsontext.Parse(line[at:])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		each(strings.TrimSpace(line[:at]), v)
	}
}

func (c *judged) judge(t testing.TB, o Options, user bool) Verdict {
	t.Helper()
	var tools []Tool
	lines(t, c.tools, func(name string, v *jsontext.Value) { tools = append(tools, Tool{Name: name, Schema: []byte(text(v))}) })
	var calls []Call
	lines(t, c.calls, func(name string, v *jsontext.Value) { calls = append(calls, Call{name, v}) })
	inputs := []string{c.text}
	if c.earlier != "" {
		inputs = []string{c.earlier, c.text}
	}
	before := writtenCalls(calls)
	v := NewTools(tools).Judge(NewTurn("date: 2026-11-27 Fri", inputs, user), calls, o)
	if writtenCalls(calls) != before {
		t.Errorf("%q: the calls given are changed", c.text)
	}
	return v
}

func writtenCalls(calls []Call) string {
	var list []string
	for _, c := range calls {
		list = append(list, c.Name+text(c.Arguments))
	}
	return strings.Join(list, "\n")
}

func delivered(v Verdict) string {
	if v.Withheld {
		return ""
	}
	return writtenCalls(v.Calls)
}

// checkRule judges by one rule, twice: what is delivered must be delivered again.
func checkRule(t *testing.T, rule string, c judged) {
	t.Helper()
	o := Options{Off: only(rule), Confidence: 1}
	v := c.judge(t, o, true)
	if got := delivered(v); got != c.want {
		t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
	}
	again := c
	again.calls = writtenCalls(v.Calls)
	if got := writtenCalls(again.judge(t, o, true).Calls); got != writtenCalls(v.Calls) {
		t.Errorf("%q twice:\n got %s\nwant %s", c.text, got, writtenCalls(v.Calls))
	}
	if changed := writtenCalls(v.Calls) != c.calls; changed && len(v.Trace) == 0 {
		t.Errorf("%q: a change without a trace", c.text)
	}
	o.Off = map[string]bool{rule: true}
	for _, f := range c.judge(t, o, true).Trace {
		if f.Rule == rule {
			t.Errorf("%q: %s is switched off", c.text, rule)
		}
	}
}
