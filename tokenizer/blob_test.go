package tokenizer

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
)

// record writes a tokenizer record from the description of the format, to test New with.
type record struct {
	count                   int64 // what the header says; -1 for the number of pieces
	pad, eos, bos, unk      uint32
	dummyPrefix, byteFall   uint8
	padding                 uint16
	pieces                  []Piece // Text of byte pieces spelt <0xNN>
	tail                    string
	cut                     int                // bytes cut off the end
	sizes                   map[int]uint16     // lengths that lie
	types                   map[int]uint8      // types that are none
	texts                   map[int]string     // other texts
	scores                  map[int]float32    // other scores
	additional, userDefined []string           // normal and user-defined pieces behind the others
	ranked                  map[string]float32 // scores of additional pieces; else 0
}

// newRecord is the smallest vocabulary: the fixed pieces and the bytes.
func newRecord() *record {
	r := &record{count: -1, eos: EOS, bos: BOS, unk: Unknown, byteFall: 1}
	r.pieces = fixedRecordPieces()
	for b := 0; b < 256; b++ {
		const digits = "0123456789ABCDEF"
		text := "<0x" + string(digits[b>>4]) + string(digits[b&15]) + ">"
		r.pieces = append(r.pieces, Piece{Text: text, Type: TypeByte})
	}
	return r
}

// fixedRecordPieces spells the fixed pieces out once more, as the porting guide lists them.
func fixedRecordPieces() []Piece {
	const guide = "<pad>, </s>, <s>, <unk>, <|im_start|>, <|im_end|>, <think>, </think>, <tools>, </tools>, " +
		"<tool_call>, </tool_call>, <tool_result>, </tool_result>, <context>, </context>"
	var out []Piece
	for id, text := range strings.Split(guide, ", ") {
		p := Piece{Text: text, Type: TypeUserDefined}
		if id < 3 {
			p.Type = TypeControl
		} else if id == 3 {
			p.Type = TypeUnknown
		}
		out = append(out, p)
	}
	return out
}

func (r *record) bytes() []byte {
	pieces := append([]Piece(nil), r.pieces...)
	for _, text := range r.userDefined {
		pieces = append(pieces, Piece{Text: text, Type: TypeUserDefined})
	}
	for _, text := range r.additional {
		pieces = append(pieces, Piece{Text: text, Score: r.ranked[text]})
	}
	count := r.count
	if count < 0 {
		count = int64(len(pieces))
	}
	le := binary.LittleEndian
	out := le.AppendUint32(nil, uint32(count))
	for _, id := range []uint32{r.pad, r.eos, r.bos, r.unk} {
		out = le.AppendUint32(out, id)
	}
	out = append(out, r.dummyPrefix, r.byteFall)
	out = le.AppendUint16(out, r.padding)
	for id, p := range pieces {
		out = r.appendPiece(out, id, p)
	}
	return append(out, r.tail...)[:len(out)+len(r.tail)-r.cut]
}

func (r *record) appendPiece(out []byte, id int, p Piece) []byte {
	le := binary.LittleEndian
	if text, ok := r.texts[id]; ok {
		p.Text = text
	}
	if score, ok := r.scores[id]; ok {
		p.Score = score
	}
	kind := uint8(p.Type)
	if k, ok := r.types[id]; ok {
		kind = k
	}
	size := uint16(len(p.Text))
	if s, ok := r.sizes[id]; ok {
		size = s
	}
	out = le.AppendUint32(out, math.Float32bits(p.Score))
	out = append(out, kind)
	out = le.AppendUint16(out, size)
	return append(out, p.Text...)
}

