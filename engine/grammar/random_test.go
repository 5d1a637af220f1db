package grammar

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// someVocabulary has every byte and some longer pieces of the kinds that a tokenizer has: across the borders of
// strings, parts of code points, escapes.
func someVocabulary() *Vocabulary {
	var pieces [][]byte
	for b := range 256 {
		pieces = append(pieces, []byte{byte(b)})
	}
	for _, p := range []string{`{"`, `":`, `":"`, `","`, `",`, `"}`, `"},{"`, `"]`, `]}`, `}}`, `}]`, `[]`, `{}`, `[{"`, `["`, `true`, `false`,
		`null`, `name`, `{"name":"`, `","arguments":{`, `kind`, `value`, `user`, ` id`, `ab`, `abc`, `12`, `100`, `0.5`, `.25`, `2024-0`, `-01`,
		`T12:`, `:00Z`, `@`, `example.com`, `é`, `日本`, `😀`, "\xc3", "\xf0\x9f", "\x98\x80", `\u`, `\ud83d`, `\ude00`, `\u00e9`, `\"`, `\n`,
		`1e`, `,1`, `1,`, `1]`, `"a"`, `"b":`, `x1`, `png`, `.jpg`, `P1D`, `::1`, `https://`} {
		pieces = append(pieces, []byte(p))
	}
	return NewVocabulary(pieces)
}

// writer writes a random text of a grammar: at each step the token with the highest random logit among the legal
// ones. Tokens that lead to an end get a bonus that grows.
type writer struct {
	v     *Vocabulary
	r     *rand.Rand
	m     *Matcher
	text  []byte
	steps int
}

var errDeadEnd = errors.New("no token is legal, and the text is not complete")

// write goes on for at most budget tokens.
func (w *writer) write(budget int) (finished bool, err error) {
	for range budget {
		mask := w.m.Mask()
		if w.m.Complete() && (mask.Count() == 0 || w.r.Float64() < .5) {
			return true, nil
		}
		quoted, best, top := inString(w.text), int32(-1), 0.0
		likely := .1
		if begun := len(w.text) > 0 && w.text[len(w.text)-1] == '"'; begun {
			likely = .5
		}
		if quoted && w.r.Float64() < likely && w.hint() {
			continue
		}
		for id, p := range w.v.pieces {
			if !mask.Has(int32(id)) {
				continue
			}
			logit := w.r.NormFloat64() + bonus(p, quoted, w.steps)
			if best < 0 || logit > top {
				best, top = int32(id), logit
			}
		}
		if best < 0 {
			return false, errDeadEnd
		}
		if !w.m.Accept(best) {
			return false, fmt.Errorf("token %q is in the mask and is not accepted", w.v.pieces[best])
		}
		w.text = append(w.text, w.v.pieces[best]...)
		w.steps++
	}
	return w.m.Complete(), nil
}

// hint writes what a random text would hardly find: a name that may be required, or what a pattern looks for.
func (w *writer) hint() bool {
	hints := []string{`a"`, `b"`, `ab"`, `kind"`, `é"`, `user id"`, `q\"t"`, `x1"`, `value"`, `s"`, `n"`, `a`, `12"`, `.png"`, `é`}
	hint := hints[w.r.IntN(len(hints))]
	if !w.m.AcceptBytes([]byte(hint)) {
		return false
	}
	w.text = append(w.text, hint...)
	return true
}

// inString reports whether a text of JSON ends inside a string.
func inString(text []byte) bool {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case quoted && text[i] == '\\':
			i++
		}
	}
	return quoted
}

// bonus favours what ends a string in strings, and what ends arrays and objects elsewhere.
func bonus(p []byte, quoted bool, n int) float64 {
	grown := 1 + float64(n)/12
	switch last := p[len(p)-1]; {
	case quoted && last == '"' && p[0] != '\\', !quoted && (last == ']' || last == '}'):
		return grown
	case last == ',' || last == '\\' || last == '-' || last == '.' || last == 'e':
		return -grown
	}
	return 0
}

// outcome counts what became of random schemas.
type outcome struct {
	schemas, refused, empty, finished, cut int
	keywords                               map[string]int
}

// compileReference compiles a schema by another library, formats asserted.
func compileReference(schema []byte) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("test.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("test.json")
}

