package engine

import (
	"slices"
	"testing"

	"github.com/libneedle/libneedle/engine/ground"
	"github.com/libneedle/libneedle/engine/jsontext"
)

// What texts imply refuses none of the leaderboard's right answers, and of their options hardly one is left out
// because others are named.
func TestReferenceAnswersCanBeChosen(t *testing.T) {
	lex := demoLexicon(t)
	w := weights{tok: lex.tok}
	v := w.vocabulary(lex)
	narrowed, options, missed := 0, 0, 0
	for _, r := range referenceAnswers(t) {
		s := answerSession(t, lex, r)
		talk := ground.NewTurn(s.system, []string{r.Query}, true)
		if s.implied != s.declared {
			narrowed++
		}
		for _, c := range r.calls {
			text := []byte(`[{"name":"` + c.Name + `","arguments":` + string(c.Arguments) + `}]`)
			if s.declared.Start(v).AcceptBytes(text) && !s.implied.Start(v).AcceptBytes(text) {
				t.Errorf("%s: %s is refused with %s", r.ID, text, s.ground.Implied(c.Name))
			}
			arguments, err := jsontext.Parse(string(c.Arguments))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range arguments.Members {
				named := talk.Named(s.ground.Options(ground.Place{Tool: c.Name, Path: jsontext.Path{}.To(m.Key)}))
				if len(named) == 0 || !m.Value.Is(jsontext.String) {
					continue
				}
				if options++; !slices.Contains(named, m.Value.Text) {
					missed++
					t.Logf("%s: %s is %q, named are %q: %s", r.ID, m.Key, m.Value.Text, named, r.Query)
				}
			}
		}
	}
	t.Logf("%d tool sets imply something; %d values have options that are named, %d others", narrowed, options, missed)
	if narrowed == 0 || options < 10 || missed > options/10 {
		t.Errorf("%d narrowed, %d options, %d missed", narrowed, options, missed)
	}
}

// What texts imply holds in a turn unless it is switched off, and its options are chosen whole.
func TestImpliedOptionsInATurn(t *testing.T) {
	e := openDemo(t, Options{})
	s := begin(t, e, SessionOptions{Tools: `[{"name":"set_lights","parameters":{"type":"object","properties":{"mode":{"type":"string","description":"one of 'warm', 'cold', 'party'"},"percent":{"type":"integer"}},"required":["mode","percent"]}}]`})
	for _, c := range []struct {
		off       []string
		arguments string
		accepted  bool
	}{
		{nil, `{"mode":"warm","percent":100}`, true},
		{nil, `{"mode":"blue","percent":10}`, false},
		{nil, `{"mode":"warm","percent":101}`, false},
		{nil, `{"mode":"warm","percent":-1}`, false},
		{[]string{ruleImplied}, `{"mode":"blue","percent":101}`, true},
		{[]string{"values"}, `{"mode":"blue","percent":101}`, true},
		{[]string{ruleOptions}, `{"mode":"blue","percent":10}`, false},
	} {
		k, err := s.newTask(background, s.read("lights"), CompleteOptions{Off: c.off})
		if err != nil {
			t.Fatal(err)
		}
		m := k.calls.Start(e.weights.vocabulary(e.lex))
		if got := m.AcceptBytes([]byte(argumentsBegin + c.arguments + "}]")); got != c.accepted {
			t.Errorf("without %v: %s accepted: %v", c.off, c.arguments, got)
		}
	}
	r, err := s.Complete(background, "party or cold, 30 percent", CompleteOptions{ToolChoice: ToolChoice{Required: true}, Off: []string{ruleLookahead, "gates", "repairs"}})
	if err != nil || len(r.FunctionCalls) != 1 || r.Speculated == 0 {
		t.Fatalf("%v %s, %d tokens tried", err, r.JSON(), r.Speculated)
	}
	off := []string{ruleImplied, ruleLookahead}
	s.Reset()
	if r, err := s.Complete(background, "party or cold, 30 percent", CompleteOptions{ToolChoice: ToolChoice{Required: true}, Off: off}); err != nil || r.Speculated != 0 {
		t.Errorf("switched off: %v, %d tokens tried", err, r.Speculated)
	}
}
