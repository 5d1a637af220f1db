package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/libneedle/libneedle/engine/grammar"
)

// The reference answers, several calls in order, are lists that the grammar of their tools takes byte by byte, but
// for those of faultyAnswers, which break the tools' own schemas.
func TestRequestsAnswersFitTheGrammar(t *testing.T) {
	pieces := make([][]byte, 256)
	for b := range pieces {
		pieces[b] = []byte{byte(b)}
	}
	v := grammar.NewVocabulary(pieces)
	requests, fit := 0, 0
	eachRequest(t, func(r request, set *Toolset) {
		var tools []grammar.Tool
		for _, tool := range set.Tools() {
			tools = append(tools, grammar.Tool{Name: tool.Name, Schema: tool.Schema})
		}
		g, err := grammar.CompileTools(tools, grammar.Options{Mode: grammar.ModeTool})
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
			return
		}
		calls := r.calls()
		if calls == nil {
			return
		}
		text := []byte("[")
		for i, c := range calls {
			if i > 0 {
				text = append(text, ',')
			}
			name := ""
			for _, tool := range set.Tools() {
				if tool.Caller == c.name {
					name = tool.Name
				}
			}
			wire := renamed(c.arguments, parametersOf(t, r, c.name))
			text = fmt.Appendf(text, `{"name":"%s","arguments":%s}`, name, compactJSON(t, wire))
		}
		text = append(text, ']')
		requests++
		m, at := g.Start(v), 0
		for at < len(text) && m.Accept(int32(text[at])) {
			at++
		}
		ok := at == len(text) && m.Complete()
		if ok {
			fit++
		}
		if _, faulty := faultyAnswers[r.ID]; ok == faulty {
			t.Errorf("%s: fits %t, faulty %t; refused after %s", r.ID, ok, faulty, text[:at])
		}
	})
	t.Logf("%d of %d answers fit", fit, requests)
	if fit*100 < requests*97 {
		t.Errorf("%d of %d answers fit, 97%% must", fit, requests)
	}
}

// compactJSON writes a value with no escapes but those JSON asks for.
func compactJSON(t testing.TB, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}
