package engine

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/libneedle/libneedle/engine/grammar"
	"github.com/libneedle/libneedle/engine/ground"
	"github.com/libneedle/libneedle/engine/model"
	"github.com/libneedle/libneedle/simd"
)

const (
	// sureProbability is from which on the likeliest token of a value is taken without a lookahead.
	sureProbability = 0.95
	// lookaheadWays is how many tokens are tried, and lookaheadTokens how far each is followed.
	lookaheadWays   = 4
	lookaheadTokens = 24
	// unfinishedPenalty is taken off the score of a way that did not come to the value's end.
	unfinishedPenalty = 2
)

// way is a sequence of tokens that could come next.
type way struct {
	strand   strand // at its end
	tokens   []int32
	logProbs []float32 // of each, among the legal ones
	finished bool      // the value ends with it
	legal    tokenSet  // what may follow
	fed      int       // of the tokens
}

// add makes the way one token longer.
func (t *turn) add(w *way, id int32, logProb float32) error {
	if !w.strand.accept(t.lex, id) {
		return t.illegal(id)
	}
	w.tokens, w.logProbs = append(w.tokens, id), append(w.logProbs, logProb)
	return nil
}

// sum is the logarithm of the way's probability.
func (w *way) sum() (total float32) {
	for _, p := range w.logProbs {
		total += p
	}
	return total
}

// chooseValue takes more than the next token at once where a value begins: a whole option, or what a lookahead
// found. It reports false, and leaves all as it was, where the next token is for write to choose.
func (t *turn) chooseValue(ctx context.Context, logits []float32, legal tokenSet) (bool, error) {
	at := &t.list.at
	if !t.values.options && !t.values.lookahead || !at.inArguments() || !(at.top().wants || at.opened()) {
		return false, nil
	}
	options := t.values.tools.Options(t.list.place())
	if len(options) > 0 && at.opened() && t.list.takesOther() {
		options = nil
	}
	switch {
	case len(options) > 0 && (!t.values.options || !at.opened()):
		return false, nil
	case len(options) > 0:
		return t.chooseOption(ctx, logits, t.values.turn.Named(options))
	case t.values.lookahead && at.atArgument():
		return t.lookAhead(ctx, logits, legal)
	}
	return false, nil
}

// hasOptions reports whether an option begins here that is to be chosen whole, though all begin alike.
func (t *turn) hasOptions() bool {
	if !t.values.options || !t.choose.greedy() || !t.list.at.inArguments() || !t.list.at.opened() {
		return false
	}
	options := t.values.tools.Options(t.list.place())
	return len(options) > 1 && len(t.values.turn.Named(options)) > 0
}

// chooseOption scores whole options with their end and takes the likeliest, the first among equals. How it ends,
// with the quote alone or with what stands behind it in one token, is left to the next step: the model has never
// seen a quote cut off from the comma that belongs to it, and stops listing arguments when it does. Where one of
// the options can't be scored, none is preferred to it.
func (t *turn) chooseOption(ctx context.Context, logits []float32, options []string) (bool, error) {
	var ways []way
	for _, o := range options {
		tokens := spell(t.lex.tok, string(insideString(o)))
		switch {
		case !t.list.takesString(t.lex, tokens):
		case len(tokens) == 0 || len(tokens) > model.ForkTokens || !t.room(len(tokens)+1, 2):
			return false, nil
		default:
			ways = append(ways, way{tokens: tokens, logProbs: make([]float32, len(tokens)+1)})
		}
	}
	if len(ways) == 0 {
		return false, nil
	}
	best, share := 0, float32(0)
	if len(ways) > 1 {
		var err error
		if best, share, err = t.likeliestWay(ctx, logits, ways); err != nil {
			return false, err
		}
	}
	// Its probability is its share among the options; what makes it up is settled by it.
	w := ways[best]
	w.logProbs = make([]float32, len(w.tokens))
	w.logProbs[0] = share
	t.mustClose = true
	t.note(ruleOptions, w, "of %s, which the conversation names, it has %.0f%%", t.spelt(ways), 100*simd.Exp(share))
	return true, t.take(w)
}

