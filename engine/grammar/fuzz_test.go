package grammar

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// fuzzBudget is what one input may take: far more than any needs that does bounded work.
const fuzzBudget = 10 * time.Second

// bounded reports an input that took too long.
func bounded(t *testing.T, began time.Time, what string) {
	t.Helper()
	if took := time.Since(began); took > fuzzBudget {
		t.Errorf("%s took %v", what, took)
	}
}

// fuzzSchemas are seeds: the schemas of the tables and random ones.
func fuzzSchemas() []string {
	out := []string{`{}`, `true`, `{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"allOf":[{"$ref":"#/allOf/0"}]}`}
	for _, row := range faultRows {
		out = append(out, row.schema)
	}
	for _, row := range toolRows {
		out = append(out, row.schema)
	}
	out = append(append(out, unsatisfiable...), stringSchemas...)
	for seed := range uint64(60) {
		text, err := json.Marshal(newSchemaMaker(seed + 1).document(false))
		if err == nil {
			out = append(out, string(text))
		}
	}
	return out
}

// costly finds what a schema may ask for that takes long for honest reasons: large repetitions.
var costly = regexp.MustCompile(`[0-9]{3,}[,}]`)

// FuzzCompile compiles anything: it must not panic, and a text of what compiles must never get stuck.
func FuzzCompile(f *testing.F) {
	for i, s := range fuzzSchemas() {
		f.Add([]byte(s), uint64(i), i%2 == 0)
	}
	v := someVocabulary()
	f.Fuzz(func(t *testing.T, schema []byte, seed uint64, tool bool) {
		if len(schema) > 4<<10 || costly.Match(schema) {
			return
		}
		began := time.Now()
		o := Options{Lenient: seed%3 == 0}
		if tool {
			o.Mode = ModeTool
		}
		g, err := Compile(schema, o)
		bounded(t, began, "compiling")
		if err != nil {
			return
		}
		w := &writer{v: v, r: rand.New(rand.NewPCG(seed, 1)), m: g.Start(v)}
		if _, err := w.write(60); err != nil {
			t.Errorf("%s after %q: %v", schema, w.text, err)
		}
		if w.m.Complete() && !json.Valid(w.text) {
			t.Errorf("%s: %q is complete and no JSON", schema, w.text)
		}
		bounded(t, began, "writing")
	})
}

// FuzzMatcher reads texts: what is accepted whole must be JSON in valid UTF-8 without whitespace, and what the
// mask says of single bytes must be what happens.
func FuzzMatcher(f *testing.F) {
	for _, s := range fuzzSchemas() {
		f.Add([]byte(s), []byte(`{"a":1}`))
		f.Add([]byte(s), []byte(`["é\u00e9😀\ud83d\ude00",-1.5e3,null]`))
	}
	for _, text := range append(validStrings, invalidStrings...) {
		f.Add([]byte(`{}`), []byte(text))
	}
	v := someBytes()
	f.Fuzz(func(t *testing.T, schema, text []byte) {
		if len(schema) > 2<<10 || len(text) > 1<<10 || costly.Match(schema) {
			return
		}
		g, err := Compile(schema, Options{Lenient: true})
		if err != nil {
			return
		}
		m := g.Start(v)
		for i, b := range text {
			if !m.Complete() && m.Mask().Count() == 0 {
				t.Fatalf("%s: nothing follows %q", schema, text[:i])
			}
			legal := m.Mask().Has(int32(b))
			if m.Accept(int32(b)) != legal {
				t.Fatalf("%s after %q: byte %q in the mask %t", schema, text[:i], b, legal)
			}
			if !legal {
				return
			}
		}
		if m.Complete() {
			checkWhole(t, schema, text)
		}
	})
}

// checkWhole also asks the other library, when it reads the schema as this package does.
func checkWhole(t *testing.T, schema, text []byte) {
	t.Helper()
	if !json.Valid(text) || !utf8.Valid(text) {
		t.Errorf("%s: %q is accepted and no JSON", schema, text)
	}
	if _, err := Compile(schema, Options{}); err != nil || strings.Contains(string(schema), "$") || unlike.Match(schema) {
		return // something is not enforced, or references and patterns, which the libraries read differently
	}
	reference, err := compileReference(schema)
	if err != nil {
		return
	}
	if err := validate(reference, text); err != nil {
		t.Errorf("%s: %q: %v", schema, text, err)
	}
}

