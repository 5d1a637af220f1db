package grammar

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// splits cuts a text into tokens in some ways: whole, byte by byte, in two at each place, and at random.
func splits(text string, r *rand.Rand) [][]string {
	out := [][]string{{text}, strings.Split(text, "")}
	var bytes []string
	for i := range len(text) {
		bytes = append(bytes, text[i:i+1])
		if i > 0 {
			out = append(out, []string{text[:i], text[i:]})
		}
	}
	out[1] = bytes // Split keeps code points whole
	for range 8 {
		var parts []string
		for rest := text; rest != ""; {
			n := 1 + r.IntN(min(len(rest), 5))
			parts, rest = append(parts, rest[:n]), rest[n:]
		}
		out = append(out, parts)
	}
	return out
}

// acceptsTokens takes a text token by token, each through the mask of a vocabulary of just these tokens.
func acceptsTokens(g *Grammar, tokens []string) bool {
	pieces := make([][]byte, len(tokens))
	for i, p := range tokens {
		pieces[i] = []byte(p)
	}
	m := g.Start(NewVocabulary(pieces))
	for id := range tokens {
		legal := m.Mask().Has(int32(id))
		if m.Accept(int32(id)) != legal {
			panic(fmt.Sprintf("%q: the mask and Accept differ at %q", tokens, tokens[id]))
		}
		if !legal {
			return false
		}
	}
	return m.Complete()
}

// stringSchemas all take the texts of validStrings: each goes another way through masks and automata.
var stringSchemas = []string{
	`{"type":"string"}`, `{"type":"string","maxLength":40}`, `{"type":"string","minLength":1,"maxLength":1000}`, `{"type":"string","minLength":1}`,
	`{"type":"string","pattern":"^[^]*$"}`, `{"type":"string","pattern":"^[^\u0001]*$"}`, `{"type":"string","pattern":"^[^\u0001]+$","maxLength":30}`, `{}`,
	`{"type":"string","not":{"const":"zzz"}}`, `{"anyOf":[{"type":"string","maxLength":20},{"type":"string","pattern":"a"},{"type":"string","minLength":1}]}`,
}

var validStrings = []string{
	`"a"`, `"é"`, `"日本"`, `"😀"`, `"a😀é"`, `"\u00e9"`, `"\uD83D\uDE00"`, `"\ud83d\ude00x"`, `"\"\\\/\b\f\n\r\t"`, `"\u0000"`, `"\uffff"`, `"\ufeff"`, "\"\ufffd\"", "\"\u0080\"",
	"\"\u07ff\u0800\"", "\"\ud7ff\ue000\"", "\"\U00010000\"", "\"\U0010ffff\"", "\"\x7f\"", `"\ud7ff\ue000"`, `"\udbff\udfff"`, `"\ud800\udc00"`, `"x\u0022y"`, `"\\u0041"`, `"\\\\"`,
}

var invalidStrings = []string{
	// raw control bytes
	"\"\x00\"", "\"\x01\"", "\"a\nb\"", "\"\t\"", "\"\x1f\"", "\"\r\"",
	// no UTF-8: stray and missing continuations, overlong forms, surrogates, beyond the last code point
	"\"\x80\"", "\"\xbf\"", "\"\xc3\"", "\"\xc3a\"", "\"\xe6\x97\"", "\"\xe6\x97a\"", "\"\xf0\x9f\x98\"", "\"\xf0\x9f\x98a\"", "\"\xc0\x80\"", "\"\xc1\xbf\"", "\"\xe0\x80\x80\"", "\"\xe0\x9f\xbf\"",
	"\"\xf0\x80\x80\x80\"", "\"\xf0\x8f\xbf\xbf\"", "\"\xed\xa0\x80\"", "\"\xed\xbf\xbf\"", "\"\xed\xa0\xbd\xed\xb8\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xf5\x80\x80\x80\"", "\"\xf8\x88\x80\x80\x80\"",
	"\"\xfe\"", "\"\xff\"", "\"é\xa9\"",
	// escapes that JSON lacks, and halves of pairs
	`"\a"`, `"\x41"`, `"\0"`, `"\'"`, `"\u"`, `"\u1"`, `"\u12"`, `"\u123"`, `"\u123g"`, `"\u 123"`, `"\u-123"`, `"\U0041"`, "\"\\\n\"", `"\é"`,
	`"\ud83d"`, `"\ud83dx"`, `"\ud83d\n"`, `"\ud83d\u0041"`, `"\ud83d\ud83d"`, `"\ude00"`, `"\ude00\ud83d"`, `"\udc00"`, `"\udbff\ue000"`, `"\ud800\\udc00"`,
	"\"\\ud83d\xed\xb8\x80\"",
	// no end, or more after it
	`"`, `"a`, `"\"`, `"a"b"`, `""x`,
}

