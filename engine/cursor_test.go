package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// stretch is a value in a list of calls, as encoding/json finds it.
type stretch struct {
	path       jsontext.Path // from the list
	begin, end int
	kind       byte // the first byte
	parent     int  // number of the array or object that it is in; -1 for the list itself
	tool       string
}

// bare reports whether a value has no mark of its end: it goes on until the byte behind.
func (s *stretch) bare() bool { return !strings.ContainsRune(`"[{`, rune(s.kind)) }

// open reports whether the first n bytes end inside the value.
func (s *stretch) open(n int) bool { return s.begin < n && (n < s.end || s.bare() && n == s.end) }

// argument is the path in the arguments of the call, ok reports whether the value is there.
func (s *stretch) argument() (jsontext.Path, bool) {
	if len(s.path) < 3 || s.path[1].Name != "arguments" {
		return nil, false
	}
	return s.path[2:], true
}

// stretches walks over the tokens of encoding/json.
func stretches(t testing.TB, text string) (all []stretch) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	at, tool := 0, ""
	token := func() json.Token {
		for at = int(d.InputOffset()); at < len(text) && (text[at] == ',' || text[at] == ':'); at++ {
		}
		x, err := d.Token()
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return x
	}
	var value func(path jsontext.Path, parent int)
	value = func(path jsontext.Path, parent int) {
		x := token()
		n := len(all)
		all = append(all, stretch{path: path, begin: at, kind: text[at], parent: parent, tool: tool})
		switch x {
		case json.Delim('['):
			for i := 0; d.More(); i++ {
				value(path.At(i), n)
			}
			token()
		case json.Delim('{'):
			for d.More() {
				value(path.To(token().(string)), n)
			}
			token()
		}
		all[n].end = int(d.InputOffset())
		if len(path) == 2 && path[1].Name == "name" {
			tool = x.(string)
		}
	}
	value(nil, -1)
	return all
}

// checkCursor compares a cursor behind each byte of a complete list with the walk.
func checkCursor(t testing.TB, text string) {
	t.Helper()
	all := stretches(t, text)
	c := newCursor()
	for n := 1; n <= len(text); n++ {
		c.writeByte(text[n-1])
		if fault := cursorFault(&c, all, text, n); fault != "" {
			t.Fatalf("behind %q of %s: %s", text[:n], text, fault)
		}
	}
}

func cursorFault(c *cursor, all []stretch, text string, n int) string {
	var inArguments, inArgument, atArgument, opened bool
	innermost := -1
	for i := range all {
		v := &all[i]
		path, isArgument := v.argument()
		inArguments = inArguments || len(v.path) == 2 && v.path[1].Name == "arguments" && v.open(n)
		inArgument = inArgument || len(path) == 1 && (n == v.begin || v.open(n))
		atArgument = atArgument || len(path) == 1 && (n == v.begin || v.kind == '"' && n == v.begin+1)
		opened = opened || v.kind == '"' && n == v.begin+1
		if !v.open(n) && n != v.begin {
			continue
		}
		if isArgument && (v.kind == '"' || v.bare() || n == v.begin) {
			if got := c.path(); !slices.Equal(got, path) || c.tool != v.tool {
				return fmt.Sprintf("value at %s %s, expected %s %s", c.tool, got, v.tool, path)
			}
			if v.open(n) && c.value != v.begin {
				return fmt.Sprintf("the value begins at %d, expected %d", c.value, v.begin)
			}
		}
		if !v.bare() && v.kind != '"' && v.open(n) {
			innermost = i
		}
	}
	for _, f := range []struct {
		name      string
		got, want bool
	}{
		{"inArguments", c.inArguments(), inArguments}, {"inArgument", c.inArgument(), inArgument},
		{"atArgument", c.atArgument(), atArgument}, {"opened", c.opened(), opened},
	} {
		if f.got != f.want {
			return fmt.Sprintf("%s is %v", f.name, f.got)
		}
	}
	if innermost >= 0 && all[innermost].kind == '[' {
		items, same := elementsIn(all, innermost, text, n)
		if top := c.top(); top.object || top.items != items || top.same != same {
			return fmt.Sprintf("%d items, the last %d equal, expected %d and %d", top.items, top.same, items, same)
		}
	}
	return ""
}

