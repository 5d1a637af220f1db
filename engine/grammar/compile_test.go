package grammar

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// faultRow is a schema with something that is not enforced, with a value that only it would refuse. Where that
// can't be told, because the schema says it in a way that nothing can mean, free is what is taken when lenient.
type faultRow struct {
	schema, pointer, keyword string
	free                     []string
}

var faultRows = []faultRow{
	{`{"format":"idn-email"}`, "", "format", texts(`"x"`, `1`)},
	{`{"format":"idn-hostname"}`, "", "format", texts(`"x y"`)},
	{`{"format":"iri"}`, "", "format", texts(`"x"`)},
	{`{"format":"iri-reference"}`, "", "format", texts(`"\\"`)},
	{`{"format":"uri-template"}`, "", "format", texts(`"{"`)},
	{`{"format":"regex"}`, "", "format", texts(`"("`)},
	{`{"properties":{"a":{"format":"regex"}}}`, "/properties/a", "format", texts(`{"a":"("}`)},
	{`{"properties":{"a/b~c":{"format":"regex"}}}`, "/properties/a~1b~0c", "format", texts(`{"a/b~c":"("}`)},
	{`{"items":{"anyOf":[{"type":"null"},{"format":"iri"}]}}`, "/items/anyOf/1", "format", texts(`["x",null]`)},
	{`{"$defs":{"d":{"format":"iri"}},"properties":{"a":{"$ref":"#/$defs/d"}}}`, "/$defs/d", "format", texts(`{"a":"x"}`)},
	{`{"prefixItems":[true,{"format":"iri"}]}`, "/prefixItems/1", "format", texts(`[1,"x"]`)},
	{`{"additionalProperties":{"format":"iri"}}`, "/additionalProperties", "format", texts(`{"z":"x"}`)},
	{`{"patternProperties":{"^a":{"format":"iri"}}}`, "/patternProperties/^a", "format", texts(`{"ab":"x"}`)},
	{`{"dependentSchemas":{"a":{"properties":{"b":{"format":"iri"}}}}}`, "/dependentSchemas/a/properties/b", "format", texts(`{"a":1,"b":"x"}`)},
	{`{"pattern":"(a)\\1"}`, "", "pattern", texts(`"b"`)},
	{`{"pattern":"(?<=a)b"}`, "", "pattern", texts(`"b"`)},
	{`{"pattern":"["}`, "", "pattern", texts(`"b"`)},
	{`{"pattern":1}`, "", "pattern", texts(`"b"`)},
	{`{"type":"object","patternProperties":{"(?<=a)b":{"type":"null"}}}`, "", "patternProperties", texts(`{"ab":1}`)},
	{`{"patternProperties":[]}`, "", "patternProperties", texts(`{"ab":1}`)},
	{`{"unevaluatedProperties":false,"allOf":[{"properties":{"a":{}}}]}`, "", "unevaluatedProperties", texts(`{"b":1}`)},
	{`{"unevaluatedProperties":false,"anyOf":[{"properties":{"a":{}}}]}`, "", "unevaluatedProperties", texts(`{"b":1}`)},
	{`{"unevaluatedProperties":false,"oneOf":[{"properties":{"a":{}}}]}`, "", "unevaluatedProperties", texts(`{"b":1}`)},
	{`{"unevaluatedProperties":false,"$ref":"#/$defs/d","$defs":{"d":{}}}`, "", "unevaluatedProperties", texts(`{"b":1}`)},
	{`{"unevaluatedProperties":false,"if":{},"then":{}}`, "", "unevaluatedProperties", texts(`{"b":1}`)},
	{`{"unevaluatedProperties":false,"not":{"type":"null"}}`, "", "unevaluatedProperties", texts(`{"b":1}`)},
	{`{"unevaluatedProperties":false,"dependentSchemas":{}}`, "", "unevaluatedProperties", texts(`{"b":1}`)},
	{`{"unevaluatedItems":false,"contains":{"type":"null"}}`, "", "unevaluatedItems", texts(`[null,1]`)},
	{`{"unevaluatedItems":false,"allOf":[{"prefixItems":[true]}]}`, "", "unevaluatedItems", texts(`[1,2]`)},
	{`{"$dynamicRef":"#x"}`, "", "$dynamicRef", texts(`1`)},
	{`{"items":{"$recursiveRef":"#"}}`, "/items", "$recursiveRef", texts(`[1]`)},
	{`{"extends":{"type":"null"}}`, "", "extends", texts(`1`)},
	{`{"disallow":"string"}`, "", "disallow", texts(`"a"`)},
	{`{"divisibleBy":2}`, "", "divisibleBy", texts(`1`)},
	{`{"$ref":"#/$defs/none"}`, "", "$ref", texts(`1`)},
	{`{"$ref":"https://example.com/other.json"}`, "", "$ref", texts(`1`)},
	{`{"$ref":1}`, "", "$ref", texts(`1`)},
	{`{"$ref":"#"}`, "", "$ref", texts(`1`)},
	{`{"allOf":[{"$ref":"#"}]}`, "", "$ref", texts(`1`)},
	{`{"type":"text"}`, "", "type", texts(`"a"`, `1`)},
	{`{"type":["string","text"]}`, "", "type", texts(`"a"`, `1`)},
	{`{"type":5}`, "", "type", texts(`"a"`)},
	{`{"enum":"a"}`, "", "enum", texts(`"b"`)},
	{`{"minLength":-1}`, "", "minLength", texts(`""`)},
	{`{"maxLength":"3"}`, "", "maxLength", texts(`"abcd"`)},
	{`{"maxLength":1.5}`, "", "maxLength", texts(`"abcd"`)},
	{`{"minItems":null}`, "", "minItems", texts(`[]`)},
	{`{"maxItems":-3}`, "", "maxItems", texts(`[1]`)},
	{`{"minProperties":"1"}`, "", "minProperties", texts(`{}`)},
	{`{"maxProperties":true}`, "", "maxProperties", texts(`{"a":1}`)},
	{`{"contains":{"type":"null"},"minContains":"2"}`, "", "minContains", texts(`[null]`)},
	{`{"contains":{"type":"null"},"maxContains":-1}`, "", "maxContains", texts(`[null,null]`)},
	{`{"uniqueItems":1}`, "", "uniqueItems", texts(`[1,1]`)},
	{`{"minimum":"3"}`, "", "minimum", texts(`1`)},
	{`{"maximum":null}`, "", "maximum", texts(`1`)},
	{`{"exclusiveMinimum":"3"}`, "", "exclusiveMinimum", texts(`1`)},
	{`{"exclusiveMaximum":[]}`, "", "exclusiveMaximum", texts(`1`)},
	{`{"multipleOf":0}`, "", "multipleOf", texts(`1`)},
	{`{"multipleOf":-2}`, "", "multipleOf", texts(`1`)},
	{`{"minimum":1e9999}`, "", "minimum", texts(`1`)},
	{`{"required":true}`, "", "required", texts(`{}`)},
	{`{"required":["a",1]}`, "", "required", texts(`{"a":1}`)},
	{`{"properties":[]}`, "", "properties", texts(`{"a":1}`)},
	{`{"properties":{"a":1}}`, "/properties/a", "schema", texts(`{"a":1}`)},
	{`{"items":"a"}`, "/items", "schema", texts(`[1]`)},
	{`{"prefixItems":{}}`, "", "prefixItems", texts(`[1]`)},
	{`{"allOf":{}}`, "", "allOf", texts(`1`)},
	{`{"anyOf":[{"type":"null"},7]}`, "/anyOf/1", "schema", texts(`1`)},
	{`{"dependentRequired":[]}`, "", "dependentRequired", texts(`{"a":1}`)},
	{`{"dependentRequired":{"a":"b"}}`, "", "dependentRequired", texts(`{"a":1}`)},
	{`{"dependentSchemas":3}`, "", "dependentSchemas", texts(`{"a":1}`)},
	{`[]`, "", "schema", texts(`1`)},
	{`"x"`, "", "schema", texts(`1`)},
	{`{"type":"array","allOf":[` + strings.TrimSuffix(strings.Repeat(`{"contains":{"type":"null"}},`, 5), ",") + `]}`, "/allOf/0/contains", "contains", texts(`[null]`)},
}

