package grammar

import (
	"fmt"
	"strings"
	"testing"
)

// The rows of the table of rules, each as schemas with texts that they take and refuse. What a row says is also
// asked of another JSON Schema library, so that it is not only this package's reading.

// verdicts are what a schema says of some texts.
type verdicts struct {
	schema  string
	takes   []string
	refuses []string
	// narrower are texts that JSON Schema takes and the grammar does not, with the reason: it has one spelling of
	// a value where one is enough.
	narrower map[string]string
}

// Reasons for being narrower than JSON Schema.
const (
	oneInteger = "integers have no fraction and no exponent"
	oneName    = "a name comes once"
	oneEscape  = "plain letters of names and listed values are not escaped"
	oneList    = "listed values are spelt as in the schema, members in its order"
	noBlanks   = "there is no whitespace"
	noReplaced = "what is no text is refused, not replaced"
	tooDeep    = "values nest to a limit"
	tooWide    = "numbers fit a double"
)

// noTokens is for tests that go byte by byte.
var noTokens = NewVocabulary(nil)

func accepts(g *Grammar, text string) bool {
	m := g.Start(noTokens)
	return m.AcceptBytes([]byte(text)) && m.Complete()
}

func mustCompile(t testing.TB, schema string, mode Mode) *Grammar {
	t.Helper()
	g, err := Compile([]byte(schema), Options{Mode: mode})
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return g
}

// check asks the grammar, and in mode schema the other library.
func (v verdicts) check(t *testing.T, mode Mode) {
	t.Helper()
	if len(v.takes) == 0 || len(v.refuses)+len(v.narrower) == 0 {
		t.Errorf("%s: a row that lacks texts of a kind proves little", v.schema)
	}
	g := mustCompile(t, v.schema, mode)
	v.each(func(text string, taken, valid bool) {
		if got := accepts(g, text); got != taken {
			t.Errorf("%s\n%s\naccepted %t, wanted %t", v.schema, text, got, taken)
		}
	})
	if mode != ModeSchema {
		return
	}
	reference, err := compileReference([]byte(v.schema))
	if err != nil {
		t.Fatalf("%s: the other library: %v", v.schema, err)
	}
	v.each(func(text string, taken, valid bool) {
		if err := validate(reference, []byte(text)); (err == nil) != valid {
			t.Errorf("%s\n%s\nvalid %t, the other library says: %v", v.schema, text, valid, err)
		}
	})
}

func (v verdicts) each(f func(text string, taken, valid bool)) {
	for _, text := range v.takes {
		f(text, true, true)
	}
	for _, text := range v.refuses {
		f(text, false, false)
	}
	for text := range v.narrower {
		f(text, false, true)
	}
}

func checkAll(t *testing.T, mode Mode, rows []verdicts) {
	t.Helper()
	for _, v := range rows {
		v.check(t, mode)
	}
}

func texts(list ...string) []string { return list }

// TestVerdictsNoticeDifferences is the control of all tables here: a wrong row must not pass.
func TestVerdictsNoticeDifferences(t *testing.T) {
	g := mustCompile(t, `{"type":"integer"}`, ModeSchema)
	for text, want := range map[string]bool{`1`: true, `"1"`: false, ``: false, `1 `: false, `1,`: false, `-`: false, `[1`: false} {
		if got := accepts(g, text); got != want {
			t.Errorf("%q: accepted %t, wanted %t", text, got, want)
		}
	}
}

func TestKeywordsOfKeys(t *testing.T) {
	checkAll(t, ModeSchema, []verdicts{
		{schema: `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":"integer"}},"required":["a","b"]}`,
			takes: texts(`{"a":1,"b":2}`, `{"b":2,"a":1}`, `{"c":3,"b":2,"a":1}`, `{"a":1,"x":null,"b":2}`),
			refuses: texts(`{}`, `{"a":1}`, `{"b":1,"c":2}`, `{"a":1,"b":"2"}`, `{"a":1,"b":2,}`, `{,"a":1,"b":2}`, `{"a":1"b":2}`,
				`{"a" "b"}`, `{"a":1,"b":}`, `{"a":1,"b":2`, `[]`),
			narrower: map[string]string{`{"a":1,"a":2,"b":3}`: oneName, `{"a":1,"b":2,"b":2}`: oneName, `{"x":1,"a":1,"b":2,"x":1}`: oneName,
				`{"\u0061":1,"b":2}`: oneEscape, `{"a": 1,"b":2}`: noBlanks}},
		{schema: `{"required":["é","q\"t"],"properties":{"é":{"type":"null"},"q\"t":{"type":"null"}},"additionalProperties":false}`,
			takes:    texts(`{"é":null,"q\"t":null}`, `{"\u00e9":null,"q\"t":null}`, `{"\u00E9":null,"q\u0022t":null}`),
			refuses:  texts(`{"e":null,"q\"t":null}`, `{"é":null,"q"t":null}`, `{"é":null,"qt":null}`, `{"é":null,"q\\t":null}`),
			narrower: map[string]string{`{"\u00e9":null,"\u0071\"t":null}`: oneEscape, `{"é":null,"\u00e9":null,"q\"t":null}`: oneName}},
		{schema: `{"required":["x"]}`,
			takes: texts(`{"x":[]}`, `{"":0,"x":1}`, `{"xx":1,"x":1}`, `3`, `[]`), refuses: texts(`{}`, `{"X":1}`, `{"xx":1}`)},
		{schema: `{"properties":{"a":{},"ab":{},"abc":{"type":"null"}},"additionalProperties":false}`,
			takes:   texts(`{}`, `{"ab":1,"a":1}`, `{"abc":null,"ab":1,"a":2}`),
			refuses: texts(`{"":1}`, `{"abcd":1}`, `{"b":1}`, `{"abc":1}`)},
		{schema: `{"properties":{"":{"type":"integer"},"🙂":{"type":"integer"},"日本":{"type":"integer"}},"additionalProperties":false}`,
			takes:   texts(`{"":1}`, `{"🙂":1,"日本":2,"":3}`, `{"\ud83d\ude42":1}`, `{"\u65e5本":1}`),
			refuses: texts(`{"🙃":1}`, `{"日":1}`, `{"\ud83d\ude43":1}`, `{"":"1"}`)},
	})
}

