package grammar

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Mode says what a schema means.
type Mode uint8

const (
	// ModeSchema reads a schema as JSON Schema 2020-12 (and the keywords of earlier drafts) does.
	ModeSchema Mode = iota
	// ModeTool refuses undeclared members unless additionalProperties or patternProperties allow them. An object
	// without properties, patternProperties and additionalProperties takes any members.
	ModeTool
)

// Options say how to compile.
type Options struct {
	// Mode says how objects are read: as JSON Schema has it, or as the arguments of a tool.
	Mode Mode
	// Lenient leaves a value unconstrained by what is not supported, and lists it in Faults; otherwise that is an
	// error.
	Lenient bool
}

// Error says why a schema was refused: a keyword that restricts values and is not supported, one with a value
// that makes no sense, or a schema that no value satisfies.
type Error struct{ Faults []Fault }

func (e *Error) Error() string {
	const most = 5
	var lines []string
	for _, f := range e.Faults[:min(len(e.Faults), most)] {
		lines = append(lines, f.Error())
	}
	text := "grammar: " + strings.Join(lines, "; ")
	if n := len(e.Faults) - most; n > 0 {
		text += fmt.Sprintf("; and %d more", n)
	}
	return text
}

// Invalid reports that all faults are mistakes in the schema, so that lenient compilation is no remedy.
func (e *Error) Invalid() bool {
	return !slices.ContainsFunc(e.Faults, func(f Fault) bool { return !f.Invalid })
}

// Grammar is a set of texts: JSON values of a schema, or lists of calls of tools. It is immutable and safe for
// concurrent use.
type Grammar struct {
	start  thread
	faults []Fault
	calls  *callList // of a tool set
	masks  *keptMasks
}

// Faults lists what is not enforced; always empty unless compiled as Lenient.
func (g *Grammar) Faults() []Fault { return slices.Clone(g.faults) }

// Compile compiles one JSON Schema. The texts of the grammar are its values, without whitespace. The error is
// an *Error, or says why the schema is no JSON.
func Compile(schema []byte, o Options) (*Grammar, error) {
	n, c, err := compile(schema, o.Mode)
	if err != nil {
		return nil, fmt.Errorf("grammar: schema: %w", err)
	}
	faults := c.reader.faults
	if n.depth > MaxDepth {
		faults = append(faults, Fault{Keyword: "schema", Reason: "no value satisfies it", Invalid: true})
	}
	if len(faults) > 0 && (!o.Lenient || n.depth > MaxDepth) {
		return nil, &Error{faults}
	}
	root := &frame{kind: frameRoot, limit: MaxDepth}
	return &Grammar{start: thread{frame: root, at: placeValue, node: n}, faults: faults, masks: &keptMasks{}}, nil
}

func compile(text []byte, mode Mode) (*node, *compiler, error) {
	c := newCompiler(mode == ModeTool, newLanguages())
	n, err := c.root(text)
	return n, c, err
}

// root compiles a schema, whose values satisfy some others too.
func (c *compiler) root(text []byte, others ...signed) (*node, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	c.reader = newReader(c, root)
	n := c.node(append(others, signed{s: c.reader.read(root, "")})...)
	c.finish()
	return n, nil
}

// Tool is what the grammar needs to know of a tool.
type Tool struct {
	Name   string // on the wire
	Schema []byte // JSON Schema of the arguments, an object; nil: any object
}

// Choice says which calls a list may have. The zero value leaves all open.
type Choice struct {
	Min, Max int      // of calls; Max 0: no limit
	Only     []string // the names on the wire that may be called; nil: all, empty: none, so that only [] is left
}

// ErrNoTool says that a choice names a tool that is not offered, or demands a call where none is possible.
var ErrNoTool = errors.New("no such tool can be called")

// callList is the program of a list of calls.
type callList struct {
	min, max int      // max 0: no limit
	names    []string // of all tools
	first    *node    // `{"name":"N","arguments":` for each tool that can be called, with its arguments
}