func TestStringsOverTokenBorders(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for _, schema := range stringSchemas {
		g := mustCompile(t, schema, ModeSchema)
		for _, text := range validStrings {
			if !json.Valid([]byte(text)) {
				t.Fatalf("%s is no JSON", text)
			}
			for _, tokens := range splits(text, r) {
				if !acceptsTokens(g, tokens) {
					t.Errorf("%s: %q is refused", schema, tokens)
				}
			}
		}
		for _, text := range invalidStrings {
			if json.Valid([]byte(text)) && utf8.ValidString(text) && !strings.Contains(strings.ToLower(text), `\ud`) {
				t.Fatalf("%q is good JSON", text)
			}
			for _, tokens := range splits(text, r) {
				if acceptsTokens(g, tokens) {
					t.Errorf("%s: %q is accepted", schema, tokens)
				}
			}
		}
	}
}

// TestInvalidStringsStopAtOnce finds the first byte after which nothing can save a text, by trying all bytes: a
// byte that is accepted must lead somewhere.
func TestInvalidStringsStopAtOnce(t *testing.T) {
	for _, schema := range stringSchemas {
		g := mustCompile(t, schema, ModeSchema)
		for _, text := range append(validStrings, invalidStrings...) {
			m := g.Start(noTokens)
			for i := range len(text) {
				if !m.AcceptBytes([]byte{text[i]}) {
					break
				}
				if !m.Complete() && !goesOn(m) {
					t.Errorf("%s: nothing follows %q", schema, text[:i+1])
				}
			}
		}
	}
}

func goesOn(m *Matcher) bool {
	for b := range 256 {
		if m.Clone().AcceptBytes([]byte{byte(b)}) {
			return true
		}
	}
	return false
}

// TestNamesOverTokenBorders does the same for members' names, declared and other ones.
func TestNamesOverTokenBorders(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 5))
	for _, schema := range []string{`{"type":"object"}`, `{"properties":{"é😀":{"type":"null"},"b":{"type":"null"}}}`, `{"propertyNames":{"minLength":1}}`,
		`{"patternProperties":{"^[^]":{"type":"null"}},"additionalProperties":false}`, `{"properties":{"é😀":{"type":"null"}},"additionalProperties":false}`} {
		g := mustCompile(t, schema, ModeSchema)
		for _, text := range []string{`{"é😀":null}`, `{"\u00e9😀":null}`, `{"é\ud83d\ude00":null}`, `{"\u00E9\uD83D\uDE00":null}`} {
			for _, tokens := range splits(text, r) {
				if !acceptsTokens(g, tokens) {
					t.Errorf("%s: %q is refused", schema, tokens)
				}
			}
		}
		for _, name := range invalidStrings {
			text := `{` + name + `:null}`
			for _, tokens := range splits(text, r) {
				if acceptsTokens(g, tokens) {
					t.Errorf("%s: %q is accepted", schema, tokens)
				}
			}
		}
	}
}

