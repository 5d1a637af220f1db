package tokenizer

import (
	"encoding/binary"
	"fmt"
	"math"
	"sort"
	"strings"
	"unicode/utf8"
)

const (
	headerBytes = 24 // n_pieces, pad, eos, bos, unk: u32; add_dummy_prefix, byte_fallback: u8; pad: u16
	recordBytes = 7  // score: f32, type: u8, len: u16; the text follows

	// maxPieceBytes is SentencePiece's own limit, exclusive; it bounds the work per character of text.
	maxPieceBytes = 8000
)

// fixedPieces are the texts of the ids 0 to 15.
var fixedPieces = [...]string{
	Pad: "<pad>", EOS: "</s>", BOS: "<s>", Unknown: "<unk>",
	IMStart: "<|im_start|>", IMEnd: "<|im_end|>",
	Think: "<think>", EndThink: "</think>",
	Tools: "<tools>", EndTools: "</tools>",
	ToolCall: "<tool_call>", EndToolCall: "</tool_call>",
	ToolResult: "<tool_result>", EndToolResult: "</tool_result>",
	Context: "<context>", EndContext: "</context>",
}

func fixedType(id int) Type {
	switch {
	case id == Unknown:
		return TypeUnknown
	case id < Unknown:
		return TypeControl
	}
	return TypeUserDefined
}

// HeaderError says what is wrong with the blob outside its pieces.
type HeaderError struct{ Field, Expected, Found string }

func (e *HeaderError) Error() string {
	return fmt.Sprintf("tokenizer: %s: expected %s, found %s", e.Field, e.Expected, e.Found)
}

// PieceError says what is wrong with one piece. Text is empty when it could not be read.
type PieceError struct {
	ID              int
	Text            string
	Expected, Found string
}

func (e *PieceError) Error() string {
	name := ""
	if e.Text != "" {
		name = fmt.Sprintf(" %.40q", e.Text)
	}
	return fmt.Sprintf("tokenizer: piece %d%s: expected %s, found %s", e.ID, name, e.Expected, e.Found)
}

// New reads the tokenizer record of an archive. It copies what it keeps. Whatever breaks the format is
// refused with a *HeaderError or a *PieceError.
func New(blob []byte) (*Tokenizer, error) {
	t := &Tokenizer{}
	n, err := t.readHeader(blob)
	if err != nil {
		return nil, err
	}
	if err := t.readPieces(string(blob[headerBytes:]), n); err != nil {
		return nil, err
	}
	if err := t.checkFixed(); err != nil {
		return nil, err
	}
	if err := t.index(); err != nil {
		return nil, err
	}
	t.rankScores()
	return t, nil
}

// readHeader checks the 24 bytes in front of the pieces and returns how many pieces they promise.
func (t *Tokenizer) readHeader(blob []byte) (int, error) {
	if len(blob) < headerBytes {
		return 0, &HeaderError{"blob", fmt.Sprintf("a header of %d bytes", headerBytes), fmt.Sprintf("%d bytes", len(blob))}
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(blob[4*i:]) }
	n, room := uint64(word(0)), uint64(len(blob)-headerBytes)
	if n < uint64(len(fixedPieces)) {
		return 0, &HeaderError{"n_pieces", fmt.Sprintf("at least the %d fixed ones", len(fixedPieces)), fmt.Sprint(n)}
	}
	// Every piece takes a record and at least one byte of text.
	if most := room / (recordBytes + 1); n > most {
		return 0, &HeaderError{"n_pieces", fmt.Sprintf("at most %d in the %d bytes that follow", most, room), fmt.Sprint(n)}
	}
	for i, field := range []struct {
		name string
		id   uint32
	}{{"pad", Pad}, {"eos", EOS}, {"bos", BOS}, {"unk", Unknown}} {
		if got := word(1 + i); got != field.id {
			return 0, &HeaderError{field.name + " id", fmt.Sprint(field.id), fmt.Sprint(got)}
		}
	}
	for i, name := range []string{"add_dummy_prefix", "byte_fallback"} {
		if b := blob[20+i]; b > 1 {
			return 0, &HeaderError{name, "0 or 1", fmt.Sprint(b)}
		}
	}
	if p := binary.LittleEndian.Uint16(blob[22:]); p != 0 {
		return 0, &HeaderError{"padding", "0", fmt.Sprint(p)}
	}
	t.dummyPrefix, t.byteFallback = blob[20] == 1, blob[21] == 1
	t.AddDummyPrefix = t.dummyPrefix
	return int(n), nil
}

// readPieces reads n records, which have to fill body exactly.
func (t *Tokenizer) readPieces(body string, n int) error {
	t.pieces = make([]Piece, 0, n)
	for id := 0; id < n; id++ {
		p, rest, err := readPiece(body, id)
		if err != nil {
			return err
		}
		t.pieces = append(t.pieces, p)
		body = rest
	}
	if body != "" {
		return &HeaderError{"blob", fmt.Sprintf("its end after %d pieces", n), fmt.Sprintf("%d more bytes", len(body))}
	}
	return nil
}