// unlike finds keywords that the other library reads in another draft's way or by another engine.
var unlike = regexp.MustCompile(`(?i)pattern|format|items"\s*:\s*\[|dependencies|"id"|exclusiveM\w+"\s*:\s*(true|false)|additionalItems|\\u`)

// FuzzPattern compiles any pattern; where RE2 surely means the same, it is asked about a text.
func FuzzPattern(f *testing.F) {
	for i, p := range common {
		f.Add(p, "aab", uint64(i))
	}
	for _, p := range []string{`^(?=.*\d)(?!x).{1,4}$`, `[\d-x]+`, `\u{1F600}`, `\cJ`, `(?<n>a)`, `\p{Greek}`, `a{2,1}`, `[z-a]`, `(a`, `\1`} {
		f.Add(p, "a1", uint64(1))
	}
	f.Fuzz(func(t *testing.T, pattern, text string, seed uint64) {
		if len(pattern) > 200 || len(text) > 200 || costly.MatchString(pattern) {
			return
		}
		began := time.Now()
		d, err := automatonOf(pattern)
		bounded(t, began, "compiling")
		if err != nil {
			if sameMeaning(pattern) && !errors.Is(err, errTooComplex) && !repeatsAssertion(err) {
				t.Errorf("%q: %v, and RE2 takes it", pattern, err)
			}
			return
		}
		found := d.matches(text)
		if !sameMeaning(pattern) {
			return
		}
		if utf8.ValidString(text) && !strings.ContainsAny(text, lineEnding) && found != regexp.MustCompile(pattern).MatchString(text) {
			t.Errorf("%q found in %q: %t, and RE2 says otherwise", pattern, text, found)
		}
		if bad, _ := disagreements(pattern, d, 8, rand.New(rand.NewPCG(seed, 9))); len(bad) > 0 {
			t.Error(bad[0])
		}
	})
}

// plainSyntax has the characters and escapes that RE2 and ECMA-262 give one meaning, whatever stands beside them:
// no flags, no names, classes without sets and brackets in them, and braces in quantifiers only.
var plainSyntax = regexp.MustCompile(`^(?:[a-zA-Z0-9 ,:;=@#%&'"!<>~_é日😀-]|\\[dDwWbB.*+?()|{}^$\[\]\\/]|[.*+?|^$]|\(\?:|\((?:$|[^?])|\)|\{(?:0|[1-9][0-9]?)(?:,(?:0|[1-9][0-9]?)?)?\}|\[\^?(?:[a-z]-[a-z]|[a-zA-Z0-9 é日])+\])*$`)

// sameMeaning reports that RE2 takes a pattern and reads it alike. Repeated repetitions are legal in RE2 only.
func sameMeaning(pattern string) bool {
	if !plainSyntax.MatchString(pattern) || repeated.MatchString(pattern) {
		return false
	}
	_, err := syntax.Parse(pattern, syntax.Perl)
	return err == nil
}

// repeatsAssertion reports an error about the one thing in plain syntax that is refused: repeating a group that
// holds an assertion, without limit or where the assertion is all it holds.
func repeatsAssertion(err error) bool {
	return strings.Contains(err.Error(), "assertion") || strings.Contains(err.Error(), "nothing to repeat")
}

// repeated finds a quantifier after another one or after an assertion.
var repeated = regexp.MustCompile(`(?:[*+?}^$(|]|\\[bB])[*+?{]|\(\?:[*+?{]|^[*+?{]`)

// TestSameMeaning is the control of FuzzPattern: it is asked often enough, and not about what differs.
func TestSameMeaning(t *testing.T) {
	asked := 0
	for _, pattern := range common {
		asked += int(one(sameMeaning(pattern)))
	}
	if asked < len(common)/2 {
		t.Errorf("%d of %d common patterns are compared", asked, len(common))
	}
	for _, pattern := range []string{`[]a]`, `(?i)a`, `(?P<n>a)`, `\s`, `a**`, `^*`, `\Aa`, `\z`, `a{,3}`, `{`, `\Qa\E`, `[[:alpha:]]`, `[\d-x]`, `\pL`, `\C`, `(?=a)`, `(a`} {
		if sameMeaning(pattern) {
			t.Errorf("%q is compared", pattern)
		}
	}
}