// spellings are ways to write one code point, by its kind.
var spellings = map[string][]string{
	"ascii":  {`a`, `\u0061`},
	"escape": {`\n`, `\"`, `\\`, `\/`, `\u000a`},
	"latin":  {`é`, `\u00e9`, `\u00E9`},
	"plane":  {`日`, `\u65e5`},
	"emoji":  {`😀`, `\ud83d\ude00`, `\uD83D\uDE00`},
}

// TestLengthsCountCodePoints writes strings of n code points in every spelling, against all limits around n.
func TestLengthsCountCodePoints(t *testing.T) {
	const most = 4
	r := rand.New(rand.NewPCG(1, 1))
	for low := range most + 1 {
		for high := low; high <= most; high++ {
			for _, extra := range []string{``, `,"pattern":"^[^]*$"`, `,"pattern":"^[^\u0001]*$"`, `,"not":{"const":"zz"}`} {
				g := mustCompile(t, fmt.Sprintf(`{"type":"string","minLength":%d,"maxLength":%d%s}`, low, high, extra), ModeSchema)
				for n := range most + 2 {
					for kind, ways := range spellings {
						text := `"`
						for range n {
							text += ways[r.IntN(len(ways))]
						}
						text += `"`
						if got, want := accepts(g, text), n >= low && n <= high; got != want {
							t.Errorf("%d code points (%s) between %d and %d%s: accepted %t", n, kind, low, high, extra, got)
						}
					}
				}
			}
		}
	}
}

// TestLengthsWithPatterns compares each text over a small alphabet with the rules worked out by hand.
func TestLengthsWithPatterns(t *testing.T) {
	fits := map[string]func(s string) bool{
		"^(ab)*$":   func(s string) bool { return s == strings.Repeat("ab", len(s)/2) },
		"b":         func(s string) bool { return strings.Contains(s, "b") },
		"^a*b$":     func(s string) bool { return s == strings.Repeat("a", max(len(s)-1, 0))+"b" },
		"^(aaa|b)*": func(s string) bool { return true },
		"^(aa|b)*$": func(s string) bool { return pairsOnly(s) },
		"^a{2}b*$":  func(s string) bool { return len(s) >= 2 && s == "aa"+strings.Repeat("b", len(s)-2) },
		"ba$":       func(s string) bool { return strings.HasSuffix(s, "ba") },
	}
	all := everyText("ab", 6)
	for pattern, fit := range fits {
		for low := range 5 {
			for high := low; high <= 5; high++ {
				checkLengths(t, pattern, low, high, all, fit)
			}
		}
	}
}

func pairsOnly(s string) bool {
	for _, run := range strings.Split(s, "b") {
		if len(run)%2 == 1 {
			return false
		}
	}
	return true
}

func everyText(alphabet string, most int) []string {
	out, last := []string{""}, []string{""}
	for range most {
		var next []string
		for _, s := range last {
			for _, c := range alphabet {
				next = append(next, s+string(c))
			}
		}
		out, last = append(out, next...), next
	}
	return out
}

func checkLengths(t *testing.T, pattern string, low, high int, all []string, fit func(string) bool) {
	t.Helper()
	some := false
	want := map[string]bool{}
	for _, s := range all {
		want[s] = len(s) >= low && len(s) <= high && fit(s)
		some = some || want[s]
	}
	g, err := Compile(fmt.Appendf(nil, `{"type":"string","pattern":%q,"minLength":%d,"maxLength":%d}`, pattern, low, high), Options{})
	if (err == nil) != some {
		t.Errorf("%q of %d to %d: compiles %t, has texts %t", pattern, low, high, err == nil, some)
	}
	if err != nil {
		return
	}
	for _, s := range all {
		if got := accepts(g, `"`+s+`"`); got != want[s] {
			t.Errorf("%q of %d to %d: %q accepted %t", pattern, low, high, s, got)
		}
	}
}
