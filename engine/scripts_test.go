package engine

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// TestEveryScriptStaysIntact judges calls whose names and values are in many scripts, with all rules on: nothing in
// them is changed, nor withheld, and the response is UTF-8 that says the same.
func TestEveryScriptStaysIntact(t *testing.T) {
	lex := demoLexicon(t)
	for _, text := range []string{
		"اتصل بأحمد في القاهرة", "בבקשה תתקשר לדני", "मुंबई में मौसम कैसा है", "โทรหาแม่ที่เชียงใหม่", "東京の天気を教えて", "请打开客厅的灯", "서울 날씨 알려줘",
		"Позвони Анне в Москву", "Κάλεσε τη Μαρία στην Αθήνα", "գնա Երևան", "დარეკე თბილისში", "Müller über die Straße", "¿Qué tiempo hace en São Paulo?",
		"👩‍👩‍👧‍👦 🏳️‍🌈 family", "e\u0301 decomposed \u200d joiner", "tab\tnewline\n\"quotes\" \\ back", "ⵜⴰⵎⴰⵣⵉⵖⵜ", "ᏣᎳᎩ", "𝒳 𐍈 beyond the first plane",
	} {
		name, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		tools := `[{"name":"send","description":` + string(name) + `,"parameters":{"type":"object","properties":{"text":{"type":"string"},` +
			string(name) + `:{"type":"array","items":{"type":"string"}}},"required":["text"]}}]`
		arguments := `{"text":` + string(name) + `,` + string(name) + `:[` + string(name) + `]}`
		r := judgeCalls(t, lex, asRequest(t, text, tools, "send", arguments))
		out := r.JSON()
		checkEnvelope(t, out)
		if len(r.FunctionCalls) != 1 || !sameCalls(t, r.FunctionCalls[0].Arguments, []byte(arguments)) || !utf8.Valid(out) {
			t.Errorf("%q: %s, %+v", text, out, r.Trace)
		}
		if len(r.Validation.Ungrounded) > 0 {
			t.Errorf("%q: %q is marked", text, r.Validation.Ungrounded)
		}
	}
}