// TestFaults compiles each row strict and lenient: the error and the list say the same, and nothing else is said.
func TestFaults(t *testing.T) {
	for _, row := range faultRows {
		_, err := Compile([]byte(row.schema), Options{})
		var refused *Error
		if !errors.As(err, &refused) {
			t.Errorf("%s: strict: %v", row.schema, err)
			continue
		}
		g, err := Compile([]byte(row.schema), Options{Lenient: true})
		if err != nil {
			t.Errorf("%s: lenient: %v", row.schema, err)
			continue
		}
		if !slices.Equal(refused.Faults, g.Faults()) {
			t.Errorf("%s: strict says %v, lenient %v", row.schema, refused.Faults, g.Faults())
		}
		row.checkFault(t, refused.Faults, "")
		for _, text := range row.free {
			if !accepts(g, text) {
				t.Errorf("%s: lenient refuses %s", row.schema, text)
			}
		}
	}
}

func (row faultRow) checkFault(t *testing.T, faults []Fault, tool string) {
	t.Helper()
	if len(faults) != 1 {
		t.Errorf("%s: faults %v", row.schema, faults)
		return
	}
	f := faults[0]
	if f.Tool != tool || f.Pointer != row.pointer || f.Keyword != row.keyword || f.Reason == "" {
		t.Errorf("%s: %+v, wanted tool %q, pointer %q, keyword %q", row.schema, f, tool, row.pointer, row.keyword)
	}
	for _, part := range []string{tool, "#" + row.pointer, row.keyword} {
		if !strings.Contains(f.Error(), part) {
			t.Errorf("%s: %q does not name %q", row.schema, f.Error(), part)
		}
	}
}

