package ground

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// argumentCase is a request with the arguments that a model made of it, before and after.
type argumentCase struct{ request, before, after string } // after is "" when nothing changes

// judgedArguments are the arguments of a call of a tool "f" after a judgement.
func judgedArguments(t testing.TB, tools *Tools, request, arguments string, off map[string]bool) string {
	t.Helper()
	v := tools.Judge(NewTurn("", []string{request}, true), []Call{{"f", parse(t, arguments)}}, Options{Off: off, Confidence: 1})
	calls := append(v.Calls, v.Dropped...)
	if len(calls) != 1 {
		t.Fatalf("%d calls", len(calls))
	}
	return text(calls[0].Arguments)
}

// checkArguments applies a rule alone, twice, and then all rules twice.
func checkArguments(t *testing.T, rule, schema string, cases []argumentCase) {
	t.Helper()
	tools := NewTools([]Tool{{Name: "f", Schema: []byte(schema)}})
	for _, c := range cases {
		before := text(parse(t, c.before))
		want := c.after
		if want == "" {
			want = before
		}
		got := judgedArguments(t, tools, c.request, before, only(rule))
		if got != want {
			t.Errorf("%q: %s became %s, expected %s", c.request, before, got, want)
		}
		if again := judgedArguments(t, tools, c.request, got, only(rule)); again != got {
			t.Errorf("%q: %s became %s and then %s", c.request, before, got, again)
		}
		all := judgedArguments(t, tools, c.request, before, nil)
		if again := judgedArguments(t, tools, c.request, all, nil); again != all {
			t.Errorf("%q: with all rules %s became %s and then %s", c.request, before, all, again)
		}
	}
}

// TestArgumentsOfLongTexts has texts of a quarter of a megabyte in which every word begins something.
func TestArgumentsOfLongTexts(t *testing.T) {
	tools := NewTools([]Tool{{Name: "f", Schema: []byte(fuzzSchema)}})
	for _, piece := range []string{"Ada ", "Ada", "a ", "'a ", "\"a", "“a", "‘a ’a", "1", "1 ", "12345 ", "(1-", "a. ", "\"", "' ", "Ada de la ", "++", " ", "\" a"} {
		long := strings.Repeat(piece, 1<<18/len(piece))
		turn := NewTurn("", []string{long}, true)
		for _, value := range []string{"Ada", "a a a", "ada lovelace", "12345", strings.Repeat(piece, 400), strings.Repeat("a ", 20_000)} {
			var arguments []byte
			for _, key := range []string{"first_name", "phone", "title", "note"} {
				arguments = jsontext.AppendString(append(arguments, ','), key)
				arguments = jsontext.AppendString(append(arguments, ':'), value)
			}
			arguments[0] = '{'
			calls := []Call{{"f", parse(t, string(append(arguments, '}')))}}
			start := time.Now()
			for _, r := range repairs {
				r.apply(newJudge(tools, turn, calls, Options{}), r.Name)
			}
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("%q with %.20q took %s", piece, value, d)
			}
		}
	}
}

// fuzzSchema has a property for each rule, in the arguments and in objects of an array.
const fuzzSchema = `{"type":"object","properties":{` + fuzzProperties + `,"people":{"type":"array","items":{"type":"object","properties":{` + fuzzProperties + `}}}}}`

const fuzzProperties = `"first_name":{"type":"string"},"last_name":{"type":"string"},"phone":{"type":"string"},"number":{"type":"string","description":"phone"},` +
	`"title":{"type":"string"},"note":{"type":"string"},"city":{"type":"string"},"size":{"type":"number"},"tags":{"type":"array","items":{"type":"string"}}`

var fuzzKeys = []string{"first_name", "last_name", "phone", "number", "title", "note", "city", "other"}

// FuzzRepairs repairs any values after any request: valid UTF-8 stays so, a second time changes
// nothing, and with all rules off nothing changes at all.
func FuzzRepairs(f *testing.F) {
	for _, cases := range [][]argumentCase{nameCases, phoneCases, quotedCases, casingCases} {
		for _, c := range cases {
			for _, m := range parse(f, c.before).Members {
				for key := range fuzzKeys {
					if fuzzKeys[key] == m.Key {
						f.Add(c.request, uint8(key), m.Value.Text, "")
						f.Add(c.request, uint8(key), "", m.Value.Text)
					}
				}
			}
		}
	}
	tools := NewTools([]Tool{{Name: "f", Schema: []byte(fuzzSchema)}})
	off := only("")
	f.Fuzz(func(t *testing.T, request string, key uint8, value, other string) {
		if len(request)+len(value)+len(other) > 2000 {
			return
		}
		one := jsontext.AppendString([]byte(`{`), fuzzKeys[int(key)%len(fuzzKeys)])
		one = jsontext.AppendString(append(one, ':'), value)
		next := jsontext.AppendString([]byte(`,`), fuzzKeys[int(key+1)%len(fuzzKeys)])
		next = jsontext.AppendString(append(next, ':'), other)
		before := string(one) + string(next) + `,"people":[` + string(one) + `}]}`
		before = text(parse(t, before))
		if got := judgedArguments(t, tools, request, before, off); got != before {
			t.Errorf("with all rules off %s became %s", before, got)
		}
		once := judgedArguments(t, tools, request, before, nil)
		if !utf8.ValidString(once) {
			t.Errorf("%q: %s became %q", request, before, once)
		}
		if twice := judgedArguments(t, tools, request, once, nil); twice != once {
			t.Errorf("%q: %s became %s and then %s", request, before, once, twice)
		}
	})
}