// likeliestWay scores ways and returns the best one, with the logarithm of its share among them.
func (t *turn) likeliestWay(ctx context.Context, logits []float32, ways []way) (best int, share float32, err error) {
	judge := func(w *way, i int, logits []float32) {
		legal := tokenSet(w.strand.calls.Mask().Words())
		if i == len(w.tokens) {
			w.logProbs[i] = t.closingProbability(logits, legal)
			return
		}
		w.logProbs[i] = logProbability(logits, legal, w.tokens[i])
		w.strand.accept(t.lex, w.tokens[i])
	}
	for i := range ways {
		ways[i].strand = t.list.clone()
		judge(&ways[i], 0, logits)
	}
	for group := range slices.Chunk(ways, model.MostForks) {
		if err := t.model.Fork(len(group)); err != nil {
			return 0, 0, err
		}
		if err := t.grow(ctx, group, false, func(w *way, i int, logits []float32) { judge(w, i+1, logits) }); err != nil {
			return 0, 0, err
		}
	}
	for i := range ways {
		if ways[i].sum() > ways[best].sum() {
			best = i
		}
	}
	total := float32(0)
	for i := range ways {
		total += simd.Exp(ways[i].sum() - ways[best].sum())
	}
	return best, -simd.Log(total), nil
}

// grow feeds what of the ways' tokens was not fed to the model's forks, together as far as a block has room, and
// gives the logits behind each token, or behind each way's last only, to f.
func (t *turn) grow(ctx context.Context, ways []way, last bool, f func(w *way, i int, logits []float32)) error {
	for first := 0; first < len(ways); {
		ids, n, end := make([][]int32, len(ways)), 0, first
		for ; end < len(ways); end++ {
			list := ways[end].tokens[ways[end].fed:]
			if n += len(list); n > model.ForkTokens {
				n -= len(list)
				break
			}
			ids[end] = list
		}
		if n > 0 {
			t.evaluated += n
			err := t.model.Grow(ctx, ids, last, func(fork, i int, logits []float32) { f(&ways[fork], ways[fork].fed+i, logits) })
			if err != nil {
				return err
			}
		}
		for ; first < end; first++ {
			ways[first].fed += len(ids[first])
		}
	}
	return nil
}

// closing are the legal tokens that begin with a quote; all when none do.
func (t *turn) closing(legal tokenSet) tokenSet {
	return legal.only(func(id int32) bool { return t.lex.tok.PieceBytes(int(id))[0] == '"' })
}

// closingProbability is the logarithm of the probability that a string ends here.
func (t *turn) closingProbability(logits []float32, legal tokenSet) float32 {
	top := logits[likeliest(logits, legal)]
	return simd.Log(float32(weigh(logits, t.closing(legal), top, 1))) - simd.Log(float32(weigh(logits, legal, top, 1)))
}

// logProbability is the logarithm of a token's probability among the legal ones.
func logProbability(logits []float32, legal tokenSet, id int32) float32 {
	top := logits[likeliest(logits, legal)]
	return logits[id] - top - simd.Log(float32(weigh(logits, legal, top, 1)))
}

// lookAhead follows the likeliest tokens to the value's end, unless one is likely enough, and takes the way with
// the highest mean, the first among equals.
func (t *turn) lookAhead(ctx context.Context, logits []float32, legal tokenSet) (bool, error) {
	firsts := mostLikely(logits, legal, lookaheadWays)
	if len(firsts) < 2 || !t.room(1+lookaheadTokens, 2) {
		return false, nil
	}
	probable := logProbability(logits, legal, firsts[0])
	if simd.Exp(probable) >= sureProbability {
		return false, nil
	}
	ways := make([]way, len(firsts))
	for i, id := range firsts {
		ways[i].strand = t.list.clone()
		if err := t.add(&ways[i], id, probable+logits[id]-logits[firsts[0]]); err != nil {
			return false, err
		}
	}
	if err := t.follow(ctx, ways); err != nil {
		return false, err
	}
	best := 0
	for i := range ways {
		if ways[i].mean() > ways[best].mean() {
			best = i
		}
	}
	if best > 0 {
		t.note(ruleLookahead, ways[best], "as a whole it is likelier than %s", t.spelt(ways[:1]))
	}
	return true, t.take(ways[best])
}