func TestKeywordsOfStrings(t *testing.T) {
	checkAll(t, ModeSchema, []verdicts{
		{schema: `{"type":"string"}`,
			takes: texts(`""`, `"a b"`, `"\"\\\/\b\f\n\r\t"`, `"\u0000"`, `"\ud83d\ude00"`, `"😀é"`, "\"\x7f\""),
			refuses: texts(`"`, `'a'`, `"\a"`, `"\u12"`, `"\u12g4"`, `"\U0041"`, `"\x41"`, "\"\n\"", "\"\x00\"", "\"\x1f\"", `a`, `1`, `null`,
				`"a"b`, `"a""`),
			narrower: map[string]string{`"\ud800"`: noReplaced, `"\udc00"`: noReplaced, `"\ud800\u0041"`: noReplaced, "\"\xff\"": noReplaced,
				"\"\xed\xa0\x80\"": noReplaced, "\"\xc0\x80\"": noReplaced, ` ""`: noBlanks}},
		{schema: `{"type":"string","minLength":2,"maxLength":3}`,
			takes:   texts(`"ab"`, `"abc"`, `"😀😀😀"`, `"\ud83d\ude00a"`, `"\n\n"`, `"éé"`),
			refuses: texts(`"a"`, `""`, `"abcd"`, `"😀"`, `"\ud83d\ude00"`, `"\u00e9"`, `"😀😀😀😀"`)},
		{schema: `{"type":"string","maxLength":0}`, takes: texts(`""`), refuses: texts(`"a"`, `"\n"`)},
		{schema: `{"type":"string","pattern":"b+"}`, takes: texts(`"b"`, `"abba"`, `"\u0062"`), refuses: texts(`""`, `"aca"`, `"B"`)},
		{schema: `{"type":"string","pattern":"^[a-c]*$","minLength":2,"maxLength":4}`,
			takes: texts(`"ab"`, `"abca"`, `"\u0061b"`), refuses: texts(`"a"`, `"abcab"`, `"ad"`)},
		{schema: `{"type":"string","pattern":"^(ab)*$","minLength":3,"maxLength":5}`,
			takes: texts(`"abab"`), refuses: texts(`"ab"`, `"aba"`, `"ababab"`, `"ababa"`)},
		{schema: `{"format":"date","pattern":"^2024"}`, takes: texts(`"2024-02-29"`, `1`), refuses: texts(`"2023-02-28"`, `"2024-02-30"`, `"x"`)},
		{schema: `{"type":"string","format":"no-such-format"}`, takes: texts(`"x"`, `""`), refuses: texts(`1`)},
	})
}

