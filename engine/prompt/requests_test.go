package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/internal/jsontest"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The requests of the function-calling leaderboard, read a second time: everything here that says what T or
// a call should be goes over the maps of encoding/json and knows nothing of the package's own rules.

// request is a line of testdata/requests/bfcl.jsonl.
type request struct {
	ID, System, Query string
	Tools             json.RawMessage
	Answers           []map[string]map[string][]any // per call, by function and parameter: what is accepted
}

// calls are the first of the accepted values of each answer.
func (r request) calls() (calls []goldCall) {
	for _, answer := range r.Answers {
		for name, parameters := range answer {
			calls = append(calls, goldCall{r.ID, name, firstOfEach(parameters)})
		}
	}
	return calls
}

// goldCall is an accepted call under the caller's names.
type goldCall struct {
	id, name  string
	arguments map[string]any
}

// firstOfEach takes the first value listed for each parameter. An empty string there says that the parameter
// may be left out.
func firstOfEach(parameters map[string][]any) map[string]any {
	arguments := map[string]any{}
	for name, accepted := range parameters {
		if len(accepted) > 0 && accepted[0] != "" {
			arguments[name] = firstInside(accepted[0])
		}
	}
	return arguments
}

// firstInside does the same for the objects in an accepted value, whose members are lists of accepted values
// again.
func firstInside(accepted any) any {
	switch v := accepted.(type) {
	case map[string]any:
		parameters := map[string][]any{}
		for name, list := range v {
			parameters[name], _ = list.([]any)
		}
		return firstOfEach(parameters)
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = firstInside(element)
		}
		return out
	}
	return accepted
}

// readJSON reads a text into maps, keeping the text of numbers.
func readJSON(t testing.TB, text []byte, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

func writeJSON(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// eachRequest calls f for the requests.
func eachRequest(t testing.TB, f func(r request, set *Toolset)) {
	t.Helper()
	n := 0
	eachLine(t, "requests/bfcl.jsonl", func(line []byte) {
		var r request
		readJSON(t, line, &r)
		n++
		f(r, mustParse(t, string(r.Tools)))
	})
	if n != 443 {
		t.Errorf("%d requests, want 443", n)
	}
}

// declaredTools reads the tools of a request as the caller declared them.
func declaredTools(t testing.TB, r request) (tools []map[string]any) {
	t.Helper()
	readJSON(t, r.Tools, &tools)
	return tools
}

// requestTypes are the names of types in the file, as JSON Schema calls them. It is the whole list: another
// name in the file fails.
var requestTypes = map[string]string{
	"string": "string", "String": "string", "any": "string", "integer": "integer", "float": "number",
	"boolean": "boolean", "Boolean": "boolean", "array": "array", "Array": "array", "tuple": "array",
	"dict": "object", "HashMap": "object",
}

var (
	separators   = regexp.MustCompile(`[^A-Za-z0-9]+`)
	smallCapital = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	lastCapital  = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)
)

// wordsOf is the rule for names once more, in regular expressions.
func wordsOf(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r > 127 }) {
		return name
	}
	name = separators.ReplaceAllString(name, "_")
	name = smallCapital.ReplaceAllString(name, "${1}_$2")
	name = lastCapital.ReplaceAllString(name, "${1}_$2")
	return strings.ToLower(strings.Trim(name, "_"))
}

// asDeclared leaves a name alone, as in a caller's schema of which only the types are mapped.
func asDeclared(name string) string { return name }

// convertSchema renames properties and maps types, which is enough for the file: nothing in it has schemas
// inside but properties and items, and no two names of one object meet.
func convertSchema(t testing.TB, schema any, rename func(string) string) any {
	t.Helper()
	s, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	converted := map[string]any{}
	for keyword, v := range s {
		switch keyword {
		case "type":
			mapped, ok := requestTypes[v.(string)]
			if !ok {
				t.Errorf("type %v is not in the table", v)
			}
			v = mapped
		case "properties":
			properties := map[string]any{}
			for name, property := range v.(map[string]any) {
				properties[rename(name)] = convertSchema(t, property, rename)
			}
			if len(properties) != len(v.(map[string]any)) {
				t.Errorf("names meet in %v", v)
			}
			v = properties
		case "items":
			v = convertSchema(t, v, rename)
		case "required":
			var names []any
			for _, name := range v.([]any) {
				names = append(names, rename(name.(string)))
			}
			v = append([]any{}, names...)
		}
		converted[keyword] = v
	}
	return converted
}

// renamed gives the members of a value that a schema declares their names on the wire.
func renamed(value, schema any) any {
	s, _ := schema.(map[string]any)
	switch v := value.(type) {
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		out := map[string]any{}
		for name, member := range v {
			wire := name
			if _, declared := properties[name]; declared {
				wire = wordsOf(name)
			}
			out[wire] = renamed(member, properties[name])
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = renamed(element, s["items"])
		}
		return out
	}
	return value
}

