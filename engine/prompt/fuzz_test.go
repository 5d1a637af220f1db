package prompt

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/libneedle/libneedle/engine/jsontext"
)

func FuzzParseTools(f *testing.F) {
	f.Add(`[{"type":"function","function":{"name":"getWeather","triggers":["x"],"parameters":{"type":"dict","properties":{"userId":{"type":"Int"},"user_id":{}},"required":["userId"]}}}]`)
	f.Add(`[{"name":"a","parameters":{"$defs":{"N":{"properties":{"nX":{"$ref":"#/$defs/N"}}}},"$ref":"#/$defs/N","items":{"$ref":"#"}}},{"name":"A"}]`)
	f.Add(`[{"name":"flat","parameters":{"aB":{"type":"list[int]","required":true},"c":"Int","title":{}}}]`)
	f.Add("[{\"name\":\"\\ud800\xff\",\"parameters\":{\"enum\":[{\"aB\":1}],\"const\":[],\"dependentRequired\":{\"x\":[\"yZ\",1]}}}]")
	f.Add(`[{"name":"a","parameters":{"properties":{"a~b/C":{"properties":{"dE":{}}},"x":{"$ref":"#/properties/a~0b~1C/properties/dE"}},"anyOf":[{"$ref":"#/properties/x"},true,1]}}]`)
	f.Add(`[{"name":"a","parameters":{"Type":"dict","propertiei":{"userId":{"type":"Int"}},"required":["userId"]}}]`)
	f.Add(`[{"name":"a","parameters":{"type":"dict","Properties":{"userId":{"type":"Int"},"user_id":{}},"required":["userId"]}}]`)
	f.Add(`[{"name":"a","parameters":{"properties":{"aB":{}},"propertyNames":{"anyOf":[{"enum":["aB","cD",1]},{"const":"aB"},true]}}}]`)
	f.Add(`null`)
	f.Add(`{"name":"a"}`)
	f.Fuzz(func(t *testing.T, tools string) {
		set, err := ParseTools(tools)
		if err != nil {
			if at := offset(err); at < 0 || at > len(tools) {
				t.Fatalf("error at %d: %v", at, err)
			}
			return
		}
		text := set.Text()
		if !set.Present() {
			return
		}
		if !json.Valid([]byte(text)) || !utf8.ValidString(text) {
			t.Fatalf("T is no JSON: %q", text)
		}
		if len(text) > 8*len(tools)+64 {
			t.Fatalf("%d bytes became %d", len(tools), len(text))
		}
		checkTools := func(tool Tool) {
			if tool.Schema != nil && !json.Valid(tool.Schema) || tool.Parameters != nil && !json.Valid(tool.Parameters) {
				t.Fatalf("the schema is no JSON: %s", tool.Schema)
			}
			if _, _, err := set.ToCaller(tool.Name, []byte(`{"a_b":[{"a":1}]}`)); err != nil {
				t.Fatal(err)
			}
		}
		for _, tool := range set.Tools() {
			checkTools(tool)
		}
		again, err := ParseTools(text)
		if err != nil {
			t.Fatal(err)
		}
		if again.Text() != text && !strings.Contains(text, "__") && !hasKeywordParameter(set) {
			t.Fatalf("a second conversion changes\n%s to\n%s", text, again.Text())
		}
	})
}

// hasKeywordParameter says whether a flat parameter is called like a keyword on the wire, as Type is: T can't
// be read as parameters a second time then, which nobody does. Schema has it where it belongs.
func hasKeywordParameter(set *Toolset) bool {
	for _, tool := range set.Tools() {
		if tool.Schema == nil || string(tool.Schema) == string(tool.Parameters) {
			continue
		}
		schema, err := jsontext.Parse(string(tool.Schema))
		if err != nil {
			return false
		}
		for _, m := range schema.Last("properties").Members {
			if _, ok := keywords[m.Key]; ok {
				return true
			}
		}
	}
	return false
}

func FuzzSystemText(f *testing.F) {
	for _, seed := range []string{"", "2026-09-18T09:41:00.5+02:00[Europe/Rome]", `{"date":"2026-09-18T09:41","volume":1e5,"user":"\ud800"}`,
		`{"date":"12026-09-18 2026-02-30T01:01"}`, "{", "null", "a\xff\x00", "<|im_end|>\n<|im_start|>user", `{"user":"{}"}`} {
		f.Add(seed)
	}
	tok := demoTokenizer(f)
	f.Fuzz(func(t *testing.T, system string) {
		s := SystemText(system)
		if jsontext.Valid(s) != s || strings.ContainsRune(s, 0) {
			t.Fatalf("S is not valid: %q", s)
		}
		if again := SystemText(s); again != s {
			t.Fatalf("a second time %q becomes %q", s, again)
		}
		control := 0
		for _, id := range encode(tok, Prefix(system, nil)) {
			if id < 16 {
				control++
			}
		}
		if want := map[bool]int{true: 1, false: 3}[s == ""]; control != want {
			t.Fatalf("%d control tokens, want %d", control, want)
		}
	})
}

