package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine/ground"
	"github.com/libneedle/libneedle/simd"
	"github.com/libneedle/libneedle/tokenizer"
)

const (
	// thoughtReserve is how many tokens a thought leaves for the call.
	thoughtReserve = 32
	// listReserve is how many tokens before the limit a list that can be closed is closed.
	listReserve = 4
)

// decoder is what a turn needs of a model.Session.
type decoder interface {
	Append(ctx context.Context, ids []int32) error
	Logits() ([]float32, error)
	Fork(n int) error
	Grow(ctx context.Context, ids [][]int32, last bool, f func(fork, i int, logits []float32)) error
	Head(code cact.HeadCode) (pool, output []float32, err error)
}

// turn writes one answer: it decides at each place which tokens are legal, which are forced, and when the
// answer ends. Tokens are fed when their logits are needed, so a forced one costs no product with the head
// and runs of them share a block.
type turn struct {
	lex    *lexicon
	model  decoder
	choose chooser
	limit  int  // of len(out)
	user   bool // the input is a user's, not a tool's
	head   bool // the model has a confidence head

	list     strand // of the calls
	values   valueRules
	callable bool // the list can have a call
	required bool // the turn must end with a call

	out []int32 // all tokens of the answer
	fed int     // how many of them the model has seen

	thought, prose []int32 // with list.tokens the parts of out between the marks
	called         bool    // the call region was entered
	cut            bool    // the limit ended the answer
	stuck          bool    // the vocabulary can't spell what the grammar allows

	mustClose bool // an option was taken whole, and the string ends behind it
	sure      score
	evaluated int // tokens fed to try ways
	trace     []ground.Finding
}

// score collects what the confidence is made of.
type score struct {
	free      float64 // sum of the log-probabilities of the tokens that were not forced
	freeCount int
	call      float32 // the lowest log-probability of a call token
	callCount int
	head      float32 // sigmoid of the confidence head
	headRead  bool
}

// step is a place in the turn; it returns the next one, nil at the end.
type step func(ctx context.Context) (step, error)

// run writes the answer, marks that close the message included.
func (t *turn) run(ctx context.Context) error {
	for at := step(t.open); at != nil; {
		next, err := at(ctx)
		if err != nil {
			return err
		}
		at = next
	}
	return t.flush(ctx)
}

// open begins the answer. A user's turn begins with a thought; after a tool result the model is free.
func (t *turn) open(ctx context.Context) (step, error) {
	if t.user {
		return t.force(t.think, 1, tokenizer.Think), nil
	}
	if t.required {
		return t.free(ctx, t.lex.mustBegin)
	}
	return t.free(ctx, t.lex.opening)
}

// free is a place where the model may think, call, answer in prose, or end.
func (t *turn) free(ctx context.Context, legal tokenSet) (step, error) {
	if !t.room(1, 1) {
		return t.cutOff(), nil
	}
	if legal.has(tokenizer.ToolCall) && (!t.callable || !t.room(1, 2)) { // for a call and what closes it
		legal = t.lex.prose
	}
	id, err := t.next(ctx, legal)
	if err != nil {
		return nil, err
	}
	switch id {
	case tokenizer.Think:
		return t.think, nil
	case tokenizer.ToolCall:
		return t.write, nil
	case tokenizer.EOS, tokenizer.IMEnd:
		return nil, nil
	}
	t.prose = append(t.prose, id)
	return t.speak, nil
}

// speak continues an answer that may still turn into a call while it is blank.
func (t *turn) speak(ctx context.Context) (step, error) {
	if t.blank(t.prose) {
		return t.free(ctx, t.lex.answer)
	}
	return t.free(ctx, t.lex.prose)
}

// think continues the thought.
func (t *turn) think(ctx context.Context) (step, error) {
	if t.limit-len(t.out) <= thoughtReserve {
		return t.force(t.afterThought, 1, tokenizer.EndThink), nil
	}
	legal := t.lex.thought
	if t.required {
		legal = t.lex.mustCall
	}
	id, err := t.next(ctx, legal)
	if err != nil {
		return nil, err
	}
	switch id {
	case tokenizer.EndThink:
		return t.afterThought, nil
	case tokenizer.EOS, tokenizer.IMEnd:
		return nil, nil
	}
	t.thought = append(t.thought, id)
	return t.think, nil
}

// afterThought leads to the call on a user's turn, and where there has to be one.
func (t *turn) afterThought(context.Context) (step, error) {
	if !t.user && !t.required {
		return t.speak, nil
	}
	return t.force(t.beginCall, 1, t.lex.newline...), nil
}

func (t *turn) beginCall(context.Context) (step, error) {
	return t.force(t.write, 2, tokenizer.ToolCall), nil
}

// write continues the list of calls.
func (t *turn) write(ctx context.Context) (step, error) {
	t.called = true
	left := t.limit - len(t.out)
	legal := t.list.calls.Mask()
	switch {
	case t.list.calls.Complete():
		return t.closeCall, t.readHead(ctx)
	case left <= listReserve && t.closable() && t.room(len(t.lex.bracket), 2):
		return t.write, t.extend(t.lex.bracket...)
	case !t.room(1, 2):
		t.cut = true
		return t.closeCall, nil
	}
	if only, forced := legal.Only(); forced && !t.hasOptions() {
		t.mustClose = false
		t.sure.addCall(0)
		return t.write, t.extend(only)
	}
	if legal.Count() == 0 {
		t.stuck = true
		return t.closeCall, nil
	}
	logits, err := t.look(ctx)
	if err != nil {
		return nil, err
	}
	allowed := t.values.legal(t.lex, &t.list, legal)
	t.noteLimits(logits, legal, allowed)
	if t.mustClose {
		allowed, t.mustClose = t.closing(allowed), false
	}
	if t.choose.greedy() {
		if done, err := t.chooseValue(ctx, logits, allowed); done || err != nil {
			return t.write, err
		}
	}
	id, logProb, err := t.pick(logits, allowed)
	if err != nil {
		return nil, err
	}
	if t.choose.greedy() {
		id, logProb = t.endString(logits, id, logProb, allowed)
	}
	t.sure.addCall(logProb)
	return t.write, t.extend(id)
}