func TestKeywordsOfNumbers(t *testing.T) {
	checkAll(t, ModeSchema, []verdicts{
		{schema: `{"type":"number"}`,
			takes: texts(`0`, `-0`, `1`, `10`, `-12.5`, `0.5`, `1e3`, `1E+3`, `1.5e-3`, `123456789012345678901234567890`),
			refuses: texts(`01`, `-`, `.5`, `1.`, `+1`, `1e`, `1e+`, `1.e1`, `--1`, `0x1`, `NaN`, `Infinity`, `1.2.3`, `1e1.5`, `1-`, `"1"`, `true`,
				`1_000`, `-01`, `00`, ``),
			narrower: map[string]string{`1e300`: tooWide, `1 `: noBlanks}},
		{schema: `{"type":"integer"}`,
			takes: texts(`0`, `-0`, `7`, `-100`, `12345678901234567890`), refuses: texts(`1.5`, `0.1`, `1e-1`, `01`, `-`, `"1"`),
			narrower: map[string]string{`1.0`: oneInteger, `1e2`: oneInteger, `-2.00`: oneInteger}},
		{schema: `{"type":"integer","minimum":-5,"maximum":12}`,
			takes: texts(`-5`, `-1`, `0`, `-0`, `9`, `12`), refuses: texts(`-6`, `13`, `100`, `-10`, `-50`), narrower: map[string]string{`12.0`: oneInteger}},
		{schema: `{"type":"integer","exclusiveMinimum":9,"exclusiveMaximum":101}`,
			takes: texts(`10`, `99`, `100`), refuses: texts(`9`, `101`, `0`, `-10`, `1000`)},
		{schema: `{"type":"number","minimum":0.5,"exclusiveMaximum":2}`,
			takes: texts(`0.5`, `0.50`, `1`, `1.999`, `5e-1`, `0.1e1`), refuses: texts(`0.49`, `2`, `2.0`, `0`, `-1`, `20e-1`, `5e-2`)},
		{schema: `{"type":"number","multipleOf":0.25,"minimum":-1,"maximum":1}`,
			takes: texts(`0`, `0.25`, `-0.75`, `1`, `1.0`, `0.50`), refuses: texts(`0.3`, `0.125`, `1.25`, `-1.25`),
			narrower: map[string]string{`5e-1`: "multiples are written without exponents"}},
		{schema: `{"type":"integer","multipleOf":7,"exclusiveMinimum":0}`,
			takes: texts(`7`, `14`, `700`, `7007`), refuses: texts(`0`, `-7`, `8`, `1`, `701`)},
		{schema: `{"multipleOf":0.1}`, takes: texts(`0.1`, `0.3`, `1.1`, `"x"`, `-7.7`), refuses: texts(`0.15`, `1.01`)},
		{schema: `{"type":"integer","multipleOf":2.5}`, takes: texts(`5`, `0`, `-10`), refuses: texts(`1`, `2`, `7`)},
		{schema: `{"minimum":3}`, takes: texts(`3`, `3.0`, `"a"`, `null`, `{}`), refuses: texts(`2.99`, `-3`)},
	})
}

func TestKeywordsOfEnumAndConst(t *testing.T) {
	checkAll(t, ModeSchema, []verdicts{
		{schema: `{"enum":["a","ab","é",1,-2.5,true,null,[1,"x"],{"k":[],"l":{}}]}`,
			takes:   texts(`"a"`, `"ab"`, `"é"`, `"\u00e9"`, `1`, `-2.5`, `true`, `null`, `[1,"x"]`, `{"k":[],"l":{}}`),
			refuses: texts(`"abc"`, `""`, `"A"`, `false`, `2`, `-2`, `12`, `1.5`, `[1]`, `[1,"x",1]`, `["x",1]`, `{"k":[]}`, `{}`, `{"k":[],"l":{},"m":1}`),
			narrower: map[string]string{`{"l":{},"k":[]}`: oneList, `"\u0061"`: oneEscape, `1.0`: oneList, `-2.50`: oneList, `10e-1`: oneList,
				`[1, "x"]`: noBlanks}},
		{schema: `{"const":{"a":{"b":[null,false]}}}`, takes: texts(`{"a":{"b":[null,false]}}`),
			refuses: texts(`{"a":{"b":[null,0]}}`, `{"a":{"b":[false,null]}}`, `{}`)},
		{schema: `{"const":"a\"b\\\n/"}`, takes: texts(`"a\"b\\\n/"`), refuses: texts(`"ab"`, `"a\"b\\n/"`),
			narrower: map[string]string{`"a\"b\\\n\/"`: oneEscape, `"a\"b\\\u000a/"`: oneEscape}},
		{schema: `{"const":0}`, takes: texts(`0`), refuses: texts(`false`, `00`, `""`, `null`, `01`), narrower: map[string]string{`0.0`: oneList, `-0`: oneList}},
		{schema: `{"const":2.0}`, takes: texts(`2.0`, `2`), refuses: texts(`20`, `2.01`, `"2"`)},
		{schema: `{"const":""}`, takes: texts(`""`), refuses: texts(`" "`, `null`)},
		{schema: `{"enum":[1,12,123]}`, takes: texts(`1`, `12`, `123`), refuses: texts(`1234`, `2`, `11`)},
		{schema: `{"type":"array","items":{"enum":[1,12]}}`, takes: texts(`[1,12]`, `[12]`, `[]`), refuses: texts(`[112]`, `[2]`, `[1,]`)},
		{schema: `{"enum":["a","b",3],"type":"string"}`, takes: texts(`"a"`, `"b"`), refuses: texts(`3`)},
		{schema: `{"enum":["a","bb","ccc"],"minLength":2}`, takes: texts(`"bb"`, `"ccc"`), refuses: texts(`"a"`)},
		{schema: `{"enum":["a","b"],"const":"b"}`, takes: texts(`"b"`), refuses: texts(`"a"`)},
		{schema: `{"enum":[{"a":1},{"a":"x"}],"properties":{"a":{"type":"integer"}}}`, takes: texts(`{"a":1}`), refuses: texts(`{"a":"x"}`)},
		{schema: `{"enum":[false,0,"0",[0],[false]]}`, takes: texts(`false`, `0`, `"0"`, `[0]`, `[false]`), refuses: texts(`true`, `[]`, `1`, `["0"]`)},
	})
}

