package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// maxRun bounds the bytes that are merged as one, so that 32 bits number their characters. Longer runs
// are cut there; no model reads a thousandth of it.
const maxRun = 1 << 28

// Encode returns the ids of a text as SentencePiece does: markers in the text become their pieces, the
// longest one at each place. Each byte of invalid UTF-8 counts as U+FFFD. Without byte pieces in the
// archive a stretch of characters that can't be spelt becomes one Unknown. An empty text has no ids.
func (t *Tokenizer) Encode(text string) []int32 {
	rest := t.escape(text)
	m := newMerger(t, rest)
	for rest != "" {
		at, id, size := t.markers.next(rest)
		m.encode(rest[:at], maxRun)
		if id >= 0 {
			m.ids = append(m.ids, id)
		}
		rest = rest[at+size:]
	}
	return m.ids
}

// EncodePlain returns ids among which there is no control and no user-defined piece, whatever the text
// spells, and Unknown only for want of byte pieces in the archive. Where a text holds no marker they are
// the ids of Encode. They decode to the text again, but for what no tokenizer of this kind keeps: U+2581
// comes back as a space and invalid UTF-8 as U+FFFD.
func (t *Tokenizer) EncodePlain(text string) []int32 {
	run := t.escape(text)
	m := newMerger(t, run)
	m.encode(run, maxRun)
	return m.ids
}

// escape returns the text as merging sees it: valid UTF-8, blanks as U+2581, the dummy prefix in front.
func (t *Tokenizer) escape(text string) string {
	if text == "" {
		return ""
	}
	if !utf8.ValidString(text) {
		text = replaceInvalid(text)
	}
	text = strings.ReplaceAll(text, " ", metaSpace)
	if t.dummyPrefix {
		text = metaSpace + text
	}
	return text
}

// replaceInvalid puts U+FFFD in the place of each byte of invalid UTF-8. (strings.ToValidUTF8 puts one
// in the place of a whole stretch.)
func replaceInvalid(text string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/2)
	for _, r := range text {
		b.WriteRune(r)
	}
	return b.String()
}

// symbol is a stretch of a run: a character, later what characters were merged to.
type symbol struct {
	start, end int32
	prev, next int32 // neighbours, -1 at the ends
	id         int32 // the piece it is, or -1
	pair       int32 // the piece that it and its right neighbour would be, or -1
}

// merger holds the working memory of one call, used again from run to run.
type merger struct {
	t       *Tokenizer
	run     string
	symbols []symbol
	agenda  agenda
	ids     []int32
}

func newMerger(t *Tokenizer, text string) *merger {
	if text == "" {
		return &merger{t: t}
	}
	return &merger{t: t, ids: make([]int32, 0, len(text)/3+1)}
}

// encode appends the ids of a run of text without markers, cut into stretches of about limit bytes.
func (m *merger) encode(run string, limit int) {
	for len(run) > limit {
		cut := limit
		for cut < len(run) && !utf8.RuneStart(run[cut]) {
			cut++
		}
		m.merge(run[:cut])
		run = run[cut:]
	}
	m.merge(run)
}

// merge appends the ids of a run. The agenda holds every pair of neighbours that is a piece, the best
// score first, the leftmost of equals; a pair that has changed since it was put there is passed over.
func (m *merger) merge(run string) {
	if run == "" {
		return
	}
	m.split(run)
	for len(m.agenda) > 0 {
		rank, left := m.agenda.pop()
		if pair := m.symbols[left].pair; pair >= 0 && m.t.rank[pair] == rank {
			m.join(left)
		}
	}
	for i := int32(0); i >= 0; i = m.symbols[i].next {
		m.emit(&m.symbols[i])
	}
}

// split makes a symbol of each character and an agenda of their pairs.
func (m *merger) split(run string) {
	if n := utf8.RuneCountInString(run); n > cap(m.symbols) {
		m.symbols, m.agenda = make([]symbol, 0, n), make(agenda, 0, n)
	}
	m.run, m.symbols, m.agenda = run, m.symbols[:0], m.agenda[:0]
	for at := 0; at < len(run); {
		size, id := m.t.character(run[at:])
		i := int32(len(m.symbols))
		m.symbols = append(m.symbols, symbol{int32(at), int32(at + size), i - 1, i + 1, id, -1})
		at += size
	}
	m.symbols[len(m.symbols)-1].next = -1
	for i := range m.symbols[:len(m.symbols)-1] {
		m.pair(int32(i))
		if pair := m.symbols[i].pair; pair >= 0 {
			m.agenda = append(m.agenda, newCandidate(m.t.rank[pair], int32(i)))
		}
	}
	m.agenda.heapify()
}

// character returns the size of the first character of a text and the piece it is, or -1.
func (t *Tokenizer) character(text string) (size int, id int32) {
	if c := text[0]; c < utf8.RuneSelf {
		return 1, t.ascii[c]
	}
	_, size = utf8.DecodeRuneInString(text)
	if id, ok := t.merges[text[:size]]; ok {
		return size, id
	}
	return size, -1
}

// pair looks up what a symbol and its right neighbour would be.
func (m *merger) pair(i int32) {
	s := &m.symbols[i]
	s.pair = -1
	if s.next < 0 {
		return
	}
	if id, ok := m.t.merges[m.run[s.start:m.symbols[s.next].end]]; ok {
		s.pair = id
	}
}

// propose looks a pair up again and puts it on the agenda.
func (m *merger) propose(i int32) {
	m.pair(i)
	if pair := m.symbols[i].pair; pair >= 0 {
		m.agenda.push(newCandidate(m.t.rank[pair], i))
	}
}

// join merges a symbol with its right neighbour.
func (m *merger) join(i int32) {
	left := &m.symbols[i]
	right := &m.symbols[left.next]
	left.id, left.end, left.next = left.pair, right.end, right.next
	right.pair = -1 // it is part of the left one now
	if right.next >= 0 {
		m.symbols[right.next].prev = i
	}
	if left.prev >= 0 {
		m.propose(left.prev)
	}
	m.propose(i)
}

// emit appends the ids of a symbol that is merged no further.
func (m *merger) emit(s *symbol) {
	if s.id >= 0 {
		m.ids = append(m.ids, s.id)
		return
	}
	if m.t.byteFallback {
		for _, b := range []byte(m.run[s.start:s.end]) {
			m.ids = append(m.ids, m.t.byteIDs[b])
		}
		return
	}
	if n := len(m.ids); n == 0 || m.ids[n-1] != Unknown {
		m.ids = append(m.ids, Unknown)
	}
}
