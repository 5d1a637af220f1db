package ground

import (
	"slices"
	"strings"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// Tool is what the rules need to know of a tool. Names are those of the wire.
type Tool struct {
	Name        string
	Description string
	Schema      []byte // JSON Schema of the arguments; nil for none
}

// Tools are the tools that calls may name. They are read-only and safe for concurrent use.
type Tools struct{ byName map[string]*tool }

type tool struct {
	Tool
	root    *jsontext.Value            // nil for none
	anchors map[string]*jsontext.Value // schemas with a name for references
}

// NewTools reads the schemas of tools. Of tools of one name the first counts; a schema that
// is no JSON says nothing.
func NewTools(list []Tool) *Tools {
	t := &Tools{map[string]*tool{}}
	for _, one := range list {
		if t.byName[one.Name] != nil {
			continue
		}
		read := &tool{Tool: one, anchors: map[string]*jsontext.Value{}}
		if root, err := jsontext.Parse(string(one.Schema)); err == nil {
			read.root = root
			read.findAnchors(root)
		}
		t.byName[one.Name] = read
	}
	return t
}

func (t *tool) findAnchors(v *jsontext.Value) {
	if a := v.Last("$anchor"); a.Is(jsontext.String) {
		t.anchors[a.Text] = v
	}
	for _, m := range v.Members {
		t.findAnchors(m.Value)
	}
}

// resolve is the schema that a reference within the tool's leads to, nil for none.
func (t *tool) resolve(ref string) *jsontext.Value {
	pointer, ok := strings.CutPrefix(ref, "#")
	switch {
	case !ok:
		return nil
	case pointer == "" || pointer[0] == '/':
		return t.root.At(pointer)
	default:
		return t.anchors[pointer]
	}
}

// place is where a value stands in the arguments of a tool: all schemas that say something
// about it, those of branches among them, whether a value takes the branch or not.
type place struct {
	tool    *tool
	key     string // of the property, or of the one whose elements these are; "" for all arguments
	schemas []*jsontext.Value
	held    bool // the array is grounded, and its elements with it
}

// arguments is the place of all arguments of a tool.
func (t *tool) arguments() place {
	p := place{tool: t}
	p.add(t.root)
	return p
}

// branches are the keywords whose schemas are about the same value.
var branches = []string{"allOf", "anyOf", "oneOf", "if", "then", "else"}

func (p *place) add(schema *jsontext.Value) {
	if !schema.Is(jsontext.Object) || slices.Contains(p.schemas, schema) {
		return
	}
	p.schemas = append(p.schemas, schema)
	if ref := schema.Last("$ref"); ref.Is(jsontext.String) {
		p.add(p.tool.resolve(ref.Text))
	}
	for _, keyword := range branches {
		p.addAll(schema.Last(keyword))
	}
}

// addAll adds a schema or an array of them.
func (p *place) addAll(v *jsontext.Value) {
	if !v.Is(jsontext.Array) {
		p.add(v)
		return
	}
	for _, m := range v.Members {
		p.add(m.Value)
	}
}

// property is the place of a property's value.
func (p *place) property(name string) place {
	child := place{tool: p.tool, key: name}
	for _, s := range p.schemas {
		if properties := s.Last("properties"); properties != nil {
			child.add(properties.Last(name))
		}
	}
	if len(child.schemas) == 0 {
		for _, s := range p.schemas {
			child.add(s.Last("additionalProperties"))
			if patterns := s.Last("patternProperties"); patterns != nil {
				for _, m := range patterns.Members {
					child.add(m.Value)
				}
			}
		}
	}
	return child
}

// element is the place of an array's i-th element.
func (p *place) element(i int) place {
	child := place{tool: p.tool, key: p.key, held: p.grounded()}
	for _, s := range p.schemas {
		items := s.Last("items")
		if first := s.Last("prefixItems"); first != nil && i < len(first.Members) {
			items = first.Members[i].Value
		}
		child.addAll(items)
	}
	return child
}

// any reports whether one of the schemas has a keyword for which f holds.
func (p *place) any(keyword string, f func(*jsontext.Value) bool) bool {
	return slices.ContainsFunc(p.schemas, func(s *jsontext.Value) bool {
		v := s.Last(keyword)
		return v != nil && f(v)
	})
}

// has reports whether one of the schemas has a keyword.
func (p *place) has(keyword string) bool {
	return p.any(keyword, func(*jsontext.Value) bool { return true })
}

// takes reports whether a type is among those named for the place; nothing named is no type.
func (p *place) takes(name string) bool {
	return p.any("type", func(v *jsontext.Value) bool {
		return v.Is(jsontext.String) && v.Text == name ||
			slices.ContainsFunc(v.Members, func(m jsontext.Member) bool { return m.Value.Text == name })
	})
}

// options are the strings that the place is limited to; nil when it is not.
func (p *place) options() (list []string) {
	take := func(v *jsontext.Value) {
		if v.Is(jsontext.String) && !slices.Contains(list, v.Text) {
			list = append(list, v.Text)
		}
	}
	for _, s := range p.schemas {
		take(s.Last("const"))
		if enum := s.Last("enum"); enum != nil {
			for _, m := range enum.Members {
				take(m.Value)
			}
		}
	}
	return list
}

// listed reports whether the values of the place are enumerated.
func (p *place) listed() bool { return p.has("enum") || p.has("const") }

// grounded reports whether values are held to the conversation by the grammar: identifiers,
// and what a schema says so of.
func (p *place) grounded() bool {
	return p.held || p.key == "id" || strings.HasSuffix(p.key, "_id") || p.any("grounded", (*jsontext.Value).IsTrue)
}

// fallback is the default, nil for none.
func (p *place) fallback() *jsontext.Value {
	for _, s := range p.schemas {
		if v := s.Last("default"); v != nil {
			return v
		}
	}
	return nil
}

// text is what titles and descriptions say.
func (p *place) text() string {
	var parts []string
	for _, keyword := range []string{"title", "description"} {
		for _, s := range p.schemas {
			if v := s.Last(keyword); v.Is(jsontext.String) {
				parts = append(parts, v.Text)
			}
		}
	}
	return strings.Join(parts, "; ")
}

// requires reports whether a property has to be there.
func (p *place) requires(name string) bool {
	return p.any("required", func(v *jsontext.Value) bool {
		return slices.ContainsFunc(v.Members, func(m jsontext.Member) bool { return m.Value.Is(jsontext.String) && m.Value.Text == name })
	})
}

// properties are the names of the declared properties, in their order.
func (p *place) properties() (names []string) {
	for _, s := range p.schemas {
		if v := s.Last("properties"); v.Is(jsontext.Object) {
			for _, m := range v.Members {
				if !slices.Contains(names, m.Key) {
					names = append(names, m.Key)
				}
			}
		}
	}
	return names
}

// at is the place of a value in a call's arguments.
func (t *Tools) at(p Place) place {
	tool := t.byName[p.Tool]
	if tool == nil {
		return place{}
	}
	at := tool.arguments()
	for _, s := range p.Path {
		if s.IsElement() {
			at = at.element(s.Index)
		} else {
			at = at.property(s.Name)
		}
	}
	return at
}

// Options are the strings that values at a place are limited to; nil when they are not.
func (t *Tools) Options(p Place) []string {
	at := t.at(p)
	return at.options()
}

// Grounded reports whether values at a place have to occur in the conversation: identifiers, and what a schema
// says so of. What is enumerated need not.
func (t *Tools) Grounded(p Place) bool {
	at := t.at(p)
	return at.grounded() && !at.listed()
}
