package engine

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/libneedle/libneedle/engine/ground"
	"github.com/libneedle/libneedle/engine/prompt"
)

func TestResponseJSON(t *testing.T) {
	for _, c := range []struct {
		r    Response
		want string
	}{
		{Response{
			Type: TypeCall, Success: true, Reasoning: "'5' -> \"n\"\n…",
			FunctionCalls:   []Call{{"setVolume", json.RawMessage(`{"n":0.50,"b":[1e3]}`)}, {"ö", json.RawMessage(`{}`)}},
			SuppressedCalls: []Call{{"x", json.RawMessage(`{"a":1}`)}},
			Confidence:      0.87654, PrefillTPS: 773.25, DecodeTPS: 1234567.89, PeakRAMMB: 11.05,
			Validation: &Validation{Ungrounded: []string{"a.b", "c"}, Negation: true}, Warnings: []string{"w"},
			Text: "not in JSON", Tokens: 7,
		}, `{"type":"call","success":true,"error":null,"error_code":null,"reason":null,` +
			`"function_calls":[{"name":"setVolume","arguments":{"n":0.50,"b":[1e3]}},{"name":"ö","arguments":{}}],` +
			`"suppressed_calls":[{"name":"x","arguments":{"a":1}}],"reasoning":"'5' -> \"n\"\n…","confidence":0.8765,` +
			`"prefill_tps":773.2,"decode_tps":1234567.9,"peak_ram_mb":11.1,` +
			`"validation":{"ungrounded":["a.b","c"],"negation":true},"warnings":["w"]}`},
		{Response{Type: TypeRespond, Error: "e", ErrorCode: "truncated", Reason: "runtime_failure", Confidence: math.NaN(), DecodeTPS: math.Inf(1)},
			`{"type":"respond","success":false,"error":"e","error_code":"truncated","reason":"runtime_failure",` +
				`"function_calls":[],"suppressed_calls":[],"reasoning":null,"confidence":0.0000,` +
				`"prefill_tps":0.0,"decode_tps":0.0,"peak_ram_mb":0.0}`},
		{Response{Type: TypeCall, Success: true, Validation: &Validation{}},
			`{"type":"call","success":true,"error":null,"error_code":null,"reason":null,` +
				`"function_calls":[],"suppressed_calls":[],"reasoning":null,"confidence":0.0000,` +
				`"prefill_tps":0.0,"decode_tps":0.0,"peak_ram_mb":0.0,"validation":{"ungrounded":[],"negation":false}}`},
	} {
		c.want = strings.ReplaceAll(c.want, "\n", `\n`)
		if got := string(c.r.JSON()); got != c.want {
			t.Errorf("got\n%s\nexpected\n%s", got, c.want)
		}
	}
}

func FuzzResponseJSON(f *testing.F) {
	f.Add("call", "a\xffb", "\x00\u2028\"\\", 0.5)
	f.Add("", "\xed\xa0\x80", "\x1f\x7f", math.Inf(-1))
	f.Fuzz(func(t *testing.T, kind, text, name string, number float64) {
		r := Response{Type: kind, Error: text, Reasoning: name, Warnings: []string{text, name}, Confidence: number,
			FunctionCalls: []Call{{name, json.RawMessage(`{}`)}}, Validation: &Validation{Ungrounded: []string{text}}}
		b := r.JSON()
		if !json.Valid(b) || !utf8.Valid(b) {
			t.Fatalf("invalid: %q", b)
		}
		var back struct {
			Error *string `json:"error"`
		}
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(text, "\uFFFD"); back.Error != nil && utf8.ValidString(text) && *back.Error != want {
			t.Fatalf("error came back as %q, expected %q", *back.Error, want)
		}
	})
}

// respondTo is the response to a scripted answer in a session with one tool, setLights.
func respondTo(t *testing.T, l *lexicon, user bool, limit int, script ...int32) *Response {
	t.Helper()
	tools, err := prompt.ParseTools(`[{"name":"setLights","parameters":{"properties":{"isOn":{"type":"boolean"}}}}]`)
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{
		engine: &Engine{lex: l, weights: &weights{tok: l.tok}}, selection: selection{tools: tools, ground: groundTools(tools), triggers: &triggers{}},
	}
	if s.declared, err = new(grammarCache).compile(declaredTools(tools), false); err != nil {
		t.Fatal(err)
	}
	f := newFixture(l, user, limit, script...)
	f.mustRun(t)
	return s.respond(f.turn, &task{input: input{tool: !user}, talk: ground.NewTurn("", []string{"turn the lights on"}, user)})
}

func TestRespond(t *testing.T) {
	l := demoLexicon(t)
	text := l.tok.EncodePlain
	thought := join(text("\n'on' -> is_on\n"), ids(endThnk))
	const element = `{"name":"set_lights","arguments":{"is_on":true,"n":0.50}}`
	type want struct {
		kind, code, err, reasoning, prose, calls string
	}
	const delivered = `[{"name":"setLights","arguments":{"isOn":true,"n":0.50}}]`
	for _, c := range []struct {
		name   string
		user   bool
		limit  int
		script []int32
		want   want
	}{
		{"call", true, 200, join(thought, text("["+element+"]")), want{"call", "", "", "'on' -> is_on", "", delivered}},
		{"refusal", true, 200, join(thought, text("[]")), want{"call", "", "", "'on' -> is_on", "", "[]"}},
		{"no call", true, 200, ids(300, imEnd), want{"respond", "", "", l.tok.Decode(ids(300)), "", "[]"}},
		{"prose", false, 200, join(text(" All done "), ids(imEnd)), want{"respond", "", "", "All done", "All done", "[]"}},
		{"thought and prose", false, 200, join(ids(think, 300, endThnk), text("Done"), ids(imEnd)), want{"respond", "", "", l.tok.Decode(ids(300)), "Done", "[]"}},
		{"cut in the thought", true, 4, ids(300), want{"respond", "truncated", "answer truncated: token budget exhausted", "", "", "[]"}},
		{"cut prose", false, 4, ids(300, 301, 302, 303), want{"respond", "truncated", "answer truncated: token budget exhausted", l.tok.Decode(ids(300, 301, 302)), l.tok.Decode(ids(300, 301, 302)), "[]"}},
		{"cut before a call is complete", false, 12, join(ids(call), text("["+element+"]")), want{"call", "truncated", "tool call truncated: token budget exhausted", "", "", "[]"}},
		{"cut in the second call", false, 12 + len(text("["+element)), join(ids(call), text("["+element+","+element+"]")), want{"call", "", "", "", "", delivered}},
		{"closed near the limit", false, 4 + len(text("["+element)), join(ids(call), text("["+element), text(","+element)), want{"call", "", "", "", "", delivered}},
	} {
		r := respondTo(t, l, c.user, c.limit, c.script...)
		reason := ""
		if c.want.code != "" {
			reason = "runtime_failure"
		}
		got := want{r.Type, r.ErrorCode, r.Error, r.Reasoning, r.Text, string(appendCalls(nil, r.FunctionCalls))}
		if got != c.want || r.Success != (c.want.code == "") || r.Reason != reason {
			t.Errorf("%s: got %+v, success %v, reason %q; expected %+v", c.name, got, r.Success, r.Reason, c.want)
		}
		checkEnvelope(t, r.JSON())
	}
}