// CompileTools compiles a list of calls: [] or {"name":"N","arguments":{...}} separated by commas in brackets. Of
// tools of one name the first counts. A tool whose arguments no value satisfies can't be called: an error, or
// when lenient a fault.
func CompileTools(tools []Tool, o Options) (*Grammar, error) {
	g := &Grammar{calls: &callList{first: &node{}}, masks: &keptMasks{}}
	l := newLanguages()
	for i, t := range tools {
		if slices.Contains(g.calls.names, t.Name) {
			continue
		}
		g.calls.names = append(g.calls.names, t.Name)
		n, faults, err := arguments(t, o, l)
		if err != nil {
			return nil, err
		}
		if len(faults) > 0 && !o.Lenient {
			return nil, &Error{faults}
		}
		g.faults = append(g.faults, faults...)
		if n == nil {
			continue
		}
		prefix := append(appendQuoted([]byte(`{"name":`), t.Name, false), `,"arguments":`...)
		g.calls.first.literals = append(g.calls.first.literals, &literal{text: string(prefix), next: n, name: tools[i].Name})
	}
	slices.SortFunc(g.calls.first.literals, func(a, b *literal) int { return strings.Compare(a.text, b.text) })
	g.begin()
	return g, nil
}

func (g *Grammar) begin() {
	root := &frame{kind: frameRoot, limit: MaxDepth, calls: g.calls}
	g.start = thread{frame: root, at: placeStart}
}

// Choose returns the grammar of the lists that a choice allows. It shares what is compiled. The error wraps
// ErrNoTool.
func (g *Grammar) Choose(c Choice) (*Grammar, error) {
	if g.calls == nil {
		return nil, fmt.Errorf("grammar: %w: the grammar is that of a schema", ErrNoTool)
	}
	if c.Min < 0 || c.Max < 0 || c.Max > 0 && c.Min > c.Max {
		return nil, fmt.Errorf("grammar: %w: from %d to %d calls", ErrNoTool, c.Min, c.Max)
	}
	for _, name := range c.Only {
		if !slices.Contains(g.calls.names, name) {
			return nil, fmt.Errorf("grammar: tool %q: %w", name, ErrNoTool)
		}
	}
	first := &node{}
	for _, l := range g.calls.first.literals {
		if c.Only == nil || slices.Contains(c.Only, l.name) {
			first.literals = append(first.literals, l)
		}
	}
	if len(first.literals) == 0 && c.Min > 0 {
		return nil, fmt.Errorf("grammar: %w", ErrNoTool)
	}
	chosen := *g
	chosen.calls = &callList{c.Min, c.Max, g.calls.names, first}
	chosen.begin()
	return &chosen, nil
}

// Callable reports whether a list can have any call.
func (g *Grammar) Callable() bool { return g.calls != nil && len(g.calls.first.literals) > 0 }

// arguments compiles the arguments of a tool; nil when it can't be called.
func arguments(t Tool, o Options, l *languages) (*node, []Fault, error) {
	schema := t.Schema
	if schema == nil {
		schema = []byte(`{}`)
	}
	c := newCompiler(o.Mode == ModeTool, l)
	n, err := c.root(schema, signed{s: &schemaOfObjects})
	if err != nil {
		return nil, nil, fmt.Errorf("grammar: tool %q: %w", t.Name, err)
	}
	faults := c.reader.faults
	if n.depth > MaxDepth {
		faults, n = append(faults, Fault{Keyword: "parameters", Reason: "no arguments satisfy them", Invalid: true}), nil
	}
	for i := range faults {
		faults[i].Tool = t.Name
	}
	return n, faults, nil
}

// schemaOfObjects takes every object.
var schemaOfObjects = func() schema {
	s := schema{id: -3, types: typeObject}
	s.text.max, s.array.max, s.object.max = -1, -1, -1
	return s
}()

// open adds the threads after the bracket of the list.
func (c *callList) open(root *frame, out []thread) []thread {
	f := &frame{kind: frameList, parent: root, limit: root.limit, calls: c}
	if c.min == 0 {
		out = add(out, thread{frame: f, at: placeOpen})
	}
	return c.next(f, out)
}

// next adds the thread that begins another call.
func (c *callList) next(f *frame, out []thread) []thread {
	if len(c.first.literals) == 0 || c.max > 0 && int(f.count) >= c.max {
		return out
	}
	g := *f
	g.count++
	return add(out, thread{frame: &g, at: placeLiteral, node: c.first, high: int32(len(c.first.literals))})
}