// TestRequestsKeepTheirMeaning compares T with an independent conversion of the declared tools.
func TestRequestsKeepTheirMeaning(t *testing.T) {
	renamedTools := 0
	eachRequest(t, func(r request, set *Toolset) {
		var got []map[string]any
		readJSON(t, []byte(set.Text()), &got)
		want := declaredTools(t, r)
		for i, tool := range want {
			caller := tool["name"].(string)
			if set.Tools()[i].Caller != caller {
				t.Errorf("%s: %q is remembered as %q", r.ID, caller, set.Tools()[i].Caller)
			}
			tool["name"] = wordsOf(caller)
			tool["parameters"] = convertSchema(t, tool["parameters"], wordsOf)
			if tool["name"] != caller {
				renamedTools++
			}
			if !jsontest.Same(t, set.Tools()[i].Schema, writeJSON(t, tool["parameters"])) {
				t.Errorf("%s: the schema of %q is %s", r.ID, caller, set.Tools()[i].Schema)
			}
		}
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s: %s", r.ID, set.Text())
		}
	})
	if renamedTools < 100 {
		t.Errorf("%d renamed tools: too few to prove anything", renamedTools)
	}
}

// toolsBlock returns what stands between the marks of the tools block in the text of a prefix. A mark that is
// spelt in the tools would cut it, so that the comparison fails.
func toolsBlock(t testing.TB, prefix string) string {
	t.Helper()
	_, rest, open := strings.Cut(prefix, "<tools>")
	block, rest, closed := strings.Cut(rest, "</tools>")
	if !open || !closed || rest != "" {
		t.Fatalf("no tools block at the end of %q", prefix)
	}
	return block
}

// TestRequestsPromptParsesBack reads the tools out of the rendered prompt: what the model reads is a fixed
// point of the conversion, with the same names and schemas.
func TestRequestsPromptParsesBack(t *testing.T) {
	eachRequest(t, func(r request, set *Toolset) {
		text := toolsBlock(t, Join(Prefix(r.System, set)))
		again := mustParse(t, text)
		if again.Text() != text || text != set.Text() || again.Len() != set.Len() {
			t.Fatalf("%s: T\n%s\nis read as\n%s", r.ID, text, again.Text())
		}
		for i, tool := range set.Tools() {
			other := again.Tools()[i]
			if other.Name != tool.Name || other.Caller != tool.Name || other.Description != tool.Description ||
				!bytes.Equal(other.Schema, tool.Schema) || !bytes.Equal(other.Parameters, tool.Parameters) {
				t.Errorf("%s: tool %+v is read as %+v", r.ID, tool, other)
			}
		}
	})
}

// TestRequestsNamesComeBack makes arguments with every declared name at every depth, under the names of the
// wire, and wants the caller's back.
func TestRequestsNamesComeBack(t *testing.T) {
	changed := 0
	eachRequest(t, func(r request, set *Toolset) {
		for _, tool := range declaredTools(t, r) {
			want := allNames(tool["parameters"])
			wire := renamed(want, tool["parameters"])
			checkComesBack(t, set, goldCall{r.ID, tool["name"].(string), want.(map[string]any)}, wire)
			if !reflect.DeepEqual(wire, want) {
				changed++
			}
		}
	})
	if changed < 50 {
		t.Errorf("%d sets of arguments have other names on the wire: too few to prove anything", changed)
	}
}

// checkComesBack gives a call, whose arguments on the wire are given too, to ToCaller and wants the call.
func checkComesBack(t testing.TB, set *Toolset, c goldCall, wire any) {
	t.Helper()
	name, arguments, err := set.ToCaller(wordsOf(c.name), writeJSON(t, wire))
	if err != nil || name != c.name || !jsontest.Same(t, arguments, writeJSON(t, c.arguments)) {
		t.Errorf("%s: %v came back as %s(%s), %v; want %s(%v)", c.id, wire, name, arguments, err, c.name, c.arguments)
	}
}

// allNames makes a value with all properties that a schema declares.
func allNames(schema any) any {
	s, _ := schema.(map[string]any)
	if properties, ok := s["properties"].(map[string]any); ok {
		v := map[string]any{}
		for name, p := range properties {
			v[name] = allNames(p)
		}
		return v
	}
	if items, ok := s["items"]; ok {
		return []any{allNames(items)}
	}
	return 0
}

