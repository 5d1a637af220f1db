package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// oddVocabulary has besides usual pieces some that are absent, empty, double, or as long as a piece may be and
// longer.
func oddVocabulary() *Vocabulary {
	pieces := slices.Clone(someVocabulary().pieces)
	pieces = append(pieces, nil, []byte{}, []byte("a"), []byte(`"`), []byte(`"`), []byte("é"))
	for _, n := range []int{maxPiece - 1, maxPiece, maxPiece + 1, 3 * maxPiece} {
		pieces = append(pieces, bytes.Repeat([]byte("a"), n))
	}
	pieces = append(pieces, []byte(`"`+strings.Repeat("b", 300)+`"`), []byte(strings.Repeat("日", maxPiece/3)), []byte(strings.Repeat("1", 60)))
	return NewVocabulary(pieces)
}

// maskCounts says what a comparison has met.
type maskCounts struct{ steps, legal, illegal, single, complete, empty, inStrings int }

// maskFault compares the mask with what Accept says, token by token.
func maskFault(m *Matcher, v *Vocabulary, o *maskCounts) error {
	mask := m.Mask()
	count, last := 0, int32(-1)
	for id := range int32(v.Len()) {
		legal := m.Clone().Accept(id)
		if len(v.pieces[id]) > maxPiece {
			legal = false // no token for a mask, whatever Accept makes of its bytes
		}
		if mask.Has(id) != legal {
			return fmt.Errorf("token %d %.20q: in the mask %t, accepted %t", id, v.pieces[id], mask.Has(id), legal)
		}
		if legal {
			count, last = count+1, id
			o.legal++
		} else {
			o.illegal++
		}
	}
	o.steps++
	if mask.Count() != count {
		return fmt.Errorf("Count is %d, %d tokens are legal", mask.Count(), count)
	}
	only, single := mask.Only()
	if single != (count == 1) || single && only != last {
		return fmt.Errorf("Only is %d, %t with %d legal tokens", only, single, count)
	}
	o.single += int(one(single))
	o.empty += int(one(count == 0))
	if mask.Has(-1) || mask.Has(int32(v.Len())) || mask.Has(1<<30) {
		return fmt.Errorf("the mask has tokens that the vocabulary has not")
	}
	return nil
}

// walk goes on at random and compares at each step.
func walkMask(g *Grammar, v *Vocabulary, r *rand.Rand, steps int, o *maskCounts) (text []byte, err error) {
	w := &writer{v: v, r: r, m: g.Start(v)}
	for range steps {
		if err := maskFault(w.m, v, o); err != nil {
			return w.text, err
		}
		o.inStrings += int(one(inString(w.text)))
		if w.m.Complete() {
			o.complete++
			if w.m.Mask().Count() == 0 {
				break
			}
		}
		if _, err := w.write(1); err != nil {
			return w.text, err
		}
	}
	return w.text, nil
}

func TestMaskIsWhatAcceptTakes(t *testing.T) {
	schemas, steps := 250, 24
	if testing.Short() {
		schemas = 30
	}
	v, o, r := oddVocabulary(), &maskCounts{}, rand.New(rand.NewPCG(4, 2))
	for seed := range uint64(schemas) {
		m := newSchemaMaker(seed + 1)
		calls := seed%3 == 2
		schema, err := json.Marshal(m.document(calls))
		if err != nil {
			t.Fatal(err)
		}
		g, err := grammarFor(schema, calls, Mode(seed%2))
		if err != nil {
			continue // nothing satisfies it
		}
		if text, err := walkMask(g, v, r, steps, o); err != nil {
			t.Errorf("seed %d: %s after %q: %v", seed, schema, text, err)
		}
	}
	t.Logf("%+v", *o)
	if o.steps < schemas*5 || o.single < o.steps/50 || o.complete < schemas/5 || o.empty == 0 || o.inStrings < o.steps/10 || o.legal < o.steps || o.illegal < o.steps {
		t.Errorf("%+v: too few of a kind to mean anything", *o)
	}
}

// TestMaskComparisonNotices is the control: a mask with one bit changed is found out.
func TestMaskComparisonNotices(t *testing.T) {
	v := oddVocabulary()
	g := mustCompile(t, `{"type":"string","maxLength":5}`, ModeSchema)
	for _, id := range []int32{'a', '"', 0x80, 0} {
		m := g.Start(v)
		m.AcceptBytes([]byte(`"a`))
		m.Mask().words[id/64] ^= 1 << (id % 64)
		if maskFault(m, v, &maskCounts{}) == nil {
			t.Errorf("a change of token %d is not noticed", id)
		}
	}
}

