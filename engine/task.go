package engine

import (
	"context"

	"github.com/libneedle/libneedle/engine/grammar"
	"github.com/libneedle/libneedle/engine/ground"
)

// task is what a turn has to do.
type task struct {
	input
	options CompleteOptions
	off     map[string]bool // rules that are not applied
	talk    *ground.Turn
	calls   *grammar.Grammar // of the list
	// triggered says that the request matches triggers: the calls are of their tools, and there is one.
	triggered bool
}

// newTask is what an input asks for. Where tools are retrieved it changes the session's selection.
func (s *Session) newTask(ctx context.Context, in input, o CompleteOptions) (*task, error) {
	k := &task{input: in, options: o, off: o.switchedOff()}
	inputs := make([]string, 0, len(s.conversation.turns)+1)
	for _, t := range s.conversation.turns {
		inputs = append(inputs, t.input.text)
	}
	k.talk = ground.NewTurn(s.system, append(inputs, k.text), !k.tool)
	if err := s.retrieve(ctx, k); err != nil {
		return nil, err
	}
	if err := s.choose(k); err != nil {
		return nil, err
	}
	return k, nil
}

// required says that the turn has to end with a call.
func (k *task) required() bool {
	return k.options.ToolChoice.Required || k.options.ToolChoice.Tool != "" || k.triggered
}