func (r *record) tokenizer(t testing.TB) *Tokenizer {
	t.Helper()
	tok, err := New(r.bytes())
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func TestNewReadsPieces(t *testing.T) {
	r := newRecord()
	r.additional = []string{"a", "\u2581b", "日"}
	r.ranked = map[string]float32{"a": -1.5}
	blob := r.bytes()
	tok, err := New(blob)
	if err != nil {
		t.Fatal(err)
	}
	for i := range blob { // New has to have copied what it keeps
		blob[i] = 0xAA
	}
	if tok.Len() != 275 || tok.AddDummyPrefix {
		t.Errorf("Len() = %d, AddDummyPrefix = %v; want 275, false", tok.Len(), tok.AddDummyPrefix)
	}
	for _, c := range []struct {
		id    int
		piece Piece
		bytes string
	}{
		{Pad, Piece{"<pad>", 0, TypeControl}, ""},
		{Unknown, Piece{"<unk>", 0, TypeUnknown}, ""},
		{ToolCall, Piece{"<tool_call>", 0, TypeUserDefined}, "<tool_call>"},
		{16, Piece{"\x00", 0, TypeByte}, "\x00"},
		{16 + 0xFF, Piece{"\xFF", 0, TypeByte}, "\xFF"},
		{272, Piece{"a", -1.5, TypeNormal}, "a"},
		{273, Piece{"\u2581b", 0, TypeNormal}, " b"},
		{-1, Piece{}, ""}, {275, Piece{}, ""},
	} {
		if got := tok.Piece(c.id); got != c.piece {
			t.Errorf("Piece(%d) = %+v, want %+v", c.id, got, c.piece)
		}
		got := tok.PieceBytes(c.id)
		if string(got) != c.bytes || (got == nil) != (c.bytes == "") {
			t.Errorf("PieceBytes(%d) = %q, want %q", c.id, got, c.bytes)
		}
	}
}

func TestPieceBytesAreFresh(t *testing.T) {
	tok := newRecord().tokenizer(t)
	tok.PieceBytes(Tools)[0] = 'X'
	if got := string(tok.PieceBytes(Tools)); got != "<tools>" {
		t.Errorf("a caller changed the piece to %q", got)
	}
}

func TestConstantsAreTheGuides(t *testing.T) {
	tok := newRecord().tokenizer(t)
	for id, text := range map[int]string{
		Pad: "<pad>", EOS: "</s>", BOS: "<s>", Unknown: "<unk>", IMStart: "<|im_start|>", IMEnd: "<|im_end|>",
		Think: "<think>", EndThink: "</think>", Tools: "<tools>", EndTools: "</tools>", ToolCall: "<tool_call>",
		EndToolCall: "</tool_call>", ToolResult: "<tool_result>", EndToolResult: "</tool_result>",
		Context: "<context>", EndContext: "</context>",
	} {
		if got := tok.Piece(id).Text; got != text {
			t.Errorf("piece %d is %q, want %q", id, got, text)
		}
	}
}

func TestNewRefusesHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*record)
		field  string
	}{
		"no header":            {func(r *record) { r.cut = len(r.bytes()) - 23 }, "blob"},
		"nothing":              {func(r *record) { r.cut = len(r.bytes()) }, "blob"},
		"fewer than the fixed": {func(r *record) { r.count = 15 }, "n_pieces"},
		"no pieces":            {func(r *record) { r.count = 0 }, "n_pieces"},
		"more than fit":        {func(r *record) { r.count = 2000 }, "n_pieces"},
		"one more than fit":    {func(r *record) { r.count = int64(len(r.bytes())-24)/8 + 1 }, "n_pieces"},
		"all bits":             {func(r *record) { r.count = math.MaxUint32 }, "n_pieces"},
		"pad elsewhere":        {func(r *record) { r.pad = 1 }, "pad id"},
		"eos out of range":     {func(r *record) { r.eos = 1 << 31 }, "eos id"},
		"bos elsewhere":        {func(r *record) { r.bos = 4 }, "bos id"},
		"unk out of range":     {func(r *record) { r.unk = math.MaxUint32 }, "unk id"},
		"flag of 2":            {func(r *record) { r.dummyPrefix = 2 }, "add_dummy_prefix"},
		"other flag of 255":    {func(r *record) { r.byteFall = 255 }, "byte_fallback"},
		"padding":              {func(r *record) { r.padding = 1 }, "padding"},
		"more behind":          {func(r *record) { r.tail = "\x00" }, "blob"},
		"a record too many":    {func(r *record) { r.count = int64(len(r.pieces)) - 1 }, "blob"},
		"a byte missing":       {func(r *record) { r.pieces = r.pieces[:len(r.pieces)-1] }, "byte_fallback"},
		"no bytes":             {func(r *record) { r.pieces = r.pieces[:16] }, "byte_fallback"},
	} {
		r := newRecord()
		c.change(r)
		_, err := New(r.bytes())
		var e *HeaderError
		if !errors.As(err, &e) || e.Field != c.field {
			t.Errorf("%s: got %v, want a HeaderError of %s", name, err, c.field)
			continue
		}
		checkSentence(t, name, err, c.field)
	}
}

