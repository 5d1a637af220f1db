package engine

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/engine/ground"
	"github.com/libneedle/libneedle/engine/jsontext"
	"github.com/libneedle/libneedle/engine/prompt"
)

// repairNames are the names of all repairs.
func repairNames() (names []string) {
	for _, r := range ground.Repairs() {
		names = append(names, r.Name)
	}
	return names
}

// allBut are the rules other than some.
func allBut(on ...string) (off []string) {
	for _, g := range RuleGroups() {
		for _, r := range g.Rules {
			if !slices.Contains(on, r.Name) {
				off = append(off, r.Name)
			}
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
	"lower":   strings.ToLower,
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

// idle are the repairs that these requests have no work for: nobody in them has a full name, a telephone, a day
// that a tool wants as a date, or a temperature on another scale than the tool's.
var idle = []string{"temperature", "name", "phone", "date", "snap-option"}

// followAll reports whether all calls follow their tools' schemas.
func followAll(t *testing.T, lex *lexicon, r answered) bool {
	t.Helper()
	s := answerSession(t, lex, r)
	for _, c := range r.calls {
		v, err := jsontext.Parse(string(c.Arguments))
		if err != nil {
			t.Fatal(err)
		}
		if !s.follows(ground.Call{Name: c.Name, Arguments: v}) {
			return false
		}
	}
	return true
}

// TestRepairsAreIdempotent repairs answers, right and damaged, twice; what followed its schema still does.
func TestRepairsAreIdempotent(t *testing.T) {
	lex := demoLexicon(t)
	sets := [][]string{repairNames()}
	for _, name := range repairNames() {
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
				if followAll(t, lex, r) && !followAll(t, lex, again) {
					t.Errorf("%s, %s, %v: a repair made a call invalid: %s", r.ID, name, on, once.JSON())
				}
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
	for _, name := range repairNames() {
		if changed[name] == 0 && !slices.Contains(idle, name) {
			t.Errorf("%s had nothing to do", name)
		}
	}
}

// TestRightAnswersStayRight has no repair change an accepted value to another one.
func TestRightAnswersStayRight(t *testing.T) {
	lex := demoLexicon(t)
	for _, r := range referenceAnswers(t) {
		for _, f := range judgeCalls(t, lex, r, allBut(repairNames()...)...).Trace {
			if !sameNumber(f.Before, f.After) && !accepts(r, f) {
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
			if ok && slices.ContainsFunc(accepted, func(v any) bool { return isValue(v, f.After) || f.After == nil && v == "" }) {
				return true
			}
		}
	}
	return false
}

// sameNumber reports whether two texts are numbers of one value.
func sameNumber(x, y []byte) bool {
	var v float64
	return json.Unmarshal(x, &v) == nil && isValue(v, y)
}

// isValue reports whether a text is the JSON of a value, 20.0 being 20.
func isValue(v any, text []byte) bool {
	var w any
	return json.Unmarshal(text, &w) == nil && reflect.DeepEqual(v, w)
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
