package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// Decode returns the text of ids: the pieces' bytes in a row, U+2581 as a space. Control and unknown
// pieces and ids that do not exist add nothing, each byte of invalid UTF-8 becomes U+FFFD, and the blank
// of the dummy prefix is dropped.
func (t *Tokenizer) Decode(ids []int32) string {
	var b strings.Builder
	d := t.NewDecoder()
	for _, id := range ids {
		b.WriteString(d.Write(id))
	}
	b.WriteString(d.Flush())
	return b.String()
}

// Decoder decodes ids as they come. All it returns, in a row, is what Decode returns for the same ids. It
// is for one goroutine.
type Decoder struct {
	t       *Tokenizer
	pending []byte // the beginning of a character, at most 3 bytes between calls
	begun   bool   // a piece with text was seen, so a blank is no dummy prefix any more
}

// NewDecoder returns a decoder at the beginning of a text.
func (t *Tokenizer) NewDecoder() *Decoder {
	return &Decoder{t: t, pending: make([]byte, 0, utf8.UTFMax)}
}

// Write takes the next id and returns the characters it completes, valid UTF-8 and possibly none.
func (d *Decoder) Write(id int32) string {
	if id < 0 || int(id) >= len(d.t.pieces) || d.t.decoded[id] == "" {
		return ""
	}
	text := d.t.decoded[id]
	if d.t.pieces[id].Type == TypeByte {
		d.begun = true
		d.pending = append(d.pending, text...)
		return d.complete(false)
	}
	if !d.begun && d.t.dummyPrefix {
		text = strings.TrimPrefix(text, " ")
	}
	d.begun = true
	// Other pieces are whole characters: one that is still pending will not be completed.
	return d.complete(true) + text
}

// Flush ends the text: what is left of a character becomes U+FFFD. The decoder is as new afterwards.
func (d *Decoder) Flush() string {
	d.begun = false
	return d.complete(true)
}

// complete takes the complete characters, or with all set everything, off the pending bytes.
func (d *Decoder) complete(all bool) string {
	var out []byte
	p := d.pending
	for len(p) > 0 && (all || utf8.FullRune(p)) {
		r, size := utf8.DecodeRune(p)
		out = utf8.AppendRune(out, r)
		p = p[size:]
	}
	d.pending = append(d.pending[:0], p...)
	return string(out)
}
