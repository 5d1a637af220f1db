package engine

import (
	"context"
	"fmt"

	"github.com/libneedle/libneedle/engine/prompt"
)

// PromptIDs returns the tokens that a session of these options feeds: its prefix, and the first turn with
// the given input, after the tools where they are retrieved. Nothing is computed from them, except that tools
// and input are embedded where tools are retrieved. It fails with ErrTools as NewSession does.
func (e *Engine) PromptIDs(o SessionOptions, text string) (prefix, turn []int32, err error) {
	tools, err := prompt.ParseTools(o.Tools)
	if err != nil {
		return nil, nil, fmt.Errorf("engine: %w: %w", ErrTools, err)
	}
	s := &Session{engine: e, system: prompt.SystemText(o.System), selection: selection{tools: tools}, markers: o.Markers}
	if !e.retrieves(tools) {
		return s.encodePrefix(), s.encode(s.read(text), true), nil
	}
	if err := e.gate.enter(); err != nil {
		return nil, nil, err
	}
	defer e.gate.leave()
	err = guard(func() error {
		prefix, turn, err = s.retrievedIDs(text)
		return err
	})
	return prefix, turn, err
}

// retrievedIDs is PromptIDs where tools are retrieved.
func (s *Session) retrievedIDs(text string) (prefix, turn []int32, err error) {
	o, ctx := SessionOptions{Lenient: true}, context.Background()
	if s.selection, err = s.engine.offering(s.tools, o.Lenient); err != nil {
		return nil, nil, err
	}
	if err := s.openRetrieval(ctx, o); err != nil {
		return nil, nil, err
	}
	prefix = s.encodeSystem()
	k, err := s.newTask(ctx, s.read(text), CompleteOptions{})
	if err != nil {
		return nil, nil, err
	}
	n := 0 // of the prefix the tools follow on
	for n < len(prefix) && n < len(s.prefix) && prefix[n] == s.prefix[n] {
		n++
	}
	return prefix[:n], append(s.prefix[n:], s.encode(k.input, true)...), nil
}
