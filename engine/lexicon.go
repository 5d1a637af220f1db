package engine

import (
	"fmt"
	"regexp"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine/prompt"
	"github.com/libneedle/libneedle/tokenizer"
)

// lexicon is the vocabulary as a turn sees it: the ids that are legal at each place and the spellings of
// what is forced. It is read-only.
type lexicon struct {
	tok     *tokenizer.Tokenizer
	newline []int32 // of "\n"
	bracket []int32 // of "]"

	thought tokenSet // between <think> and </think>
	opening tokenSet // the first token after a tool result
	answer  tokenSet // after a thought there, until prose begins
	prose   tokenSet

	list      tokenSet // what has bytes that a list of calls could have
	starting  tokenSet // of these, what has the first bytes of a string or number behind other things
	mustCall  tokenSet // a thought that has to end in a call
	mustBegin tokenSet // the first token after a tool result that has to lead to a call
}

// neverSampled are the marks that only the engine itself writes.
var neverSampled = [...]int32{
	tokenizer.Pad, tokenizer.BOS, tokenizer.Unknown, tokenizer.IMStart, tokenizer.Tools, tokenizer.EndTools,
	tokenizer.ToolResult, tokenizer.EndToolResult, tokenizer.Context, tokenizer.EndContext,
}

// newLexicon fails when tokenizer and weights don't belong together.
func newLexicon(t *tokenizer.Tokenizer, g cact.Geometry) (*lexicon, error) {
	if t.Len() > g.VocabSize {
		return nil, fmt.Errorf("engine: %w: the tokenizer has %d pieces, the embedding %d rows", errArchive, t.Len(), g.VocabSize)
	}
	if n := min(t.Len(), g.LogitCount()); n <= tokenizer.EndContext {
		return nil, fmt.Errorf("engine: %w: the output head covers %d of the tokens, at least %d are needed", errArchive, n, tokenizer.EndContext+1)
	}
	l := &lexicon{tok: t, newline: spell(t, "\n"), bracket: spell(t, "]")}
	if len(l.newline) == 0 {
		return nil, fmt.Errorf("engine: %w: the tokenizer can't spell a newline", errArchive)
	}
	all := newTokenSet(min(t.Len(), g.LogitCount())).without(neverSampled[:]...)
	l.thought = all.without(tokenizer.Think, tokenizer.ToolCall, tokenizer.EndToolCall)
	l.opening = all.without(tokenizer.EndThink, tokenizer.EndToolCall)
	l.answer = l.opening.without(tokenizer.Think)
	l.prose = l.answer.without(tokenizer.ToolCall)
	l.list = listTokens(t, all)
	l.starting = startingTokens(t, l.list)
	l.mustBegin = make(tokenSet, len(all))
	for _, id := range [...]int32{tokenizer.Think, tokenizer.ToolCall} {
		l.mustBegin[id/64] |= 1 << (id % 64)
	}
	l.mustCall = l.thought.without(tokenizer.EOS, tokenizer.IMEnd)
	return l, nil
}

// listTokens are the tokens with bytes that a list of calls could have. Of a byte piece and an ordinary one that
// spell the same the ordinary one is taken: texts are never encoded with the other, and where one thing can
// follow, one token can.
func listTokens(t *tokenizer.Tokenizer, all tokenSet) tokenSet {
	var ordinary [256]bool
	list := make(tokenSet, len(all))
	take := func(kind tokenizer.Type) {
		all.each(func(id int32) {
			p := t.PieceBytes(int(id))
			if t.Piece(int(id)).Type != kind || len(p) == 0 || len(p) == 1 && ordinary[p[0]] {
				return
			}
			list[id/64] |= 1 << (id % 64)
		})
	}
	take(tokenizer.TypeNormal)
	list.each(func(id int32) {
		if p := t.PieceBytes(int(id)); len(p) == 1 {
			ordinary[p[0]] = true
		}
	})
	take(tokenizer.TypeByte)
	return list
}

// startingTokens are those of a list in which the content of a value may begin: behind a colon, a bracket or a
// comma, with a quote between them or without.
func startingTokens(t *tokenizer.Tokenizer, list tokenSet) tokenSet {
	out := make(tokenSet, len(list))
	list.each(func(id int32) {
		if startsValue.Match(t.PieceBytes(int(id))) {
			out[id/64] |= 1 << (id % 64)
		}
	})
	return out
}

var startsValue = regexp.MustCompile(`(?s:[:\[,]"?[^"\[\]{},:])`)

// spell returns the ids whose bytes are exactly text, without the blank that a tokenizer may put in front;
// nil when the vocabulary has none.
func spell(t *tokenizer.Tokenizer, text string) []int32 {
	ids := t.EncodePlain(text)
	for skip := range ids {
		var spelt []byte
		for _, id := range ids[skip:] {
			spelt = append(spelt, t.PieceBytes(int(id))...)
		}
		if string(spelt) == text {
			return ids[skip:]
		}
	}
	return nil
}

// encode returns the tokens of a piece of the prompt. With markers, spellings of control tokens in its
// texts become control tokens; without, only the piece's own marks do.
func (l *lexicon) encode(piece []prompt.Segment, markers bool) []int32 {
	if markers {
		return l.tok.Encode(prompt.Join(piece))
	}
	if l.tok.AddDummyPrefix { // it goes in front of the piece, not of each segment
		if ids := l.tok.Encode(prompt.Join(piece)); l.marks(ids) == marks(piece) {
			return ids
		}
	}
	var ids []int32
	for _, s := range piece {
		if s.Literal {
			ids = append(ids, l.tok.EncodePlain(s.Text)...)
		} else {
			ids = append(ids, l.tok.Encode(s.Text)...)
		}
	}
	return ids
}

// marks counts the ids that only a marker gives.
func (l *lexicon) marks(ids []int32) int {
	n := 0
	for _, id := range ids {
		switch l.tok.Piece(int(id)).Type {
		case tokenizer.TypeControl, tokenizer.TypeUserDefined:
			n++
		}
	}
	return n
}

// marks counts the marks of a piece.
func marks(piece []prompt.Segment) int {
	n := 0
	for _, s := range piece {
		if !s.Literal {
			n++
		}
	}
	return n
}
