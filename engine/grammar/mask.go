package grammar

import "sync"

// keptMasks holds, for automata inside strings, the inner pieces that a state takes: they don't depend on what the
// string stands in.
type keptMasks struct {
	mu    sync.Mutex
	words map[keptKey][]uint64
}

type keptKey struct {
	vocabulary *Vocabulary
	automaton  *dfa
	state      int32
}

// maxKept bounds the masks that one grammar keeps; at 8,192 tokens each has 1 KiB.
const maxKept = 1024

// within returns the inner pieces that a state of an automaton takes.
func (k *keptMasks) within(v *Vocabulary, d *dfa, q int32) []uint64 {
	key := keptKey{v, d, q}
	k.mu.Lock()
	words := k.words[key]
	k.mu.Unlock()
	if words != nil {
		return words
	}
	words = v.take(d, q)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.words == nil || len(k.words) >= maxKept {
		k.words = map[keptKey][]uint64{}
	}
	k.words[key] = words
	return words
}

// take finds the inner pieces that a state of an automaton takes.
func (v *Vocabulary) take(d *dfa, q int32) []uint64 {
	m := Matcher{v: v, mask: Mask{make([]uint64, v.words)}}
	m.walk(v.spelt, []thread{{frame: &frame{}, at: placeText, texts: &textProgram{d: d, max: endless}, q: q}})
	v.takePlain(d, q, m.mask.words)
	return m.mask.words
}

// takePlain is take for the pieces that need no reading byte by byte.
func (v *Vocabulary) takePlain(d *dfa, q int32, words []uint64) {
	t := v.plain
	var states [maxPiece + 1]int32 // after the code points that end before a depth
	var spelt [maxPiece]byte
	states[0] = q
	for i := int32(0); i < int32(len(t.nodes)); {
		n := &t.nodes[i]
		at, next := int(n.depth), dead
		spelt[at] = n.char
		switch first := runeStart(spelt[:at+1]); {
		case n.char < 0x80:
			next = d.step(states[at], rune(n.char))
		case first.whole:
			next = d.step(states[first.at], first.c)
		default:
			next = states[first.at] // inside a code point: decided at its end
		}
		if next == dead {
			i = n.skip
			continue
		}
		states[at+1] = next
		for _, id := range t.tokens[n.tokens:n.end] {
			words[id/64] |= 1 << (id % 64)
		}
		i++
	}
}

type speltRune struct {
	at    int // where it begins
	c     rune
	whole bool
}

// runeStart finds the code point that the last byte of a valid beginning of UTF-8 belongs to.
func runeStart(text []byte) speltRune {
	at := len(text) - 1
	for text[at]&0xc0 == 0x80 {
		at--
	}
	u, _, _, _ := beginUnit(text[at])
	var c rune
	done := false
	for _, b := range text[at+1:] {
		u, c, done, _ = u.next(b)
	}
	return speltRune{at, c, done}
}

// Matcher follows one text. It is not safe for concurrent use; Clone makes another that goes on from the same
// place.
type Matcher struct {
	g       *Grammar
	v       *Vocabulary
	threads []thread
	mask    Mask
	masked  bool // mask is the one of threads
	levels  [][]thread
	rest    []thread
}

// Start returns a matcher of the empty text.
func (g *Grammar) Start(v *Vocabulary) *Matcher {
	m := &Matcher{g: g, v: v, mask: Mask{make([]uint64, v.words)}}
	m.threads = append(m.threads, g.start)
	return m
}

// Clone returns a matcher of the same text that goes its own way.
func (m *Matcher) Clone() *Matcher {
	return &Matcher{g: m.g, v: m.v, threads: append([]thread(nil), m.threads...), mask: Mask{make([]uint64, m.v.words)}}
}

// Complete reports whether the text is a whole one of the grammar. Only a number may go on then.
func (m *Matcher) Complete() bool {
	for i := range m.threads {
		if m.threads[i].whole() {
			return true
		}
	}
	return false
}

