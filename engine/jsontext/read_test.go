package jsontext

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/internal/jsontest"
)

// offset returns the place a *SyntaxError in err gives, or -1.
func offset(err error) int {
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Offset
	}
	return -1
}

func TestParseOffsets(t *testing.T) {
	for _, c := range []struct {
		text string
		at   int
	}{
		{``, 0}, {`  `, 2}, {`[`, 1}, {`[1`, 2}, {`[1,]`, 3}, {`[,1]`, 1}, {`{"a"}`, 4}, {`{"a":1,}`, 7}, {`{a:1}`, 1},
		{`{"a":}`, 5}, {`"abc`, 0}, {`["a`, 1}, {`"\q"`, 2}, {`"\u12g4"`, 5}, {`"\ud800\uzz"`, 9}, {`"` + "\n" + `"`, 1},
		{`01`, 1}, {`-`, 1}, {`1.`, 2}, {`1e`, 2}, {`1e+`, 3}, {`+1`, 0}, {`.5`, 0}, {`tru`, 0}, {`nulll`, 4}, {`1 2`, 2},
		{`NaN`, 0}, {`'a'`, 0}, {`"\`, 2}, {`"\u00`, 5}, {"\x00", 0}, {"[\xff]", 1},
	} {
		_, err := Parse(c.text)
		if got := offset(err); got != c.at {
			t.Errorf("%q: %v, want an error at %d", c.text, err, c.at)
		}
		if _, err := Compact(c.text); offset(err) != c.at {
			t.Errorf("Compact(%q): %v, want an error at %d", c.text, err, c.at)
		}
	}
}

func TestDepth(t *testing.T) {
	for _, brackets := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
		for _, c := range []struct {
			levels int
			ok     bool
		}{{maxDepth, true}, {maxDepth + 1, false}, {1 << 20, false}} {
			text := strings.Repeat(brackets[0], c.levels) + "1" + strings.Repeat(brackets[1], c.levels)
			_, err := Parse(text)
			_, errCompact := Compact(text)
			if (err == nil) != c.ok || (errCompact == nil) != c.ok {
				t.Errorf("%d levels of %s: %v, %v; want success: %v", c.levels, brackets[0], err, errCompact, c.ok)
			}
		}
	}
}

func TestTreesAreBounded(t *testing.T) {
	if _, err := Parse(strings.Repeat(" ", maxText+1)); offset(err) != maxText {
		t.Errorf("a text beyond the bound gives %v", err)
	}
}

func TestCompact(t *testing.T) {
	for _, c := range [][2]string{
		{" { \"b\" : [ 1.50 , 1E5 ,true,null ] ,\n\"a\":{}, \"b\":\" x \" }\t", `{"b":[1.50,1E5,true,null],"a":{},"b":" x "}`},
		{`"\u00e9\/ \ud83d"`, `"\u00e9\/ \ud83d"`}, // strings stay as written
		{"[\"\xff\x00é\"]", "[\"\uFFFD\uFFFDé\"]"},
		{"[ ]", "[]"}, {"-0.0e-1", "-0.0e-1"},
	} {
		if got, err := Compact(c[0]); err != nil || got != c[1] {
			t.Errorf("Compact(%q) = %q, %v; want %q", c[0], got, err, c[1])
		}
	}
}

func TestAppendString(t *testing.T) {
	for _, c := range [][2]string{
		{"", `""`}, {"a\"b\\c/", `"a\"b\\c/"`}, {"\b\f\n\r\t", `"\b\f\n\r\t"`}, {"\x00\x1f\x7f", "\"\\u0000\\u001f\x7f\""},
		{"é日😀\u2028<>&", "\"é日😀\u2028<>&\""}, {"a\xffb\xf0\x9f", "\"a\uFFFDb\uFFFD\uFFFD\""}, {"\uFFFD", "\"\uFFFD\""},
	} {
		if got := string(AppendString([]byte("x"), c[0])); got != "x"+c[1] {
			t.Errorf("AppendString(%q) = %s, want x%s", c[0], got, c[1])
		}
	}
}

func TestStringsAreDecoded(t *testing.T) {
	for _, c := range [][2]string{
		{`"\u00e9\/\"\\\b\f\n\r\t"`, "é/\"\\\b\f\n\r\t"}, {`"\ud83d\ude00"`, "😀"}, {`"\ud83dx"`, "\uFFFDx"},
		{`"\ude00"`, "\uFFFD"}, {`"\ud83d\ud83d\ude00"`, "\uFFFD😀"}, {`"\ud83d\u0041"`, "\uFFFDA"}, {`"\ud83d\n"`, "\uFFFD\n"},
		{"\"a\x00\xffb\"", "a\uFFFD\uFFFDb"}, {`"\u0000"`, "\x00"},
		{"\"\\n\\n\xff\"", "\n\n\uFFFD"}, // as long decoded as written
	} {
		if v, err := Parse(c[0]); err != nil || v.Text != c[1] {
			t.Errorf("%q is %q, %v; want %q", c[0], v.Text, err, c[1])
		}
	}
}

// agree compares with encoding/json, which accepts the same texts but for depth and bytes that are not UTF-8.
func agree(t *testing.T, text string) {
	t.Helper()
	v, err := Parse(text)
	compact, errCompact := Compact(text)
	if (err == nil) != (errCompact == nil) || offset(err) != offset(errCompact) {
		t.Fatalf("%q: parse says %v, Compact %v", text, err, errCompact)
	}
	clean := Valid(text)
	if len(text) < 400 && json.Valid([]byte(clean)) != (err == nil) {
		t.Fatalf("%q: encoding/json accepts it: %v; here %v", text, err != nil, err)
	}
	if err != nil {
		if at := offset(err); at < 0 || at > len(text) {
			t.Fatalf("%q: an error at %d", text, at)
		}
		return
	}
	for _, written := range []string{compact, string(AppendValue(nil, v))} {
		if !jsontest.Same(t, []byte(written), []byte(clean)) {
			t.Fatalf("%q became %q", text, written)
		}
	}
}

func TestParseAgreesWithEncodingJSON(t *testing.T) {
	for _, text := range jsonSeeds {
		agree(t, text)
	}
	if jsontest.Same(t, []byte(`{"a":[1,"x"]}`), []byte(`{"a":[1,"y"]}`)) {
		t.Error("the comparison sees no difference")
	}
}

var jsonSeeds = []string{
	`{"a":[1,2.50,-3e+7,true,false,null,"\u00e9"],"b":{"a":{}}}`, ` [ ] `, `"\ud83d\ude00 \ud83d"`, `{"a":1,"a":2}`, "[\"\xff\x00\"]",
	`[1,]`, `{"a"}`, `01`, `"\q"`, `1e`, ``, `[[[[[[`, `{"":""}`, "\ufeff[]", `"` + "\u2028" + `"`, `-0`, `1E08000008`, `123456789012345678901234567890`,
}

func FuzzJSON(f *testing.F) {
	for _, seed := range jsonSeeds {
		f.Add(seed)
	}
	f.Fuzz(agree)
}
