package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/libneedle/libneedle/engine/grammar"
	"github.com/libneedle/libneedle/engine/ground"
	"github.com/libneedle/libneedle/engine/prompt"
)

// ToolChoice says which calls an answer may have. The zero value leaves it to the model.
type ToolChoice struct {
	// None leaves only the empty list.
	None bool
	// Required makes the list that the model writes non-empty, and the turn end with it. Its calls may still be
	// withheld.
	Required bool
	// Tool, when not empty, is the one tool that may be called, under its caller's name. The list is then
	// non-empty too.
	Tool string
}

// defaultGrammars is how many compiled tool sets an engine keeps; one with implied options takes two.
const defaultGrammars = 16

// grammarCache keeps the grammars of the tool sets that were used last, by their content. It is safe for
// concurrent use; the zero value keeps none.
type grammarCache struct {
	kept *lru[[sha256.Size]byte, *grammar.Grammar]
}

func newGrammarCache() grammarCache {
	return grammarCache{newLRU[[sha256.Size]byte, *grammar.Grammar](defaultGrammars)}
}

// compile returns the grammar of tools.
func (c *grammarCache) compile(list []grammar.Tool, lenient bool) (*grammar.Grammar, error) {
	key := grammarKey(list, lenient)
	if g, ok := c.kept.get(key); ok {
		return g, nil
	}
	g, err := grammar.CompileTools(list, grammar.Options{Mode: grammar.ModeTool, Lenient: lenient})
	if err != nil {
		return nil, err
	}
	c.kept.put(key, g, 1)
	return g, nil
}

// declaredTools are the tools as they are declared.
func declaredTools(tools *prompt.Toolset) (list []grammar.Tool) {
	for _, t := range tools.Tools() {
		list = append(list, grammar.Tool{Name: t.Name, Schema: t.Schema})
	}
	return list
}

// compileImplied returns the grammar of tools with what their texts imply, and the grammar of what they declare
// where that is nothing, or leaves a tool without values.
func (c *grammarCache) compileImplied(list []grammar.Tool, implied *ground.Tools, declared *grammar.Grammar, lenient bool) *grammar.Grammar {
	changed, list := false, slices.Clone(list)
	for i := range list {
		if schema := implied.Implied(list[i].Name); schema != nil {
			list[i].Schema, changed = schema, true
		}
	}
	if !changed {
		return declared
	}
	g, err := c.compile(list, lenient)
	if err != nil || len(g.Faults()) != len(declared.Faults()) {
		return declared
	}
	return g
}

func grammarKey(list []grammar.Tool, lenient bool) [sha256.Size]byte {
	var b []byte
	add := func(text string) { b = append(binary.AppendUvarint(b, uint64(len(text))), text...) }
	for _, t := range list {
		add(t.Name)
		add(string(t.Schema))
	}
	return sha256.Sum256(fmt.Appendf(b, "%t", lenient))
}

// vocabulary returns the tokens that may stand inside a list of calls, by their bytes.
func (w *weights) vocabulary(l *lexicon) *grammar.Vocabulary {
	w.vocabularyOnce.Do(func() {
		pieces := make([][]byte, w.tok.Len())
		l.list.each(func(id int32) { pieces[id] = w.tok.PieceBytes(int(id)) })
		w.pieces = grammar.NewVocabulary(pieces)
	})
	return w.pieces
}

// choose finds the grammar of a turn's list. A list after a tool's result is never empty, nor is one that a
// request triggers.
func (s *Session) choose(k *task) error {
	calls := s.implied
	if k.off[ruleImplied] {
		calls = s.declared
	}
	if names := k.triggers(s.triggers); len(names) > 0 {
		if g, err := calls.Choose(grammar.Choice{Min: 1, Max: k.options.MaxCalls, Only: names}); err == nil {
			k.calls, k.triggered = g, true
			return nil
		}
	}
	choice := grammar.Choice{Max: k.options.MaxCalls}
	if k.options.ToolChoice.Required || k.tool {
		choice.Min = 1
	}
	switch name := k.options.ToolChoice.Tool; {
	case k.options.ToolChoice.None:
		choice.Min, choice.Only = 0, []string{}
	case name != "":
		choice.Min, choice.Only = 1, []string{s.wireName(name)}
	case k.tool && !s.declared.Callable():
		choice.Min = 0
	}
	g, err := calls.Choose(choice)
	if err != nil {
		return fmt.Errorf("engine: %w: tool choice: %w", ErrArgument, err)
	}
	k.calls = g
	return nil
}

// triggers lists the tools that a user's request triggers: none when it forbids something, or when the caller
// chose among the tools.
func (k *task) triggers(t *triggers) []string {
	if k.tool || k.off[ruleTriggers] || k.options.ToolChoice.None || k.options.ToolChoice.Tool != "" || t == nil || k.talk.Negated() {
		return nil
	}
	return t.match(k.text)
}

// wireName is the name that the model knows a tool by; a name that no tool has is returned as it is.
func (s *Session) wireName(caller string) string {
	tools := s.tools.Tools()
	if i := slices.IndexFunc(tools, func(t prompt.Tool) bool { return t.Caller == caller }); i >= 0 {
		return tools[i].Name
	}
	return caller
}

// warnings lists what of the tools is not enforced, under the caller's names.
func (s *Session) warnings() []string {
	out := slices.Clone(s.triggers.warnings)
	for _, f := range s.declared.Faults() {
		for _, t := range s.tools.Tools() {
			if t.Name == f.Tool {
				f.Tool = t.Caller
				break
			}
		}
		out = append(out, f.Error())
	}
	return out
}