func (t *thread) whole() bool {
	if t.frame.kind != frameRoot {
		return false
	}
	switch t.at {
	case placeAfter:
		return true
	case placeNumber:
		return t.numbers.finished(t.text, nil)
	case placeLiteral:
		return t.n > 0 && int(t.n) == len(t.node.literals[t.low].text)
	}
	return false
}

// AcceptBytes moves on by some bytes. When they can't follow, the matcher stays where it was.
func (m *Matcher) AcceptBytes(text []byte) bool {
	at, spare := m.threads, []thread(nil)
	for _, b := range text {
		next := spare[:0]
		for i := range at {
			next = step(&at[i], b, next)
		}
		if len(next) == 0 {
			return false
		}
		if &at[0] == &m.threads[0] {
			spare = nil
		} else {
			spare = at
		}
		at = next
	}
	m.threads, m.masked = at, false
	return true
}

// Closes reports whether some bytes would make the text whole. The matcher stays where it is.
func (m *Matcher) Closes(text string) bool {
	after := Matcher{threads: m.threads}
	return after.AcceptBytes([]byte(text)) && after.Complete()
}

// Accept moves on by a token. When it is not legal, the matcher stays where it was.
func (m *Matcher) Accept(id int32) bool {
	if id < 0 || int(id) >= len(m.v.pieces) || len(m.v.pieces[id]) == 0 || len(m.v.pieces[id]) > maxPiece {
		return false
	}
	return m.AcceptBytes(m.v.pieces[id])
}

// Mask returns the tokens that may follow. It is valid until the matcher moves on. It is empty when the text is
// complete and nothing may follow.
func (m *Matcher) Mask() *Mask {
	if m.masked {
		return &m.mask
	}
	clear(m.mask.words)
	m.masked = true
	m.rest = m.rest[:0]
	inside := false // some thread takes its inner pieces from a table
	for i := range m.threads {
		if words := m.inner(&m.threads[i]); words != nil {
			m.mask.or(words)
			inside = true
		} else {
			m.rest = append(m.rest, m.threads[i])
		}
	}
	if inside {
		m.walk(m.v.ending, m.threads)
		m.walk(m.v.plain, m.rest)
		m.walk(m.v.spelt, m.rest)
	} else {
		m.walk(m.v.all, m.threads)
	}
	return &m.mask
}

// inner returns the inner pieces that a thread in a string takes, when they can be told without reading them;
// else nil.
func (m *Matcher) inner(t *thread) []uint64 {
	if t.unit.form != unitNone || len(m.v.within) == 0 {
		return nil
	}
	switch {
	case t.at == placeText && len(t.frame.taken) == 0:
		return m.innerText(t)
	case t.at == placeKey && t.q != dead && t.frame.object.dynamic[t.claim].safe[t.q]:
		return m.v.names
	}
	return nil
}

func (m *Matcher) innerText(t *thread) []uint64 {
	p, longest := t.texts, int32(len(m.v.within)-1)
	room := endless
	if p.max != endless {
		room = p.max - t.n
	}
	switch {
	case p.d.everything():
		return m.v.within[min(room, longest)]
	case p.max == endless && p.min <= t.n:
	case p.lengths != nil || p.max == endless:
		return nil
	default: // the end must stay in reach after each piece
		if !p.d.safe[t.q] || p.d.furthest > room-longest {
			return nil
		}
	}
	return m.g.masks.within(m.v, p.d, t.q)
}

// walk adds the pieces of a trie that the threads take.
func (m *Matcher) walk(t *trie, threads []thread) {
	if len(threads) == 0 {
		return
	}
	for len(m.levels) < 2 {
		m.levels = append(m.levels, nil)
	}
	for i := int32(0); i < int32(len(t.nodes)); {
		n := &t.nodes[i]
		from := threads
		if n.depth > 0 {
			from = m.levels[n.depth-1]
		}
		for len(m.levels) <= int(n.depth) {
			m.levels = append(m.levels, nil)
		}
		to := m.levels[n.depth][:0]
		for k := range from {
			to = step(&from[k], n.char, to)
		}
		m.levels[n.depth] = to
		if len(to) == 0 {
			i = n.skip
			continue
		}
		m.mask.add(t.tokens[n.tokens:n.end])
		i++
	}
}
