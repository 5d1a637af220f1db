package grammar

import (
	"math/rand/v2"
	"strconv"
)

// schemaMaker makes random JSON Schemas that use every keyword the grammar enforces. used counts the keywords of
// the schema made last.
type schemaMaker struct {
	r    *rand.Rand
	used map[string]bool
	defs map[string]any
}

type object = map[string]any

func newSchemaMaker(seed uint64) *schemaMaker {
	return &schemaMaker{r: rand.New(rand.NewPCG(seed, 17)), used: map[string]bool{}, defs: map[string]any{}}
}

func (m *schemaMaker) chance(p float64) bool { return m.r.Float64() < p }

func pick[T any](m *schemaMaker, list ...T) T { return list[m.r.IntN(len(list))] }

// document makes a whole schema whose values are objects when wanted so.
func (m *schemaMaker) document(objects bool) object {
	var s object
	if objects {
		s = m.object(3)
	} else {
		s = m.schema(3)
	}
	if len(m.defs) > 0 {
		s["$defs"] = m.defs
	}
	m.note(s)
	return s
}

// note collects the keywords in a schema.
func (m *schemaMaker) note(v any) {
	switch v := v.(type) {
	case object:
		for key, sub := range v {
			switch key {
			case "properties", "$defs", "patternProperties", "dependentSchemas":
				for _, s := range sub.(object) {
					m.note(s)
				}
			case "enum", "const", "required", "dependentRequired":
			default:
				m.note(sub)
			}
			if key == "format" {
				key += " " + sub.(string)
			}
			m.used[key] = true
		}
	case []any:
		for _, s := range v {
			m.note(s)
		}
	}
}

func (m *schemaMaker) schema(depth int) object {
	if depth <= 0 {
		return pick(m, m.text, m.integer, m.number, m.listed, m.simple)()
	}
	switch m.r.IntN(16) {
	case 0, 1:
		return m.text()
	case 2:
		return m.integer()
	case 3:
		return m.number()
	case 4:
		return m.listed()
	case 5:
		return m.simple()
	case 6, 7:
		return m.array(depth)
	case 8, 9, 10:
		return m.object(depth)
	case 11:
		return object{"anyOf": m.several(depth, 2)}
	case 12:
		return object{"oneOf": m.options(depth)}
	case 13:
		return m.refined(depth)
	case 14:
		return m.reference(depth)
	}
	return m.except(depth)
}

func (m *schemaMaker) several(depth, n int) []any {
	var out []any
	for range n + m.r.IntN(2) {
		out = append(out, m.schema(depth-1))
	}
	return out
}

