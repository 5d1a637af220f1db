package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/engine/model"
)

func TestKeepTurns(t *testing.T) {
	// A turn of n tokens; a tool's when n is negative.
	turns := func(sizes ...int) (list []turnRecord) {
		for _, n := range sizes {
			list = append(list, turnRecord{input: input{tool: n < 0}, prompt: make([]int32, max(n, -n)-1), answer: make([]int32, 1)})
		}
		return list
	}
	for _, c := range []struct {
		sizes        []int
		budget, room int
		kept         []int
	}{
		{[]int{10, 10, 10}, 20, 100, []int{10, 10}},
		{[]int{10, 10, 10}, 19, 100, []int{10}},
		{[]int{10, 10, 10}, 100, 100, []int{10, 10, 10}},
		{[]int{10, 10, 10}, 100, 25, []int{10, 10}},
		{[]int{10, 50}, 20, 100, []int{50}}, // the last turn may exceed the budget
		{[]int{10, 50}, 20, 49, nil},        // but not the room
		{[]int{10, -10, 10}, 20, 100, []int{10}},
		{[]int{10, 10, -10}, 20, 100, []int{10, -10}},
		{[]int{50, -10, -10}, 20, 100, []int{-10, -10}}, // no user's turn is left to begin with
		{nil, 20, 100, nil},
	} {
		all := turns(c.sizes...)
		var kept []int
		for _, k := range keepTurns(all, c.budget, c.room) {
			n := k.tokens()
			if k.input.tool {
				n = -n
			}
			kept = append(kept, n)
		}
		if !slices.Equal(kept, c.kept) {
			t.Errorf("of %v with budget %d and room %d kept %v, expected %v", c.sizes, c.budget, c.room, kept, c.kept)
		}
	}
	all := turns(10, 10)
	keepTurns(all, 100, 100)[0].prompt = nil
	if all[0].prompt == nil {
		t.Error("the kept turns share memory with the conversation, which a cancelled turn brings back")
	}
}

// converse talks until the conversation was shortened so many times, and checks each time that the state is
// that of the prefix and the kept turns alone, at fresh positions.
func converse(t *testing.T, e *Engine, s *Session, limit, times int) {
	t.Helper()
	shortened := 0
	for i := 0; shortened < times; i++ {
		if i == 200 {
			t.Fatalf("shortened %d times in %d turns", shortened, i)
		}
		length, count := s.model.Len(), len(s.conversation.turns)
		r := sayUpTo(t, s, fmt.Sprintf("turn on the light number %d", i), limit)
		if r.ErrorCode == "overflow" {
			t.Fatalf("turn %d: %s", i, r.JSON())
		}
		if s.model.Len() > s.contextSize() {
			t.Fatalf("turn %d: %d positions", i, s.model.Len())
		}
		if s.model.Len() == length+len(r.PromptIDs)+r.Tokens {
			continue
		}
		shortened++
		if len(s.conversation.turns) > count {
			t.Errorf("turn %d: nothing was dropped", i)
		}
		checkKept(t, e, s)
	}
}

func checkKept(t *testing.T, e *Engine, s *Session) {
	t.Helper()
	fresh := e.model.NewSession(model.SessionOptions{Window: e.Geometry().Window()})
	defer fresh.Close()
	if err := fresh.SetSink(len(s.prefix)); err != nil {
		t.Fatal(err)
	}
	all := slices.Clone(s.prefix)
	for i, turn := range s.conversation.turns {
		all = join(all, s.encode(turn.input, i == 0), turn.answer)
	}
	if err := fresh.Append(background, all); err != nil {
		t.Fatal(err)
	}
	if fingerprint(t, fresh) != fingerprint(t, s.model) {
		t.Errorf("after shortening to %d turns the state is not that of the kept turns", len(s.conversation.turns))
	}
}

func TestLongConversationKeepsTheNewestHalf(t *testing.T) {
	e := openDemo(t, Options{})
	if e.Geometry().KVWindow != 0 {
		t.Fatal("the demo has a window of its own")
	}
	s := begin(t, e, SessionOptions{Tools: lights})
	// Little is needed at a time, so what is left is what the rule leaves.
	for s.model.Len()+230 <= s.contextSize() {
		sayUpTo(t, s, "turn on the kitchen lights", 100)
	}
	cancelWhileShortening(t, s)
	size := s.model.Len() - len(s.prefix)
	full := s.conversation.turns
	if err := s.makeRoom(background, s.contextSize()-s.model.Len()+1); err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, turn := range full[len(full)-len(s.conversation.turns):] {
		kept += turn.tokens()
	}
	next := full[len(full)-len(s.conversation.turns)-1].tokens()
	if kept > size/2 || kept+next <= size/2 {
		t.Errorf("of %d tokens kept %d, one turn more has %d", size, kept, next)
	}
	checkKept(t, e, s)
}

func TestLongConversationKeepsTwoWindows(t *testing.T) {
	// Random weights of another geometry without heads: window 64, context 256.
	e, err := Open("../testdata/oracle/cq4/model.cact", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if w := e.Geometry().KVWindow; w != 64 {
		t.Fatalf("window %d", w)
	}
	s := begin(t, e, SessionOptions{System: "hi"})
	converse(t, e, s, 12, 3)
	kept := 0
	for _, turn := range s.conversation.turns[:len(s.conversation.turns)-1] {
		kept += turn.tokens()
	}
	if kept > 128 || kept < 64 {
		t.Errorf("kept %d tokens of turns, expected at most 128 and all that fit", kept)
	}
}

func cancelWhileShortening(t *testing.T, s *Session) {
	t.Helper()
	before, turns := fingerprint(t, s.model), len(s.conversation.turns)
	for _, n := range []int{1, 2, 5} {
		r, err := s.Complete(newCountdown(n, nil), strings.Repeat("turn on the light ", 3), CompleteOptions{MaxNewTokens: 220})
		if err != nil || r.ErrorCode != "cancelled" {
			t.Fatalf("%v, %v", r, err)
		}
		if fingerprint(t, s.model) != before || len(s.conversation.turns) != turns {
			t.Fatalf("cancelled at %d: the session is not as it was", n)
		}
	}
}
