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
