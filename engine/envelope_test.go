package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const envelopeFile = "../docs/envelope.schema.json"

// envelopeSchema is docs/envelope.schema.json, compiled once.
var envelopeSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	return jsonschema.NewCompiler().Compile(envelopeFile)
})

// envelopeKeys are the keys of an envelope in their order. The last two may be missing.
var envelopeKeys = []string{"type", "success", "error", "error_code", "reason", "function_calls", "suppressed_calls", "reasoning",
	"confidence", "prefill_tps", "decode_tps", "peak_ram_mb", "validation", "warnings"}

// decimals are the forms of numbers.
var decimals = map[string]*regexp.Regexp{
	"confidence":  regexp.MustCompile(`^[01]\.[0-9]{4}$`),
	"prefill_tps": regexp.MustCompile(`^[0-9]+\.[0-9]$`),
	"decode_tps":  regexp.MustCompile(`^[0-9]+\.[0-9]$`),
	"peak_ram_mb": regexp.MustCompile(`^[0-9]+\.[0-9]$`),
}

// checkEnvelope fails the test when a response is not as documented.
func checkEnvelope(t testing.TB, envelope []byte) {
	t.Helper()
	if err := envelopeFault(envelope); err != nil {
		t.Errorf("%v\nin %s", err, envelope)
	}
}

// envelopeFault says what is wrong with a response: under the schema, and in what a schema can't say about
// its text, which is one compact object with the keys in order and a fixed count of decimals.
func envelopeFault(envelope []byte) error {
	schema, err := envelopeSchema()
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(envelope))
	if err != nil {
		return err
	}
	if err := schema.Validate(value); err != nil {
		return err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, envelope); err != nil || compact.Len() != len(envelope) {
		return fmt.Errorf("not compact: %v", err)
	}
	return textFault(envelope)
}

func textFault(envelope []byte) error {
	keys, members, err := topLevel(envelope)
	if err != nil {
		return err
	}
	order := slices.DeleteFunc(slices.Clone(envelopeKeys), func(key string) bool { return !slices.Contains(keys, key) })
	if !slices.Equal(keys, order) {
		return fmt.Errorf("keys %v, expected %v", keys, order)
	}
	for key, form := range decimals {
		if number, ok := members[key]; ok && !form.Match(number) {
			return fmt.Errorf("%s is %s, expected %v", key, number, form)
		}
	}
	return nil
}

// topLevel reads the members of an object, with the keys in their order.
func topLevel(object []byte) (keys []string, members map[string]json.RawMessage, err error) {
	d := json.NewDecoder(bytes.NewReader(object))
	members = map[string]json.RawMessage{}
	if _, err := d.Token(); err != nil {
		return nil, nil, err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, nil, err
		}
		keys = append(keys, key.(string))
		members[key.(string)] = value
	}
	return keys, members, nil
}

// TestEnvelopesOfTheDemo checks the response of every outcome that a conversation has.
func TestEnvelopesOfTheDemo(t *testing.T) {
	e := openDemo(t, Options{})
	cancelled, cancel := context.WithCancel(background)
	cancel()
	const on, joke = "turn on the kitchen lights", "tell me a joke about philosophers"
	for _, c := range []struct {
		name, text string
		limit      int
		ctx        context.Context
		kind, code string
		delivered  string
	}{
		{"delivered", on, 200, background, TypeCall, "", `[{"name":"set_lights","arguments":{"room":"kitchen","on":true}}]`},
		{"refused", joke, 200, background, TypeCall, "", "[]"},
		{"cut in the thought", on, 3, background, TypeRespond, "truncated", "[]"},
		{"too long an input", strings.Repeat("hello ", 2000), 10, background, TypeRespond, "overflow", "[]"},
		{"too many new tokens", on, 5000, background, TypeRespond, "overflow", "[]"},
		{"cancelled before its turn", on, 200, cancelled, TypeRespond, "cancelled", "[]"},
		{"cancelled in the input", on, 200, newCountdown(1, nil), TypeRespond, "cancelled", "[]"},
		{"cancelled in the answer", on, 200, newCountdown(6, nil), TypeRespond, "cancelled", "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := begin(t, e, SessionOptions{Tools: lights}).Complete(c.ctx, c.text, CompleteOptions{MaxNewTokens: c.limit})
			if err != nil {
				t.Fatal(err)
			}
			checkEnvelope(t, r.JSON())
			if got := string(appendCalls(nil, r.FunctionCalls)); r.Type != c.kind || r.ErrorCode != c.code || got != c.delivered {
				t.Errorf("answered %s", r.JSON())
			}
		})
	}
}