func validate(s *jsonschema.Schema, text []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// tryOne makes a schema, writes a text of its grammar, and judges the text by the other library.
func tryOne(seed uint64, v *Vocabulary, o *outcome) error {
	m := newSchemaMaker(seed)
	mode := Mode(seed % 2)
	calls := seed%4 >= 2
	doc := m.document(calls)
	schema, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	o.schemas++
	g, err := grammarFor(schema, calls, mode)
	var fault *Error
	if errors.As(err, &fault) || errors.Is(err, ErrNoTool) {
		o.refused++
		if fault == nil || slices.ContainsFunc(fault.Faults, func(f Fault) bool { return strings.Contains(f.Reason, "satisf") }) {
			o.empty++
			o.refused--
		}
		return nil
	}
	if err != nil {
		return err
	}
	reference, err := compileReference(schema)
	if err != nil {
		return fmt.Errorf("%s: the other library: %w", schema, err)
	}
	w := &writer{v: v, r: rand.New(rand.NewPCG(seed, 23)), m: g.Start(v)}
	finished, err := w.write(40 + int(seed%160))
	if err == nil && !finished { // a cut text is the beginning of a valid one
		finished, err = w.write(2500)
	}
	if err != nil {
		return fmt.Errorf("%s after %q: %w", schema, w.text, err)
	}
	if !finished {
		o.cut++
		return nil
	}
	o.finished++
	for key := range m.used {
		o.keywords[key]++
	}
	if err := judge(reference, w.text, calls); err != nil {
		return fmt.Errorf("%s: %s: %w", schema, w.text, err)
	}
	return nil
}

func grammarFor(schema []byte, calls bool, mode Mode) (*Grammar, error) {
	if calls {
		g, err := CompileTools([]Tool{{Name: "do_it", Schema: schema}}, Options{Mode: mode})
		if err != nil {
			return nil, err
		}
		return g.Choose(Choice{Min: 1, Max: 3})
	}
	return Compile(schema, Options{Mode: mode})
}

func judge(s *jsonschema.Schema, text []byte, calls bool) error {
	if !calls {
		return validate(s, text)
	}
	var list []struct {
		Name      string
		Arguments json.RawMessage
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return err
	}
	if len(list) == 0 || len(list) > 3 {
		return fmt.Errorf("%d calls", len(list))
	}
	for _, call := range list {
		if call.Name != "do_it" {
			return fmt.Errorf("a call of %q", call.Name)
		}
		if err := validate(s, call.Arguments); err != nil {
			return err
		}
	}
	return nil
}

// TestRandomSchemas writes texts of random grammars with random logits. NEEDLE_GRAMMAR_RUNS changes how many,
// NEEDLE_GRAMMAR_SEED the first.
func TestRandomSchemas(t *testing.T) {
	runs, first := 20_000, uint64(1)
	if testing.Short() {
		runs = 500
	}
	if n, err := strconv.Atoi(os.Getenv("NEEDLE_GRAMMAR_RUNS")); err == nil {
		runs = n
	}
	if n, err := strconv.ParseUint(os.Getenv("NEEDLE_GRAMMAR_SEED"), 10, 64); err == nil {
		first = n
	}
	v, o, bad := someVocabulary(), &outcome{keywords: map[string]int{}}, 0
	for i := range runs {
		seed := first + uint64(i)
		if err := tryOne(seed, v, o); err != nil {
			t.Errorf("seed %d: %v", seed, err)
			if bad++; bad == 10 {
				break
			}
		}
		if os.Getenv("NEEDLE_GRAMMAR_PROGRESS") != "" && (i+1)%10_000 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d\n", i+1, runs)
		}
	}
	t.Logf("%d schemas: %d that nothing satisfies, %d refused as not supported, %d texts finished and valid, %d cut",
		o.schemas, o.empty, o.refused, o.finished, o.cut)
	for _, key := range slices.Sorted(maps.Keys(o.keywords)) {
		t.Logf("%8d %s", o.keywords[key], key)
	}
	if written := o.finished + o.cut; o.finished < written*9/10 {
		t.Errorf("%d of %d texts finished, wanted nine of ten", o.finished, written)
	}
	if o.refused > o.schemas/20 {
		t.Errorf("%d of %d schemas refused as not supported", o.refused, o.schemas)
	}
}

// weaken drops one keyword somewhere in a schema, so that its texts lie near the border of the whole one's.
func (m *schemaMaker) weaken(v any) {
	var places []func()
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case object:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				places = append(places, func() { delete(v, key) })
				if key != "enum" && key != "const" {
					walk(v[key])
				}
			}
		case []any:
			for _, s := range v {
				walk(s)
			}
		}
	}
	walk(v)
	if len(places) > 0 {
		places[m.r.IntN(len(places))]()
	}
}

// wholeNumber finds a whole number with a fraction or an exponent: JSON Schema takes it for an integer, this
// grammar does not.
var wholeNumber = regexp.MustCompile(`[0-9](\.0+([^0-9]|$)|[eE])`)

