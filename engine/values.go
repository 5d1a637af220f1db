package engine

import (
	"context"
	"math/bits"
	"slices"

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
	tokens   []int32
	logProbs []float32 // of each, among the legal ones
	finished bool
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
		case len(tokens) == 0 || len(tokens) > model.MostRewound || !t.room(len(tokens)+1, 2):
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
	return true, t.take(w)
}

// likeliestWay scores ways and returns the best one, with the logarithm of its share among them.
func (t *turn) likeliestWay(ctx context.Context, logits []float32, ways []way) (best int, share float32, err error) {
	here := slices.Clone(logits)
	t.model.Mark(&t.mark)
	for i := range ways {
		if err := t.score(ctx, here, &ways[i]); err != nil {
			return 0, 0, err
		}
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

// score finds how likely the tokens of a way are, the first by the logits given. The model is where it was
// afterwards.
func (t *turn) score(ctx context.Context, logits []float32, w *way) error {
	s := t.list.clone()
	judge := func(i int, logits []float32) {
		legal := tokenSet(s.calls.Mask().Words())
		if i == len(w.tokens) {
			w.logProbs[i] = t.closingProbability(logits, legal)
			return
		}
		w.logProbs[i] = logProbability(logits, legal, w.tokens[i])
		s.accept(t.lex, w.tokens[i])
	}
	judge(0, logits)
	t.evaluated += len(w.tokens)
	err := t.model.AppendEach(ctx, w.tokens, func(i int, logits []float32) { judge(i+1, logits) })
	if err != nil {
		return err
	}
	return t.model.Rewind(&t.mark)
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
	top := logits[firsts[0]]
	starts := make([]float32, len(firsts))
	for i, id := range firsts {
		starts[i] = probable + logits[id] - top
	}
	t.model.Mark(&t.mark)
	var best way
	var bestScore float32
	for i, id := range firsts {
		w, err := t.follow(ctx, id, starts[i])
		if err == nil {
			err = t.model.Rewind(&t.mark)
		}
		if err != nil {
			return false, err
		}
		score := w.sum() / float32(len(w.tokens))
		if !w.finished {
			score -= unfinishedPenalty
		}
		if i == 0 || score > bestScore {
			best, bestScore = w, score
		}
	}
	return true, t.take(best)
}

// follow goes on from a token to the end of the value, taking the likeliest token each time.
func (t *turn) follow(ctx context.Context, first int32, logProb float32) (w way, err error) {
	s := t.list.clone()
	fed := 0
	for id := first; ; {
		if !s.accept(t.lex, id) {
			return w, t.illegal(id)
		}
		w.tokens, w.logProbs = append(w.tokens, id), append(w.logProbs, logProb)
		w.finished = !s.at.inArgument()
		if w.finished || len(w.tokens) == lookaheadTokens {
			return w, nil
		}
		mask := s.calls.Mask()
		if only, forced := mask.Only(); forced {
			id, logProb = only, 0
			continue
		}
		legal := t.values.legal(t.lex, &s, mask)
		if legal.empty() {
			return w, nil
		}
		t.evaluated += len(w.tokens) - fed
		if err := t.model.Append(ctx, w.tokens[fed:]); err != nil {
			return w, err
		}
		fed = len(w.tokens)
		logits, err := t.model.Logits()
		if err != nil {
			return w, err
		}
		id = likeliest(logits, legal)
		logProb = logProbability(logits, legal, id)
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