// TestEnvelopesOfAConversation checks each response of a longer conversation, among them those to tool
// results, at every limit of new tokens.
func TestEnvelopesOfAConversation(t *testing.T) {
	s := begin(t, openDemo(t, Options{}), SessionOptions{Tools: strings.TrimSuffix(lights, "]") + "," + timers[1:], System: `{"date":"2026-09-18T09:41"}`})
	outcomes := map[string]int{}
	for _, limit := range []int{1, 3, 10, 40, 200} {
		s.Reset()
		for _, text := range []string{"turn on the kitchen lights", `{"ok":true}`, "and the bedroom \u2028\"\\\x00\xff", "set a timer for 5 minutes", `[{"error":"é"}]`, "", "tell me a joke"} {
			r := sayUpTo(t, s, text, limit)
			checkEnvelope(t, r.JSON())
			outcomes[r.Type+" "+r.ErrorCode]++
		}
	}
	if outcomes["call "] == 0 || outcomes["respond truncated"] == 0 {
		t.Errorf("outcomes %v: neither calls nor cut answers are among them", outcomes)
	}
}

// TestEnvelopesOfScripts checks what the demo's model does not write on its own.
func TestEnvelopesOfScripts(t *testing.T) {
	l := demoLexicon(t)
	text := l.tok.EncodePlain
	const element = `{"name":"set_lights","arguments":{"is_on":true,"n":0.50}}`
	for _, c := range []struct {
		name   string
		user   bool
		limit  int
		script []int32
		code   string
	}{
		{"two calls", true, 200, join(ids(endThnk), text("["+element+","+element+"]")), ""},
		{"prose", false, 200, join(text(" All done "), ids(imEnd)), ""},
		{"nothing at all", false, 200, ids(imEnd), ""},
		{"endless", true, 200, join(ids(endThnk), text(`[{"name":`), ids(endCall)), "truncated"},
		{"cut before a call is complete", false, 12, join(ids(call), text("["+element+"]")), "truncated"},
		{"cut prose", false, 4, ids(300, 301, 302, 303), "truncated"},
		{"cut in the second call", false, 12 + len(text("["+element)), join(ids(call), text("["+element+","+element+"]")), ""},
	} {
		r := respondTo(t, l, c.user, c.limit, c.script...)
		checkEnvelope(t, r.JSON())
		if r.ErrorCode != c.code {
			t.Errorf("%s: %s", c.name, r.JSON())
		}
	}
}

// TestEnvelopesOfOtherForms checks what no session of this build writes yet, and what the C library writes
// without one.
func TestEnvelopesOfOtherForms(t *testing.T) {
	calls := []Call{{"a", json.RawMessage(`{"x":[1.50]}`)}}
	for _, r := range []Response{
		{Type: TypeCall, Success: true, FunctionCalls: calls, Validation: &Validation{Ungrounded: []string{"a.x[0]"}, Negation: true}},
		{Type: TypeCall, Success: true, SuppressedCalls: calls, Validation: &Validation{}},
		{Type: TypeCall, Success: true, Warnings: []string{"w"}},
	} {
		checkEnvelope(t, r.JSON())
	}
	checkEnvelope(t, []byte(`{"type":"error","error":"needle_init not called"}`))
}

