package prompt

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// Tool is one declared tool. The texts are compact JSON.
type Tool struct {
	Name        string          // on the wire
	Caller      string          // as declared
	Description string          // empty when there is none
	Text        string          // the tool as the model reads it
	Parameters  json.RawMessage // as the model reads them; nil when there are none
	Schema      json.RawMessage // Parameters as a JSON Schema: flat ones are put into properties; nil for none or null
	Triggers    json.RawMessage // as declared; the model does not read them; nil when there are none

	scope *scope
}

// Toolset is what a session may call. It is immutable and safe for concurrent use; nil is a Toolset without
// a tools block.
type Toolset struct {
	present bool
	tools   []Tool
	byName  map[string]int // by the name on the wire; the first of equals
}

// ErrUnknownTool says that a call names no tool of the set.
var ErrUnknownTool = errors.New("no such tool")

// ParseTools reads the tools of a session: an array of {"name", "description", "parameters"}, each as it
// is or inside {"type":"function","function":{}}. An empty text and null are a set without a tools block.
// What is no such array gives an error that wraps a *jsontext.SyntaxError.
func ParseTools(tools string) (*Toolset, error) {
	set, err := parseTools(tools)
	if err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	return set, nil
}

func parseTools(tools string) (*Toolset, error) {
	const mark = "\uFEFF" // which some editors put in front of a file
	text := strings.TrimPrefix(tools, mark)
	if trimmed := strings.Trim(text, " \t\r\n"); trimmed == "" || trimmed == "null" {
		return &Toolset{}, nil
	}
	root, err := jsontext.Parse(text)
	if err == nil {
		err = checkTools(root)
	}
	var syntax *jsontext.SyntaxError
	if errors.As(err, &syntax) {
		syntax.Offset += len(tools) - len(text)
	}
	if err != nil {
		return nil, err
	}
	return newToolset(root), nil
}

// checkTools says why a text is no array of tools.
func checkTools(root *jsontext.Value) error {
	if root.Kind != jsontext.Array {
		return &jsontext.SyntaxError{Offset: root.Offset, Msg: fmt.Sprintf("found %s, expected an array of tools", root.Kind)}
	}
	for _, m := range root.Members {
		if m.Value.Kind != jsontext.Object {
			return &jsontext.SyntaxError{Offset: m.Value.Offset, Msg: fmt.Sprintf("found %s, expected a tool", m.Value.Kind)}
		}
		tool := unwrap(m.Value)
		switch name := tool.Last("name"); {
		case name == nil:
			return &jsontext.SyntaxError{Offset: tool.Offset, Msg: "found a tool without name, expected a name"}
		case name.Kind != jsontext.String:
			return &jsontext.SyntaxError{Offset: name.Offset, Msg: fmt.Sprintf("found %s, expected a tool's name", name.Kind)}
		case name.Text == "":
			return &jsontext.SyntaxError{Offset: name.Offset, Msg: "found an empty string, expected a tool's name"}
		}
	}
	return nil
}

// unwrap returns the tool inside {"type":"function","function":{}}, or the element itself.
func unwrap(element *jsontext.Value) *jsontext.Value {
	function, wrapper := element.Last("function"), element.Last("type")
	if function.Is(jsontext.Object) && (wrapper.Is(jsontext.String) && wrapper.Text == "function" || element.Last("name") == nil) {
		return function
	}
	return element
}

func newToolset(root *jsontext.Value) *Toolset {
	declared := make([]*jsontext.Value, len(root.Members))
	names := make([]string, len(root.Members))
	for i, m := range root.Members {
		declared[i] = unwrap(m.Value)
		names[i] = declared[i].Last("name").Text
	}
	wire := toolNames(names)
	b, roots, parsed := &scopes{}, map[string]*scope{}, make([]*schemas, len(declared))
	for i, tool := range declared {
		if roots[names[i]] == nil { // tools of one name have their names in common
			roots[names[i]] = b.new()
		}
		parsed[i] = newSchemas(b, tool.Last("parameters"), roots[names[i]])
	}
	b.finish()
	t := &Toolset{present: true, tools: make([]Tool, len(declared))}
	for i, tool := range declared {
		t.tools[i] = newTool(tool, wire, parsed[i])
		t.tools[i].scope = roots[names[i]].find()
		triggers := tool.Last("triggers")
		if triggers == nil { // beside the function instead of in it
			triggers = root.Members[i].Value.Last("triggers")
		}
		if triggers != nil {
			t.tools[i].Triggers = jsontext.AppendValue(nil, triggers)
		}
	}
	t.index()
	return t
}

func (t *Toolset) index() {
	t.byName = make(map[string]int, len(t.tools))
	for i := len(t.tools) - 1; i >= 0; i-- {
		t.byName[t.tools[i].Name] = i
	}
}