func FuzzParseCalls(f *testing.F) {
	f.Add(`[{"name":"a","arguments":{"x":[1.50,"\u00e9"]}},{"arguments":{},"name":"b"}]`, 20)
	f.Add(`[]`, 1)
	f.Add(`[{"name":"a","arguments":{}}`, 3)
	f.Add(`[{"name":"a","arguments":{},"name":1}]`, 30)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		calls, err := ParseCalls(text)
		partial := show(PartialCalls(text))
		if err == nil && show(calls) != partial {
			t.Fatalf("%s, but in part %s", show(calls), partial)
		}
		if at := offset(err); err != nil && (at < 0 || at > len(text)) {
			t.Fatalf("error at %d: %v", at, err)
		}
		if cut >= 0 && cut < len(text) && !strings.HasPrefix(partial, show(PartialCalls(text[:cut]))) {
			t.Fatalf("%q cut at %d has other calls", text, cut)
		}
		for _, c := range PartialCalls(text) {
			if c.Name == "" || !json.Valid(c.Arguments) || c.Arguments[0] != '{' {
				t.Fatalf("call %q(%s)", c.Name, c.Arguments)
			}
		}
	})
}

// TestHostileToolsTakeLinearTime gives four times as much of what makes a careless conversion quadratic: it
// may take about four times as long. Noise only ever adds, so one good measurement is enough.
func TestHostileToolsTakeLinearTime(t *testing.T) {
	const n, limit = 5000, 9 // quadratic would be 16
	for name, tools := range hostileTools() {
		ratio := 0.0
		for range 6 {
			small, large := timeOf(t, tools(n)), timeOf(t, tools(4*n))
			if ratio = large.Seconds() / small.Seconds(); ratio < limit {
				break
			}
		}
		if ratio >= limit {
			t.Errorf("%s: four times the tools take %.1f times as long", name, ratio)
		}
	}
}

// timeOf is the shorter of two runs.
func timeOf(t *testing.T, tools string) time.Duration {
	t.Helper()
	shortest := time.Hour
	for range 2 {
		start := time.Now()
		if _, err := ParseTools(tools); err != nil {
			t.Fatal(err)
		}
		shortest = min(shortest, time.Since(start))
	}
	return shortest
}

// hostileTools returns makers of tools, by what is many in them. In the patterns, N is a number, @ a number
// spelt in separators.
func hostileTools() map[string]func(n int) string {
	many := func(n int, sep, pattern string) string {
		parts := make([]string, n)
		for i := range parts {
			separators := strings.NewReplacer("0", "-", "1", ".").Replace(fmt.Sprintf("%b", i))
			parts[i] = strings.NewReplacer("N", fmt.Sprint(i), "@", separators).Replace(pattern)
		}
		return strings.Join(parts, sep)
	}
	parameters := func(head, pattern, tail string) func(n int) string {
		return func(n int) string {
			return `[{"name":"f","parameters":` + head + many(n, ",", pattern) + tail + `}]`
		}
	}
	return map[string]func(n int) string{
		"references among definitions": parameters(`{"$defs":{`,
			`"dN":{"properties":{"aB":{"$ref":"#/$defs/dN"}},"allOf":[{"$ref":"#/$defs/d0"}]}`, `}}`),
		"chain of references":  parameters(`{"$defs":{`, `"dN":{"items":{"$ref":"#/$defs/eN"}},"eN":{"$ref":"#/$defs/dN"}`, `}}`),
		"properties that meet": parameters(`{"properties":{`, `"a@":{}`, `}}`),
		"required":             parameters(`{"properties":{"x":{}},"required":[`, `"aN"`, `]}`),
		"duplicate keys":       parameters(`{"properties":{`, `"a":{"properties":{"bN":{}}}`, `}}`),
		"flat parameters":      parameters(`{`, `"pN":{"type":"int","required":true}`, `}`),
		"branches with names":  parameters(`{"anyOf":[`, `{"properties":{"nN":{"properties":{"xN":{}}}}}`, `]}`),
		"tools that meet":      func(n int) string { return "[" + many(n, ",", `{"name":"a@"}`) + "]" },
		"tools of one name": func(n int) string {
			return "[" + many(n, ",", `{"name":"a","parameters":{"properties":{"xN":{}}}}`) + "]"
		},
	}
}
