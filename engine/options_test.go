package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

const behindX = `{"x":"`

// rooms are odds by which "bedroom" is the likeliest as a whole, although "living" begins the likeliest.
func rooms(l *lexicon, at string) odds {
	o := odds{}.way(l, at, "living room", .6, 1, .3, 1)
	o.way(l, at, "living area", .6, 1, .7, 1)
	return o.way(l, at, "bedroom", .4, 1)
}

func TestOptionsAreChosenWhole(t *testing.T) {
	l := demoLexicon(t)
	const enum = `{"enum":["living room","living area","bedroom"]}`
	share := .4 / (.4 + .6*.3)
	for name, c := range map[string]struct {
		schema, conversation, guide, want string
		p                                 float64 // of the call; 0: not looked at
		fed                               int
	}{
		"two named":                     {only(enum), "the living room or the bedroom", behindX, `{"x":"bedroom"}`, share, 4},
		"order is no sign":              {only(enum), "bedroom, living room", behindX, `{"x":"bedroom"}`, share, 4},
		"all named":                     {only(enum), "living room, living area, bedroom", behindX, `{"x":"living area"}`, .42, 7},
		"one named":                     {only(enum), "the living room, please", behindX, `{"x":"living room"}`, 1, 0},
		"one named, capitals and signs": {only(enum), "LIVING-ROOM!", behindX, `{"x":"living room"}`, 1, 0},
		"none named":                    {only(enum), "somewhere", behindX, `{"x":"living area"}`, .6, 0},
		"reference":                     {`{"type":"object","$defs":{"r":` + enum + `},"properties":{"x":{"$ref":"#/$defs/r"}},"required":["x"]}`, "living room bedroom", behindX, `{"x":"bedroom"}`, share, 4},
		"anyOf":                         {only(`{"anyOf":[` + enum + `,{"type":"null"}]}`), "living room bedroom", behindX, `{"x":"bedroom"}`, 0, 4},
		"anyOf of options":              {only(`{"anyOf":[{"const":"living room"},{"const":"living area"},{"const":"bedroom"}]}`), "living room bedroom", behindX, `{"x":"bedroom"}`, share, 4},
		"oneOf":                         {only(`{"oneOf":[{"enum":["living room","bedroom"]},{"const":"living area"}]}`), "living room bedroom", behindX, `{"x":"bedroom"}`, share, 4},
		"allOf":                         {only(`{"allOf":[` + enum + `,{"type":"string"}]}`), "living room bedroom", behindX, `{"x":"bedroom"}`, share, 4},
		"elements":                      {only(`{"type":"array","items":` + enum + `,"minItems":1,"maxItems":1}`), "living room bedroom", `{"x":["`, `{"x":["bedroom"]}`, 0, 4},
		"nested":                        {only(`{"type":"object","properties":{"y":` + enum + `},"required":["y"]}`), "living room bedroom", `{"x":{"y":"`, `{"x":{"y":"bedroom"}}`, share, 4},
		"not allowed here":              {only(`{"enum":["living room","living area","bedroom"],"maxLength":9}`), "living room bedroom", behindX, `{"x":"bedroom"}`, 1, 0},
		"free beside them":              {only(`{"anyOf":[` + enum + `,{"type":"string"}]}`), "the bedroom", behindX, `{"x":"living area"}`, 0, -1},
	} {
		f := newTold(t, l, c.schema, c.conversation, c.guide, rooms(l, c.guide[len(c.guide)-4:]))
		got := f.answer(t)
		if got != c.want {
			t.Errorf("%s: wrote %s, expected %s", name, got, c.want)
		}
		if p := math.Exp(float64(f.sure.call)); c.p > 0 && math.Abs(p-c.p) > 1e-3 {
			t.Errorf("%s: probability %.4f, expected %.4f", name, p, c.p)
		}
		if c.fed >= 0 && f.evaluated != c.fed || c.fed == 0 && f.model.blocks > 0 {
			t.Errorf("%s: %d tokens were tried, expected %d", name, f.evaluated, c.fed)
		}
	}
	f := newTold(t, l, only(enum), "living room bedroom", behindX, rooms(l, `x":"`))
	f.values.options = false
	if got := f.answer(t); got != `{"x":"living area"}` {
		t.Errorf("switched off: wrote %s", got)
	}
}

func TestOptionsThatTie(t *testing.T) {
	l := demoLexicon(t)
	for _, c := range []struct{ enum, want string }{
		{`["kitchen","bedroom"]`, "kitchen"}, {`["bedroom","kitchen"]`, "bedroom"}, {`["garage","bedroom","kitchen"]`, "bedroom"},
	} {
		f := newTold(t, l, only(`{"enum":`+c.enum+`}`), "bedroom kitchen garage", behindX,
			odds{}.way(l, `x":"`, "bedroom", .4, 1).way(l, `x":"`, "kitchen", .4, 1).way(l, `x":"`, "garage", .2, 1))
		if got := f.answer(t); got != `{"x":"`+c.want+`"}` {
			t.Errorf("%s: wrote %s", c.enum, got)
		}
	}
}