// readPiece reads and checks the record at the start of body.
func readPiece(body string, id int) (p Piece, rest string, err error) {
	if len(body) < recordBytes {
		return p, "", &PieceError{id, "", fmt.Sprintf("a record of %d bytes", recordBytes), fmt.Sprintf("%d bytes", len(body))}
	}
	head := []byte(body[:recordBytes])
	p.Score = math.Float32frombits(binary.LittleEndian.Uint32(head))
	p.Type = Type(head[4])
	size := int(binary.LittleEndian.Uint16(head[5:]))
	body = body[recordBytes:]
	if size > len(body) {
		return p, "", &PieceError{id, "", fmt.Sprintf("%d bytes of text", size), fmt.Sprintf("%d bytes", len(body))}
	}
	p.Text, rest = body[:size], body[size:]
	if err := checkPiece(p, id); err != nil {
		return p, "", err
	}
	if p.Type == TypeByte {
		p.Text = string([]byte{byteOf(p.Text)})
	}
	return p, rest, nil
}

// checkPiece checks what can be said of a piece by itself.
func checkPiece(p Piece, id int) error {
	switch {
	case p.Text == "":
		return &PieceError{id, "", "a text", "none"}
	case len(p.Text) >= maxPieceBytes:
		return &PieceError{id, p.Text, fmt.Sprintf("fewer than %d bytes", maxPieceBytes), fmt.Sprint(len(p.Text))}
	case !utf8.ValidString(p.Text):
		return &PieceError{id, p.Text, "valid UTF-8", "an invalid sequence"}
	case strings.IndexByte(p.Text, 0) >= 0:
		return &PieceError{id, p.Text, "no NUL", "one"}
	case p.Type > TypeByte:
		return &PieceError{id, p.Text, "a type from 0 to 4", fmt.Sprint(uint8(p.Type))}
	case p.Type == TypeUnknown && id != Unknown:
		return &PieceError{id, p.Text, fmt.Sprintf("no second unknown piece beside %d", Unknown), "one"}
	case p.Type == TypeByte && p.Text != byteText(byteOf(p.Text)):
		return &PieceError{id, p.Text, "a byte piece of the form <0xNN>", "another text"}
	case math.IsNaN(float64(p.Score)) || math.IsInf(float64(p.Score), 0):
		return &PieceError{id, p.Text, "a finite score", fmt.Sprint(p.Score)}
	}
	return nil
}

func byteText(b byte) string { return fmt.Sprintf("<0x%02X>", b) }

// byteOf reads the hexadecimal digits of <0xNN>; of another text it returns anything, because the
// caller compares what byteText makes of it.
func byteOf(text string) byte {
	if len(text) != len("<0xNN>") {
		return 0
	}
	const digits = "0123456789ABCDEF"
	return byte(strings.IndexByte(digits, text[3])<<4 | strings.IndexByte(digits, text[4]))
}

// checkFixed compares the ids 0 to 15 with what every Needle tokenizer has there.
func (t *Tokenizer) checkFixed() error {
	for id, text := range fixedPieces {
		p, want := t.pieces[id], fixedType(id)
		if p.Text != text || p.Type != want {
			return &PieceError{id, p.Text, fmt.Sprintf("%q, %s", text, want), fmt.Sprintf("%q, %s", p.Text, p.Type)}
		}
	}
	return nil
}

// index builds the tables that encoding and decoding read, and refuses pieces that occur twice.
func (t *Tokenizer) index() error {
	seen := make(map[string]int, len(t.pieces)) // byte pieces by their spelling
	t.decoded = make([]string, len(t.pieces))
	t.merges = make(map[string]int32, len(t.pieces))
	for i := range t.byteIDs {
		t.byteIDs[i] = -1
	}
	for id, p := range t.pieces {
		spelling := p.Text
		if p.Type == TypeByte {
			spelling = byteText(p.Text[0])
			t.byteIDs[p.Text[0]] = int32(id)
		}
		if first, twice := seen[spelling]; twice {
			return &PieceError{id, spelling, "each piece once", fmt.Sprintf("it at %d too", first)}
		}
		seen[spelling] = id
		t.decoded[id] = decodedPiece(p)
		switch p.Type {
		case TypeNormal:
			t.merges[p.Text] = int32(id)
		case TypeUserDefined:
			t.markers.add(p.Text, int32(id))
		}
	}
	t.indexASCII()
	return t.checkBytes()
}

func (t *Tokenizer) indexASCII() {
	for c := range t.ascii {
		t.ascii[c] = -1
		if id, ok := t.merges[string(rune(c))]; ok {
			t.ascii[c] = id
		}
	}
}

// checkBytes checks that every byte has its piece when characters may fall back to bytes.
func (t *Tokenizer) checkBytes() error {
	if !t.byteFallback {
		return nil
	}
	for b, id := range t.byteIDs {
		if id < 0 {
			return &HeaderError{"byte_fallback", "a piece for each of the 256 bytes", "none for " + byteText(byte(b))}
		}
	}
	return nil
}

// rankScores numbers the scores from the highest down; equal scores share a number.
func (t *Tokenizer) rankScores() {
	order := make([]int32, len(t.pieces))
	for i := range order {
		order[i] = int32(i)
	}
	score := func(i int) float32 { return t.pieces[order[i]].Score }
	sort.Slice(order, func(i, j int) bool { return score(i) > score(j) })
	t.rank = make([]int32, len(order))
	rank := int32(0)
	for i, id := range order {
		if i > 0 && score(i) != score(i-1) {
			rank++
		}
		t.rank[id] = rank
	}
}