// TestFaultsOfTools puts the rows into the parameters of a tool beside one that is sound.
func TestFaultsOfTools(t *testing.T) {
	for _, row := range faultRows {
		if !strings.HasPrefix(row.schema, "{") || strings.Contains(row.schema, `"$`) || strings.Contains(row.schema, `"extends"`) {
			continue // references lead elsewhere below
		}
		inner := row
		inner.pointer = "/properties/p" + row.pointer
		tools := []Tool{{Name: "sound", Schema: []byte(`{"type":"object"}`)}, {Name: "faulty", Schema: []byte(`{"properties":{"p":` + row.schema + `},"required":["p"]}`)}}
		_, err := CompileTools(tools, Options{Mode: ModeTool})
		var refused *Error
		if !errors.As(err, &refused) {
			t.Errorf("%s: strict: %v", row.schema, err)
			continue
		}
		inner.checkFault(t, refused.Faults, "faulty")
		g, err := CompileTools(tools, Options{Mode: ModeTool, Lenient: true})
		if err != nil {
			t.Errorf("%s: lenient: %v", row.schema, err)
			continue
		}
		inner.checkFault(t, g.Faults(), "faulty")
		if text := `[{"name":"faulty","arguments":{"p":1}}]`; !accepts(g, text) && accepts(mustCompile(t, `{"properties":{"p":`+faultless(row.schema)+`}}`, ModeSchema), `{"p":1}`) {
			t.Errorf("%s: lenient refuses %s", row.schema, text)
		}
	}
}

// faultless is a schema of what is left of a row whose values may be numbers.
func faultless(schema string) string {
	if strings.Contains(schema, `"type":"array"`) || strings.Contains(schema, `"type":"object"`) {
		return `false`
	}
	return `true`
}