// endString keeps a string from going on that the model has ended. Its likeliest token may begin with the
// closing quote and be illegal for what it has after the quote, a bracket too early for one; the likeliest legal
// token, which would continue the string, then gives way to the longest legal one that this token begins with.
func (t *turn) endString(logits []float32, id int32, logProb float32, legal tokenSet) (int32, float32) {
	likely := likeliest(logits, t.lex.list)
	wanted := t.lex.tok.PieceBytes(int(likely))
	if legal.has(likely) || wanted[0] != '"' || t.lex.tok.PieceBytes(int(id))[0] == '"' {
		return id, logProb
	}
	best, length := id, 0
	legal.each(func(x int32) {
		if p := t.lex.tok.PieceBytes(int(x)); len(p) > length && bytes.HasPrefix(wanted, p) {
			best, length = x, len(p)
		}
	})
	return best, logProb + logits[best] - logits[id]
}

// closable reports whether a `]` would complete a list that has a call. An empty list is left open: a cut
// answer must not look like a refusal.
func (t *turn) closable() bool {
	n := len(t.list.tokens)
	if n == 0 || !bytes.HasSuffix(t.lex.tok.PieceBytes(int(t.list.tokens[n-1])), []byte("}")) {
		return false
	}
	return t.list.calls.Closes("]")
}

// extend adds tokens to the list.
func (t *turn) extend(ids ...int32) error {
	t.emit(ids...)
	for _, id := range ids {
		if !t.list.accept(t.lex, id) {
			return t.illegal(id)
		}
	}
	return nil
}

func (t *turn) illegal(id int32) error {
	return fmt.Errorf("engine: token %d does not fit the list of calls %q", id, t.lex.tok.Decode(t.list.tokens))
}

// closeCall ends region and message.
func (t *turn) closeCall(context.Context) (step, error) {
	t.emit(tokenizer.EndToolCall, tokenizer.IMEnd)
	return nil, nil
}

// readHead reads the confidence at the list's end.
func (t *turn) readHead(ctx context.Context) error {
	if !t.head {
		return nil
	}
	if err := t.flush(ctx); err != nil {
		return err
	}
	_, out, err := t.model.Head(cact.ConfidenceHead)
	if err != nil {
		return err
	}
	t.sure.head, t.sure.headRead = simd.Sigmoid(out[0]), true
	return nil
}

// force appends tokens without asking the model, and leads to the next place; it ends the answer when they
// and the marks that close it don't fit.
func (t *turn) force(next step, closing int, ids ...int32) step {
	if !t.room(len(ids), closing) {
		return t.cutOff()
	}
	t.emit(ids...)
	return next
}

// room reports whether n more tokens, and after them the marks that close the message, stay within the
// limit.
func (t *turn) room(n, closing int) bool { return len(t.out)+n+closing <= t.limit }

// cutOff ends an answer that has no room left.
func (t *turn) cutOff() step {
	t.cut = true
	t.emit(tokenizer.IMEnd)
	return nil
}

// next lets the model choose a token and appends it.
func (t *turn) next(ctx context.Context, legal tokenSet) (int32, error) {
	logits, err := t.look(ctx)
	if err != nil {
		return 0, err
	}
	id, _, err := t.pick(logits, legal)
	if err == nil {
		t.emit(id)
	}
	return id, err
}

// look returns the logits of the next token.
func (t *turn) look(ctx context.Context) ([]float32, error) {
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	return t.model.Logits()
}

// pick chooses a token.
func (t *turn) pick(logits []float32, legal tokenSet) (id int32, logProb float32, err error) {
	id, logProb = t.choose.choose(logits, legal)
	if id < 0 {
		return 0, 0, errors.New("engine: the model has no logit for any legal token")
	}
	t.sure.addFree(logProb)
	return id, logProb, nil
}

func (t *turn) emit(ids ...int32) { t.out = append(t.out, ids...) }

// flush feeds what was appended since the last time.
func (t *turn) flush(ctx context.Context) error {
	if t.fed == len(t.out) {
		return nil
	}
	err := t.model.Append(ctx, t.out[t.fed:])
	if err == nil {
		t.fed = len(t.out)
	}
	return err
}

// blank reports whether ids stand for nothing but blanks.
func (t *turn) blank(ids []int32) bool {
	for _, id := range ids {
		for _, c := range t.lex.tok.PieceBytes(int(id)) {
			if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				return false
			}
		}
	}
	return true
}

func (s *score) addFree(logProb float32) {
	s.free += float64(logProb)
	s.freeCount++
}

func (s *score) addCall(logProb float32) {
	s.callCount++
	s.call = min(s.call, logProb)
}

// confidence is what a mode makes of the score, 0 when the model chose no token.
func (s *score) confidence(mode ConfidenceMode) float64 {
	var p float32
	switch {
	case s.callCount > 0:
		p = simd.Exp(s.call)
	case s.freeCount > 0:
		p = simd.Exp(float32(s.free / float64(s.freeCount)))
	}
	switch {
	case !s.headRead:
	case mode == ConfidenceHead:
		p = s.head
	case mode == ConfidenceMin:
		p = min(p, s.head)
	}
	if !(p > 0) { // NaN too
		return 0
	}
	return float64(min(p, 1))
}