func TestKeywordsOfTypes(t *testing.T) {
	every := texts(`null`, `true`, `false`, `0`, `1.5`, `"s"`, `[1,"a",[]]`, `{"a":{}}`)
	checkAll(t, ModeSchema, []verdicts{
		{schema: `{}`, takes: every, refuses: texts(`nul`, `True`, ``, `]`, `{`, `undefined`)},
		{schema: `true`, takes: every, refuses: texts(`tru`)},
		{schema: `{"type":"null"}`, takes: every[:1], refuses: every[1:]},
		{schema: `{"type":"boolean"}`, takes: every[1:3], refuses: every[3:]},
		{schema: `{"type":"array"}`, takes: texts(`[]`, `[1,"a",[]]`), refuses: every[:6]},
		{schema: `{"type":"object"}`, takes: texts(`{}`, `{"a":{}}`), refuses: every[:7]},
		{schema: `{"type":["string","null"]}`, takes: texts(`"s"`, `null`), refuses: texts(`true`, `1`, `[]`, `{}`)},
		{schema: `{"type":["integer","number"]}`, takes: texts(`1`, `1.5`), refuses: texts(`"1"`)},
		{schema: `{"type":["integer","boolean"]}`, takes: texts(`1`, `true`), refuses: texts(`1.5`, `"1"`)},
		{schema: `{"type":["null","array"],"items":{"type":"integer"}}`, takes: texts(`null`, `[1]`), refuses: texts(`["a"]`, `1`)},
	})
}

func TestKeywordsOfApplicators(t *testing.T) {
	checkAll(t, ModeSchema, []verdicts{
		{schema: `{"anyOf":[{"type":"integer"},{"type":"string","minLength":2}]}`, takes: texts(`1`, `"ab"`), refuses: texts(`"a"`, `1.5`, `null`)},
		{schema: `{"oneOf":[{"type":"integer","multipleOf":3},{"type":"integer","multipleOf":5}]}`,
			takes: texts(`3`, `5`, `9`, `-10`), refuses: texts(`15`, `0`, `30`, `7`)},
		{schema: `{"oneOf":[{"type":"string","maxLength":2},{"type":"string","pattern":"^a"}]}`,
			takes: texts(`"b"`, `"abc"`, `""`), refuses: texts(`"a"`, `"ab"`, `"bcd"`)},
		{schema: `{"oneOf":[{"required":["a"]},{"required":["b"]}],"type":"object"}`,
			takes: texts(`{"a":1}`, `{"b":1}`, `{"c":1,"a":1}`), refuses: texts(`{}`, `{"a":1,"b":1}`, `{"c":1}`)},
		{schema: `{"oneOf":[{"properties":{"kind":{"const":"a"},"v":{"type":"integer"}},"required":["kind","v"]},{"properties":{"kind":{"const":"b"},"v":{"type":"string"}},"required":["kind","v"]}]}`,
			takes:   texts(`{"kind":"a","v":1}`, `{"v":"x","kind":"b"}`, `{"v":1,"kind":"a"}`),
			refuses: texts(`{"kind":"a","v":"x"}`, `{"v":1,"kind":"b"}`, `{"kind":"a"}`, `1`)},
		{schema: `{"oneOf":[true,{"type":"integer"}]}`, takes: texts(`"x"`, `1.5`), refuses: texts(`1`)},
		{schema: `{"allOf":[{"minimum":3},{"maximum":8},{"type":"integer"}]}`, takes: texts(`3`, `8`), refuses: texts(`2`, `9`, `3.5`, `"a"`)},
		{schema: `{"allOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"b":{"type":"null"}}}],"type":"object"}`,
			takes: texts(`{"a":1}`, `{"b":null,"a":1}`), refuses: texts(`{"b":null}`, `{"a":1,"b":1}`)},
		{schema: `{"not":{"type":"string"}}`, takes: texts(`1`, `null`, `[]`, `{"a":"x"}`), refuses: texts(`"a"`, `""`)},
		{schema: `{"enum":["a","b","c",1],"not":{"enum":["b",1]}}`, takes: texts(`"a"`, `"c"`), refuses: texts(`"b"`, `1`)},
		{schema: `{"type":"integer","not":{"minimum":5,"maximum":20}}`, takes: texts(`4`, `21`, `-6`, `200`), refuses: texts(`5`, `20`, `12`)},
		{schema: `{"type":"string","not":{"const":"ab"}}`, takes: texts(`"a"`, `"abc"`, `""`), refuses: texts(`"ab"`, `"\u0061b"`)},
		{schema: `{"type":"object","not":{"required":["a"]}}`, takes: texts(`{}`, `{"b":1}`), refuses: texts(`{"a":1}`, `{"b":1,"a":2}`)},
		{schema: `{"type":"array","not":{"items":{"type":"integer"}}}`, takes: texts(`["a"]`, `[1,null]`), refuses: texts(`[]`, `[1,2]`)},
		{schema: `{"not":{"not":{"type":"null"}}}`, takes: texts(`null`), refuses: texts(`1`, `"null"`)},
		{schema: `{"if":{"type":"integer"},"then":{"minimum":10},"else":{"type":"string"}}`, takes: texts(`10`, `"x"`), refuses: texts(`9`, `10.5`, `null`)},
		{schema: `{"if":{"type":"integer"},"then":{"minimum":10}}`, takes: texts(`10`, `1.5`, `"x"`, `null`), refuses: texts(`9`)},
		{schema: `{"if":{"type":"integer"},"else":{"type":"null"}}`, takes: texts(`10`, `null`), refuses: texts(`1.5`, `"x"`)},
		{schema: `{"then":{"type":"integer"},"else":{"type":"integer"},"type":"string"}`, takes: texts(`"x"`), refuses: texts(`1`)},
		{schema: `{"type":"object","properties":{"k":{"enum":["a","b"]},"n":{"type":"integer"}},"required":["k"],"if":{"properties":{"k":{"const":"a"}}},"then":{"required":["n"]}}`,
			takes: texts(`{"k":"a","n":1}`, `{"n":1,"k":"a"}`, `{"k":"b"}`), refuses: texts(`{"k":"a"}`, `{"k":"c"}`, `{}`)},
		{schema: `{"$defs":{"n":{"type":"integer"},"a/b~c":{"type":"null"}},"anyOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/a~1b~0c"}]}`,
			takes: texts(`1`, `null`), refuses: texts(`"1"`, `1.5`)},
		{schema: `{"$defs":{"n":{"$anchor":"here","type":"integer"}},"$ref":"#here","minimum":3}`, takes: texts(`3`), refuses: texts(`2`, `"x"`)},
	})
}

