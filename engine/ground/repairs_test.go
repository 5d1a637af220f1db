package ground

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// repairCase is calls under one rule: properties is of the schema of the tool's arguments, of
// which the names after "!" are required. An empty want is the call unchanged.
type repairCase struct {
	request, schema, args, want string
}

// repairWith applies one rule, or several with blanks between them, to a call of a tool.
func repairWith(t testing.TB, rule, tool, request, schema, args string) string {
	t.Helper()
	required := "[]"
	if properties, names, ok := strings.Cut(schema, "!"); ok {
		schema, required = properties, `["`+strings.Join(strings.Fields(names), `","`)+`"]`
	}
	name, description, _ := strings.Cut(tool, "|")
	tools := NewTools([]Tool{{Name: name, Description: description, Schema: []byte(`{"type":"object","properties":{` + schema + `},"required":` + required + `}`)}})
	value, err := jsontext.Parse(args)
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	off := map[string]bool{}
	for _, r := range allRules() {
		off[r.Name] = !slices.Contains(strings.Fields(rule), r.Name)
	}
	turn := NewTurn("", []string{request}, true)
	v := tools.Judge(turn, []Call{{name, value}}, Options{Off: off, Confidence: 1})
	again := tools.Judge(turn, v.Calls, Options{Off: off, Confidence: 1})
	if once, twice := text(v.Calls[0].Arguments), text(again.Calls[0].Arguments); once != twice {
		t.Errorf("%q: %s once, %s twice", request, once, twice)
	}
	return text(v.Calls[0].Arguments)
}

func checkRepairs(t *testing.T, rule, tool string, cases []repairCase) {
	t.Helper()
	for _, c := range cases {
		want := c.want
		if want == "" {
			want = c.args
		}
		if got := repairWith(t, rule, tool, c.request, c.schema, c.args); got != want {
			t.Errorf("%q: %s becomes %s, want %s", c.request, c.args, got, want)
		}
	}
}

// TestRepairsOfLongTexts holds the rules to time in proportion to the text.
func TestRepairsOfLongTexts(t *testing.T) {
	schema := `"location":{"type":"string"},"origin":{"type":"string"},"destination":{"type":"string"},"temp_c":{"type":"number"},"artist":{"type":"string"},"memo":{"type":"string"}`
	args := `{"location":"Aa","origin":"Bb","destination":"Aa","temp_c":70,"artist":"Zz Yy","memo":""}`
	for _, piece := range []string{"Aa ", "Aa, ", "in Aa, ", "from Aa to Bb ", "from ", "to Aa from ", "70 ", "70°F ", "70-", "seventy ", "one hundred f ", "the 5 Aa St ", "\"\" ", "北京", "pick me up at ", "\xff\xfe", "minus degrees fahrenheit "} {
		text := "the " + strings.Repeat(piece, 100_000/len(piece))
		start := time.Now()
		repairWith(t, "place temperature empty ungrounded-optional route", "find_trip", text, schema, args)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%q: %v", piece, took)
		}
	}
}