func (m *schemaMaker) text() object {
	s := object{"type": "string"}
	switch m.r.IntN(4) {
	case 0:
		s["format"] = pick(m, "date", "time", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri")
	case 1:
		s["pattern"] = m.pattern()
		if m.chance(.3) {
			s["maxLength"] = 8 + m.r.IntN(20)
		}
		if m.chance(.3) {
			s["minLength"] = m.r.IntN(6)
		}
	default:
		if m.chance(.5) {
			s["minLength"] = m.r.IntN(4)
		}
		if m.chance(.5) {
			s["maxLength"] = 3 + m.r.IntN(6)
		}
	}
	return s
}

// pattern chooses one that RE2 and ECMA read alike.
func (m *schemaMaker) pattern() string {
	return pick(m, "^[a-z]+$", "^[A-Z]{2,4}-[0-9]{3}$", "a", "^(ab|cd)+$", "[0-9]{2}$", "^x", "^[^\"\\\\]{1,9}$", "é", "^\\w+\\.(png|jpg)$", "^(a|bc)*$")
}

func (m *schemaMaker) integer() object {
	s := object{"type": "integer"}
	low := m.r.IntN(400) - 200
	if m.chance(.5) {
		s[pick(m, "minimum", "exclusiveMinimum")] = low
	}
	if m.chance(.5) {
		s[pick(m, "maximum", "exclusiveMaximum")] = low + 12 + m.r.IntN(300)
	}
	if m.chance(.3) {
		s["multipleOf"] = 1 + m.r.IntN(9)
	}
	return s
}

func (m *schemaMaker) number() object {
	s := object{"type": "number"}
	low := float64(m.r.IntN(4000)-2000) / 16
	if m.chance(.5) {
		s[pick(m, "minimum", "exclusiveMinimum")] = low
	}
	if m.chance(.5) {
		s[pick(m, "maximum", "exclusiveMaximum")] = low + float64(1+m.r.IntN(300))/8
	}
	if m.chance(.3) {
		s["multipleOf"] = pick(m, 0.5, 0.25, 0.125, 2.5)
	}
	return s
}

func (m *schemaMaker) simple() object {
	switch m.r.IntN(4) {
	case 0:
		return object{"type": []any{pick(m, "string", "integer", "number"), pick(m, "null", "boolean")}}
	case 1:
		return object{"type": "null"}
	}
	return object{"type": "boolean"}
}

func (m *schemaMaker) listed() object {
	values := []any{"a", "ab", "b c", "é\"\n", 1, 10, -2.5, true, false, nil, []any{1, "x"}, object{"k": 1, "l": []any{}}, "", "1"}
	m.r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	if m.chance(.3) {
		return object{"const": values[0]}
	}
	return object{"enum": values[:2+m.r.IntN(5)]}
}

func (m *schemaMaker) array(depth int) object {
	s := object{"type": "array"}
	if m.chance(.7) {
		s["items"] = m.schema(depth - 1)
	}
	if m.chance(.25) {
		s["prefixItems"] = m.several(depth, 1)
		if m.chance(.3) {
			s["items"] = false
		}
	}
	if m.chance(.2) {
		s["contains"] = pick(m, m.text, m.integer, m.simple)()
		if m.chance(.4) {
			s["minContains"] = m.r.IntN(3)
		}
		if m.chance(.4) {
			s["maxContains"] = 2 + m.r.IntN(2)
		}
	}
	if m.chance(.4) {
		s["minItems"] = m.r.IntN(4)
	}
	if m.chance(.4) {
		s["maxItems"] = 3 + m.r.IntN(3)
	}
	if m.chance(.3) {
		s["uniqueItems"] = true
	}
	return s
}

func (m *schemaMaker) names() []string {
	all := []string{"a", "b", "ab", "kind", "é", "user id", "q\"t", "x1"}
	m.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func strings_(list []string) []any {
	out := []any{}
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

func (m *schemaMaker) object(depth int) object {
	s, names, properties := object{"type": "object"}, m.names(), object{}
	n := m.r.IntN(5)
	for _, name := range names[:n] {
		properties[name] = m.schema(depth - 1)
	}
	if n > 0 || m.chance(.5) {
		s["properties"] = properties
	}
	if m.chance(.6) {
		s["required"] = strings_(names[:m.r.IntN(n+1)])
	}
	switch m.r.IntN(4) {
	case 0:
		s["additionalProperties"] = m.schema(0)
	case 1, 2:
		s["additionalProperties"] = false
	}
	if m.chance(.15) {
		s["patternProperties"] = object{pick(m, "^x", "^[ab]$", "[0-9]$"): m.schema(0)}
	}
	if m.chance(.12) {
		s["propertyNames"] = pick(m, object{"maxLength": 7}, object{"pattern": "^[a-zé]"}, object{"minLength": 1})
	}
	if m.chance(.12) {
		s["dependentRequired"] = object{names[0]: strings_(names[1:2])}
	}
	if m.chance(.12) {
		s["dependentSchemas"] = object{names[0]: object{"required": strings_(names[1:2]), "properties": object{names[1]: m.schema(0)}}}
	}
	if m.chance(.15) {
		s["minProperties"] = m.r.IntN(4)
	}
	if m.chance(.15) {
		s["maxProperties"] = 3 + m.r.IntN(3)
	}
	return s
}

// options are for oneOf: some have nothing in common, some overlap.
func (m *schemaMaker) options(depth int) []any {
	if m.chance(.5) {
		var out []any
		for i := range 2 + m.r.IntN(2) {
			o := m.object(depth - 1)
			if o["properties"] == nil {
				o["properties"] = object{}
			}
			o["properties"].(object)["kind"] = object{"const": "k" + strconv.Itoa(i)}
			o["required"] = []any{"kind"}
			delete(o, "propertyNames")
			out = append(out, o)
		}
		return out
	}
	return pick(m,
		[]any{object{"type": "integer", "multipleOf": 3}, object{"type": "integer", "minimum": 10, "maximum": 100}},
		[]any{object{"type": "string", "maxLength": 4}, object{"type": "string", "pattern": "^[a-z]*$"}},
		[]any{object{"required": []any{"a"}}, object{"required": []any{"b"}}},
		[]any{object{"type": "array", "maxItems": 2}, object{"type": "array", "items": object{"type": "integer"}}},
		[]any{object{"type": "object", "additionalProperties": false, "properties": object{"a": object{"type": "string"}}},
			object{"type": "object", "additionalProperties": false, "properties": object{"b": object{"type": "string"}}}},
		m.several(1, 2))
}

// refined joins schemas that speak of the same values.
func (m *schemaMaker) refined(depth int) object {
	switch m.r.IntN(5) {
	case 0:
		return object{"allOf": []any{m.object(depth - 1), object{"type": "object", "properties": object{"a": m.schema(0)}}}}
	case 1:
		return object{"allOf": []any{m.integer(), m.number()}}
	case 2:
		return object{"allOf": []any{m.text(), object{"minLength": 1}, object{"pattern": m.pattern()}}}
	case 3:
		return object{"type": "object", "properties": object{"kind": object{"enum": []any{"a", "b"}}, "n": object{"type": "integer"}},
			"required": []any{"kind"},
			"if":       object{"properties": object{"kind": object{"const": "a"}}},
			"then":     object{"required": []any{"n"}}, "else": object{"properties": object{"s": m.schema(0)}, "required": []any{"s"}}}
	}
	return object{"if": m.schema(0), "then": m.schema(0), "else": m.schema(depth - 1)}
}

func (m *schemaMaker) reference(depth int) object {
	name := pick(m, "node", "leaf")
	if m.defs[name] == nil {
		m.defs[name] = object{} // so that it is made once
		if name == "leaf" {
			m.defs[name] = m.schema(0)
		} else {
			m.defs[name] = object{"type": "object", "properties": object{"value": m.schema(0),
				"next": object{"$ref": "#/$defs/node"}, "children": object{"type": "array", "items": object{"$ref": "#/$defs/node"}}},
				"required": []any{"value"}}
		}
	}
	s := object{"$ref": "#/$defs/" + name}
	if m.chance(.2) {
		s["minProperties"] = 2
	}
	return s
}

// except makes a schema with a complement in it.
func (m *schemaMaker) except(depth int) object {
	s := m.schema(depth - 1)
	if s["not"] != nil {
		return s
	}
	s["not"] = pick(m,
		object{"type": pick(m, "null", "boolean", "integer", "string")},
		object{"enum": []any{"a", 1, true, nil}},
		object{"const": "ab"},
		object{"required": []any{"a"}},
		object{"type": "string", "pattern": m.pattern()},
		object{"type": "number", "minimum": 5, "maximum": 20},
		object{"type": "object", "additionalProperties": object{"type": "string"}},
		object{"type": "array", "items": object{"type": "string"}},
		object{"properties": object{"a": object{"type": "integer"}}},
		object{"type": "string", "maxLength": 3},
		object{"anyOf": []any{object{"type": "boolean"}, object{"minimum": 3}}},
		object{"type": "string", "format": pick(m, "date", "ipv4", "uuid")})
	return s
}