// note says in the trace what a rule made of the value at hand.
func (t *turn) note(rule string, w way, why string, args ...any) {
	t.trace = append(t.trace, ground.Finding{
		Rule: rule, At: t.list.place(), Why: fmt.Sprintf("%q is written: ", t.lex.tok.Decode(w.tokens)) + fmt.Sprintf(why, args...),
	})
}

// spelt lists the texts of ways.
func (t *turn) spelt(ways []way) string {
	var texts []string
	for _, w := range ways {
		texts = append(texts, strconv.Quote(t.lex.tok.Decode(w.tokens)))
	}
	return strings.Join(texts, ", ")
}

// noteLimits says in the trace that rules took the likeliest token away.
func (t *turn) noteLimits(logits []float32, legal *grammar.Mask, allowed tokenSet) {
	if slices.Equal(legal.Words(), allowed) || !t.list.at.inArguments() {
		return // as nearly always: no logits are looked through for it
	}
	wanted := likeliest(logits, tokenSet(legal.Words()))
	if wanted < 0 || allowed.has(wanted) {
		return
	}
	t.trace = append(t.trace, ground.Finding{
		Rule: t.values.limitedBy(t.lex, &t.list, legal, wanted), At: t.list.place(),
		Why: fmt.Sprintf("the model would have gone on with %q", t.lex.tok.PieceBytes(int(wanted))),
	})
}

// mean is a finished way's mean log-probability, and less for one that is not.
func (w *way) mean() float32 {
	mean := w.sum() / float32(len(w.tokens))
	if !w.finished {
		mean -= unfinishedPenalty
	}
	return mean
}

// follow goes on from each way to the end of the value, side by side, taking the likeliest token each time.
func (t *turn) follow(ctx context.Context, ways []way) error {
	if err := t.model.Fork(len(ways)); err != nil {
		return err
	}
	for {
		open := false
		for i := range ways {
			more, err := t.settle(&ways[i])
			if err != nil {
				return err
			}
			if !more {
				ways[i].fed = len(ways[i].tokens) // nobody asks what follows
			}
			open = open || more
		}
		if !open {
			return nil
		}
		var fault error
		err := t.grow(ctx, ways, true, func(w *way, _ int, logits []float32) {
			if fault == nil {
				id := likeliest(logits, w.legal)
				fault = t.add(w, id, logProbability(logits, w.legal, id))
			}
		})
		if err != nil || fault != nil {
			return cmp.Or(err, fault)
		}
	}
}

// settle takes a way on as far as tokens are forced. It reports whether the model is asked for the next one.
func (t *turn) settle(w *way) (more bool, err error) {
	for {
		w.finished = !w.strand.at.inArgument()
		if w.finished || len(w.tokens) == lookaheadTokens {
			return false, nil
		}
		mask := w.strand.calls.Mask()
		only, forced := mask.Only()
		if !forced {
			w.legal = t.values.legal(t.lex, &w.strand, mask)
			return !w.legal.empty(), nil
		}
		if err := t.add(w, only, 0); err != nil {
			return false, err
		}
	}
}

// take appends a way to the list.
func (t *turn) take(w way) error {
	for _, p := range w.logProbs {
		t.sure.addCall(p)
	}
	return t.extend(w.tokens...)
}

// mostLikely are the n legal tokens with the highest logits, the highest first, the lowest id among equals.
func mostLikely(logits []float32, legal tokenSet, n int) []int32 {
	var best []int32
	for i, word := range legal {
		for ; word != 0; word &= word - 1 {
			id := int32(64*i + bits.TrailingZeros64(word))
			if int(id) >= len(logits) || len(best) == n && logits[id] <= logits[best[n-1]] {
				continue
			}
			at := len(best)
			for at > 0 && logits[id] > logits[best[at-1]] {
				at--
			}
			best = append(best[:at], append([]int32{id}, best[at:]...)...)
			best = best[:min(len(best), n)]
		}
	}
	return best
}
