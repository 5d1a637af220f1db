package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/libneedle/libneedle/engine/ground"
	"github.com/libneedle/libneedle/engine/jsontext"
	"github.com/libneedle/libneedle/engine/prompt"
)

// ConfidenceMode says what a response's confidence is made of.
type ConfidenceMode uint8

const (
	// ConfidenceMin is the lower one of the two others; without a confidence head it is ConfidenceDecode.
	ConfidenceMin ConfidenceMode = iota
	// ConfidenceDecode is the smallest probability of a token of the list among the legal ones; without a list the
	// geometric mean over the tokens that the model chose.
	ConfidenceDecode
	// ConfidenceHead is the sigmoid of the archive's confidence head, which has read everything up to the calls'
	// end, an empty list's too; without such a head, or without a list, it is ConfidenceDecode.
	ConfidenceHead
)

// AllRules in CompleteOptions.Off switches all rules off.
const AllRules = "all"

// RuleGroup are rules that CompleteOptions.Off can name together.
type RuleGroup struct {
	Name  string        // what Off calls them together: values, triggers, repairs, gates
	Rules []ground.Rule // in the order in which they are applied
}

// RuleGroups lists the rules that CompleteOptions.Off can name, by their groups, in the order in which they are
// applied.
func RuleGroups() []RuleGroup {
	return []RuleGroup{
		{"triggers", []ground.Rule{{Name: ruleTriggers, What: "a request that matches a trigger of a tool is answered by a call of it"}}},
		{"values", listValueRules()},
		{"repairs", ground.Repairs()},
		{"gates", ground.Gates()},
	}
}

// checkRules refuses names that no rule and no group has.
func checkRules(names []string) error {
	known := []string{AllRules}
	for _, g := range RuleGroups() {
		known = append(known, g.Name)
		for _, r := range g.Rules {
			known = append(known, r.Name)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("engine: %w: no rule is called %q, expected one of %s", ErrArgument, name, strings.Join(slices.Compact(known), ", "))
		}
	}
	return nil
}

// switchedOff is the set of rules that options switch off.
func (o *CompleteOptions) switchedOff() map[string]bool {
	off := map[string]bool{}
	for _, g := range RuleGroups() {
		whole := slices.Contains(o.Off, AllRules) || slices.Contains(o.Off, g.Name) || o.Plain && g.Name == "values"
		for _, r := range g.Rules {
			off[r.Name] = whole || slices.Contains(o.Off, r.Name)
		}
	}
	return off
}

// groundTools are the tools that are declared.
func groundTools(tools *prompt.Toolset) *ground.Tools {
	return toolsWith(tools, func(t *prompt.Tool) []byte { return t.Schema })
}

func toolsWith(tools *prompt.Toolset, schema func(t *prompt.Tool) []byte) *ground.Tools {
	var list []ground.Tool
	for _, t := range tools.Tools() {
		list = append(list, ground.Tool{Name: t.Name, Description: t.Description, Schema: schema(&t)})
	}
	return ground.NewTools(list)
}

// impliedTools are the tools with the options that their texts imply: like those that are declared they are chosen
// whole, where the grammar takes nothing else.
func impliedTools(tools *prompt.Toolset, declared *ground.Tools) *ground.Tools {
	return toolsWith(tools, func(t *prompt.Tool) []byte {
		if schema := declared.Implied(t.Name); schema != nil {
			return schema
		}
		return t.Schema
	})
}

// Finding is what a rule did to the calls, or found in them.
type Finding struct {
	Rule   string          // its name in RuleGroups
	Place  string          // tool.path under the caller's names; empty where all calls are meant
	Before json.RawMessage // the value, nil when there was none or nothing was changed
	After  json.RawMessage // nil when it is gone or nothing was changed
	Why    string          // half a sentence, in English, for people
}

// judge repairs the calls that the model wrote and puts them where they belong in the response.
func (s *Session) judge(r *Response, written []prompt.Call, k *task) error {
	if len(written) == 0 {
		r.FunctionCalls = []Call{}
		return nil
	}
	calls := make([]ground.Call, len(written))
	for i, c := range written {
		arguments, err := jsontext.Parse(string(c.Arguments))
		if err != nil {
			return err
		}
		calls[i] = ground.Call{Name: c.Name, Arguments: arguments}
	}
	v := s.ground.Judge(k.talk, calls, ground.Options{Off: k.off, Valid: s.follows, Triggered: k.triggered, Confidence: r.Confidence})
	judged, err := s.toCaller(v.Calls)
	if err != nil {
		return err
	}
	if r.SuppressedCalls, err = s.toCaller(v.Dropped); err != nil {
		return err
	}
	if v.Withheld {
		r.SuppressedCalls = append(judged, r.SuppressedCalls...)
	} else {
		r.FunctionCalls = judged
	}
	r.Validation = &Validation{Negation: v.Negation}
	for _, p := range v.Ungrounded {
		if name := s.tools.CallerPlace(p.Tool, p.Path); !slices.Contains(r.Validation.Ungrounded, name) { // in two calls
			r.Validation.Ungrounded = append(r.Validation.Ungrounded, name)
		}
	}
	for _, f := range v.Trace {
		r.Trace = append(r.Trace, s.finding(f))
	}
	return nil
}

// valueRules are the rules for choosing values in a turn.
func (s *Session) valueRules(k *task) valueRules {
	tools := s.options
	if k.off[ruleImplied] {
		tools = s.ground
	}
	return valueRules{
		options: !k.off[ruleOptions], lookahead: !k.off[ruleLookahead], groundedIDs: !k.off[ruleGroundedIDs], repeats: !k.off[ruleRepeats],
		tools: tools, turn: k.talk, conversation: inStrings(k.talk.Texts()),
	}
}

// follows reports whether a call follows its tool's schema.
func (s *Session) follows(c ground.Call) bool {
	m := s.declared.Start(s.engine.weights.vocabulary(s.engine.lex))
	text := jsontext.AppendString([]byte(`[{"name":`), c.Name)
	text = jsontext.AppendValue(append(text, `,"arguments":`...), c.Arguments)
	return m.AcceptBytes(append(text, "}]"...)) && m.Complete()
}

// toCaller gives calls their caller's names. It fails for a tool that was not declared.
func (s *Session) toCaller(calls []ground.Call) ([]Call, error) {
	out := make([]Call, 0, len(calls))
	for _, c := range calls {
		name, arguments, err := s.tools.ToCaller(c.Name, jsontext.AppendValue(nil, c.Arguments))
		if err != nil {
			return nil, err
		}
		out = append(out, Call{name, arguments})
	}
	return out, nil
}

func (s *Session) finding(f ground.Finding) Finding {
	out := Finding{Rule: f.Rule, Why: f.Why}
	if f.At.Tool != "" {
		out.Place = s.tools.CallerPlace(f.At.Tool, f.At.Path)
	}
	if f.Before != nil {
		out.Before = jsontext.AppendValue(nil, f.Before)
	}
	if f.After != nil {
		out.After = jsontext.AppendValue(nil, f.After)
	}
	return out
}