// TestRequestsAnswersComeBack takes the answers of the benchmark to the wire and back. They come back as they
// were, and are valid under the caller's own schema, types mapped, but for the answers in faultyAnswers.
func TestRequestsAnswersComeBack(t *testing.T) {
	calls, valid, onWire := 0, 0, 0
	found := map[string][]string{}
	eachRequest(t, func(r request, set *Toolset) {
		for _, c := range r.calls() {
			parameters := parametersOf(t, r, c.name)
			wire := renamed(c.arguments, parameters)
			checkComesBack(t, set, c, wire)
			calls++
			if !reflect.DeepEqual(wire, any(c.arguments)) {
				onWire++
			}
			faults := append(schemaFaults(t, convertSchema(t, parameters, asDeclared), c.arguments),
				undeclaredNames(c.arguments, parameters, "")...)
			if len(faults) == 0 {
				valid++
			}
			for _, f := range faults {
				if !slices.Contains(found[r.ID], f) {
					found[r.ID] = append(found[r.ID], f)
				}
			}
			// The model's schema says the same of the call on the wire.
			schema := wireSchema(t, set, c.name)
			if n := len(schemaFaults(t, schema, wire)) + len(undeclaredNames(wire, schema, "")); n != len(faults) {
				t.Errorf("%s: %d faults under the caller's schema, %d under that of the wire", r.ID, len(faults), n)
			}
		}
	})
	for id, faults := range found {
		slices.Sort(faults)
		if got := strings.Join(faults, "; "); got != faultyAnswers[id].fault {
			t.Errorf("the answer of %s is not valid:\n%q: %q,", id, id, got)
		}
	}
	for id := range faultyAnswers {
		if found[id] == nil {
			t.Errorf("the answer of %s is listed as faulty, but valid", id)
		}
	}
	t.Logf("%d of %d answers are valid, %d have other names on the wire", valid, calls, onWire)
	if calls != 492 {
		t.Errorf("%d answers, want 492", calls)
	}
	if onWire < 20 {
		t.Errorf("%d answers have other names on the wire: too few to prove anything", onWire)
	}
}

// parametersOf returns the parameters of a tool as declared.
func parametersOf(t testing.TB, r request, name string) any {
	t.Helper()
	for _, tool := range declaredTools(t, r) {
		if tool["name"] == name {
			return tool["parameters"]
		}
	}
	t.Fatalf("%s: no tool %q", r.ID, name)
	return nil
}

// wireSchema returns the schema that the package made of a tool's parameters.
func wireSchema(t testing.TB, set *Toolset, caller string) (schema any) {
	t.Helper()
	for _, tool := range set.Tools() {
		if tool.Caller == caller {
			readJSON(t, tool.Schema, &schema)
		}
	}
	return schema
}

// schemaFaults validates a value and returns what is wrong with it: place, what was found and expected.
func schemaFaults(t testing.TB, schema, value any) (faults []string) {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("parameters.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("parameters.json")
	if err != nil {
		t.Fatalf("%v in %v", err, schema)
	}
	err = compiled.Validate(value)
	if err == nil {
		return nil
	}
	for _, unit := range err.(*jsonschema.ValidationError).BasicOutput().Errors {
		if unit.Error != nil && unit.InstanceLocation+unit.Error.String() != "" {
			faults = append(faults, strings.TrimSpace(unit.InstanceLocation+" "+unit.Error.String()))
		}
	}
	return faults
}

// undeclaredNames are the members, at any depth, that a schema with properties does not declare. JSON Schema
// lets them pass; a model that follows the tools can't write them.
func undeclaredNames(value, schema any, place string) (faults []string) {
	s, _ := schema.(map[string]any)
	switch v := value.(type) {
	case map[string]any:
		properties, ok := s["properties"].(map[string]any)
		for name, member := range v {
			at := place + "/" + name
			if _, declared := properties[name]; ok && !declared {
				faults = append(faults, at+" is not declared")
			}
			faults = append(faults, undeclaredNames(member, properties[name], at)...)
		}
	case []any:
		for i, element := range v {
			faults = append(faults, undeclaredNames(element, s["items"], fmt.Sprint(place, "/", i))...)
		}
	}
	return faults
}

// faultyAnswers are the accepted answers of the benchmark that its own schema refuses, and why. They are
// faults of the data: BFCL compares answers with a program of its own, not with the schema.
var faultyAnswers = map[string]struct{ fault, why string }{
	"simple_java_38":          {"/filteredSource got string, want object", variable},
	"simple_java_45":          {"/environ got string, want object", variable},
	"simple_java_88":          {"/suspendPolicy got string, want integer", "EventRequest.SUSPEND_ALL is a constant of Java"},
	"simple_javascript_11":    {"/items got string, want array", variable},
	"simple_javascript_32":    {"/queue got string, want array", variable},
	"parallel_multiple_21":    {"/x got string, want array; /y got string, want array", "data['sales'] is Python, where a list of numbers is declared"},
	"simple_python_200":       {"missing property 'fuel_efficiency'", optional},
	"live_multiple_834-178-9": {"missing property 'track'", optional},
}

const (
	variable = "the answer is the name of a variable in a program, which holds the value"
	optional = "the answer may leave out what the schema requires"
)

// TestRequestsComparisonSeesFaults is the negative control of the tests above.
func TestRequestsComparisonSeesFaults(t *testing.T) {
	set := mustParse(t, `[{"name":"f","parameters":{"type":"dict","properties":{"aB":{"type":"integer"}},"required":["aB"]}}]`)
	schema := wireSchema(t, set, "f")
	for arguments, want := range map[string]string{
		`{"a_b":1}`:         "",
		`{"a_b":"1"}`:       "/a_b got string, want integer",
		`{"aB":1}`:          "missing property 'a_b'; /aB is not declared",
		`{"a_b":1,"c":[1]}`: "/c is not declared",
	} {
		var value any
		readJSON(t, []byte(arguments), &value)
		faults := append(schemaFaults(t, schema, value), undeclaredNames(value, schema, "")...)
		if got := strings.Join(faults, "; "); got != want {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
	}
}