// TestMaskInsideStrings stays long in strings whose masks come from tables, near and far from their limits.
func TestMaskInsideStrings(t *testing.T) {
	v, o, r := oddVocabulary(), &maskCounts{}, rand.New(rand.NewPCG(8, 3))
	for _, schema := range []string{
		`{"type":"string"}`, `{"type":"string","maxLength":3}`, `{"type":"string","maxLength":1100}`, `{"type":"string","minLength":3}`, `{"type":"string","minLength":2,"maxLength":2}`,
		`{"type":"string","pattern":"a"}`, `{"type":"string","pattern":"^[a-z0-9 ]*$"}`, `{"type":"string","pattern":"a","maxLength":2000}`, `{"type":"string","pattern":"^a+$","minLength":2,"maxLength":1030}`,
		`{"type":"string","pattern":"^[^é]*$","minLength":4}`, `{"type":"string","format":"date-time"}`, `{"type":"string","format":"email"}`,
		`{"type":"array","items":{"type":"string"},"uniqueItems":true}`, `{"type":"array","items":{"enum":["a","ab","é"]},"uniqueItems":true}`,
		`{"type":"array","items":{"type":"string","maxLength":1},"uniqueItems":true}`, `{"anyOf":[{"type":"string","maxLength":2},{"type":"string","pattern":"^b"}]}`,
		`{"type":"object"}`, `{"type":"object","propertyNames":{"maxLength":3}}`, `{"type":"object","properties":{"ab":{},"abc":{},"é":{}}}`,
	} {
		g := mustCompile(t, schema, ModeSchema)
		for range 3 {
			if text, err := walkMask(g, v, r, 20, o); err != nil {
				t.Errorf("%s after %q: %v", schema, text, err)
			}
		}
	}
	if o.inStrings < o.steps/2 {
		t.Errorf("%+v: too few steps in strings", *o)
	}
}

// TestMaskOfOddPieces names the tokens that are never legal.
func TestMaskOfOddPieces(t *testing.T) {
	long := bytes.Repeat([]byte("a"), maxPiece)
	v := NewVocabulary([][]byte{nil, {}, []byte(`"`), []byte("a"), []byte("a"), long, append(long[:maxPiece:maxPiece], 'a'), []byte(`"`), []byte("\x00")})
	m := mustCompile(t, `{"type":"string"}`, ModeSchema).Start(v)
	expect := func(want ...int32) {
		t.Helper()
		var got []int32
		for id := range int32(v.Len()) {
			if m.Mask().Has(id) {
				got = append(got, id)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("legal are %v, wanted %v", got, want)
		}
	}
	expect(2, 7)
	for _, id := range []int32{0, 1, -1, int32(v.Len()), 1 << 30} {
		if m.Accept(id) {
			t.Errorf("token %d is accepted", id)
		}
	}
	m.Accept(2)
	expect(2, 3, 4, 5, 7)
	m.Accept(5)
	expect(2, 3, 4, 5, 7)
	m.Accept(7)
	expect()
	if !m.Complete() || m.Mask().Count() != 0 {
		t.Error("a text that is complete goes on")
	}
	if _, ok := m.Mask().Only(); ok {
		t.Error("an empty mask has one token")
	}
}

func TestMaskAfterComplete(t *testing.T) {
	v := someVocabulary()
	for _, row := range []struct {
		schema, text string
		more         string // bytes that may follow the whole text
	}{
		{`{"type":"string"}`, `"a"`, ``}, {`{"type":"null"}`, `null`, ``}, {`{"type":"object"}`, `{}`, ``}, {`{"type":"array"}`, `[1]`, ``},
		{`{"type":"integer"}`, `12`, `0123456789`}, {`{"type":"integer"}`, `0`, ``}, {`{"type":"number"}`, `0`, `.eE`}, {`{"type":"integer","maximum":12,"minimum":0}`, `1`, `012`},
		{`{"enum":[1,12]}`, `1`, `2`}, {`{"enum":[1,12]}`, `12`, ``}, {`{"type":"number"}`, `1.5`, `0123456789eE`},
	} {
		m := mustCompile(t, row.schema, ModeSchema).Start(v)
		if !m.AcceptBytes([]byte(row.text)) || !m.Complete() {
			t.Errorf("%s: %s is not whole", row.schema, row.text)
		}
		for b := range int32(256) { // the first tokens are the bytes
			if got, want := m.Mask().Has(b), strings.IndexByte(row.more, byte(b)) >= 0; got != want {
				t.Errorf("%s: after %s the byte %q is legal %t", row.schema, row.text, byte(b), got)
			}
		}
		if row.more == "" && m.Mask().Count() != 0 {
			t.Errorf("%s: after %s %d tokens are legal", row.schema, row.text, m.Mask().Count())
		}
	}
}

// TestMatcherStaysWhereItWas refuses, closes and clones without moving.
func TestMatcherStaysWhereItWas(t *testing.T) {
	v := someVocabulary()
	m := mustCompile(t, `{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}`, ModeSchema).Start(v)
	m.AcceptBytes([]byte(`{"a":1`))
	before := slices.Clone(m.Mask().Words())
	same := func(what string) {
		t.Helper()
		if !slices.Equal(before, m.Mask().Words()) || m.Complete() {
			t.Errorf("%s moved the matcher", what)
		}
	}
	if m.AcceptBytes([]byte(`2}x`)) || m.AcceptBytes([]byte(`,"b"`)) || m.Accept('x') {
		t.Error("what can't follow is accepted")
	}
	same("a refusal")
	if !m.Closes(`}`) || m.Closes(`2`) || m.Closes(``) {
		t.Error("Closes is wrong")
	}
	same("Closes")
	c := m.Clone()
	if !c.AcceptBytes([]byte(`}`)) || !c.Complete() {
		t.Error("the clone does not go on")
	}
	same("a clone")
	m.AcceptBytes([]byte(`2`))
	if !c.Complete() || c.Mask().Count() != 0 {
		t.Error("the matcher moved its clone")
	}
}

// TestMaskOfWideVocabularies has tokens on both sides of each word's border.
func TestMaskOfWideVocabularies(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 128, 129} {
		pieces := make([][]byte, n)
		for i := range pieces {
			pieces[i] = []byte(`"`)
		}
		m := mustCompile(t, `{"type":"string"}`, ModeSchema).Start(NewVocabulary(pieces))
		if got := m.Mask().Count(); got != n {
			t.Errorf("%d of %d tokens are legal", got, n)
		}
		if _, ok := m.Mask().Only(); ok != (n == 1) {
			t.Errorf("Only of %d tokens: %t", n, ok)
		}
	}
	for id := range int32(130) {
		words := make([]uint64, 3)
		words[id/64] = 1 << (id % 64)
		if got, ok := NewMask(words).Only(); !ok || got != id {
			t.Errorf("Only of token %d: %d, %t", id, got, ok)
		}
	}
}