// TestNoFaults compiles what is supported or an annotation: nothing is reported, in either mode.
func TestNoFaults(t *testing.T) {
	for _, schema := range []string{
		`{}`, `true`, `{"title":"t","description":"d","default":1,"examples":[1],"deprecated":true,"readOnly":true,"writeOnly":true,"$comment":"c"}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.com/a","$defs":{"x":{"format":"regex"}}}`,
		`{"contentEncoding":"base64","contentMediaType":"a/b","contentSchema":{"format":"regex"}}`, `{"x-order":["a"],"grounded":true,"nonsense":{"type":"text"}}`,
		`{"enum":[{"format":"regex"}]}`, `{"const":{"type":"text"}}`, `{"default":{"$ref":"#/none"}}`, `{"properties":{"format":{"type":"string"},"$ref":{"type":"string"}}}`,
		`{"unevaluatedProperties":false,"properties":{"a":{}}}`, `{"unevaluatedItems":false,"prefixItems":[true]}`,
	} {
		for _, mode := range []Mode{ModeSchema, ModeTool} {
			if g, err := Compile([]byte(schema), Options{Mode: mode}); err != nil || len(g.Faults()) > 0 {
				t.Errorf("%s: %v", schema, err)
			}
		}
	}
}

// TestSeveralFaults lists all, in the order of the schema, and a repeated one once.
func TestSeveralFaults(t *testing.T) {
	schema := `{"properties":{"a":{"format":"iri"},"b":{"pattern":"["},"c":{"$ref":"#/properties/a"}},"minProperties":-1}`
	_, err := Compile([]byte(schema), Options{})
	var refused *Error
	if !errors.As(err, &refused) || len(refused.Faults) != 3 {
		t.Fatalf("%v", err)
	}
	for i, keyword := range []string{"format", "pattern", "minProperties"} {
		if refused.Faults[i].Keyword != keyword {
			t.Errorf("fault %d is %v, wanted %s", i, refused.Faults[i], keyword)
		}
	}
	if strings.Count(err.Error(), "schema: ") != 3 {
		t.Errorf("%q does not name all", err)
	}
	if refused.Invalid() || !(&Error{refused.Faults[2:]}).Invalid() {
		t.Errorf("%v: only the last is a mistake", refused.Faults)
	}
	var many Error
	for range 7 {
		many.Faults = append(many.Faults, refused.Faults[0])
	}
	if !strings.HasSuffix(many.Error(), "; and 2 more") {
		t.Errorf("%q does not count the others", &many)
	}
}