func TestKeywordsOfArrays(t *testing.T) {
	checkAll(t, ModeSchema, []verdicts{
		{schema: `{"type":"array","items":{"type":"integer"}}`, takes: texts(`[]`, `[1]`, `[1,2,3]`), refuses: texts(`[,]`, `[1,]`, `[1,"a"]`, `[1 2]`, `[1`, `[[1]]`)},
		{schema: `{"items":false}`, takes: texts(`[]`, `1`), refuses: texts(`[1]`)},
		{schema: `{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}]}`,
			takes: texts(`[]`, `[1]`, `[1,"a"]`, `[1,"a",null]`), refuses: texts(`["a"]`, `[1,2]`)},
		{schema: `{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"items":false,"minItems":1}`,
			takes: texts(`[1]`, `[1,"a"]`), refuses: texts(`[]`, `[1,"a",null]`)},
		{schema: `{"type":"array","contains":{"type":"string"}}`, takes: texts(`["a"]`, `[1,"a",2]`), refuses: texts(`[]`, `[1]`, `[1,["a"]]`)},
		{schema: `{"type":"array","items":{"type":["integer","null"]},"contains":{"type":"null"},"minContains":2,"maxContains":3}`,
			takes:   texts(`[null,null]`, `[1,null,2,null,null]`),
			refuses: texts(`[]`, `[null]`, `[null,null,null,null]`, `[1,2,null]`)},
		{schema: `{"type":"array","contains":{"type":"null"},"minContains":0}`, takes: texts(`[]`, `[1]`, `[null]`), refuses: texts(`{}`)},
		{schema: `{"type":"array","contains":{"minimum":5},"maxContains":1}`, takes: texts(`[5]`, `[1,7]`), refuses: texts(`[]`, `[5,6]`, `["a",7]`, `["a","b"]`)},
		{schema: `{"type":"array","minItems":2,"maxItems":3}`, takes: texts(`[1,2]`, `[1,2,3]`), refuses: texts(`[]`, `[1]`, `[1,2,3,4]`)},
		{schema: `{"type":"array","maxItems":0}`, takes: texts(`[]`), refuses: texts(`[1]`)},
		{schema: `{"type":"array","items":{"type":"integer"},"uniqueItems":true}`,
			takes: texts(`[]`, `[1]`, `[1,2,12]`, `[1,-1]`), refuses: texts(`[1,1]`, `[1,2,1]`, `[0,-0]`)},
		{schema: `{"type":"array","items":{"type":"number"},"uniqueItems":true}`,
			takes: texts(`[1,1.5]`, `[0.1,0.10001]`), refuses: texts(`[1,1.0]`, `[0.5,0.50]`)},
		{schema: `{"type":"array","items":{"type":"string"},"uniqueItems":true}`,
			takes: texts(`["a","b"]`, `["a","aa",""]`), refuses: texts(`["a","a"]`, `["a","\u0061"]`, `["",""]`)},
		{schema: `{"type":"array","items":{"enum":["a","b"]},"uniqueItems":true}`,
			takes: texts(`[]`, `["b","a"]`), refuses: texts(`["a","a"]`, `["a","b","a"]`)},
		{schema: `{"type":"array","items":{"type":"boolean"},"uniqueItems":true}`, takes: texts(`[true,false]`, `[false]`), refuses: texts(`[true,true]`, `[true,false,true]`)},
		{schema: `{"type":"array","uniqueItems":true}`,
			takes:   texts(`[1,"1",true,null,[1],{"a":1}]`, `[[1],[2]]`, `[{"a":1},{"a":2}]`, `[[],{}]`, `[0,false]`),
			refuses: texts(`[[1],[1]]`, `[{"a":1,"b":2},{"b":2,"a":1}]`, `[null,null]`, `[[],[]]`)},
		{schema: `{"uniqueItems":false,"type":"array"}`, takes: texts(`[1,1]`), refuses: texts(`1`)},
		{schema: `{"type":"array","items":{"type":"array","items":{"type":"integer"},"minItems":1}}`, takes: texts(`[]`, `[[1],[2,3]]`), refuses: texts(`[[]]`, `[1]`, `[[1],[]]`)},
	})
}

