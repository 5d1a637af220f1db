package model

import (
	"context"
	"errors"
	"fmt"
)

const (
	// MostForks is how many forks a session has at most.
	MostForks = 8
	// ForkTokens is how many tokens a fork can be fed, and all forks together in one block.
	ForkTokens = blockTokens
)

// Fork begins n forks, 1 to MostForks, at the session's position, which is not its
// beginning: ways to go on that are tried side by side and then forgotten. They end with the
// next Fork, Append or Restore; the session itself stays where it is. Their keys and values
// take MostForks*ForkTokens slots, allocated by the first call.
func (s *Session) Fork(n int) error {
	if n < 1 || n > MostForks {
		return fmt.Errorf("model: %d forks, expected 1 to %d", n, MostForks)
	}
	if s.pos == 0 {
		return errors.New("model: no token was fed yet")
	}
	s.kv.reserve(s.pos, s.sink, MostForks*ForkTokens)
	for len(s.forks) < n {
		l := newLine(s.m)
		s.forks = append(s.forks, &l)
	}
	s.live = n
	for i, l := range s.forks[:n] {
		l.copyFrom(&s.line)
		l.forked, l.slot = s.pos, s.kv.used(s.pos, s.sink)+i*ForkTokens
	}
	return nil
}

// Grow feeds ids[i] to the i-th fork, in one block of 1 to ForkTokens tokens, and gives
// the logits behind each token, or behind each fork's last only, to f: fork by fork, in
// order. They are valid during the call. Forks without tokens wait; ids may be shorter than
// there are forks. After an error of the model all forks are gone; tokens that are refused,
// and a ctx that is cancelled, change nothing. The session is where it was.
func (s *Session) Grow(ctx context.Context, ids [][]int32, last bool, f func(fork, i int, logits []float32)) (err error) {
	if err := s.checkForks(ids); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	q, scale := append(s.forkedQ[:0], s.last.Q...), s.last.Scale[0]
	s.forkedQ = q
	defer func() {
		s.loadLast(q, scale)
		if err != nil {
			s.live = 0
		}
	}()
	fault := s.guard(func() { err = s.grow(ids, last, f) })
	if fault != nil {
		return fault
	}
	return err
}

func (s *Session) checkForks(ids [][]int32) error {
	if len(ids) > s.live {
		return fmt.Errorf("model: tokens for %d forks, the session has %d", len(ids), s.live)
	}
	total := 0
	for i, list := range ids {
		if err := s.checkIDs(list); err != nil {
			return err
		}
		l := s.forks[i]
		if n := l.pos - l.forked + len(list); n > ForkTokens || l.pos+len(list) > s.m.g.MaxSeqLen {
			return fmt.Errorf("model: %d tokens for fork %d, it can be fed %d, and the context has %d positions", n, i, ForkTokens, s.m.g.MaxSeqLen)
		}
		total += len(list)
	}
	if total == 0 || total > ForkTokens {
		return fmt.Errorf("model: %d tokens for all forks, expected 1 to %d", total, ForkTokens)
	}
	return nil
}

func (s *Session) grow(ids [][]int32, last bool, f func(fork, i int, logits []float32)) error {
	s.clearBlock()
	for i, list := range ids {
		if len(list) > 0 {
			s.beginLine(s.forks[i], list)
		}
	}
	s.pass()
	if s.broken || s.overflow.Load() {
		return ErrNotFinite
	}
	for i, list := range ids {
		if len(list) > 0 {
			s.forks[i].end(list)
		}
		for k := range list {
			if last && k+1 < len(list) {
				continue
			}
			s.finish(&s.tokens[s.forks[i].first+k])
			s.project()
			if s.overflow.Load() || !s.finite(s.logits) {
				return ErrNotFinite
			}
			f(i, k, s.logits)
		}
	}
	return nil
}
