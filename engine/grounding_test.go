package engine

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/engine/prompt"
)

// asRequest is a request with one call under the caller's names.
func asRequest(t *testing.T, query, tools, name, arguments string) answered {
	t.Helper()
	set, err := prompt.ParseTools(tools)
	if err != nil {
		t.Fatal(err)
	}
	wire, text, err := set.ToWire(name, []byte(arguments))
	if err != nil {
		t.Fatal(err)
	}
	r := answered{calls: []prompt.Call{{Name: wire, Arguments: text}}}
	r.Query, r.Tools = query, json.RawMessage(tools)
	return r
}

// groceries has nested parameters under names that are other ones on the wire, and all ways to exempt a value.
const groceries = `[{"name":"addItems","description":"Adds items.","parameters":{"type":"object","properties":{
	"items":{"type":"array","items":{"type":"string"}},
	"forWhom":{"type":"object","properties":{"fullName":{"type":"string"},"roomNumber":{"type":"integer"}}},
	"lineItems":{"type":"array","items":{"type":"object","properties":{"itemName":{"type":"string"},"howMany":{"type":"number"}}}},
	"storeKind":{"$ref":"#/$defs/kind"},
	"either":{"anyOf":[{"$ref":"#/$defs/kind"},{"type":"null"}]},
	"both":{"allOf":[{"$ref":"#/$defs/kind"}]},
	"fixed":{"const":"weekly"}},"$defs":{"kind":{"enum":["supermarket","bakery"]}}}}]`

func TestUngroundedUnderTheCallersNames(t *testing.T) {
	lex := demoLexicon(t)
	for _, c := range []struct{ query, arguments, want string }{
		{"add milk, eggs", `{"items":["milk","eggs","bread"]}`, "addItems.items[2]"},
		{"add milk, eggs", `{"items":["milk","eggs"]}`, ""},
		{"add milk for Ana", `{"forWhom":{"fullName":"Bob"}}`, "addItems.forWhom.fullName"},
		{"add milk for Ana", `{"forWhom":{"fullName":"ana"}}`, ""},
		{"for room seventeen", `{"forWhom":{"roomNumber":17}}`, ""},
		{"for room 1,700", `{"forWhom":{"roomNumber":1700}}`, ""},
		{"for room B17", `{"forWhom":{"roomNumber":17}}`, "addItems.forWhom.roomNumber"},
		{"two pints of milk", `{"lineItems":[{"itemName":"milk","howMany":2.0}]}`, ""},
		{"2 pints of milk", `{"lineItems":[{"itemName":"milk","howMany":2},{"itemName":"ham","howMany":3}]}`, "addItems.lineItems[1].itemName addItems.lineItems[1].howMany"},
		{"add it", `{"storeKind":"bakery"}`, ""},
		{"add it", `{"either":"bakery"}`, ""},
		{"add it", `{"both":"bakery"}`, ""},
		{"add it", `{"fixed":"weekly"}`, ""},
		{"add it", `{"items":["it"]}`, ""},
		{"add whole-wheat_bread", `{"items":["Whole Wheat Bread"]}`, ""},
	} {
		r := judgeCalls(t, lex, asRequest(t, c.query, groceries, "addItems", c.arguments), AllRules)
		if got := strings.Join(r.Validation.Ungrounded, " "); got != c.want || len(r.FunctionCalls) != 1 {
			t.Errorf("%q %s: %q, want %q; %d calls", c.query, c.arguments, got, c.want, len(r.FunctionCalls))
		}
	}
}

// TestJudgedUnderTheCallersNames has rules that name places, and repair values, of renamed parameters.
func TestJudgedUnderTheCallersNames(t *testing.T) {
	lex := demoLexicon(t)
	const tools = `[{"name":"setFan","description":"Sets a fan.","parameters":{"type":"object","properties":{"fanRoom":{"enum":["kitchen","bedroom"]},"fanSpeed":{"type":"integer"}},"required":["fanRoom"]}}]`
	for _, c := range []struct{ query, arguments, delivered, place string }{
		{"turn on the kitchen fan", `{"fanRoom":"bedroom"}`, `{"fanRoom":"kitchen"}`, "setFan.fanRoom"},
		{"turn on the fan", `{"fanRoom":"bedroom"}`, "", "setFan.fanRoom"},
		{"turn on the fans except in the bedroom", `{"fanRoom":"bedroom"}`, "", "setFan.fanRoom"},
	} {
		r := judgeCalls(t, lex, asRequest(t, c.query, tools, "setFan", c.arguments))
		delivered := ""
		if len(r.FunctionCalls) == 1 {
			delivered = string(r.FunctionCalls[0].Arguments)
		}
		if delivered != c.delivered || !slices.ContainsFunc(r.Trace, func(f Finding) bool { return f.Place == c.place }) {
			t.Errorf("%q: %q, %+v", c.query, delivered, r.Trace)
		}
		if (len(r.SuppressedCalls) == 1) != (delivered == "") {
			t.Errorf("%q: %d calls are suppressed", c.query, len(r.SuppressedCalls))
		}
	}
}

// TestConfidenceModes has what each mode takes from the same turn, and that 0.1 is enough.
func TestConfidenceModes(t *testing.T) {
	log := func(p float64) float32 { return float32(math.Log(p)) }
	for _, c := range []struct {
		call, head        float64 // head 0: there is none
		min, decode, only float64
	}{
		{0.9, 0.8, 0.8, 0.9, 0.8},
		{0.3, 0.8, 0.3, 0.3, 0.8},
		{0.9, 0.05, 0.05, 0.9, 0.05},
		{0.05, 0.9, 0.05, 0.05, 0.9},
		{0.6, 0, 0.6, 0.6, 0.6},
		{0.9, 0.1, 0.1, 0.9, 0.1},
		{1, 1, 1, 1, 1},
	} {
		s := score{call: log(c.call), callCount: 1, head: float32(c.head), headRead: c.head > 0}
		for mode, want := range map[ConfidenceMode]float64{ConfidenceMin: c.min, ConfidenceDecode: c.decode, ConfidenceHead: c.only} {
			got := s.confidence(mode)
			if math.Abs(got-want) > 1e-6 {
				t.Errorf("%v, mode %d: %v, want %v", c, mode, got, want)
			}
			if tooLow := got < 0.1; tooLow != (want < 0.1) {
				t.Errorf("%v, mode %d: %v is on the wrong side of 0.1", c, mode, got)
			}
		}
	}
}