// newTool writes a tool. Of members of one name the last counts; all are written.
func newTool(v *jsontext.Value, wire map[string]string, s *schemas) Tool {
	name := v.Last("name")
	t := Tool{Name: wire[name.Text], Caller: name.Text}
	if d := v.Last("description"); d.Is(jsontext.String) {
		t.Description = d.Text
	}
	if s.root != nil {
		t.Parameters = s.appendSchema(nil, s.root)
		switch {
		case s.flat:
			t.Schema = s.appendObject(nil)
		case s.root.Kind != jsontext.Null:
			t.Schema = t.Parameters
		}
	}
	rendered := *v
	rendered.Members = slices.DeleteFunc(slices.Clone(v.Members), func(m jsontext.Member) bool { return m.Key == "triggers" })
	t.Text = string(jsontext.AppendList(nil, &rendered, func(dst []byte, m jsontext.Member) []byte {
		dst = appendKey(dst, m.Key)
		switch {
		case m.Value == name:
			return jsontext.AppendString(dst, t.Name)
		case m.Value == s.root:
			return append(dst, t.Parameters...)
		}
		return jsontext.AppendValue(dst, m.Value)
	}))
	return t
}

// Present says whether there is a tools block, if an empty one.
func (t *Toolset) Present() bool { return t != nil && t.present }

// Len is the number of tools.
func (t *Toolset) Len() int {
	if t == nil {
		return 0
	}
	return len(t.tools)
}

// Tools returns the tools in the order of their declaration. The texts in it are not to be written to.
func (t *Toolset) Tools() []Tool {
	if t == nil {
		return nil
	}
	return slices.Clone(t.tools)
}

// Text returns T, what stands between <tools> and </tools>; empty without a tools block.
func (t *Toolset) Text() string {
	if !t.Present() {
		return ""
	}
	var b strings.Builder
	b.WriteByte('[')
	for i := range t.tools {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(t.tools[i].Text)
	}
	b.WriteByte(']')
	return b.String()
}

// Select returns the set of some of the tools, by their places in Tools, in the order of their declaration.
// Places that do not exist are ignored. Names stay as they are in the whole set.
func (t *Toolset) Select(places []int) *Toolset {
	selected := &Toolset{present: t.Present()}
	places = slices.Compact(slices.Sorted(slices.Values(places)))
	for _, i := range places {
		if i >= 0 && i < t.Len() {
			selected.tools = append(selected.tools, t.tools[i])
		}
	}
	selected.index()
	return selected
}

// ToCaller gives a call back under the caller's names, at every depth: name and args are as the model wrote
// them. Numbers keep their text and keys their order; whitespace is dropped. The error wraps ErrUnknownTool
// or, when args is no JSON object, a *jsontext.SyntaxError.
func (t *Toolset) ToCaller(name string, args []byte) (callerName string, callerArgs []byte, err error) {
	i, ok := -1, false
	if t != nil {
		i, ok = t.byName[name]
	}
	if !ok {
		return "", nil, fmt.Errorf("call: %w: %q", ErrUnknownTool, name)
	}
	callerArgs, err = t.tools[i].rename(name, args, toCaller)
	return t.tools[i].Caller, callerArgs, err
}

// ToWire is the way back: name and args are the caller's. Its errors are those of ToCaller.
func (t *Toolset) ToWire(name string, args []byte) (wireName string, wireArgs []byte, err error) {
	tools := t.Tools()
	i := slices.IndexFunc(tools, func(tool Tool) bool { return tool.Caller == name })
	if i < 0 {
		return "", nil, fmt.Errorf("call: %w: %q", ErrUnknownTool, name)
	}
	wireArgs, err = tools[i].rename(name, args, toWire)
	return tools[i].Name, wireArgs, err
}

// rename writes arguments with their names in the other form. name is for messages.
func (t *Tool) rename(name string, args []byte, d direction) ([]byte, error) {
	v, err := jsontext.Parse(string(args))
	if err == nil && v.Kind != jsontext.Object {
		err = &jsontext.SyntaxError{Offset: v.Offset, Msg: fmt.Sprintf("found %s, expected an object of arguments", v.Kind)}
	}
	if err != nil {
		return nil, fmt.Errorf("call of %q: %w", name, err)
	}
	return appendNamed(make([]byte, 0, len(args)+16), v, t.scope, d), nil
}

// CallerPlace names a value in a call as its caller would: tool.path, with the caller's names. tool and path
// are those of the wire; without a path it is the tool's name.
func (t *Toolset) CallerPlace(tool string, path jsontext.Path) string {
	if t == nil {
		return tool
	}
	i, ok := t.byName[tool]
	if !ok {
		return tool
	}
	at, names := t.tools[i].scope, jsontext.Path{}.To(t.tools[i].Caller)
	for _, s := range path {
		if s.IsElement() {
			names = names.At(s.Index)
			if at != nil {
				at = at.items
			}
			continue
		}
		name := s.Name
		if at != nil {
			if caller := at.caller[name]; caller != "" {
				name = caller
			}
			at = at.child(name)
		}
		names = names.To(name)
	}
	return names.String()
}