func TestKeywordsOfObjects(t *testing.T) {
	checkAll(t, ModeSchema, []verdicts{
		{schema: `{"type":"object","properties":{"o":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}}`,
			takes: texts(`{}`, `{"o":{"a":1}}`, `{"o":{"a":1,"b":{}},"p":[]}`), refuses: texts(`{"o":{}}`, `{"o":{"a":"x"}}`, `{"o":1}`)},
		{schema: `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, takes: texts(`{}`, `{"a":1}`), refuses: texts(`{"b":1}`, `{"a":1,"b":1}`)},
		{schema: `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"integer"}}`,
			takes: texts(`{"a":"x","b":1,"c":2}`), refuses: texts(`{"a":1}`, `{"b":"x"}`)},
		{schema: `{"type":"object","patternProperties":{"^x":{"type":"integer"},"y$":{"minimum":5}}}`,
			takes:   texts(`{"x":1}`, `{"xy":7}`, `{"ay":5,"z":null}`, `{"y":"no number"}`),
			refuses: texts(`{"x":"a"}`, `{"xy":1}`, `{"y":4}`)},
		{schema: `{"type":"object","properties":{"x1":{"type":"integer"}},"patternProperties":{"^x":{"minimum":3}},"additionalProperties":false}`,
			takes: texts(`{"x1":3}`, `{"x2":"a"}`, `{"x2":3.5,"x1":4}`), refuses: texts(`{"x1":2}`, `{"x1":3.5}`, `{"y":1}`)},
		{schema: `{"type":"object","propertyNames":{"pattern":"^[a-z]+$","maxLength":3}}`,
			takes: texts(`{}`, `{"abc":1,"d":2}`), refuses: texts(`{"abcd":1}`, `{"A":1}`, `{"":1}`, `{"a1":1}`)},
		{schema: `{"type":"object","properties":{"long":{},"ok":{}},"propertyNames":{"maxLength":3}}`,
			takes: texts(`{"ok":1}`, `{"x":1}`), refuses: texts(`{"long":1}`, `{"other":1}`)},
		{schema: `{"type":"object","propertyNames":{"enum":["a","b"]}}`, takes: texts(`{"a":1,"b":2}`), refuses: texts(`{"c":1}`)},
		{schema: `{"type":"object","propertyNames":false}`, takes: texts(`{}`), refuses: texts(`{"a":1}`)},
		{schema: `{"type":"object","dependentRequired":{"a":["b","c"],"c":["d"]}}`,
			takes:   texts(`{}`, `{"b":1}`, `{"c":1,"d":1}`, `{"d":1,"c":1,"b":1,"a":1}`, `{"a":1,"b":1,"c":1,"d":1}`),
			refuses: texts(`{"a":1}`, `{"c":1}`, `{"a":1,"b":1,"c":1}`)},
		{schema: `{"type":"object","dependentSchemas":{"a":{"required":["b"],"properties":{"b":{"type":"integer"}}}}}`,
			takes: texts(`{}`, `{"b":"x"}`, `{"b":1,"a":0}`), refuses: texts(`{"a":1}`, `{"b":"x","a":1}`, `{"a":1,"b":"x"}`)},
		{schema: `{"type":"object","minProperties":1,"maxProperties":2}`, takes: texts(`{"a":1}`, `{"a":1,"b":2}`), refuses: texts(`{}`, `{"a":1,"b":2,"c":3}`)},
		{schema: `{"type":"object","maxProperties":0}`, takes: texts(`{}`), refuses: texts(`{"a":1}`)},
		{schema: `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false,"minProperties":2}`,
			takes: texts(`{"b":1,"a":2}`), refuses: texts(`{}`, `{"a":1}`), narrower: map[string]string{`{"a":1,"b":1,"a":1}`: oneName}},
		{schema: `{"type":"object","required":["z"],"maxProperties":2,"properties":{"a":{},"b":{}}}`,
			takes: texts(`{"z":1}`, `{"a":1,"z":1}`), refuses: texts(`{"a":1,"b":1}`, `{"a":1,"b":1,"z":1}`, `{}`)},
		{schema: `{"type":"object","properties":{"a":false}}`, takes: texts(`{}`, `{"b":1}`), refuses: texts(`{"a":1}`)},
		{schema: `{"type":"object","properties":{"a":{}},"unevaluatedProperties":false}`, takes: texts(`{"a":1}`), refuses: texts(`{"b":1}`)},
	})
}

func nested(open, middle, end string, n int) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
}

// TestKeywordsOfRecursion also finds the limit of depth, on both sides: a list one deeper is JSON all the same.
func TestKeywordsOfRecursion(t *testing.T) {
	list := `{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/node"}},"required":["v"]}}}`
	checkAll(t, ModeSchema, []verdicts{
		{schema: list, takes: texts(`{"v":1}`, `{"v":1,"next":{"v":2}}`, nested(`{"v":1,"next":`, `{"v":1}`, `}`, MaxDepth-1)),
			refuses:  texts(`{}`, `{"v":1,"next":{}}`, `{"v":1,"next":{"v":2,"next":{"v":"x"}}}`, `{"v":1,"next":null}`),
			narrower: map[string]string{nested(`{"v":1,"next":`, `{"v":1}`, `}`, MaxDepth): tooDeep}},
		{schema: `{"type":"array","items":{"$ref":"#"}}`,
			takes:    texts(`[]`, `[[],[[]]]`, nested(`[`, ``, `]`, MaxDepth)),
			refuses:  texts(`[1]`, `[[],{}]`, nested(`[`, `1`, `]`, 5)),
			narrower: map[string]string{nested(`[`, ``, `]`, MaxDepth+1): tooDeep}},
		{schema: `{}`, takes: texts(nested(`[`, `1`, `]`, MaxDepth), nested(`{"a":`, `1`, `}`, MaxDepth)),
			narrower: map[string]string{nested(`[`, `1`, `]`, MaxDepth+1): tooDeep, nested(`{"a":`, `1`, `}`, MaxDepth+1): tooDeep}},
		{schema: `{"$defs":{"even":{"anyOf":[{"const":0},{"type":"array","items":{"$ref":"#/$defs/odd"},"minItems":1,"maxItems":1}]},"odd":{"type":"array","items":{"$ref":"#/$defs/even"},"minItems":1,"maxItems":1}},"$ref":"#/$defs/even"}`,
			takes: texts(`0`, `[[0]]`, `[[[[0]]]]`), refuses: texts(`[0]`, `[[[0]]]`, `[]`, `[[]]`)},
		{schema: `{"anyOf":[{"type":"null"},{"type":"object","properties":{"l":{"$ref":"#"},"r":{"$ref":"#"}},"required":["l","r"],"additionalProperties":false}]}`,
			takes: texts(`null`, `{"l":null,"r":{"r":null,"l":null}}`), refuses: texts(`{}`, `{"l":null}`, `{"l":null,"r":{}}`)},
	})
}

// TestDepthThatIsDemanded compiles schemas whose values all nest: up to the limit there is one, beyond none.
func TestDepthThatIsDemanded(t *testing.T) {
	deep := func(n int) string {
		return nested(`{"type":"object","required":["a"],"properties":{"a":`, `{"type":"null"}`, `}}`, n)
	}
	g := mustCompile(t, deep(MaxDepth), ModeSchema)
	if text := nested(`{"a":`, `null`, `}`, MaxDepth); !accepts(g, text) {
		t.Errorf("a value of depth %d is refused", MaxDepth)
	}
	if _, err := Compile([]byte(deep(MaxDepth+1)), Options{}); err == nil {
		t.Errorf("a schema whose values are deeper than %d compiles", MaxDepth)
	}
}

// toolRow is a schema with what mode tool makes of it, and what it refuses though JSON Schema takes it.
type toolRow struct {
	schema         string
	takes, refuses []string
	undeclared     []string
}

var toolRows = []toolRow{
	{`{"type":"object","properties":{"a":{"type":"integer"}}}`, texts(`{}`, `{"a":1}`), texts(`{"a":"x"}`), texts(`{"b":1}`, `{"a":1,"b":1}`, `{"":1}`)},
	{`{"type":"object","properties":{}}`, texts(`{}`), texts(`[]`), texts(`{"a":1}`)},
	{`{"type":"object"}`, texts(`{}`, `{"a":1,"b":{"c":[]}}`), texts(`1`), nil},
	{`{"type":"object","required":["a"]}`, texts(`{"a":1}`, `{"b":1,"a":2}`), texts(`{}`), nil},
	{`{"type":"object","propertyNames":{"maxLength":1}}`, texts(`{"a":1}`), texts(`{"ab":1}`), nil},
	{`{"type":"object","properties":{"a":{}},"additionalProperties":true}`, texts(`{"a":1,"b":1}`), texts(`1`), nil},
	{`{"type":"object","properties":{"a":{}},"additionalProperties":{}}`, texts(`{"b":1}`), texts(`1`), nil},
	{`{"type":"object","properties":{"a":{}},"additionalProperties":{"type":"integer"}}`, texts(`{"a":"x","b":1}`), texts(`{"b":"x"}`), nil},
	{`{"type":"object","properties":{"a":{}},"additionalProperties":false}`, texts(`{"a":1}`), texts(`{"b":1}`), nil},
	{`{"type":"object","properties":{"a":{}},"patternProperties":{"^x":{"type":"integer"}}}`, texts(`{"a":1,"x1":1}`), texts(`{"x1":"s"}`), texts(`{"b":1}`, `{"ax":1}`)},
	{`{"type":"object","patternProperties":{"^x":{}}}`, texts(`{}`, `{"xy":1}`), texts(`1`), texts(`{"y":1}`)},
	{`{"type":"object","properties":{"o":{"type":"object","properties":{"a":{}}}}}`, texts(`{"o":{"a":1}}`, `{"o":{}}`), texts(`{"o":1}`), texts(`{"o":{"b":1}}`, `{"p":{}}`)},
	{`{"type":"object","properties":{"o":{"type":"object"}}}`, texts(`{"o":{"x":{"y":1}}}`), texts(`{"o":1}`), texts(`{"p":1}`)},
	{`{"type":"object","properties":{"o":{"type":"object","properties":{}}}}`, texts(`{"o":{}}`), texts(`{"o":1}`), texts(`{"o":{"a":1}}`)},
	{`{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{"a":{}}}}}}`, texts(`{"l":[{"a":1},{}]}`), texts(`{"l":[1]}`), texts(`{"l":[{"a":1},{"b":1}]}`)},
	{`{"type":"object","additionalProperties":{"type":"object","properties":{"a":{}}}}`, texts(`{"any":{"a":1}}`), texts(`{"any":1}`), texts(`{"any":{"b":1}}`)},
	{`{"type":"object","properties":{"o":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"object","properties":{"a":{}}}}}`, texts(`{"o":{"a":1}}`), texts(`{"o":1}`), texts(`{"o":{"b":1}}`)},
	{`{"type":"object","allOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, texts(`{"a":1,"b":2}`), texts(`1`), texts(`{"c":1}`)},
	{`{"type":"object","anyOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}`,
		texts(`{"a":1}`, `{"b":1}`), texts(`{}`), texts(`{"c":1,"a":1}`)},
	{`{"type":"object","properties":{"a":{},"b":{}},"required":["a"],"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]}}`,
		texts(`{"a":1,"b":1}`, `{"a":2}`), texts(`{"a":1}`), texts(`{"a":2,"c":1}`)},
	{`{"type":"object","properties":{"a":{}},"not":{"required":["b"]}}`, texts(`{"a":1}`), texts(`{"b":1}`), texts(`{"c":1}`)},
	// A name that is required counts as declared: otherwise nothing could satisfy the schema.
	{`{"type":"object","properties":{"a":{}},"required":["a","z"]}`, texts(`{"a":1,"z":1}`, `{"z":null,"a":1}`), texts(`{"a":1}`), texts(`{"a":1,"z":1,"b":1}`)},
}

// TestModeTool compares the two modes: they differ in undeclared names only.
func TestModeTool(t *testing.T) {
	differ := 0
	for _, row := range toolRows {
		tool, plain := mustCompile(t, row.schema, ModeTool), mustCompile(t, row.schema, ModeSchema)
		expect := func(list []string, inTool, inSchema bool) {
			for _, text := range list {
				if a, b := accepts(tool, text), accepts(plain, text); a != inTool || b != inSchema {
					t.Errorf("%s\n%s\naccepted %t in mode tool and %t in mode schema, wanted %t and %t", row.schema, text, a, b, inTool, inSchema)
				}
			}
		}
		expect(row.takes, true, true)
		expect(row.refuses, false, false)
		expect(row.undeclared, false, true)
		differ += len(row.undeclared)
	}
	if differ < 10 {
		t.Errorf("%d texts tell the modes apart", differ)
	}
}

// TestModeSchemaOfToolRows asks the other library what the rows of mode tool mean without the mode.
func TestModeSchemaOfToolRows(t *testing.T) {
	for _, row := range toolRows {
		reference, err := compileReference([]byte(row.schema))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range append(row.takes, row.undeclared...) {
			if err := validate(reference, []byte(text)); err != nil {
				t.Errorf("%s\n%s\n%v", row.schema, text, err)
			}
		}
		for _, text := range row.refuses {
			if validate(reference, []byte(text)) == nil {
				t.Errorf("%s\n%s\nis valid", row.schema, text)
			}
		}
	}
}

// TestModeToolSpelling pins what a model is left to write: one spelling of a listed value.
func TestModeToolSpelling(t *testing.T) {
	schema := `{"type":"object","properties":{"a":{"enum":["é"]}}}`
	for mode, want := range map[Mode]bool{ModeTool: false, ModeSchema: true} {
		g := mustCompile(t, schema, mode)
		if got := accepts(g, `{"a":"\u00e9"}`); got != want {
			t.Errorf("mode %d: an escaped option accepted %t, wanted %t", mode, got, want)
		}
		if !accepts(g, fmt.Sprintf(`{"a":%q}`, "é")) {
			t.Errorf("mode %d: the option as it is is refused", mode)
		}
	}
}
