package tokenizer

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/libneedle/libneedle/demo"
)

const testdata = "../testdata"

// goldenCase is one of testdata/tokenizer: a record and what SentencePiece makes of texts and ids.
type goldenCase struct {
	blob   []byte
	tok    *Tokenizer
	Texts  []goldenText `json:"texts"`
	Decode []goldenIDs  `json:"decode"`
}

type goldenText struct {
	text string
	ids  []int32
}

type goldenIDs struct {
	ids  []int32
	text string
}

func (g *goldenText) UnmarshalJSON(raw []byte) error {
	var text []byte
	err := json.Unmarshal(raw, &[]any{&text, &g.ids})
	g.text = string(text)
	return err
}

func (g *goldenIDs) UnmarshalJSON(raw []byte) error {
	return json.Unmarshal(raw, &[]any{&g.ids, &g.text})
}

func read(t testing.TB, path ...string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(append([]string{testdata}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func stored(t testing.TB, name string) *goldenCase {
	t.Helper()
	c := &goldenCase{blob: read(t, "tokenizer", name+".blob")}
	var err error
	if c.tok, err = New(c.blob); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(read(t, "tokenizer", name+".json"), c); err != nil {
		t.Fatal(err)
	}
	return c
}

// vocabularies are all that the properties are tried on.
func vocabularies(t testing.TB) map[string]*Tokenizer {
	out := map[string]*Tokenizer{"letters": letters().tokenizer(t), "markers": withMarkers().tokenizer(t)}
	for _, name := range []string{"demo", "dummy", "ties", "unknown"} {
		out[name] = stored(t, name).tok
	}
	return out
}

// misses counts the texts that encode to other ids than SentencePiece's.
func misses(tok *Tokenizer, texts []goldenText) (n int) {
	for _, g := range texts {
		if !slices.Equal(tok.Encode(g.text), g.ids) {
			n++
		}
	}
	return n
}

func TestGolden(t *testing.T) {
	for _, name := range []string{"demo", "dummy", "ties", "unknown"} {
		c := stored(t, name)
		if len(c.Texts) < 400 || len(c.Decode) < 200 {
			t.Errorf("%s: only %d texts and %d lists of ids", name, len(c.Texts), len(c.Decode))
		}
		for _, g := range c.Texts {
			if got := c.tok.Encode(g.text); !slices.Equal(got, g.ids) {
				t.Errorf("%s: Encode(%q) = %v, SentencePiece gives %v", name, g.text, got, g.ids)
			}
		}
		for _, g := range c.Decode {
			if got := checkStream(t, c.tok, g.ids); got != g.text {
				t.Errorf("%s: Decode(%v) = %q, SentencePiece gives %q", name, g.ids, got, g.text)
			}
		}
	}
}

// TestGoldenSeesSwappedScores is the negative control: with the scores of two pieces exchanged the golden
// ids must not come out.
func TestGoldenSeesSwappedScores(t *testing.T) {
	c := stored(t, "demo")
	if n := misses(c.tok, c.Texts); n != 0 {
		t.Fatalf("%d misses with the right scores", n)
	}
	blob := slices.Clone(c.blob)
	first, last := scoreOffset(c.tok, 297), scoreOffset(c.tok, 1200)
	for i := range 4 {
		blob[first+i], blob[last+i] = blob[last+i], blob[first+i]
	}
	tok, err := New(blob)
	if err != nil {
		t.Fatal(err)
	}
	if tok.Piece(297).Score != c.tok.Piece(1200).Score || tok.Piece(297).Text != c.tok.Piece(297).Text {
		t.Fatal("the scores were not exchanged")
	}
	if misses(tok, c.Texts) == 0 {
		t.Error("the golden ids come out with wrong scores too")
	}
}

// scoreOffset is where the record of a piece begins.
func scoreOffset(tok *Tokenizer, id int) int {
	at := headerBytes
	for i := range id {
		size := len(tok.Piece(i).Text)
		if tok.Piece(i).Type == TypeByte {
			size = len("<0xNN>")
		}
		at += recordBytes + size
	}
	return at
}

// archiveRecord takes the last record out of an archive, by the layout alone.
func archiveRecord(raw []byte) []byte {
	le := binary.LittleEndian
	entry := raw[196+4*le.Uint32(raw[8:])+44*(le.Uint32(raw[4:])-1):]
	offset := le.Uint64(entry[20:])
	return raw[offset:][:le.Uint64(entry[28:])]
}

func TestOracleArchives(t *testing.T) {
	for _, name := range []string{"tiny", "odd", "cq4", "mixed"} {
		var golden struct {
			Tokenizer []struct {
				Text string
				IDs  []int32
			}
		}
		if err := json.Unmarshal(read(t, "oracle", name, "golden.json"), &golden); err != nil {
			t.Fatal(err)
		}
		tok, err := New(archiveRecord(read(t, "oracle", name, "model.cact")))
		if err != nil {
			t.Fatal(name, err)
		}
		if len(golden.Tokenizer) < 20 {
			t.Errorf("%s: only %d texts", name, len(golden.Tokenizer))
		}
		for _, g := range golden.Tokenizer {
			if got := tok.Encode(g.Text); !slices.Equal(got, g.IDs) {
				t.Errorf("%s: Encode(%q) = %v, SentencePiece gives %v", name, g.Text, got, g.IDs)
			}
			checkText(t, tok, g.Text)
		}
	}
}

// TestDemoRows compares with the prompts the demo archive was judged on.
func TestDemoRows(t *testing.T) {
	blob := archiveRecord(demo.Archive)
	if !bytes.Equal(blob, read(t, "tokenizer", "demo.blob")) {
		t.Error("testdata/tokenizer/demo.blob is not the record of the demo archive")
	}
	tok, err := New(blob)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	lines := bufio.NewScanner(bytes.NewReader(read(t, "demo", "eval.jsonl")))
	for lines.Buffer(nil, math.MaxInt32); lines.Scan(); rows++ {
		var row struct {
			Prompt    string  `json:"prompt"`
			PromptIDs []int32 `json:"prompt_ids"`
			Output    string  `json:"output_text"`
			OutputIDs []int32 `json:"output_ids"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if got := append([]int32{BOS}, tok.Encode(row.Prompt)...); !slices.Equal(got, row.PromptIDs) {
			t.Errorf("row %d: the prompt's ids are %v, want %v", rows, got, row.PromptIDs)
		}
		if got := tok.Decode(row.OutputIDs); got != row.Output {
			t.Errorf("row %d: the output is %q, want %q", rows, got, row.Output)
		}
	}
	if rows != 240 {
		t.Errorf("%d rows, want 240", rows)
	}
}