// TestRandomInstances compares verdicts with the other library's on texts of weakened schemas: what it takes is
// accepted, what it refuses is refused, and a schema said to be empty takes nothing.
func TestRandomInstances(t *testing.T) {
	runs := 6_000
	if testing.Short() {
		runs = 300
	}
	v, counts, bad := someVocabulary(), map[string]int{}, 0
	for seed := uint64(1); seed <= uint64(runs) && bad < 10; seed++ {
		m := newSchemaMaker(seed)
		doc := m.document(false)
		schema, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		m.weaken(doc)
		weaker, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		reference, err := compileReference(schema)
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		g, err := Compile(schema, Options{})
		var fault *Error
		if err != nil && !errors.As(err, &fault) {
			t.Fatalf("%s: %v", schema, err)
		}
		if fault != nil && !strings.Contains(fault.Error(), "satisf") {
			continue
		}
		h, err := Compile(weaker, Options{})
		if err != nil {
			continue
		}
		w := &writer{v: v, r: rand.New(rand.NewPCG(seed, 29)), m: h.Start(v)}
		if finished, err := w.write(600); err != nil || !finished || wholeNumber.Match(w.text) {
			continue
		}
		accepted := false
		if g != nil {
			matcher := g.Start(v)
			accepted = matcher.AcceptBytes(w.text) && matcher.Complete()
		}
		valid := validate(reference, w.text) == nil
		counts[fmt.Sprintf("valid %t", valid)]++
		if accepted != valid {
			bad++
			t.Errorf("seed %d: %s\n%s\naccepted %t, the other library says %t (grammar: %v)", seed, schema, w.text, accepted, valid, err)
		}
	}
	t.Logf("%v", counts)
	if counts["valid true"] < runs/5 || counts["valid false"] < runs/20 {
		t.Errorf("%v: too few of a kind to mean anything", counts)
	}
}

// TestFoundFaults pins what a hostile test found: schemas that hung, dead-ended, or were wrongly empty.
func TestFoundFaults(t *testing.T) {
	v := someVocabulary()
	for _, c := range []struct{ schema, text string }{
		{`{"type":"array","items":{"type":"string","pattern":"^(München|Köln|Ulm)$"},"uniqueItems":true}`, `["Köln","München","Ulm"]`},
		{`{"type":"array","items":{"pattern":"^[abc]$","type":"string"},"uniqueItems":true}`, `["a","\u0062","c"]`},
		{`{"$ref":"#/$defs/e","$defs":{"e":{"oneOf":[{"type":"object","required":["l","op"],"properties":{"l":{"$ref":"#/$defs/e"},"op":{"const":1}}},
			{"type":"object","required":["l","op"],"properties":{"l":{"$ref":"#/$defs/e"},"op":{"const":2}}},{"type":"number"}]}}}`, `{"l":{"l":3,"op":2},"op":1}`},
		{`{"properties":{"a":{"$ref":"#"}},"enum":[{"a":{}},{}]}`, `{"a":{}}`},
		{`{"type":"string","not":{"maxLength":0}}`, `"a"`},
		{`{"oneOf":[{"type":"string","maxLength":0},{"type":"string"}]}`, `"a"`},
		{`{"type":"object","minProperties":1,"properties":{"A":{},"B":{}},"patternProperties":{"^[a-z]{1,20}$":{}},"additionalProperties":false}`, `{"A":1}`},
		{`{"type":"array","items":{"type":"string"},"contains":{"const":"admin"},"uniqueItems":true,"minItems":2}`, `["user","admin"]`},
		{`{"contains":{"type":"null"},"uniqueItems":true,"type":"array"}`, `[1,null]`},
		{`{"type":"array","prefixItems":[{"type":"string"}],"contains":{"type":"null"},"uniqueItems":true}`, `["a",null]`},
		{`{"type":"object","required":["a"],"maxProperties":1,"not":{"additionalProperties":{"type":"string"}}}`, `{"a":1}`},
		{`{"anyOf":[{"const":1e300},{"type":"null"}]}`, `null`},
	} {
		g, err := Compile([]byte(c.schema), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		m := g.Start(v)
		if !m.AcceptBytes([]byte(c.text)) || !m.Complete() {
			t.Errorf("%s refuses %s", c.schema, c.text)
		}
	}
	for _, schema := range []string{ // nothing fits: no array goes past an item that nothing can be
		`{"items":{"items":false,"maxItems":4,"prefixItems":[{"enum":["a"],"not":{"type":"string"}},{"enum":[null,1]}],"type":"array"},"minItems":2,"type":"array","uniqueItems":true}`,
		`{"items":{"prefixItems":[{"type":"null"},false],"type":"array"},"minItems":3,"type":"array","uniqueItems":true}`,
	} {
		if _, err := Compile([]byte(schema), Options{}); err == nil || !strings.Contains(err.Error(), "no value") {
			t.Errorf("%s: %v, want that no value fits", schema, err)
		}
	}
	for _, schema := range []string{ // too much to compute, and said so at once
		`{"pattern":"(((\\ba){2000}){2000}){2000}"}`, `{"pattern":"((\\ba?){300}){300}"}`, `{"type":"integer","minimum":1e70}`,
		`{"type":"number","not":{"multipleOf":1e-64}}`,
	} {
		if _, err := Compile([]byte(schema), Options{}); err == nil {
			t.Errorf("%s: compiled", schema)
		}
	}
	allOf := `{"$ref":"#/$defs/d0","$defs":{"d25":{"type":"object"}`
	for i := range 25 {
		allOf += fmt.Sprintf(`,"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1)
	}
	allOf += "}}"
	list := make([]string, 10_000)
	for i := range list {
		list[i] = strconv.Itoa(i)
	}
	for _, schema := range []string{allOf, `{"type":"integer","enum":[` + strings.Join(list, ",") + `]}`} {
		if _, err := Compile([]byte(schema), Options{}); err != nil {
			t.Errorf("%.60s: %v", schema, err)
		}
	}
}
