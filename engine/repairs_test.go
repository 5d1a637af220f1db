package engine

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/engine/prompt"
)

// ownRepairs are the repairs that read places, scales, and what a request leaves unsaid.
var ownRepairs = []string{"place", "temperature", "empty", "ungrounded-optional", "route"}

// allBut are the rules other than some.
func allBut(on ...string) (off []string) {
	for _, r := range Rules() {
		if !slices.Contains(on, r.Name) {
			off = append(off, r.Name)
		}
	}
	return off
}

// damages are what is done to the strings of right answers, to give the repairs work.
var damages = map[string]func(string) string{
	"none":    func(s string) string { return s },
	"comma":   func(s string) string { head, _, _ := strings.Cut(s, ","); return head },
	"first":   func(s string) string { head, _, _ := strings.Cut(s, " "); return head },
	"last":    func(s string) string { return s[strings.LastIndex(s, " ")+1:] },
	"foreign": func(string) string { return "Qux Zylo" },
	"early": func(s string) string {
		if s < "N" { // one end of many ways
			return "Qux Zylo"
		}
		return s
	},
	"empty": func(string) string { return "" },
}

func damaged(t *testing.T, calls []prompt.Call, damage func(string) string) []prompt.Call {
	t.Helper()
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			return damage(v)
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k])
			}
		}
		return v
	}
	out := slices.Clone(calls)
	for i, c := range calls {
		d := json.NewDecoder(bytes.NewReader(c.Arguments))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(walk(v))
		if err != nil {
			t.Fatal(err)
		}
		out[i].Arguments = text
	}
	return out
}

// wired are delivered calls under the names of the wire.
func wired(t *testing.T, r answered, calls []Call) (out []prompt.Call) {
	t.Helper()
	tools, err := prompt.ParseTools(string(r.Tools))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		name, text, err := tools.ToWire(c.Name, c.Arguments)
		if err != nil {
			t.Fatalf("%s: %v", r.ID, err)
		}
		out = append(out, prompt.Call{Name: name, Arguments: text})
	}
	return out
}

// TestRepairsAreIdempotent repairs answers, right and damaged, twice.
func TestRepairsAreIdempotent(t *testing.T) {
	lex := demoLexicon(t)
	sets := [][]string{ownRepairs}
	for _, name := range ownRepairs {
		sets = append(sets, []string{name})
	}
	changed := map[string]int{}
	for _, r := range referenceAnswers(t) {
		for name, damage := range damages {
			r := r
			r.calls = damaged(t, r.calls, damage)
			for _, on := range sets {
				once := judgeCalls(t, lex, r, allBut(on...)...)
				again := r
				again.calls = wired(t, r, once.FunctionCalls)
				twice := judgeCalls(t, lex, again, allBut(on...)...)
				if len(twice.Trace) > 0 {
					t.Errorf("%s, %s, %v: again %s %s: %s -> %s", r.ID, name, on, twice.Trace[0].Rule, twice.Trace[0].Place, twice.Trace[0].Before, twice.Trace[0].After)
				}
				if len(on) == 1 {
					changed[on[0]] += len(once.Trace)
				}
			}
		}
	}
	t.Log(changed)
	for _, name := range ownRepairs {
		if changed[name] == 0 && name != "temperature" { // no request states one on another scale than its tool's
			t.Errorf("%s had nothing to do", name)
		}
	}
}

// TestRightAnswersStayRight has no repair change an accepted value to another one.
func TestRightAnswersStayRight(t *testing.T) {
	lex := demoLexicon(t)
	for _, r := range referenceAnswers(t) {
		for _, f := range judgeCalls(t, lex, r, allBut(ownRepairs...)...).Trace {
			if !accepts(r, f) {
				t.Errorf("%s: %s %s: %s -> %s\n%s", r.ID, f.Rule, f.Place, f.Before, f.After, r.Query)
			}
		}
	}
}

// accepts reports whether the value that a repair gives is accepted somewhere in the answers.
func accepts(r answered, f Finding) bool {
	key := f.Place[strings.LastIndexByte(f.Place, '.')+1:]
	for _, answer := range r.Answers {
		for _, parameters := range answer {
			accepted, ok := parameters[key].([]any)
			if ok && slices.ContainsFunc(accepted, func(v any) bool {
				text, err := json.Marshal(v)
				return err == nil && (string(text) == string(f.After) || f.After == nil && string(text) == `""`)
			}) {
				return true
			}
		}
	}
	return false
}

// TestNoRulesNoChanges judges with all rules off.
func TestNoRulesNoChanges(t *testing.T) {
	lex := demoLexicon(t)
	for _, r := range referenceAnswers(t) {
		tools, err := prompt.ParseTools(string(r.Tools))
		if err != nil {
			t.Fatal(err)
		}
		got := judgeCalls(t, lex, r, AllRules)
		if len(got.FunctionCalls) != len(r.calls) || len(got.Trace) > 0 {
			t.Errorf("%s: %d calls of %d, %v", r.ID, len(got.FunctionCalls), len(r.calls), got.Trace)
			continue
		}
		for i, c := range r.calls {
			name, arguments, err := tools.ToCaller(c.Name, c.Arguments)
			if err != nil {
				t.Fatal(err)
			}
			if got := got.FunctionCalls[i]; got.Name != name || !bytes.Equal(got.Arguments, arguments) {
				t.Errorf("%s: %s %s, want %s %s", r.ID, got.Name, got.Arguments, name, arguments)
			}
		}
	}
}