// TestMaskConcurrently shares one grammar and one vocabulary: each goroutine must see what one alone sees.
func TestMaskConcurrently(t *testing.T) {
	v := someVocabulary()
	g, err := CompileTools([]Tool{{Name: "one", Schema: []byte(`{"properties":{"s":{"type":"string","pattern":"^[a-z]+$"},"d":{"type":"string","format":"date"},"l":{"type":"array","items":{"type":"string","maxLength":3},"uniqueItems":true}},"required":["s","d"]}`)},
		{Name: "two", Schema: []byte(`{"properties":{"m":{"type":"string","pattern":"x","maxLength":30},"n":{"type":"number","minimum":1}},"additionalProperties":{"type":"string"}}`)}}, Options{Mode: ModeTool})
	if err != nil {
		t.Fatal(err)
	}
	alone := walkText(g, v, 0)
	var wait sync.WaitGroup
	results := make([]string, 8)
	for i := range results {
		wait.Go(func() { results[i] = walkText(g, v, uint64(i/2)) })
	}
	wait.Wait()
	for i, text := range results {
		if text != results[i/2*2] || i < 2 && text != alone {
			t.Errorf("goroutine %d wrote %q, another one %q", i, text, results[i/2*2])
		}
	}
	if results[0] == results[2] || len(alone) < 20 {
		t.Errorf("the texts are all alike: %q", alone)
	}
}

// walkText writes some texts, each with the sums of its masks.
func walkText(g *Grammar, v *Vocabulary, seed uint64) string {
	var out strings.Builder
	r := rand.New(rand.NewPCG(seed, 77))
	for range 5 {
		h, err := g.Choose(Choice{Min: 1, Max: 2})
		if err != nil {
			return err.Error()
		}
		w := &writer{v: v, r: r, m: h.Start(v)}
		for range 60 {
			n := w.m.Mask().Count()
			if n == 0 {
				break
			}
			if _, err := w.write(1); err != nil {
				return err.Error()
			}
			fmt.Fprint(&out, n, ",")
		}
		out.Write(w.text)
	}
	return out.String()
}
