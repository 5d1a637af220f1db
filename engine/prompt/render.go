package prompt

import "github.com/libneedle/libneedle/engine/jsontext"

// appendSchema writes a part of the parameters as the model reads it: with the names and types of the
// wire. Values that are no schema are looked through for schemas.
func (s *schemas) appendSchema(dst []byte, v *jsontext.Value) []byte {
	at := s.scope[v]
	if at == nil {
		return jsontext.AppendList(dst, v, func(dst []byte, m jsontext.Member) []byte {
			if v.Kind == jsontext.Object {
				dst = appendKey(dst, m.Key)
			}
			return s.appendSchema(dst, m.Value)
		})
	}
	at = at.find()
	return jsontext.AppendList(dst, v, func(dst []byte, m jsontext.Member) []byte {
		if v == s.root && s.flat && isParameter(m) {
			return s.appendSchema(appendKey(dst, at.toWire(m.Key)), m.Value)
		}
		return s.appendKeyword(dst, m, at)
	})
}

func appendKey(dst []byte, key string) []byte { return append(jsontext.AppendString(dst, key), ':') }

// appendKeyword writes one member of a schema.
func (s *schemas) appendKeyword(dst []byte, m jsontext.Member, at *scope) []byte {
	dst = appendKey(dst, m.Key)
	switch m.Key {
	case "type":
		return appendStrings(dst, m.Value, schemaType)
	case "required":
		return appendStrings(dst, m.Value, at.toWire)
	case "enum":
		if m.Value.Kind == jsontext.Array {
			return jsontext.AppendList(dst, m.Value, func(dst []byte, option jsontext.Member) []byte {
				return appendNamed(dst, option.Value, at, toWire)
			})
		}
	case "const":
		return appendNamed(dst, m.Value, at, toWire)
	case "propertyNames":
		return s.appendPropertyNames(dst, m.Value, at)
	case "$ref", "$dynamicRef":
		if m.Value.Kind == jsontext.String {
			_, wire := s.resolve(m.Value.Text)
			return jsontext.AppendString(dst, wire)
		}
	}
	if holdsNames(m.Key) && m.Value.Kind == jsontext.Object {
		return jsontext.AppendList(dst, m.Value, func(dst []byte, p jsontext.Member) []byte {
			dst = appendKey(dst, at.toWire(p.Key))
			if m.Key != "properties" && p.Value.Kind == jsontext.Array {
				return appendStrings(dst, p.Value, at.toWire)
			}
			return s.appendSchema(dst, p.Value)
		})
	}
	return s.appendSchema(dst, m.Value)
}

// appendPropertyNames writes a schema, or an array of them, of the names in a scope: those it lists are
// converted. (Lists that it only refers to stay, because values may refer to them too.)
func (s *schemas) appendPropertyNames(dst []byte, v *jsontext.Value, at *scope) []byte {
	return jsontext.AppendList(dst, v, func(dst []byte, m jsontext.Member) []byte {
		if v.Kind == jsontext.Array {
			return s.appendPropertyNames(dst, m.Value, at)
		}
		switch m.Key {
		case "enum", "const":
			return appendStrings(appendKey(dst, m.Key), m.Value, at.declaredToWire)
		case "allOf", "anyOf", "oneOf", "not", "if", "then", "else":
			return s.appendPropertyNames(appendKey(dst, m.Key), m.Value, at)
		}
		return s.appendKeyword(dst, m, at)
	})
}

// appendStrings writes a string, or the strings in an array, converted; anything else as it is.
func appendStrings(dst []byte, v *jsontext.Value, convert func(string) string) []byte {
	switch v.Kind {
	case jsontext.String:
		return jsontext.AppendString(dst, convert(v.Text))
	case jsontext.Array:
		return jsontext.AppendList(dst, v, func(dst []byte, m jsontext.Member) []byte {
			if m.Value.Kind != jsontext.String {
				return jsontext.AppendValue(dst, m.Value)
			}
			return jsontext.AppendString(dst, convert(m.Value.Text))
		})
	}
	return jsontext.AppendValue(dst, v)
}

// direction says which names appendNamed writes.
type direction bool

const (
	toWire   direction = true
	toCaller direction = false
)

// appendNamed writes a value that stands at a place of the arguments, with its declared names in the other
// form; what is not declared stays.
func appendNamed(dst []byte, v *jsontext.Value, at *scope, d direction) []byte {
	if at == nil {
		return jsontext.AppendValue(dst, v)
	}
	return jsontext.AppendList(dst, v, func(dst []byte, m jsontext.Member) []byte {
		if v.Kind == jsontext.Array {
			return appendNamed(dst, m.Value, at.items, d)
		}
		name, other := m.Key, at.wire[m.Key]
		if d == toCaller {
			other = at.caller[m.Key]
		}
		if other == "" {
			other = name
		}
		if d == toCaller {
			name = other
		}
		return appendNamed(appendKey(dst, other), m.Value, at.child(name), d)
	})
}

// appendObject writes flat parameters as a schema: what is no keyword moves into properties, a type or a
// description alone becomes a schema, and a parameter's "required": true moves to the list of names.
func (s *schemas) appendObject(dst []byte) []byte {
	s.object = true // references lead through properties
	at := s.scope[s.root].find()
	dst = append(dst, '{')
	if s.root.Last("type") == nil {
		dst = append(dst, `"type":"object",`...)
	}
	required := []byte{'['}
	for _, m := range s.root.Members {
		switch {
		case isParameter(m):
			if m.Value.Last("required").IsTrue() {
				required = append(jsontext.AppendString(required, at.toWire(m.Key)), ',')
			}
		case m.Key == "required" && m.Value.Kind == jsontext.Array:
			for _, name := range m.Value.Members {
				if name.Value.Kind == jsontext.String {
					required = append(jsontext.AppendString(required, at.toWire(name.Value.Text)), ',')
				}
			}
		default:
			dst = append(s.appendKeyword(dst, m, at), ',')
		}
	}
	dst = append(dst, `"properties":{`...)
	for i, m := range flatParameters(s.root) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = s.appendParameter(appendKey(dst, at.toWire(m.Key)), m.Value)
	}
	dst = append(dst, '}')
	if len(required) > 1 {
		required[len(required)-1] = ']'
		dst = append(append(dst, `,"required":`...), required...)
	}
	return append(dst, '}')
}

// flatParameters returns the members of flat parameters that are no keywords.
func flatParameters(v *jsontext.Value) []jsontext.Member {
	var found []jsontext.Member
	for _, m := range v.Members {
		if isParameter(m) {
			found = append(found, m)
		}
	}
	return found
}

// appendParameter writes a flat parameter as a schema.
func (s *schemas) appendParameter(dst []byte, v *jsontext.Value) []byte {
	switch v.Kind {
	case jsontext.Object:
		schema := *v
		schema.Members = nil
		for _, m := range v.Members {
			if m.Key != "required" || m.Value.Kind != jsontext.Bool {
				schema.Members = append(schema.Members, m)
			}
		}
		at := s.scope[v].find()
		return jsontext.AppendList(dst, &schema, func(dst []byte, m jsontext.Member) []byte { return s.appendKeyword(dst, m, at) })
	case jsontext.Bool:
		return append(dst, v.Text...)
	case jsontext.String:
		key := "description"
		if t := schemaType(v.Text); typeNames[t] == t {
			key, v = "type", &jsontext.Value{Kind: jsontext.String, Text: t}
		}
		return append(jsontext.AppendValue(appendKey(append(dst, '{'), key), v), '}')
	}
	return append(dst, "{}"...)
}
