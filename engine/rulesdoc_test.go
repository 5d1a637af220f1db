package engine

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/engine/prompt"
)

var updateDocs = flag.Bool("update", false, "write what the tests find to docs/rules.md")

// checkDocs compares a section of docs/rules.md with what it should say, or writes it.
func checkDocs(t *testing.T, section, want string) {
	t.Helper()
	const path = "../docs/rules.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := fmt.Sprintf("<!-- begin %s -->\n", section), fmt.Sprintf("<!-- end %s -->", section)
	before, rest, ok := strings.Cut(string(text), begin)
	got, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no section %s", path, section)
	}
	if got == want {
		return
	}
	if !*updateDocs {
		t.Errorf("docs/rules.md, section %s: go test ./engine -run Docs -update writes it anew; it should be\n%s", section, want)
		return
	}
	if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDocsRules holds the list of rules to the rules.
func TestDocsRules(t *testing.T) {
	var b strings.Builder
	b.WriteString("| group | rule | what it does | English only |\n|---|---|---|---|\n")
	for _, g := range RuleGroups() {
		for _, r := range g.Rules {
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", g.Name, r.Name, r.What, map[bool]string{true: "yes"}[r.English])
		}
	}
	checkDocs(t, "rules", b.String())
}

// leastSurvival is the share of right answers that have to come through unchanged or equal in value.
const leastSurvival = 0.9

// survivalDocs writes what became of right answers.
func survivalDocs(t *testing.T, answers []answered) string {
	s := survival(t, answers)
	var b strings.Builder
	fmt.Fprintf(&b, "| outcome | requests |\n|---|---|\n")
	for _, o := range []string{unchanged, equal, changed, withheld} {
		fmt.Fprintf(&b, "| %s | %d |\n", o, s.outcomes[o])
	}
	b.WriteString("\n| rule | delivered equal | changed | withheld |\n|---|---|---|---|\n")
	for _, g := range RuleGroups() {
		for _, r := range g.Rules {
			if n := s.byRule[r.Name]; n != nil {
				fmt.Fprintf(&b, "| `%s` | %d | %d | %d |\n", r.Name, n[equal], n[changed], n[withheld])
			}
		}
	}
	if len(s.lines) > 0 {
		b.WriteString("\nThose that were changed or withheld:\n\n" + strings.Join(s.lines, "\n") + "\n")
	}
	if through := s.outcomes[unchanged] + s.outcomes[equal]; float64(through) < leastSurvival*float64(len(answers)) {
		t.Errorf("%d of %d right answers come through, expected %.0f%%", through, len(answers), 100*leastSurvival)
	}
	return b.String()
}

// TestDocsReferenceAnswers lets the leaderboard's answers through repairs and gates.
func TestDocsReferenceAnswers(t *testing.T) {
	checkDocs(t, "leaderboard", survivalDocs(t, referenceAnswers(t)))
}

// TestDocsEnvironmentAnswers does the same with those of the public package's environments.
func TestDocsEnvironmentAnswers(t *testing.T) {
	checkDocs(t, "environments", survivalDocs(t, environmentAnswers(t)))
}

// survived is what became of right answers.
type survived struct {
	outcomes map[string]int
	byRule   map[string]map[string]int
	lines    []string // of those that were changed or withheld
}

const (
	unchanged = "unchanged"
	equal     = "equal in value"
	changed   = "changed"
	withheld  = "withheld"
)

func survival(t testing.TB, answers []answered) *survived {
	lex := demoLexicon(t)
	s := &survived{outcomes: map[string]int{}, byRule: map[string]map[string]int{}}
	for _, r := range answers {
		got := judgeCalls(t, lex, r)
		before, after := appendCalls(nil, judgeCalls(t, lex, r, AllRules).FunctionCalls), appendCalls(nil, got.FunctionCalls)
		outcome := changed
		switch {
		case len(got.FunctionCalls) == 0:
			outcome = withheld
		case string(before) == string(after):
			outcome = unchanged
		case sameCalls(t, before, after):
			outcome = equal
		}
		s.outcomes[outcome]++
		s.note(r, outcome, got.Trace)
	}
	slices.Sort(s.lines)
	return s
}