// TestEnvelopeCodes: the schema knows exactly the codes of failures.
func TestEnvelopeCodes(t *testing.T) {
	b, err := os.ReadFile(envelopeFile)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs struct {
			Turn struct {
				Properties struct {
					Code struct{ Enum []*string } `json:"error_code"`
				}
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(b, &schema); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, name := range schema.Defs.Turn.Properties.Code.Enum[1:] {
		names = append(names, *name)
	}
	if want := codeNames[CodeOK+1:]; schema.Defs.Turn.Properties.Code.Enum[0] != nil || !slices.Equal(names, want) {
		t.Errorf("codes null and %v, expected %v", names, want)
	}
}

// TestEnvelopeFaultsAreSeen is the negative control: each change makes a good envelope a bad one.
func TestEnvelopeFaultsAreSeen(t *testing.T) {
	calls := []Call{{"a", json.RawMessage(`{}`)}}
	delivered := Response{Type: TypeCall, Success: true, FunctionCalls: calls, Validation: &Validation{Ungrounded: []string{"a.x"}}, Warnings: []string{"w"}}
	withheld := Response{Type: TypeCall, Success: true, SuppressedCalls: calls}
	both := Response{Type: TypeCall, Success: true, FunctionCalls: calls, SuppressedCalls: calls, Validation: &Validation{Negation: true}}
	prose := Response{Type: TypeRespond, Success: true, Reasoning: "hi"}
	failed := Response{Type: TypeRespond}
	failed.fail(CodeOverflow, "e")
	const noTurn = `{"type":"error","error":"e"}`
	good := map[string]string{"delivered": string(delivered.JSON()), "withheld": string(withheld.JSON()), "some dropped": string(both.JSON()), "prose": string(prose.JSON()),
		"failed": string(failed.JSON()), "no turn": noTurn}
	for name, envelope := range good {
		if err := envelopeFault([]byte(envelope)); err != nil {
			t.Errorf("%s, unchanged: %v", name, err)
		}
	}
	for _, c := range []struct{ of, old, new string }{
		{"delivered", `"type":"call"`, `"type":"calls"`}, {"delivered", `"type":"call"`, `"type":"respond"`}, {"delivered", `"type":"call"`, `"type":"error"`},
		{"delivered", `"success":true`, `"success":false`}, {"delivered", `"success":true`, `"success":1`}, {"delivered", `"error":null`, `"error":"e"`},
		{"delivered", `"error_code":null`, `"error_code":"overflow"`}, {"delivered", `"reason":null`, `"reason":"runtime_failure"`},
		{"delivered", `[{"name":"a","arguments":{}}]`, `null`}, {"delivered", `"name":"a"`, `"name":""`}, {"delivered", `"name":"a",`, ``},
		{"delivered", `"arguments":{}`, `"arguments":[]`}, {"delivered", `"arguments":{}`, `"arguments":"{}"`}, {"delivered", `"arguments":{}`, `"arguments":{},"id":1`},
		{"delivered", `"function_calls":[{"name":"a","arguments":{}}]`, `"function_calls":[]`}, // with validation
		{"delivered", `"suppressed_calls":[],`, ``}, {"delivered", `"reasoning":null,`, ``}, {"delivered", `"reasoning":null`, `"reasoning":""`},
		{"delivered", `0.0000`, `1.0001`}, {"delivered", `0.0000`, `-0.1000`}, {"delivered", `0.0000`, `0.0`}, {"delivered", `0.0000`, `"0.0000"`},
		{"delivered", `"prefill_tps":0.0`, `"prefill_tps":-1.0`}, {"delivered", `"decode_tps":0.0`, `"decode_tps":0.00`}, {"delivered", `"peak_ram_mb":0.0`, `"peak_ram_mb":null`},
		{"delivered", `"negation":false`, `"negation":null`}, {"delivered", `,"negation":false`, ``}, {"delivered", `["a.x"]`, `[1]`}, {"delivered", `["a.x"]`, `"a.x"`},
		{"delivered", `"warnings":["w"]`, `"warnings":[]`}, {"delivered", `"warnings":["w"]`, `"warning":["w"]`}, {"delivered", `["w"]}`, `["w"],"text":"x"}`},
		{"delivered", `"success":true,"error":null`, `"error":null,"success":true`}, {"delivered", `"type":"call",`, `"type":"call", `},
		{"withheld", `"type":"call"`, `"type":"respond"`},
		{"prose", `"function_calls":[]`, `"function_calls":[{"name":"b","arguments":{}}]`}, {"prose", `"hi"`, `3`},
		{"failed", `"success":false`, `"success":true`}, {"failed", `"error":"e"`, `"error":null`}, {"failed", `"error":"e"`, `"error":""`},
		{"failed", `"overflow"`, `null`}, {"failed", `"overflow"`, `"ok"`}, {"failed", `"overflow"`, `"full"`}, {"failed", `"runtime_failure"`, `null`},
		{"failed", `"runtime_failure"`, `"failure"`}, {"failed", `"function_calls":[]`, `"function_calls":[{"name":"b","arguments":{}}]`},
		{"no turn", `"error":"e"`, `"error":null`}, {"no turn", `,"error":"e"`, ``}, {"no turn", `"e"}`, `"e","success":false}`}, {"no turn", `"type":"error"`, `"type":"respond"`},
		{"no turn", noTurn, `[]`}, {"no turn", noTurn, ``}, {"no turn", noTurn, noTurn + noTurn},
	} {
		changed := strings.Replace(good[c.of], c.old, c.new, 1)
		if changed == good[c.of] {
			t.Errorf("%s has no %s", c.of, c.old)
		} else if envelopeFault([]byte(changed)) == nil {
			t.Errorf("%s with %s for %s passes", c.of, c.new, c.old)
		}
	}
}
