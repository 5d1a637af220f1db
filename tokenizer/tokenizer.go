// Package tokenizer is the SentencePiece byte-pair encoder of the Needle models, read from the RAW
// tensor at the end of an archive.
//
// Encode gives the ids SentencePiece gives: there is no Unicode normalisation, blanks become U+2581,
// pieces marked user-defined are cut out of the text first, and what is no piece becomes the byte
// pieces of its UTF-8. EncodePlain does the same without cutting: the text of a marker such as
// <|im_start|> comes back as ordinary pieces, so that a message can't forge a turn. Decode and the
// streaming Decoder go the other way and never hand out half a character.
//
// A Tokenizer is immutable after New and safe for use by many goroutines; a Decoder belongs to one.
package tokenizer

import "strings"

// The ids every Needle tokenizer fixes. New refuses a blob in which they differ in text or type.
const (
	Pad           = 0
	EOS           = 1
	BOS           = 2
	Unknown       = 3
	IMStart       = 4
	IMEnd         = 5
	Think         = 6
	EndThink      = 7
	Tools         = 8
	EndTools      = 9
	ToolCall      = 10
	EndToolCall   = 11
	ToolResult    = 12
	EndToolResult = 13
	Context       = 14
	EndContext    = 15
)

// Type says what a piece stands for; the values are those of the archive.
type Type uint8

// The types of pieces.
const (
	TypeNormal      Type = 0 // text, the only type that merging produces
	TypeUnknown     Type = 1 // what can't be spelt without byte pieces; decodes to nothing
	TypeControl     Type = 2 // never in a text; decodes to nothing
	TypeUserDefined Type = 3 // cut out of the text before merging
	TypeByte        Type = 4 // one byte of a character that is no piece
)

// String is the name of the type as SentencePiece spells it.
func (t Type) String() string {
	switch t {
	case TypeNormal:
		return "normal"
	case TypeUnknown:
		return "unknown"
	case TypeControl:
		return "control"
	case TypeUserDefined:
		return "user-defined"
	case TypeByte:
		return "byte"
	}
	return "invalid"
}

// metaSpace is the character that stands for a blank inside pieces.
const metaSpace = "\u2581"

// Piece is one entry of the vocabulary.
type Piece struct {
	// Text is the piece as the vocabulary spells it, with U+2581 for a blank; of a byte piece the
	// byte itself, which need not be valid UTF-8.
	Text string
	// Score orders the merges, the highest first.
	Score float32
	Type  Type
}

// Tokenizer turns text into ids and back. It is immutable and safe for concurrent use.
type Tokenizer struct {
	// AddDummyPrefix says that a blank is put in front of every text that is not empty, and taken
	// away again by Decode. It is a copy of the archive's flag: changing it changes nothing.
	AddDummyPrefix bool

	dummyPrefix  bool
	byteFallback bool
	pieces       []Piece
	decoded      []string         // per id, what it adds to a decoded text
	merges       map[string]int32 // the normal pieces, by text
	ascii        [128]int32       // the normal pieces of one ASCII character, else -1
	rank         []int32          // per id, its place in the order of merging; equal for equal scores
	byteIDs      [256]int32       // the byte pieces; valid with byteFallback
	markers      markerTrie
}

// Len is the number of pieces; ids are 0 to Len()-1.
func (t *Tokenizer) Len() int { return len(t.pieces) }

// Piece returns the vocabulary's entry for id, the zero Piece when there is none.
func (t *Tokenizer) Piece(id int) Piece {
	if id < 0 || id >= len(t.pieces) {
		return Piece{}
	}
	return t.pieces[id]
}

// PieceBytes returns the bytes that id adds to a decoded text, U+2581 being a space: a fresh slice,
// nil for control and unknown pieces and for ids that do not exist. The dummy prefix is not
// considered.
func (t *Tokenizer) PieceBytes(id int) []byte {
	if id < 0 || id >= len(t.pieces) || t.decoded[id] == "" {
		return nil
	}
	return []byte(t.decoded[id])
}

// decodedPiece is the text of a piece in a decoded text. Only the text of a piece is searched for
// U+2581, so the character survives when it was spelt in byte pieces, as in SentencePiece.
func decodedPiece(p Piece) string {
	switch p.Type {
	case TypeControl, TypeUnknown:
		return ""
	case TypeByte:
		return p.Text
	}
	return strings.ReplaceAll(p.Text, metaSpace, " ")
}
