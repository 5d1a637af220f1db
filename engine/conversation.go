package engine

import (
	"context"

	"github.com/libneedle/libneedle/engine/model"
)

// turnRecord is one finished turn: what was read and what was answered.
type turnRecord struct {
	input  input
	prompt []int32
	answer []int32
}

// tokens is the turn's share of the context.
func (t *turnRecord) tokens() int { return len(t.prompt) + len(t.answer) }

// conversation is what a session remembers beside the model's state. It is a value: a copy is a snapshot,
// because turns are only appended, or replaced as a whole.
type conversation struct {
	turns     []turnRecord
	delivered bool // the last turn delivered calls, so a tool result may follow
}

// moment is a session's state between two turns.
type moment struct {
	conversation conversation
	selection    selection
	state        *model.Snapshot
}

func (s *Session) save() moment {
	c := s.conversation
	if len(c.turns) == 0 {
		return moment{c, s.selection, s.start}
	}
	c.turns = c.turns[:len(c.turns):len(c.turns)]
	return moment{c, s.selection, s.model.Snapshot()}
}

// restore cannot be refused: the state was taken from this session.
func (s *Session) restore(m moment) {
	s.conversation, s.selection = m.conversation, m.selection
	s.model.Restore(m.state)
}

// makeRoom shortens a conversation in which need more tokens don't fit: the prefix stays, and the newest
// whole turns are fed again behind it, at fresh positions.
func (s *Session) makeRoom(ctx context.Context, need int) error {
	size := s.model.Len() - len(s.prefix)
	budget := 2 * s.engine.model.Geometry().KVWindow
	if budget == 0 {
		budget = size / 2
	}
	kept := keepTurns(s.conversation.turns, budget, s.contextSize()-len(s.prefix)-need)
	if err := s.model.Restore(s.start); err != nil {
		return err
	}
	return s.feedAgain(ctx, kept)
}

// feedAgain feeds turns behind the prefix. The first is written as a conversation's first.
func (s *Session) feedAgain(ctx context.Context, kept []turnRecord) error {
	var ids []int32
	for i := range kept {
		if i == 0 && !kept[0].input.tool {
			kept[0].prompt = s.encode(kept[0].input, true)
		}
		ids = append(append(ids, kept[i].prompt...), kept[i].answer...)
	}
	s.conversation.turns = kept
	return s.model.Append(ctx, ids)
}

// keepTurns copies the newest turns that together stay within budget and room; the last one is kept even
// beyond the budget, as long as there is room. They begin with a user's turn when there is one among them,
// since a tool's result means nothing without its call.
func keepTurns(turns []turnRecord, budget, room int) []turnRecord {
	first, total := len(turns), 0
	for first > 0 {
		total += turns[first-1].tokens()
		if total > room || total > budget && first < len(turns) {
			break
		}
		first--
	}
	for i := first; i < len(turns); i++ {
		if !turns[i].input.tool {
			first = i
			break
		}
	}
	return append([]turnRecord(nil), turns[first:]...)
}
