package engine

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/libneedle/libneedle/engine/prompt"
)

// answered is a request with calls that could answer it.
type answered struct {
	leaderboardRequest
	calls []prompt.Call // on the wire
}

// sessions are those of requests by system text and tools, since compiling their tools takes longer than all rules.
var sessions sync.Map

// answerSession is a session for a request, without a model. It must not be changed.
func answerSession(t testing.TB, lex *lexicon, r answered) *Session {
	t.Helper()
	key := r.System + "\n" + string(r.Tools)
	if s, ok := sessions.Load(key); ok {
		return s.(*Session)
	}
	s := newAnswerSession(t, lex, r)
	sessions.Store(key, s)
	return s
}

func newAnswerSession(t testing.TB, lex *lexicon, r answered) *Session {
	t.Helper()
	tools, err := prompt.ParseTools(string(r.Tools))
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{
		engine: &Engine{lex: lex, weights: &weights{tok: lex.tok}}, system: prompt.SystemText(r.System),
		selection: selection{tools: tools, ground: groundTools(tools), triggers: newTriggers(tools)},
	}
	cache, list := new(grammarCache), declaredTools(tools)
	if s.declared, err = cache.compile(list, true); err != nil {
		t.Fatal(err)
	}
	s.implied = cache.compileImplied(list, s.ground, s.declared, true)
	return s
}

// judgeCalls judges calls as if the model had written them with full confidence.
func judgeCalls(t testing.TB, lex *lexicon, r answered, off ...string) *Response {
	t.Helper()
	response := &Response{Type: TypeCall, Success: true, Confidence: 1}
	s := answerSession(t, lex, r)
	k, err := s.newTask(background, s.read(r.Query), CompleteOptions{Off: off})
	if err == nil {
		err = s.judge(response, r.calls, k)
	}
	if err != nil {
		t.Fatalf("%s: %v", r.ID, err)
	}
	return response
}

// referenceAnswers are the requests with the calls that are accepted, the first of each value.
func referenceAnswers(t testing.TB) (list []answered) {
	for _, r := range leaderboard(t) {
		if len(r.Answers) == 0 {
			continue
		}
		tools, err := prompt.ParseTools(string(r.Tools))
		if err != nil {
			t.Fatal(err)
		}
		a := answered{leaderboardRequest: r}
		for _, answer := range r.Answers {
			for name, parameters := range answer {
				arguments, err := json.Marshal(firstAccepted(parameters))
				if err != nil {
					t.Fatal(err)
				}
				wire, text, err := tools.ToWire(name, arguments)
				if err != nil {
					t.Fatalf("%s: %v", r.ID, err)
				}
				a.calls = append(a.calls, prompt.Call{Name: wire, Arguments: text})
			}
		}
		list = append(list, a)
	}
	return list
}

// firstAccepted takes the first value of each parameter, and of each member of an object in it; "" stands for
// what is left out.
func firstAccepted(parameters map[string]any) map[string]any {
	out := map[string]any{}
	for name, accepted := range parameters {
		if list, ok := accepted.([]any); ok && len(list) > 0 && list[0] != "" {
			out[name] = firstInside(list[0])
		}
	}
	return out
}

func firstInside(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return firstAccepted(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = firstInside(v[i])
		}
		return out
	}
	return v
}

// TestImpliedKeepsTheAnswers writes the reference answers under the grammars with what tools' texts imply: a
// description that seems to list all options, or a name that seems to bound a number, must not forbid what is
// right.
func TestImpliedKeepsTheAnswers(t *testing.T) {
	lex := demoLexicon(t)
	tools, narrowed, refused := 0, 0, 0
	for _, r := range referenceAnswers(t) {
		s := answerSession(t, lex, r)
		for _, tool := range s.tools.Tools() {
			tools++
			if s.ground.Implied(tool.Name) != nil {
				narrowed++
			}
		}
		for _, c := range r.calls {
			text := fmt.Sprintf(`[{"name":%q,"arguments":%s}]`, c.Name, c.Arguments)
			v := s.engine.weights.vocabulary(lex)
			if declared, implied := s.declared.Start(v), s.implied.Start(v); declared.AcceptBytes([]byte(text)) && !implied.AcceptBytes([]byte(text)) {
				refused++
				t.Logf("%s: %s\n%s", r.ID, text, s.ground.Implied(c.Name))
			}
		}
	}
	t.Logf("%d tools, %d with implied options or bounds, %d answers refused", tools, narrowed, refused)
	if narrowed < 10 || refused > 0 {
		t.Errorf("%d tools imply something, %d answers are refused", narrowed, refused)
	}
}
