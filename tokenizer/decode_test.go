package tokenizer

import (
	"math/rand"
	"slices"
	"testing"
)

// at returns the ids of byte pieces, which follow the fixed ones in the vocabularies made here.
func at(raw string) []int32 {
	var ids []int32
	for _, b := range []byte(raw) {
		ids = append(ids, 16+int32(b))
	}
	return ids
}

func TestDecode(t *testing.T) {
	tok := letters().tokenizer(t)
	abc := tok.Encode("abc")
	for _, c := range []struct {
		ids  []int32
		want string
	}{
		{nil, ""},
		{tok.Encode(" a b"), " a b"},
		{[]int32{BOS, Tools, EndTools, EOS, Pad}, "<tools></tools>"},
		{[]int32{Unknown}, ""},
		{[]int32{-1, 1 << 30}, ""},
		{at("日本🙏é"), "日本🙏é"},
		{at("a\x00b"), "a\x00b"},
		{at("\u2581"), "\u2581"}, // only pieces hold blanks
		{at("\xff"), "\ufffd"},
		{at("\xe6\x97"), "\ufffd\ufffd"},
		{at("\xc0\x80\xed\xa0\x80"), "\ufffd\ufffd\ufffd\ufffd\ufffd"},
		{slices.Concat(at("\xe6\x97"), abc), "\ufffd\ufffdabc"},
		{slices.Concat(at("\xf0\x9f\x99"), at("é")), "\ufffd\ufffd\ufffdé"},
		// What has no text does not part a character.
		{slices.Concat(at("\xe6\x97"), []int32{Unknown, EOS, -5}, at("\xa5")), "日"},
	} {
		if got := checkStream(t, tok, c.ids); got != c.want {
			t.Errorf("Decode(%v) = %q, want %q", c.ids, got, c.want)
		}
	}
}

func TestDecoderHoldsHalfACharacter(t *testing.T) {
	tok := letters().tokenizer(t)
	d := tok.NewDecoder()
	for i, step := range []struct {
		id   int32
		want string
	}{
		{at("x")[0], "x"},
		{at("\xf0")[0], ""}, {at("\x9f")[0], ""}, {at("\x99")[0], ""}, {at("\x8f")[0], "🙏"},
		{at("\xe6")[0], ""}, {at("\x97")[0], ""}, {at("y")[0], "\ufffd\ufffdy"},
		{at("\xf0")[0], ""}, {at("\xf0")[0], "\ufffd"}, {at("\xff")[0], "\ufffd\ufffd"},
		{at("\xed")[0], ""}, {at("\xa0")[0], "\ufffd\ufffd"}, // the beginning of a surrogate
		{at("\xc3")[0], ""}, {BOS, ""}, {at("\xa9")[0], "é"},
		{at("\xe2")[0], ""}, {tok.Encode(" ")[0], "\ufffd "},
		{Think, "<think>"},
		{at("\xe2")[0], ""}, {at("\x82")[0], ""},
	} {
		if got := d.Write(step.id); got != step.want {
			t.Errorf("step %d: Write(%d) = %q, want %q", i, step.id, got, step.want)
		}
	}
	if got := d.Flush(); got != "\ufffd\ufffd" {
		t.Errorf("Flush() = %q", got)
	}
	if got := d.Flush(); got != "" {
		t.Errorf("a second Flush() = %q", got)
	}
}

func TestDecoderDropsTheDummyPrefixOnce(t *testing.T) {
	r := letters()
	r.dummyPrefix = 1
	tok := r.tokenizer(t)
	blank := tok.Encode("x")[0] // the prefix by itself
	for _, c := range []struct {
		ids  []int32
		want string
	}{
		{[]int32{blank}, ""},
		{[]int32{blank, blank}, " "},
		{[]int32{BOS, Unknown, blank, blank}, " "},
		{append(at("a"), blank), "a "},
		{append(at("\xe6"), blank), "\ufffd "},
		{at(" a"), " a"}, // a byte is no prefix
		{[]int32{Tools, blank}, "<tools> "},
	} {
		if got := checkStream(t, tok, c.ids); got != c.want {
			t.Errorf("Decode(%v) = %q, want %q", c.ids, got, c.want)
		}
	}
	d := tok.NewDecoder()
	for range 2 { // Flush begins a new text
		if got := d.Write(blank) + d.Write(blank) + d.Flush(); got != " " {
			t.Errorf("two blanks stream as %q", got)
		}
	}
}

func TestStreamIsDecodeOfAnything(t *testing.T) {
	for _, tok := range vocabularies(t) {
		rnd := rand.New(rand.NewSource(2))
		for range 2000 {
			ids := make([]int32, rnd.Intn(12))
			for i := range ids {
				if ids[i] = int32(rnd.Intn(tok.Len()+2) - 1); rnd.Intn(2) == 0 && tok.byteFallback {
					ids[i] = tok.byteIDs[128+rnd.Intn(128)]
				}
			}
			checkStream(t, tok, ids)
		}
	}
}

func TestWriteOfWholePiecesDoesNotAllocate(t *testing.T) {
	tok := letters().tokenizer(t)
	d, id := tok.NewDecoder(), tok.Encode("abc")[0]
	if n := testing.AllocsPerRun(100, func() { d.Write(id) }); n != 0 {
		t.Errorf("Write allocates %v times", n)
	}
}