// The end of an option counts: one that begins another is judged by whether the string ends there.
func TestOptionsThatBeginOthers(t *testing.T) {
	l := demoLexicon(t)
	enum := `{"enum":["low","lower"]}`
	for _, c := range []struct {
		name, schema, guide, want string
		ends                      float64
	}{
		{"the short one", only(enum), behindX, `{"x":"low"}`, .9},
		{"the long one", only(enum), behindX, `{"x":"lower"}`, .1},
		{"the short one is there", only(`{"type":"array","items":` + enum + `,"uniqueItems":true,"minItems":2}`), `{"x":["low","`, `{"x":["low","lower"]}`, .9},
		{"the long one is there", only(`{"type":"array","items":` + enum + `,"uniqueItems":true,"minItems":2}`), `{"x":["lower","`, `{"x":["lower","low"]}`, .1},
		{"the short one is too short", only(`{"enum":["low","lower"],"minLength":4}`), behindX, `{"x":"lower"}`, .9},
	} {
		at := c.guide[len(c.guide)-4:]
		if c.guide != behindX {
			at = c.guide[len(`{"x":`):]
		}
		o := odds{}.way(l, at, "low", .5, c.ends)
		o.way(l, at, "lower", .3, 1, 1)
		o[at+"low"]["er"] = 1 - c.ends
		f := newTold(t, l, c.schema, "low and lower", c.guide, o)
		if got := f.answer(t); got != c.want {
			t.Errorf("%s: wrote %s, expected %s", c.name, got, c.want)
		}
		if both := 2 * (1 - strings.Count(c.schema, "minLength")); f.evaluated != both { // where both can end, once
			t.Errorf("%s: %d tokens tried, expected %d", c.name, f.evaluated, both)
		}
	}
}

func TestOptionsOfAnyText(t *testing.T) {
	l := demoLexicon(t)
	for _, c := range []struct{ options, conversation, want string }{
		{`["a \"b\" c","d"]`, `say a "b" c`, `a \"b\" c`},
		{`["back\\slash","d"]`, `a back\slash`, `back\\slash`},
		{`["two  blanks","d"]`, "two blanks", "two  blanks"},
		{`["  led","d"]`, "led", "  led"},
		{`["caf\u00e9","d"]`, "the Café", "café"},
		{`["größe","d"]`, "GRÖSSE Größe", "größe"},
		{`["客厅 灯","d"]`, "打开 客厅 灯", "客厅 灯"},
		{`["غرفة النوم","d"]`, "أطفئ غرفة النوم", "غرفة النوم"},
		{`["line\nbreak","d"]`, "a line break", `line\nbreak`},
		{`["😀 smile","d"]`, "a smile", "😀 smile"},
		{`["a/b","d"]`, "a/b", "a/b"},
		{`["on","off"]`, "turn it on", "on"},
		{`["on","off"]`, "only offline", ""}, // short ones are whole words
		{`["light","d"]`, "the lights", "light"},
		{`["x-1","x-2"]`, "model X 2", "x-2"},
	} {
		f := newTold(t, l, only(`{"enum":`+c.options+`}`), c.conversation, behindX, nil)
		got := f.answer(t)
		if named := f.evaluated == 0 && f.sure.call == 0 && got == `{"x":"`+c.want+`"}`; named != (c.want != "") {
			t.Errorf("%s in %q: wrote %s, expected %q; %d tokens tried, log-probability %v", c.options, c.conversation, got, c.want, f.evaluated, f.sure.call)
		}
	}
}

// Near the limit an option is written whole, or cut, or it is left to the next token; never is one preferred
// because another has no room.
func TestOptionsNearTheLimit(t *testing.T) {
	l := demoLexicon(t)
	long := strings.Repeat("living room ", 4) + "area"
	schema := only(`{"enum":["` + long + `","on","off"]}`)
	chosen, cut := 0, 0
	for limit := 5; limit < 60; limit++ {
		o := odds{`x":"`: {"on": .05, "off": .05}}.way(l, `x":"`, long, append([]float64{.9}, slices.Repeat([]float64{1}, 40)[:len(spell(l.tok, long))]...)...)
		f := newTold(t, l, schema, long+" on", behindX, o)
		f.limit = limit
		got := f.answer(t)
		switch {
		case f.cut:
			cut++
			if !strings.HasPrefix(`{"x":"`+long+`"}}]`, got) && !strings.HasPrefix(argumentsBegin, got) {
				t.Fatalf("limit %d: wrote %s", limit, got)
			}
		case got != fmt.Sprintf(`{"x":%q}`, long):
			t.Fatalf("limit %d: wrote %s", limit, got)
		case f.evaluated > 0:
			chosen++
		}
	}
	if chosen == 0 || cut == 0 {
		t.Errorf("%d chosen whole, %d cut", chosen, cut)
	}
}

// An option of more tokens than the model takes back is no reason to prefer a short one.
func TestOptionsThatAreTooLong(t *testing.T) {
	l := demoLexicon(t)
	long := strings.TrimSpace(strings.Repeat("living room ", 20))
	f := newTold(t, l, only(`{"enum":["on","`+long+`"]}`), "on: "+long, behindX, odds{`x":"`: {"on": .1}}.way(l, `x":"`, long, append([]float64{.9}, slices.Repeat([]float64{1}, 200)[:len(spell(l.tok, long))]...)...))
	if got := f.answer(t); got != `{"x":"`+long+`"}` {
		t.Errorf("wrote %s", got)
	}
}

// Drawn tokens are drawn one by one.
func TestTemperatureLeavesValuesAlone(t *testing.T) {
	l := demoLexicon(t)
	seen := map[string]bool{}
	for seed := range uint64(40) {
		f := newTold(t, l, only(`{"enum":["living room","living area","bedroom"]}`), "living room bedroom", behindX, rooms(l, `x":"`))
		f.choose = newChooser(1, seed)
		seen[f.answer(t)] = true
		g := newTold(t, l, only(`{"type":"string"}`), "", behindX, odds{`x":"`: {"red": .4, "green": .6}})
		g.choose = newChooser(1, seed)
		g.answer(t)
		if f.evaluated+g.evaluated > 0 {
			t.Fatal("options or ways were tried")
		}
	}
	if len(seen) != 3 {
		t.Errorf("drew %v, expected all three, the one that is not named too", seen)
	}
}