// elementsIn counts the finished elements of an array, and how many of the last ones are equal.
func elementsIn(all []stretch, array int, text string, n int) (items, same int) {
	last := ""
	for i := range all {
		if v := &all[i]; v.parent == array && (v.end < n || v.end == n && !v.bare()) {
			if this := text[v.begin:v.end]; items > 0 && this == last {
				same++
			} else {
				last, same = this, 1
			}
			items++
		}
	}
	return items, same
}

// randomCalls writes a list of calls without blanks.
func randomCalls(r *rand.Rand) string {
	var list []string
	for range r.IntN(4) {
		list = append(list, `{"name":`+randomString(r)+`,"arguments":`+randomObject(r, 3)+`}`)
	}
	return "[" + strings.Join(list, ",") + "]"
}

func randomObject(r *rand.Rand, depth int) string {
	var members []string
	for range r.IntN(4) {
		members = append(members, randomString(r)+":"+randomValue(r, depth))
	}
	return "{" + strings.Join(members, ",") + "}"
}

var someStrings = []string{
	`""`, `"name"`, `"arguments"`, `"a"`, `"a b"`, `"\""`, `"\\"`, `"\\\""`, `"\u00e9\ud83d\ude00"`, `"é中😀"`, `"[{,:}]"`, `"a\\"`, `"\/\n"`, `"\\\\\"x"`,
}

func randomString(r *rand.Rand) string { return someStrings[r.IntN(len(someStrings))] }

func randomValue(r *rand.Rand, depth int) string {
	kind := r.IntN(6)
	if depth == 0 {
		kind = r.IntN(3)
	}
	switch kind {
	case 0:
		return []string{"0", "-1", "12.5", "1e-3", "-0.5E+7", "1234567890123"}[r.IntN(6)]
	case 1:
		return []string{"true", "false", "null"}[r.IntN(3)]
	case 3:
		return randomObject(r, depth-1)
	case 4, 5:
		var items []string
		for range r.IntN(5) {
			items = append(items, randomValue(r, depth-1))
			for range r.IntN(3) {
				items = append(items, items[len(items)-1])
			}
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	return randomString(r)
}

func TestCursorKnowsWhereItIs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		checkCursor(t, randomCalls(r))
	}
}

func TestCursorInPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		text := []byte(randomCalls(r))
		whole, pieces := newCursor(), newCursor()
		for _, b := range text {
			whole.writeByte(b)
		}
		for rest := text; len(rest) > 0; {
			n := 1 + r.IntN(min(len(rest), 9))
			pieces.write(rest[:n])
			rest = rest[n:]
		}
		if !reflect.DeepEqual(whole, pieces) {
			t.Fatalf("%s: cut into pieces\n%+v\nbyte by byte\n%+v", text, pieces, whole)
		}
	}
}

// A clone and what it was made of go their own ways.
func TestCursorCloneSharesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		text, other := []byte(randomCalls(r)), []byte(randomCalls(r))
		at := r.IntN(len(text) + 1)
		want, c := newCursor(), newCursor()
		want.write(text[:at])
		c.write(text[:at])
		d := c.clone()
		c.text, c.open = slices.Grow(c.text, 9), slices.Grow(c.open, 9)
		e := c.clone()
		d.write(other)
		for i := range e.open {
			e.open[i] = container{}
		}
		clear(e.text)
		if c.text, c.open = slices.Clip(c.text), slices.Clip(c.open); !bytes.Equal(c.text, want.text) || !slices.Equal(c.open, want.open) {
			t.Fatalf("%s: writing to clones at %d changed the cursor", text, at)
		}
		e = c.clone()
		c.write(text[at:])
		e.write(text[at:])
		if !bytes.Equal(c.text, e.text) || !slices.Equal(c.open, e.open) || c.tool != e.tool || c.value != e.value {
			t.Fatalf("%s: the clone at %d went another way", text, at)
		}
	}
}

// FuzzCursor looks at all lists that a grammar accepts.
func FuzzCursor(f *testing.F) {
	l := demoLexicon(f)
	start, r := lightCalls(l), rand.New(rand.NewPCG(7, 8))
	for range 40 {
		f.Add(`[{"name":"set_lights","arguments":` + randomObject(r, 3) + `}]`)
	}
	f.Add(oneCall)
	f.Add(`[{"name":"set_lights","arguments":{"a":[1,1,{"b":["x","x"]}],"c\"":"\\"}},{"name":"set_lights","arguments":{}}]`)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		if m := start.Clone(); m.AcceptBytes([]byte(text)) && m.Complete() {
			checkCursor(t, text)
		}
	})
}