// note counts the rules that had to do with an outcome, and lists the answer when it is not the same any more.
func (s *survived) note(r answered, outcome string, trace []Finding) {
	var rules, what []string
	for _, f := range trace {
		if !slices.Contains(rules, f.Rule) {
			rules = append(rules, f.Rule)
		}
		line := fmt.Sprintf("`%s` %s", f.Rule, f.Place)
		if f.Before != nil || f.After != nil {
			line += fmt.Sprintf(": `%s` becomes `%s`", orNothing(f.Before), orNothing(f.After))
		}
		what = append(what, line+", "+f.Why)
	}
	for _, rule := range rules {
		if s.byRule[rule] == nil {
			s.byRule[rule] = map[string]int{}
		}
		s.byRule[rule][outcome]++
	}
	if outcome == changed || outcome == withheld {
		s.lines = append(s.lines, fmt.Sprintf("- %s, %s: %q\n  - %s", r.ID, outcome, shorten(r.Query), strings.Join(what, "\n  - ")))
	}
}

func orNothing(v json.RawMessage) string {
	if v == nil {
		return "nothing"
	}
	return string(v)
}

// shorten keeps a line of the document readable.
func shorten(text string) string {
	if r := []rune(text); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return text
}

// TestDocsIrrelevance makes, for the requests that no tool answers, a call that follows the schema and has nothing
// to do with the request, as if the model were sure of it.
func TestDocsIrrelevance(t *testing.T) {
	lex := demoLexicon(t)
	requests, caught, flagged := 0, map[string]int{}, 0
	stopped := 0
	for _, r := range leaderboard(t) {
		if len(r.Answers) > 0 {
			continue
		}
		a := answered{leaderboardRequest: r}
		s := answerSession(t, lex, a)
		tool := s.tools.Tools()[0]
		a.calls = []prompt.Call{{Name: tool.Name, Arguments: sampleArguments(t, tool.Schema)}}
		got := judgeCalls(t, lex, a)
		requests++
		switch {
		case len(got.FunctionCalls) == 0:
			stopped++
			caught[got.Trace[len(got.Trace)-1].Rule]++
		case len(got.Validation.Ungrounded) > 0 || got.Validation.Negation:
			flagged++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| outcome | requests |\n|---|---|\n| withheld | %d |\n| delivered, with values marked as ungrounded | %d |\n| delivered without a mark | %d |\n",
		stopped, flagged, requests-stopped-flagged)
	b.WriteString("\n| gate | withheld |\n|---|---|\n")
	for _, r := range RuleGroups()[3].Rules {
		if n := caught[r.Name]; n > 0 {
			fmt.Fprintf(&b, "| `%s` | %d |\n", r.Name, n)
		}
	}
	checkDocs(t, "irrelevance", b.String())
}

// sampleArguments makes the arguments that a schema requires.
func sampleArguments(t testing.TB, schema json.RawMessage) json.RawMessage {
	t.Helper()
	var s map[string]any
	if len(schema) > 0 {
		if err := json.Unmarshal(schema, &s); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(sampleObject(s))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func sampleObject(schema map[string]any) map[string]any {
	out := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		property, _ := properties[name.(string)].(map[string]any)
		out[name.(string)] = sampleValue(property)
	}
	return out
}

func sampleValue(schema map[string]any) any {
	if options, ok := schema["enum"].([]any); ok && len(options) > 0 {
		return options[0]
	}
	switch schema["type"] {
	case "integer", "number":
		return 417
	case "boolean":
		return true
	case "array":
		items, _ := schema["items"].(map[string]any)
		return []any{sampleValue(items)}
	case "object":
		return sampleObject(schema)
	}
	return "Zanzibar Quartet"
}