func TestNewRefusesPieces(t *testing.T) {
	last := 16 + 255
	text := func(id int, s string) func(*record) {
		return func(r *record) { r.texts = map[int]string{id: s} }
	}
	score := func(id int, f float32) func(*record) {
		return func(r *record) { r.scores = map[int]float32{id: f} }
	}
	kind := func(id int, k uint8) func(*record) {
		return func(r *record) { r.types = map[int]uint8{id: k} }
	}
	add := func(texts ...string) func(*record) { return func(r *record) { r.additional = texts } }
	for name, c := range map[string]struct {
		change func(*record)
		id     int
	}{
		"record cut":          {func(r *record) { r.cut = 6 + 6; r.count = int64(last) + 1 }, last},
		"text cut":            {func(r *record) { r.cut = 1 }, last},
		"length beyond":       {func(r *record) { r.sizes = map[int]uint16{last: 7} }, last},
		"longest length":      {func(r *record) { r.sizes = map[int]uint16{last: math.MaxUint16} }, last},
		"empty":               {text(20, ""), 20},
		"too long":            {add(strings.Repeat("x", 8000)), last + 1},
		"invalid UTF-8":       {add("a\xffb"), last + 1},
		"surrogate":           {add("\xed\xa0\x80"), last + 1},
		"half a character":    {add("\xe2\x96"), last + 1},
		"NUL":                 {add("a\x00"), last + 1},
		"type 5":              {kind(17, 5), 17},
		"type 255":            {kind(17, 255), 17},
		"second unknown":      {kind(17, uint8(TypeUnknown)), 17},
		"byte in lower case":  {text(16+0xAB, "<0xab>"), 16 + 0xAB},
		"byte not closed":     {text(16, "<0x00)"), 16},
		"byte of three":       {text(16, "<0x000>"), 16},
		"byte of other signs": {text(16, "<0xG0>"), 16},
		"byte with a sign":    {text(16, "<0x+0>"), 16},
		"byte twice":          {text(17, "<0x00>"), 17},
		"word as byte":        {func(r *record) { r.additional = []string{"word"}; r.types = map[int]uint8{last + 1: 4} }, last + 1},
		"NaN":                 {score(30, float32(math.NaN())), 30},
		"infinite":            {score(30, float32(math.Inf(1))), 30},
		"minus infinite":      {score(30, float32(math.Inf(-1))), 30},
		"twice":               {add("x", "x"), last + 2},
		"marker as text":      {add("<tools>"), last + 1},
		"control as text":     {add("</s>"), last + 1},
		"byte as text":        {add("<0x41>"), last + 1},
		"pad renamed":         {text(Pad, "<PAD>"), Pad},
		"eos normal":          {kind(EOS, uint8(TypeNormal)), EOS},
		"unk control":         {kind(Unknown, uint8(TypeControl)), Unknown},
		"marker renamed":      {text(ToolCall, "<toolcall>"), ToolCall},
		"marker control":      {kind(IMEnd, uint8(TypeControl)), IMEnd},
		"context normal":      {kind(EndContext, uint8(TypeNormal)), EndContext},
	} {
		r := newRecord()
		c.change(r)
		_, err := New(r.bytes())
		var e *PieceError
		if !errors.As(err, &e) || e.ID != c.id {
			t.Errorf("%s: got %v, want a PieceError of piece %d", name, err, c.id)
			continue
		}
		checkSentence(t, name, err, "piece")
	}
}

