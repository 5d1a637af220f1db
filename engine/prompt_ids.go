package engine

import (
	"fmt"

	"github.com/libneedle/libneedle/engine/prompt"
)

// PromptIDs returns the tokens that a session of these options feeds: its prefix, and the first turn with
// the given input. Nothing is computed from them. It fails with ErrTools as NewSession does.
func (e *Engine) PromptIDs(o SessionOptions, text string) (prefix, turn []int32, err error) {
	tools, err := prompt.ParseTools(o.Tools)
	if err != nil {
		return nil, nil, fmt.Errorf("engine: %w: %w", ErrTools, err)
	}
	s := &Session{engine: e, system: prompt.SystemText(o.System), tools: tools, markers: o.Markers}
	return s.encodePrefix(), s.encode(s.read(text), true), nil
}