// TestFaultsAreCopied hands out a list that may be written to.
func TestFaultsAreCopied(t *testing.T) {
	g, err := Compile([]byte(`{"format":"iri"}`), Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	g.Faults()[0].Keyword = "changed"
	if g.Faults()[0].Keyword != "format" {
		t.Error("a caller changed the grammar's faults")
	}
}

func TestSchemasThatAreNoJSON(t *testing.T) {
	for _, schema := range []string{``, `{`, `{"a"}`, `{} {}`, `nul`, `{"a":1,}`, "{\"a\":\"\x01\"}", strings.Repeat(`[`, 300) + strings.Repeat(`]`, 300)} {
		_, err := Compile([]byte(schema), Options{Lenient: true})
		var fault *Error
		if err == nil || errors.As(err, &fault) {
			t.Errorf("%.40q: %v", schema, err)
		}
		if _, err := CompileTools([]Tool{{Name: "broken", Schema: []byte(schema)}}, Options{Lenient: true}); err == nil || !strings.Contains(err.Error(), "broken") {
			t.Errorf("%.40q of a tool: %v", schema, err)
		}
	}
}

var unsatisfiable = []string{
	`false`, `{"enum":[]}`, `{"type":"string","enum":[1]}`, `{"const":1,"enum":[2]}`, `{"type":"integer","minimum":3,"maximum":2}`, `{"type":"integer","exclusiveMinimum":3,"exclusiveMaximum":4}`,
	`{"type":"integer","multipleOf":10,"minimum":1,"maximum":9}`, `{"type":"string","minLength":3,"maxLength":2}`, `{"type":"string","pattern":"^a{5}$","maxLength":4}`, `{"type":"string","pattern":"a^"}`,
	`{"type":"array","minItems":2,"maxItems":1}`, `{"type":"array","minItems":1,"items":false}`, `{"type":"array","items":{"type":"boolean"},"uniqueItems":true,"minItems":3}`,
	`{"type":"array","contains":false}`, `{"type":"array","items":{"type":"null"},"contains":{"type":"string"}}`, `{"type":"object","required":["a"],"properties":{"a":false}}`,
	`{"type":"object","required":["a","b"],"maxProperties":1}`, `{"type":"object","required":["a"],"additionalProperties":false}`, `{"type":"object","required":["ab"],"propertyNames":{"maxLength":1}}`,
	`{"type":"object","minProperties":2,"properties":{"a":{}},"additionalProperties":false}`, `{"allOf":[{"type":"string"},{"type":"integer"}]}`, `{"anyOf":[]}`, `{"anyOf":[false,false]}`, `{"oneOf":[true,true]}`,
	`{"not":{}}`, `{"not":true}`, `{"type":"integer","not":{"type":"number"}}`, `{"type":"object","required":["a"],"properties":{"a":{"$ref":"#"}}}`, `{"type":"array","minItems":1,"items":{"$ref":"#"}}`,
	`{"type":"string","format":"ipv4","maxLength":3}`, `{"type":"string","format":"date","pattern":"x"}`, `{"if":true,"then":false}`,
}

// TestUnsatisfiable refuses what nothing satisfies, lenient or not: a grammar without texts would be a dead end.
func TestUnsatisfiable(t *testing.T) {
	for _, schema := range unsatisfiable {
		for _, lenient := range []bool{false, true} {
			_, err := Compile([]byte(schema), Options{Lenient: lenient})
			var refused *Error
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), "no value satisfies it") {
				t.Errorf("%s: lenient %t: %v", schema, lenient, err)
			}
		}
	}
	for _, schema := range []string{`{"type":"integer","minimum":3,"maximum":3}`, `{"anyOf":[false,true]}`, `{"type":"array","items":false}`, `{"type":"object","properties":{"a":false}}`,
		`{"type":"array","items":{"type":"boolean"},"uniqueItems":true,"minItems":2}`, `{"type":"string","pattern":"^a{5}$","maxLength":5}`} {
		mustCompile(t, schema, ModeSchema) // the neighbours of some of them
	}
}

// TestUnsatisfiableTools: strict refuses the set, lenient leaves such a tool out and says so.
func TestUnsatisfiableTools(t *testing.T) {
	for _, schema := range append(unsatisfiable, `{"type":"string"}`, `{"enum":[1,"a"]}`) {
		tools := []Tool{{Name: "never", Schema: []byte(schema)}, {Name: "ever", Schema: []byte(`{"type":"object","properties":{}}`)}}
		_, err := CompileTools(tools, Options{})
		var refused *Error
		if !errors.As(err, &refused) || refused.Faults[0].Tool != "never" || !strings.Contains(err.Error(), "no arguments satisfy") {
			if !takesObjects(schema) {
				t.Errorf("%s: strict: %v", schema, err)
			}
			continue
		}
		g, err := CompileTools(tools, Options{Lenient: true})
		if err != nil || len(g.Faults()) != 1 || g.Faults()[0].Tool != "never" {
			t.Errorf("%s: lenient: %v", schema, err)
			continue
		}
		if accepts(g, `[{"name":"never","arguments":{}}]`) || !accepts(g, `[{"name":"ever","arguments":{}}]`) || !accepts(g, `[]`) {
			t.Errorf("%s: the wrong tool can be called", schema)
		}
		if _, err := g.Choose(Choice{Min: 1, Only: []string{"never"}}); !errors.Is(err, ErrNoTool) {
			t.Errorf("%s: a call of it is demanded: %v", schema, err)
		}
	}
}

func takesObjects(schema string) bool {
	g, err := Compile([]byte(schema), Options{})
	return err == nil && accepts(g, `{}`)
}