// checkSentence holds an error to the form that all errors have.
func checkSentence(t *testing.T, name string, err error, where string) {
	t.Helper()
	s := err.Error()
	for _, part := range []string{where, "expected ", "found "} {
		if !strings.HasPrefix(s, "tokenizer: ") || !strings.Contains(s, part) || strings.ContainsAny(s, "\n\x00") {
			t.Errorf("%s: the error %q does not say %q", name, s, part)
		}
	}
	if len(s) > 300 {
		t.Errorf("%s: the error has %d bytes", name, len(s))
	}
}

// TestNewCutAnywhere cuts a good record at every length: none of them is good.
func TestNewCutAnywhere(t *testing.T) {
	r := newRecord()
	r.additional = []string{"a", "ab"}
	blob := r.bytes()
	for n := range blob {
		if _, err := New(blob[:n]); err == nil {
			t.Errorf("New accepts the first %d of %d bytes", n, len(blob))
		}
	}
	if _, err := New(blob); err != nil {
		t.Error(err)
	}
}

func TestNewTakesTheLongestPiece(t *testing.T) {
	r := newRecord()
	long := strings.Repeat("x", maxPieceBytes-1)
	r.userDefined = []string{long}
	tok := r.tokenizer(t)
	if got := tok.Encode(long); len(got) != 1 || got[0] != 272 {
		t.Errorf("the longest piece comes back as %d ids", len(got))
	}
}

// Byte pieces without the flag are of no use for encoding, but ids of them decode.
func TestNewTakesBytePiecesWithoutFallback(t *testing.T) {
	r := newRecord()
	r.byteFall = 0
	tok := r.tokenizer(t)
	if got := tok.Encode("é"); len(got) != 1 || got[0] != Unknown {
		t.Errorf("Encode = %v, want the unknown piece", got)
	}
	if got := tok.Decode([]int32{16 + 'x'}); got != "x" {
		t.Errorf("Decode = %q, want x", got)
	}
}

func TestTypeNames(t *testing.T) {
	want := []string{"normal", "unknown", "control", "user-defined", "byte", "invalid"}
	for i, name := range want {
		if got := Type(i).String(); got != name {
			t.Errorf("Type(%d) is called %q, want %q", i, got, name)
		}
	}
}

func FuzzNew(f *testing.F) {
	r := newRecord()
	f.Add(r.bytes())
	r.additional, r.userDefined, r.dummyPrefix = []string{"a", "\u2581", "\u2581a", "日本"}, []string{"ab", "\n"}, 1
	f.Add(r.bytes())
	r.byteFall, r.pieces = 0, r.pieces[:16]
	f.Add(r.bytes())
	f.Add(r.bytes()[:30])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, blob []byte) {
		tok, err := New(blob)
		if err != nil {
			return
		}
		size := headerBytes
		for id := range tok.Len() {
			p := tok.Piece(id)
			if p.Text == "" || p.Type > TypeByte || p.Score != p.Score {
				t.Fatalf("New accepts piece %d: %+v", id, p)
			}
			if size += recordBytes + len(p.Text); p.Type == TypeByte {
				size += len("<0xNN>") - 1
			}
		}
		if size != len(blob) {
			t.Fatalf("New accepts %d bytes of which the pieces explain %d", len(blob), size)
		}
		checkText(t, tok, "a \u2581ab<tools>日\xff\x00<|im_start|")
	})
}
