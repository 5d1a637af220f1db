package grammar

import (
	"math/bits"
	"slices"
)

// Vocabulary is the pieces of a tokenizer as a trie. It is immutable and safe for concurrent use.
type Vocabulary struct {
	pieces [][]byte
	words  int // of a mask
	all    *trie
	// What a piece does inside a string has nothing to do with what the string stands in, as long as it does not
	// end it. inner are those pieces; within has the ones a string without a pattern takes, by the number of
	// code points they begin at most, and names the ones that an undeclared name takes.
	within [][]uint64
	names  []uint64
	plain  *trie // the inner pieces that are whole code points, spelt as they are
	spelt  *trie // the other inner ones: escapes, and parts of code points
	ending *trie // all others
}

// trie holds pieces by their bytes, in the order a depth-first walk meets them: after a node come the nodes below
// it, and skip says where the next one beside it is.
type trie struct {
	nodes  []trieNode
	tokens []int32 // by node, one after the other
}

type trieNode struct {
	char        byte
	depth       uint16 // of the byte in the piece, from 0
	tokens, end int32  // the pieces that end here: trie.tokens[tokens:end]
	skip        int32
}

// maxPiece bounds the bytes of a piece that can be legal.
const maxPiece = 1 << 10

// NewVocabulary returns the vocabulary in which token i spells pieces[i]. An empty piece, or one of more than
// 1,024 bytes, is never legal. The pieces are not to be written to afterwards.
func NewVocabulary(pieces [][]byte) *Vocabulary {
	v := &Vocabulary{pieces: pieces, words: (len(pieces) + 63) / 64}
	var all, plain, spelt, ending []int32
	for id, p := range pieces {
		if len(p) == 0 || len(p) > maxPiece {
			continue
		}
		all = append(all, int32(id))
		n, whole, ok := innerLength(p)
		switch {
		case !ok:
			ending = append(ending, int32(id))
			continue
		case whole:
			plain = append(plain, int32(id))
		default:
			spelt = append(spelt, int32(id))
		}
		for len(v.within) <= n {
			v.within = append(v.within, make([]uint64, v.words))
		}
		v.within[n][id/64] |= 1 << (id % 64)
	}
	for n := range v.within {
		for i := range v.within[n] {
			if n > 0 {
				v.within[n][i] |= v.within[n-1][i]
			}
		}
	}
	v.all, v.plain, v.spelt, v.ending = newTrie(pieces, all), newTrie(pieces, plain), newTrie(pieces, spelt), newTrie(pieces, ending)
	v.names = v.insideName()
	return v
}

// insideName finds the inner pieces that go on with a name that is not declared.
func (v *Vocabulary) insideName() []uint64 {
	anything, err := newCompiler(false, newLanguages()).anyObject()
	if err != nil {
		return nil // not possible for the schema it has
	}
	m := Matcher{v: v, mask: Mask{make([]uint64, v.words)}}
	name := anything.keys(&frame{kind: frameObject, object: anything}, nil)
	m.walk(v.plain, name)
	m.walk(v.spelt, name)
	return m.mask.words
}

// Len is the number of pieces.
func (v *Vocabulary) Len() int { return len(v.pieces) }

// innerLength is the number of code points that a piece begins between the quotes of a string, from a place
// between two. whole says that it ends at such a place and has no escape; ok is false when the piece ends the
// string or can't stand in it.
func innerLength(p []byte) (n int, whole, ok bool) {
	var u unit
	whole = true
	for _, b := range p {
		if u.form == unitNone {
			if b == '"' {
				return 0, false, false
			}
			n++
		}
		if u, _, _, ok = u.next(b); !ok {
			return 0, false, false
		}
		whole = whole && !u.escaped()
	}
	return n, whole && u.form == unitNone, true
}

func newTrie(pieces [][]byte, ids []int32) *trie {
	ids = slices.Clone(ids)
	slices.SortStableFunc(ids, func(a, b int32) int { return slices.Compare(pieces[a], pieces[b]) })
	t := &trie{}
	var open []int32 // the nodes that lead to the last piece
	close := func(depth int) {
		for len(open) > depth {
			t.nodes[open[len(open)-1]].skip = int32(len(t.nodes))
			open = open[:len(open)-1]
		}
	}
	var last []byte
	for _, id := range ids {
		p := pieces[id]
		shared := 0
		for shared < len(p) && shared < len(last) && p[shared] == last[shared] {
			shared++
		}
		close(shared)
		for depth := shared; depth < len(p); depth++ {
			open = append(open, int32(len(t.nodes)))
			n := int32(len(t.tokens))
			t.nodes = append(t.nodes, trieNode{char: p[depth], depth: uint16(depth), tokens: n, end: n})
		}
		t.tokens = append(t.tokens, id)
		t.nodes[open[len(open)-1]].end++
		last = p
	}
	close(0)
	return t
}

// Mask is a set of tokens.
type Mask struct{ words []uint64 }

// NewMask returns the set of the tokens whose bits are set, token 64*i+k as bit k of word i. The words are kept.
func NewMask(words []uint64) *Mask { return &Mask{words} }

// Has reports whether a token is in the set.
func (m *Mask) Has(id int32) bool {
	return id >= 0 && int(id)/64 < len(m.words) && m.words[id/64]>>(id%64)&1 == 1
}

// Count is the number of tokens in the set.
func (m *Mask) Count() int {
	n := 0
	for _, w := range m.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// Words are the bits of the set, token 64*i+k as bit k of word i. They are not to be written to.
func (m *Mask) Words() []uint64 { return m.words }

// Only returns the token when the set has exactly one.
func (m *Mask) Only() (id int32, ok bool) {
	id = -1
	for i, w := range m.words {
		if w == 0 {
			continue
		}
		if id >= 0 || w&(w-1) != 0 {
			return 0, false
		}
		id = int32(64*i + bits.TrailingZeros64(w))
	}
	return id, id >= 0
}

func (m *Mask) add(ids []int32) {
	for _, id := range ids {
		m.words[id/64] |= 1 << (id % 64)
	}
}

func (m *Mask) or(words []uint64) {
	for i, w := range words {
		m.words[i] |= w
	}
}