func threeTools(t testing.TB) *Grammar {
	t.Helper()
	g, err := CompileTools([]Tool{
		{Name: "set", Schema: []byte(`{"type":"object","properties":{"on":{"type":"boolean"}},"required":["on"]}`)},
		{Name: "set_all", Schema: []byte(`{"type":"object","properties":{}}`)},
		{Name: `q"é`, Schema: nil},
	}, Options{Mode: ModeTool})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

const (
	callSet = `{"name":"set","arguments":{"on":true}}`
	callAll = `{"name":"set_all","arguments":{}}`
	callOdd = `{"name":"q\"é","arguments":{"any":[1]}}`
)

func list(calls ...string) string { return `[` + strings.Join(calls, `,`) + `]` }

func TestCallLists(t *testing.T) {
	g := threeTools(t)
	if !g.Callable() || len(g.Faults()) > 0 {
		t.Errorf("callable %t, faults %v", g.Callable(), g.Faults())
	}
	for _, text := range []string{`[]`, list(callSet), list(callAll), list(callOdd), list(callSet, callAll, callOdd, callSet), list(slices.Repeat([]string{callAll}, 100)...)} {
		if !accepts(g, text) {
			t.Errorf("%s is refused", text)
		}
	}
	for _, text := range []string{
		``, `[`, `{}`, `null`, `[[]]`, `[{}]`, callSet, `[null]`, `[,]`, list(callSet, ``), list(``, callSet), `[` + callSet + callAll + `]`, list(callSet) + `,`, list(callSet) + `[]`,
		`[{"arguments":{"on":true},"name":"set"}]`,            // the name comes first
		`[{"name":"set"}]`, `[{"name":"set","arguments":{}}]`, // arguments are demanded, and what they demand
		`[{"name":"set","arguments":{"on":true},"id":1}]`, `[{"name":"set","arguments":{"on":true,"off":1}}]`, `[{"name":"set_all","arguments":{"on":true}}]`,
		`[{"name":"se","arguments":{}}]`, `[{"name":"set_","arguments":{}}]`, `[{"name":"other","arguments":{}}]`, `[{"name":"","arguments":{}}]`, `[{"name":"SET","arguments":{"on":true}}]`,
		`[{"name":"s\u0065t","arguments":{"on":true}}]`, `[{"name":"set","arguments":"{}"}]`, `[{"name":"set","arguments":null}]`, `[{"name":"set","arguments":[]}]`,
		`[{"name":"set","parameters":{"on":true}}]`, `[{"name": "set","arguments":{"on":true}}]`, "[\n" + callSet + `]`,
	} {
		if accepts(g, text) {
			t.Errorf("%s is accepted", text)
		}
	}
}

func TestChoices(t *testing.T) {
	g := threeTools(t)
	for _, row := range []struct {
		name           string
		choice         Choice
		takes, refuses []string
	}{
		{"auto", Choice{}, texts(`[]`, list(callSet), list(callAll, callAll)), texts(`{}`)},
		{"none", Choice{Only: []string{}}, texts(`[]`), texts(list(callSet), list(callOdd))},
		{"required", Choice{Min: 1}, texts(list(callSet), list(callAll, callOdd)), texts(`[]`)},
		{"at least two", Choice{Min: 2}, texts(list(callSet, callAll), list(callSet, callAll, callSet)), texts(`[]`, list(callSet))},
		{"one tool", Choice{Min: 1, Only: []string{"set_all"}}, texts(list(callAll), list(callAll, callAll)), texts(`[]`, list(callSet), list(callAll, callSet))},
		{"two tools", Choice{Only: []string{`q"é`, "set"}}, texts(`[]`, list(callOdd, callSet)), texts(list(callAll))},
		{"at most one", Choice{Max: 1}, texts(`[]`, list(callSet)), texts(list(callSet, callSet))},
		{"at most two", Choice{Max: 2}, texts(`[]`, list(callSet, callSet)), texts(list(callSet, callSet, callSet))},
		{"just one of one", Choice{Min: 1, Max: 1, Only: []string{"set"}}, texts(list(callSet)), texts(`[]`, list(callSet, callSet), list(callAll))},
		{"one name twice", Choice{Only: []string{"set", "set"}}, texts(list(callSet)), texts(list(callAll))},
	} {
		h, err := g.Choose(row.choice)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		for _, text := range row.takes {
			if !accepts(h, text) {
				t.Errorf("%s: %s is refused", row.name, text)
			}
		}
		for _, text := range row.refuses {
			if accepts(h, text) {
				t.Errorf("%s: %s is accepted", row.name, text)
			}
		}
		if want := row.choice.Only == nil || len(row.choice.Only) > 0; h.Callable() != want {
			t.Errorf("%s: callable %t", row.name, h.Callable())
		}
	}
	if !accepts(g, `[]`) || !accepts(g, list(callSet, callSet, callSet)) {
		t.Error("choosing changed the grammar it was chosen from")
	}
}

func TestChoicesThatCantBe(t *testing.T) {
	g := threeTools(t)
	for _, c := range []Choice{{Only: []string{"no_such"}}, {Only: []string{"set", "no_such"}}, {Only: []string{""}}, {Only: []string{"SET"}}, {Min: 1, Only: []string{}}} {
		if _, err := g.Choose(c); !errors.Is(err, ErrNoTool) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := g.Choose(Choice{Only: []string{"no_such"}}); !strings.Contains(fmt.Sprint(err), "no_such") {
		t.Errorf("%v does not name the tool", err)
	}
	none, err := CompileTools(nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if none.Callable() || !accepts(none, `[]`) || accepts(none, list(callAll)) {
		t.Error("without tools a list has calls")
	}
	if _, err := none.Choose(Choice{Min: 1}); !errors.Is(err, ErrNoTool) {
		t.Errorf("a call is demanded without tools: %v", err)
	}
}

// TestForcedCalls follows the mask of a list in which all is settled: each byte is the only one.
func TestForcedCalls(t *testing.T) {
	g, err := threeTools(t).Choose(Choice{Min: 1, Max: 1, Only: []string{"set_all"}})
	if err != nil {
		t.Fatal(err)
	}
	m, text := g.Start(someBytes()), []byte(nil)
	for !m.Complete() {
		id, ok := m.Mask().Only()
		if !ok {
			t.Fatalf("after %s %d bytes are legal", text, m.Mask().Count())
		}
		m.Accept(id)
		text = append(text, byte(id))
	}
	if string(text) != list(callAll) {
		t.Errorf("forced is %s", text)
	}
}

// someBytes has each byte as a token.
func someBytes() *Vocabulary {
	pieces := make([][]byte, 256)
	for b := range pieces {
		pieces[b] = []byte{byte(b)}
	}
	return NewVocabulary(pieces)
}

// TestToolsOfOneName: the first counts.
func TestToolsOfOneName(t *testing.T) {
	g, err := CompileTools([]Tool{{Name: "a", Schema: []byte(`{"properties":{"x":{}}}`)}, {Name: "a", Schema: []byte(`{"properties":{"y":{}}}`)}}, Options{Mode: ModeTool})
	if err != nil {
		t.Fatal(err)
	}
	if !accepts(g, `[{"name":"a","arguments":{"x":1}}]`) || accepts(g, `[{"name":"a","arguments":{"y":1}}]`) {
		t.Error("the second tool of a name counts")
	}
}

// TestDepthOfCalls: arguments nest as deep as values do elsewhere, whatever call they are of.
func TestDepthOfCalls(t *testing.T) {
	g, err := CompileTools([]Tool{{Name: "a"}}, Options{Mode: ModeTool})
	if err != nil {
		t.Fatal(err)
	}
	call := func(n int) string { return `{"name":"a","arguments":` + nested(`{"a":`, `1`, `}`, n) + `}` }
	for n, want := range map[int]bool{1: true, MaxDepth: true, MaxDepth + 1: false} {
		if got := accepts(g, list(call(n), call(n))); got != want {
			t.Errorf("depth %d accepted %t", n, got)
		}
	}
}
