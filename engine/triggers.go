package engine

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/libneedle/libneedle/engine/jsontext"
	"github.com/libneedle/libneedle/engine/prompt"
)

const (
	// ruleTriggers is the rule of tools' triggers.
	ruleTriggers = "triggers"
	// longestTrigger bounds a trigger's expression in bytes.
	longestTrigger = 4096
	// largestTrigger bounds its program: for each of a request's characters all of it may run.
	largestTrigger = 5000
)

// triggers are the expressions of tools that are called when a request matches one of theirs.
type triggers struct {
	tools    []string // on the wire
	patterns [][]*regexp.Regexp
	warnings []string
}

// newTriggers compiles the triggers of a tool set. What is no list of expressions of RE2's syntax is left out,
// with a warning.
func newTriggers(tools *prompt.Toolset) *triggers {
	t := &triggers{}
	for _, tool := range tools.Tools() {
		if tool.Triggers == nil {
			continue
		}
		warn := func(format string, args ...any) {
			t.warnings = append(t.warnings, fmt.Sprintf("tool %q: ", tool.Caller)+fmt.Sprintf(format, args...))
		}
		list, err := jsontext.Parse(string(tool.Triggers))
		if err != nil || !list.Is(jsontext.Array) {
			warn("triggers are ignored: expected an array of regular expressions")
			continue
		}
		var patterns []*regexp.Regexp
		for i, m := range list.Members {
			re, err := compileTrigger(m.Value)
			if err != nil {
				warn("triggers[%d] is ignored: %v", i, err)
				continue
			}
			patterns = append(patterns, re)
		}
		t.tools, t.patterns = append(t.tools, tool.Name), append(t.patterns, patterns)
	}
	return t
}

func compileTrigger(v *jsontext.Value) (*regexp.Regexp, error) {
	switch {
	case v.Kind != jsontext.String:
		return nil, fmt.Errorf("found %s, expected a regular expression", v.Kind)
	case len(v.Text) > longestTrigger:
		return nil, fmt.Errorf("found %d bytes, expected at most %d", len(v.Text), longestTrigger)
	}
	pattern := "(?i)" + v.Text
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if n := len(program.Inst); n > largestTrigger {
		return nil, fmt.Errorf("the expression repeats too much: %d steps, at most %d", n, largestTrigger)
	}
	return regexp.Compile(pattern)
}

// match lists the tools that a request triggers.
func (t *triggers) match(request string) (names []string) {
	for i, patterns := range t.patterns {
		for _, re := range patterns {
			if re.MatchString(request) {
				names = append(names, t.tools[i])
				break
			}
		}
	}
	return names
}
