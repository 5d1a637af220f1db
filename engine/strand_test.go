package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/engine/grammar"
)

func oneMember(name, schema string) string {
	return fmt.Sprintf(`{"type":"object","properties":{%q:%s},"required":[%q]}`, name, schema, name)
}

// contents are the strings and numbers of a value, as JSON without quotes.
func contents(t *testing.T, value string) (list []string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(value))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, value)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case json.Number:
			list = append(list, v.String())
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(v)
	return list
}

// Identifiers are made of the conversation's bytes, whatever the model would rather write.
func TestGroundedIdentifiers(t *testing.T) {
	l := demoLexicon(t)
	text := `{"type":"string"}`
	for _, c := range []struct {
		name, key, schema, conversation string
		rather                          []string // pieces that the model wants, in this order of preference
		held                            bool
		want                            string // empty: anything
	}{
		{"id", "id", text, "cancel 7f-3", []string{"red", "7", "f", "-", "3"}, true, ""},
		{"_id", "order_id", text, "cancel 7f-3", []string{"red", "9", "f"}, true, ""},
		{"named so", "x", `{"type":"string","grounded":true}`, "cancel 7f-3", []string{"red", "9"}, true, ""},
		{"behind a reference", "x", `{"allOf":[{"type":"string","grounded":true}]}`, "cancel 7f-3", []string{"red", "9"}, true, ""},
		{"not grounded", "x", text, "cancel 7f-3", []string{"red"}, false, ""},
		{"not an id", "hybrid", text, "cancel 7f-3", []string{"red"}, false, ""},
		{"grounded: false", "x", `{"type":"string","grounded":false}`, "cancel 7f-3", []string{"red"}, false, ""},
		{"number", "id", `{"type":"integer"}`, "order 1234", []string{"9", "8", "2", "0"}, true, ""},
		{"fraction", "id", `{"type":"number"}`, "at 12.75", []string{"-", "1", ".", "7"}, true, ""},
		{"array of strings", "group_id", `{"type":"array","items":` + text + `,"minItems":2,"maxItems":2}`, "ab and cd", []string{"x", "a", "c"}, true, ""},
		{"array of numbers", "group_id", `{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2}`, "12 and 34", []string{"9", "3", "2"}, true, ""},
		{"elements of what is grounded", "x", `{"type":"array","grounded":true,"items":` + text + `,"minItems":1,"maxItems":2}`, "ab and cd", []string{"red", "a", "c"}, true, ""},
		{"an array may be empty", "group_id", `{"type":"array","items":` + text + `}`, "ab", []string{"]", "["}, true, `[]`},
		{"the next element begins in the token", "group_id", `{"type":"array","items":` + text + `,"minItems":2,"maxItems":2}`, "ab", []string{`","parameters`, `","p`, "a"}, true, ""},
		{"it begins with the key's end", "id", `{"type":["boolean","string"]}`, "cab", []string{`":true`, "a"}, true, ""},
		{"nested", "x", `{"type":"object","properties":{"user_id":` + text + `},"required":["user_id"]}`, "user abc", []string{"red", "a"}, true, ""},
		{"escapes", "id", text, `it is a"b\c`, []string{`red`, `\`, `"`}, true, ""},
		{"no escapes of one's own", "id", text, "it is é!", []string{`\`, "\xc3", "\xa9"}, true, ""},
		{"inside a character", "id", text, "号é中", []string{"\xe4", "\xb8", "\xad", "\xb9"}, true, ""},
		{"nothing to find", "id", text, "", []string{"red"}, false, ""},
		{"no number to find", "id", `{"type":"integer"}`, "order abc", []string{"7"}, false, ""},
		{"null", "id", `{"type":["string","null"]}`, "take it", []string{"n", "u", "l"}, true, "null"},
		{"enumerated", "id", `{"enum":["abc","def"]}`, "cancel it", []string{"def", "d"}, false, `"def"`},
	} {
		f := newTold(t, l, oneMember(c.key, c.schema), c.conversation, `{"`+c.key+`":`, nil)
		f.values.lookahead = false
		f.limit = 120
		if strings.HasPrefix(c.rather[0], `":`) { // the guide ends before the key does
			f.model.guide = f.model.guide[:len(f.model.guide)-2]
		}
		f.model.rather = c.rather
		arguments := f.answer(t)
		if f.cut {
			if c.held {
				t.Errorf("%s: cut: %s", c.name, arguments)
			}
			continue
		}
		value := strings.TrimSuffix(strings.TrimPrefix(arguments, `{"`+c.key+`":`), "}")
		held := true
		for _, x := range contents(t, value) {
			held = held && strings.Contains(c.conversation, x)
		}
		if held != c.held && c.want == "" || c.want != "" && value != c.want {
			t.Errorf("%s: wrote %s from %q, held to it: %v", c.name, value, c.conversation, held)
		}
		if f.values.groundedIDs = false; c.held {
			g := newTold(t, l, oneMember(c.key, c.schema), c.conversation, `{"`+c.key+`":`, nil)
			g.model.guide = f.model.guide
			g.values.lookahead, g.values.groundedIDs, g.limit, g.model.rather = false, false, 120, c.rather
			if got := g.answer(t); got == arguments && c.want == "" {
				t.Errorf("%s: the rule makes no difference: %s", c.name, got)
			}
		}
	}
}

// strandAt is a strand of arguments that nothing restricts.
func strandAt(l *lexicon, arguments string) strand {
	s := newStrand(lightCalls(l))
	text := argumentsBegin + arguments
	if s.calls.AcceptBytes([]byte(text)) {
		s.at.write([]byte(text))
	}
	return s
}

func TestArraysEnd(t *testing.T) {
	l := demoLexicon(t)
	numbers := func(n int) string { // no two in a row are equal
		var items []string
		for i := range n {
			items = append(items, fmt.Sprint(i%10))
		}
		return strings.Join(items, ",")
	}
	seven := strings.Repeat(`"a",`, 6)
	for _, c := range []struct {
		arguments string
		out, in   []string
	}{
		{`{"x":[` + numbers(63), nil, []string{",", ",\"", "]", "5"}},
		{`{"x":[` + numbers(64), []string{",", ",\""}, []string{"]", "5"}},
		{`{"x":["` + strings.ReplaceAll(numbers(63), ",", `","`) + `","y`, []string{`","`}, []string{`"`, `"]`, ",", "a", `"]}}]`}},
		{`{"x":["` + strings.ReplaceAll(numbers(62), ",", `","`) + `","y`, nil, []string{`","`, `"`}},
		{`{"x":[` + seven + `"b`, nil, []string{`","`, `"`, ","}},
		{`{"x":[` + seven + `"a`, []string{`","`}, []string{`"`, ",", "a", `"]`}},
		{`{"x":[` + seven + `"a"`, []string{",", ",\""}, []string{"]"}},
		{`{"x":[` + seven[:4*5] + `"a"`, nil, []string{",", "]"}},
		{`{"x":[` + strings.Repeat("7,", 6) + "7", []string{","}, []string{"]", "7"}},
		{`{"x":[` + strings.Repeat("7,", 6) + "78", nil, []string{",", "]"}},
		{`{"x":[` + strings.Repeat(`{"a":"b"},`, 6) + `{"a":"b"`, nil, []string{"}", ","}},
		{`{"x":[` + strings.Repeat(`{"a":"b"},`, 6) + `{"a":"b`, []string{`"},"`}, []string{`"`, `","`}},
		{`{"x":[` + strings.Repeat(`{"a":1},`, 6) + `{"a":1`, []string{`},"`}, []string{"}", ","}},
		{`{"x":[` + strings.Repeat(`{"a":1},`, 6) + `{"a":2`, nil, []string{`},"`, "}", ","}},
		{`{"x":[` + strings.Repeat(`{"a":1},`, 6) + `{"a":1}`, []string{","}, []string{"]"}},
		{`{"x":[` + strings.Repeat(`[["a"]],`, 6) + `[["a"]`, nil, []string{"]", ","}},
		{`{"x":[` + strings.Repeat(`[],`, 6) + `[]`, []string{","}, []string{"]"}},
		{`{"x":[` + strings.Repeat(`[1],`, 6) + `[1]`, []string{","}, []string{"]"}},
		{`{"x":[1,1,1,1,1,1,1],"y":[1`, nil, []string{","}},
		{`{"x":"` + strings.Repeat("a,", 70), nil, []string{",", "a"}},
		{`{"x":{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1`, nil, []string{","}},
	} {
		s := strandAt(l, c.arguments)
		mask := tokenSet(s.calls.Mask().Words())
		rest := s.withoutMoreItems(l, mask)
		d := newTelling(l, "", nil)
		for _, piece := range c.out {
			if id := d.ids[piece]; !mask.has(id) || rest.has(id) {
				t.Errorf("%s: %q is legal %v, left %v", c.arguments, piece, mask.has(id), rest.has(id))
			}
		}
		for _, piece := range c.in {
			if id := d.ids[piece]; !mask.has(id) || !rest.has(id) {
				t.Errorf("%s: %q is legal %v, left %v", c.arguments, piece, mask.has(id), rest.has(id))
			}
		}
	}
}

// Whole turns over arrays that the model would write without end.
func TestArraysEndInATurn(t *testing.T) {
	l := demoLexicon(t)
	for _, c := range []struct {
		items  string
		pieces []string
		most   int
		same   bool
	}{
		{`{"type":"string"}`, []string{"a", `","`}, mostSame, true},
		{`{"type":"integer"}`, []string{"1", "2", ","}, 64, false},
		{`{"type":"string","minLength":1}`, []string{"a"}, mostItems, true},
	} {
		f := newTold(t, l, only(`{"type":"array","items":`+c.items+`}`), "", `{"x":[`, nil)
		f.values.lookahead, f.limit = false, 600
		f.model.rather = c.pieces
		f.model.turns = len(c.pieces)
		got := f.answer(t)
		if f.cut || !json.Valid([]byte(got)) {
			t.Errorf("%s: cut %v: %s", c.items, f.cut, got)
			continue
		}
		var x struct{ X []any }
		if err := json.Unmarshal([]byte(got), &x); err != nil || len(x.X) > c.most {
			t.Errorf("%s: %d elements, expected at most %d; %v", c.items, len(x.X), c.most, err)
		}
	}
}

// An array that has to be longer goes on.
func TestLongArraysThatHaveToBe(t *testing.T) {
	l := demoLexicon(t)
	f := newTold(t, l, only(`{"type":"array","items":{"type":"string"},"minItems":70,"maxItems":70}`), "", `{"x":[`, nil)
	f.values.lookahead, f.limit = false, 900
	f.model.rather = []string{"a", `","`}
	got := f.answer(t)
	var x struct{ X []any }
	if err := json.Unmarshal([]byte(got), &x); err != nil || len(x.X) != 70 {
		t.Errorf("%d elements, %v", len(x.X), err)
	}
}

// TestRulesLeaveSomething gives the rules random masks at random places of random calls.
func TestRulesLeaveSomething(t *testing.T) {
	l := demoLexicon(t)
	r := rand.New(rand.NewPCG(21, 22))
	schema := `{"type":"object","properties":{"id":{"type":"string"},"x":{"type":"array","items":{"type":"string"}},"a b_id":{},"name":{"grounded":true}}}`
	rules := newTold(t, l, schema, `say "7f" 12 é\中`, "", nil).values
	taken := 0
	for range 400 {
		text := []byte(argumentsBegin + strings.ReplaceAll(randomObject(r, 3), `"a":`, `"id":`))
		text = text[:len(argumentsBegin)+r.IntN(len(text)-len(argumentsBegin)+1)]
		s := strand{at: newCursor()}
		s.at.write(text)
		cycle := []int32{int32(r.IntN(l.tok.Len())), int32(r.IntN(l.tok.Len())), int32(r.IntN(l.tok.Len()))}[:1+r.IntN(3)]
		for range r.IntN(9) {
			s.tokens = append(s.tokens, cycle...)
		}
		words := make([]uint64, len(l.list))
		for range 1 + r.IntN(1+r.IntN(60)) {
			id := cycle[0]
			if r.IntN(3) > 0 {
				id = int32(r.IntN(l.tok.Len()))
			}
			if l.list.has(id) {
				words[id/64] |= 1 << (id % 64)
			}
		}
		before := tokenSet(words).without()
		got := rules.legal(l, &s, grammar.NewMask(words))
		if got.empty() != before.empty() {
			t.Fatalf("behind %q nothing is left", text)
		}
		for i := range got {
			if got[i]&^before[i] != 0 || words[i] != before[i] {
				t.Fatalf("behind %q tokens are added, or the mask was changed", text)
			}
			if got[i] != before[i] {
				taken++
			}
		}
	}
	if taken == 0 {
		t.Error("the rules took nothing")
	}
}

// Identifiers begin and end where words do; marks between letters or digits hold their parts together.
func TestWholeOccurrences(t *testing.T) {
	for _, c := range []struct{ in, text, want string }{
		{"aaab", "aa", "[2]"}, {"ab ab", "ab", "[2 5]"}, {"ab", "abc", "[]"}, {"ab", "b", "[]"}, {"", "a", "[]"},
		{"number 4711 and 4712", "71", "[]"}, {"number 4711 and 4712", "471", "[10 19]"}, {"order XJ9-77B", "9-77B", "[]"}, {"order XJ9-77B", "77B", "[]"},
		{"order XJ9-77B", "XJ9", "[9]"}, {"- 77", "77", "[4]"}, {"-77", "77", "[3]"}, {`a\nb7`, "b7", "[5]"}, {"é7", "7", "[]"}, {"(7)", "7", "[2]"}, {"to ann@x.org", "x.org", "[]"},
	} {
		if got := fmt.Sprint(wholeOccurrences([]byte(c.in), []byte(c.text))); got != c.want {
			t.Errorf("%q in %q: %s, expected %s", c.text, c.in, got, c.want)
		}
	}
	for _, c := range []struct {
		text string
		at   int
		want bool
	}{{"4711", 2, false}, {"4711", 4, true}, {"XJ9-77B", 3, false}, {"XJ9- 77", 3, true}, {"A7.", 2, true}, {"A7, B", 2, true}, {"A7.5", 2, false}, {"A7é", 2, false}} {
		if got := endsWord([]byte(c.text), c.at); got != c.want {
			t.Errorf("%q ends at %d: %v", c.text, c.at, got)
		}
	}
}

func TestValuePart(t *testing.T) {
	for _, c := range []struct {
		text, piece, content string
		ends                 bool
	}{
		{`{"x":`, `"ab`, "ab", false}, {`{"x":`, `"ab"`, "ab", true}, {`{"x":`, `"ab","y`, "ab", true}, {`{"x":"a`, `b"`, "b", true},
		{`{"x":"a\`, `"b"`, `"b`, true}, {`{"x":"a\\`, `"b`, "", true}, {`{"x":"a`, `\"b"`, `\"b`, true}, {`{"x":1`, `2,"`, "2", true},
		{`{"x":1`, `}`, "", true}, {`{"x":[`, `]`, "", false}, {`{"x":`, `[`, "", false}, {`{"x":`, `12`, "12", false}, {`{"x":`, `12}`, "12", true},
	} {
		at := newCursor()
		at.write([]byte(argumentsBegin + c.text))
		before := at.clone()
		if content, ends := at.valuePart([]byte(c.piece)); string(content) != c.content || ends != c.ends {
			t.Errorf("%s + %s: %q, ends %v", c.text, c.piece, content, ends)
		}
		if !bytes.Equal(at.text, before.text) {
			t.Error("the cursor moved")
		}
	}
}
