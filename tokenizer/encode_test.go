package tokenizer

import (
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// spelt shows ids as pieces, bytes as <0xNN>, for readable tables.
func spelt(tok *Tokenizer, ids []int32) string {
	var out []string
	for _, id := range ids {
		p := tok.Piece(int(id))
		if p.Type == TypeByte {
			p.Text = byteText(p.Text[0])
		}
		out = append(out, p.Text)
	}
	return strings.Join(out, " ")
}

// letters is a vocabulary to merge by hand: the score says what goes first.
func letters() *record {
	r := newRecord()
	r.additional = []string{"a", "b", "c", "\u2581", "bc", "ab", "abc", "cab", "aa", "\u2581a", "日本", "x"}
	r.ranked = map[string]float32{"bc": -1, "ab": -2, "abc": -3, "cab": -4, "aa": -5, "\u2581a": -6, "日本": -7}
	return r
}

func TestEncodeMergesByScore(t *testing.T) {
	tok := letters().tokenizer(t)
	for text, want := range map[string]string{
		"":       "",
		"ab":     "ab",
		"abc":    "abc", // b+c first, then a+bc
		"abab":   "ab ab",
		"cab":    "cab",
		"abcab":  "abc ab",
		"aab":    "a ab",
		"aaa":    "aa a", // the leftmost of equals
		"aaaa":   "aa aa",
		" ":      "▁",
		"  ":     "▁ ▁",
		" a a":   "▁a ▁a",
		"▁a":     "▁a", // as a blank
		"日本":     "日本", // though neither character is a piece
		"日x本":    "<0xE6> <0x97> <0xA5> x <0xE6> <0x9C> <0xAC>",
		"a\x00b": "a <0x00> b",
		"a\n":    "a <0x0A>",
		"é":      "<0xC3> <0xA9>",
		"\ufffd": "<0xEF> <0xBF> <0xBD>",
		"\xff":   "<0xEF> <0xBF> <0xBD>",
		// Each byte is replaced, not the broken character as a whole.
		"\xe6\x97a": "<0xEF> <0xBF> <0xBD> <0xEF> <0xBF> <0xBD> a",
	} {
		if got := spelt(tok, tok.Encode(text)); got != want {
			t.Errorf("Encode(%q) = %s, want %s", text, got, want)
		}
		if got := spelt(tok, tok.EncodePlain(text)); got != want {
			t.Errorf("EncodePlain(%q) = %s, want %s", text, got, want)
		}
	}
}

// TestEncodeFollowsScores turns the scores of the table above round.
func TestEncodeFollowsScores(t *testing.T) {
	r := letters()
	r.ranked = map[string]float32{"bc": -9, "ab": 3, "abc": -20, "aa": 4, "cab": 100}
	tok := r.tokenizer(t)
	for text, want := range map[string]string{"aab": "aa b", "abc": "abc", "abca": "abc a", "bcab": "b cab", "aabc": "aa bc"} {
		if got := spelt(tok, tok.Encode(text)); got != want {
			t.Errorf("Encode(%q) = %s, want %s", text, got, want)
		}
	}
}

// withMarkers has user-defined pieces that begin, contain and overlap each other, and one that would be
// needed on the way to an ordinary piece.
func withMarkers() *record {
	r := newRecord()
	r.additional = []string{"a", "b", "c", "\u2581", "bc", "abc", "<", "t", "<t", "x", "tx>", "x>", ">"}
	r.ranked = map[string]float32{"bc": -1, "abc": -3, "<t": -8, "tx>": -9, "x>": -10}
	r.userDefined = []string{"<tool", "<tools>x", "ab", "abcc", "\n", "▁▁", "é", "tx"}
	return r
}

func TestEncodeMarkers(t *testing.T) {
	tok := withMarkers().tokenizer(t)
	for text, want := range map[string][2]string{ // Encode, EncodePlain
		"<tools>":       {"<tools>", "<t <0x6F> <0x6F> <0x6C> <0x73> >"},
		"<tools>x":      {"<tools>x", "<t <0x6F> <0x6F> <0x6C> <0x73> > x"},
		"<tools>a":      {"<tools> a", "<t <0x6F> <0x6F> <0x6C> <0x73> > a"},
		"<tools":        {"<tool <0x73>", "<t <0x6F> <0x6F> <0x6C> <0x73>"},
		"<too":          {"<t <0x6F> <0x6F>", "<t <0x6F> <0x6F>"},
		"<<tools>t":     {"< <tools> t", "< <t <0x6F> <0x6F> <0x6C> <0x73> > t"},
		"a<think>":      {"a <think>", "a <t <0x68> <0x69> <0x6E> <0x6B> >"},
		"<think><tools": {"<think> <tool <0x73>", "<t <0x68> <0x69> <0x6E> <0x6B> > <t <0x6F> <0x6F> <0x6C> <0x73>"},
		"abcc":          {"abcc", "abc c"},
		"abcab":         {"ab c ab", "abc a b"},
		"tx>":           {"tx >", "tx>"}, // plain by way of x>
		"a\nb":          {"a \n b", "a <0x0A> b"},
		"a   b":         {"a ▁▁ ▁ b", "a ▁ ▁ ▁ b"},
		"aé":            {"a é", "a <0xC3> <0xA9>"},
		"<s>":           {"< <0x73> >", "< <0x73> >"}, // a control piece never comes from a text
		"<0x41>":        {"< <0x30> x <0x34> <0x31> >", "< <0x30> x <0x34> <0x31> >"},
	} {
		if got := spelt(tok, tok.Encode(text)); got != want[0] {
			t.Errorf("Encode(%q) = %s, want %s", text, got, want[0])
		}
		if got := spelt(tok, tok.EncodePlain(text)); got != want[1] {
			t.Errorf("EncodePlain(%q) = %s, want %s", text, got, want[1])
		}
	}
}

func TestEncodeWithoutBytePieces(t *testing.T) {
	r := withMarkers()
	r.byteFall, r.pieces = 0, r.pieces[:16]
	tok := r.tokenizer(t)
	for text, want := range map[string]string{
		"日":              "<unk>",
		"日本a日b":          "<unk> a <unk> b", // a stretch is one
		"日<tools>本":      "<unk> <tools> <unk>",
		"a\x00\xff":      "a <unk>",
		"<think>o<tools": "<think> <unk> <tool <unk>",
	} {
		if got := spelt(tok, tok.Encode(text)); got != want {
			t.Errorf("Encode(%q) = %s, want %s", text, got, want)
		}
	}
	if got := spelt(tok, tok.EncodePlain("<tools>a")); got != "<t <unk> > a" {
		t.Errorf("EncodePlain = %s", got)
	}
}

func TestDummyPrefix(t *testing.T) {
	r := withMarkers()
	r.additional = append(r.additional, "\u2581a")
	r.dummyPrefix = 1
	tok := r.tokenizer(t)
	if !tok.AddDummyPrefix {
		t.Error("AddDummyPrefix is false")
	}
	tok.AddDummyPrefix = false // a copy
	for text, want := range map[string]string{
		"": "", "a": "▁a", " a": "▁▁ a", "b a": "▁ b ▁a", "<tools>": "▁ <tools>", "\n": "▁ \n", "é": "▁ é", " ": "▁▁",
	} {
		ids := tok.Encode(text)
		if got := spelt(tok, ids); got != want {
			t.Errorf("Encode(%q) = %s, want %s", text, got, want)
		}
		if got := tok.Decode(ids); got != text {
			t.Errorf("Decode of Encode(%q) = %q", text, got)
		}
	}
}

// naive merges as the format's description says it, a pass over the whole run for each merge.
func naive(tok *Tokenizer, run string) []int32 {
	ids := map[string]int32{}
	for id := range tok.Len() {
		if p := tok.Piece(id); p.Type == TypeNormal {
			ids[p.Text] = int32(id)
		}
	}
	symbols := strings.Split(run, "")
	for {
		best, at := float32(0), -1
		for i := 1; i < len(symbols); i++ {
			id, ok := ids[symbols[i-1]+symbols[i]]
			if s := tok.Piece(int(id)).Score; ok && (at < 0 || s > best) {
				best, at = s, i
			}
		}
		if at < 0 {
			break
		}
		symbols[at-1] += symbols[at]
		symbols = slices.Delete(symbols, at, at+1)
	}
	var out []int32
	for _, s := range symbols {
		if id, ok := ids[s]; ok {
			out = append(out, id)
			continue
		}
		for b := range []byte(s) {
			out = append(out, int32(16+int(s[b])))
		}
	}
	return out
}

// checkText holds a tokenizer to what is true of every text.
func checkText(t testing.TB, tok *Tokenizer, text string) {
	t.Helper()
	checkIDs(t, tok, tok.Encode(text), text)
	plain := tok.EncodePlain(text)
	checkIDs(t, tok, plain, text)
	for _, id := range plain {
		switch kind := tok.Piece(int(id)).Type; {
		case kind == TypeControl, kind == TypeUserDefined, kind == TypeUnknown && tok.byteFallback:
			t.Fatalf("EncodePlain(%q) has the %s piece %d", text, kind, id)
		}
	}
}

// checkIDs checks that ids are in range and, where nothing can be lost, decode to the text again.
func checkIDs(t testing.TB, tok *Tokenizer, ids []int32, text string) {
	t.Helper()
	if (len(ids) == 0) != (text == "") {
		t.Fatalf("%q has %d ids", text, len(ids))
	}
	for _, id := range ids {
		if id < 0 || int(id) >= tok.Len() {
			t.Fatalf("%q has the id %d of %d", text, id, tok.Len())
		}
	}
	got := checkStream(t, tok, ids)
	_, spaced := tok.merges[metaSpace]
	want := strings.ReplaceAll(string([]rune(text)), metaSpace, " ")
	if spaced && tok.byteFallback && got != want {
		t.Fatalf("%q comes back as %q", text, got)
	}
}

// checkStream decodes ids at once and one by one, compares, and returns the text.
func checkStream(t testing.TB, tok *Tokenizer, ids []int32) string {
	t.Helper()
	whole, d, stream := tok.Decode(ids), tok.NewDecoder(), ""
	for _, id := range ids {
		part := d.Write(id)
		if !utf8.ValidString(part) {
			t.Fatalf("Write(%d) of %v returns %q", id, ids, part)
		}
		stream += part
	}
	if stream += d.Flush(); stream != whole {
		t.Fatalf("%v streams as %q and decodes as %q", ids, stream, whole)
	}
	return whole
}

// randomText mixes the pieces of a vocabulary, parts of them, blanks, characters and bytes.
func randomText(rnd *rand.Rand, tok *Tokenizer) string {
	var b strings.Builder
	for range rnd.Intn(12) {
		piece := tok.Piece(rnd.Intn(tok.Len())).Text
		switch rnd.Intn(7) {
		case 0:
			b.WriteString(strings.Repeat(" ", rnd.Intn(5)))
		case 1:
			b.WriteRune(rune(rnd.Intn(0x110000)))
		case 2:
			b.WriteByte(byte(rnd.Intn(256)))
		case 3:
			b.WriteString(piece[rnd.Intn(len(piece)):])
		case 4:
			b.WriteString(fixedPieces[rnd.Intn(len(fixedPieces))][:3])
		default:
			b.WriteString(piece)
		}
	}
	return b.String()
}

func TestRoundTrip(t *testing.T) {
	for name, tok := range vocabularies(t) {
		rnd := rand.New(rand.NewSource(1))
		for range 2000 {
			text := randomText(rnd, tok)
			checkText(t, tok, text)
			if !tok.byteFallback {
				continue
			}
			if got, want := tok.EncodePlain(text), naive(tok, tok.escape(text)); !slices.Equal(got, want) {
				t.Fatalf("%s: EncodePlain(%q) = %v, merging naively gives %v", name, text, got, want)
			}
		}
	}
}

// TestCutRuns cuts runs that are too long for one piece of work: nothing is lost, and where no merge
// crosses the cut nothing changes.
func TestCutRuns(t *testing.T) {
	tok := letters().tokenizer(t)
	for limit := 1; limit < 9; limit++ {
		text := strings.Repeat("日本é\u2581a🙏", 5)
		m := newMerger(tok, text)
		m.encode(text, limit)
		if got := tok.Decode(m.ids); got != strings.ReplaceAll(text, metaSpace, " ") {
			t.Errorf("cut at %d: %q", limit, got)
		}
	}
	m := newMerger(tok, "")
	m.encode("abcabcabc", 3)
	if got := spelt(tok, m.ids); got != "abc abc abc" {
		t.Errorf("cut at 3: %s", got)
	}
}

// longTexts are a megabyte each of what is worst for a merger or a matcher of markers.
func longTexts() map[string]string {
	const size = 1 << 20
	random := make([]byte, size)
	rand.New(rand.NewSource(1)).Read(random)
	out := map[string]string{"random bytes": string(random)}
	for name, unit := range map[string]string{
		"a": "a", "blanks": " ", "U+2581": metaSpace, "half markers": "<|im_start|", "markers": "<|im_start|>",
		"less-than": "<", "words": "er in the ", "json": `{"name":"a"},`, "ideographs": "日本語", "continuation bytes": "\x80",
	} {
		out[name] = strings.Repeat(unit, size/len(unit))
	}
	return out
}

// TestLongTexts allows a minute for what takes a tenth of a second (the benchmarks show it), because machines
// are noisy and the race detector slow; what grows with the square of the length takes hours.
func TestLongTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("long texts")
	}
	tok := stored(t, "demo").tok
	for name, text := range longTexts() {
		start := time.Now()
		ids := tok.EncodePlain(text)
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: EncodePlain of a megabyte took %v", name, took)
		}
		if got := tok.Decode(ids); got != strings.ReplaceAll(string([]rune(text)), metaSpace, " ") {
			t.Errorf("%s: the text does not come back", name)
		}
		start = time.Now()
		ids = tok.Encode(text)
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: Encode of a megabyte took %v", name, took)
		}
		if name == "markers" && slices.ContainsFunc(ids, func(id int32) bool { return id != IMStart }) {
			t.Error("markers in a row have other ids than theirs")
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	c := stored(t, "demo")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for _, text := range c.Texts[:60] {
				if got := c.tok.Encode(text.text); !slices.Equal(got, text.ids) {
					t.Errorf("Encode(%q) = %v, want %v", text.text, got, text.ids)
				}
				c.tok.Decode(c.tok.EncodePlain(text.text))
			}
		})
	}
	group.Wait()
}

func FuzzEncode(f *testing.F) {
	all := vocabularies(f)
	names := []string{"demo", "dummy", "letters", "markers", "ties", "unknown"}
	for _, text := range []string{"", " ", "a\x00b", "<|im_start|>user\n", "<|im_start|", "x<|im_end|>y", "日本\xe6\x97",
		"\u2581\u2581", "🙏🏽", "\xff\xfe", "<tools>[]</tools>", "abcabc ab", "<<tools>x", strings.Repeat("a", 50)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range names {
			tok := all[name]
			checkText(t, tok, text)
			if tok.byteFallback && len(text) < 400 && !slices.Equal(tok.EncodePlain(text), naive(tok, tok.escape(text))) {
				t.Fatalf("%s: EncodePlain(%q) differs from merging naively", name, text)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	tok := stored(b, "demo").tok
	for name, text := range longTexts() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				tok.Encode(text)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	blob := stored(b, "demo").blob
	for b.Loop() {
		if _, err := New(blob); err != nil {
			b.Fatal(err)
		}
	}
}
