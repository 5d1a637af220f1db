package prompt

// appendSchema writes a part of the parameters as the model reads it: with the names and types of the
// wire. Values that are no schema are looked through for schemas.
func (s *schemas) appendSchema(dst []byte, v *value) []byte {
	at := s.scope[v]
	if at == nil {
		return appendList(dst, v, func(dst []byte, m member) []byte {
			if v.kind == kindObject {
				dst = appendKey(dst, m.key)
			}
			return s.appendSchema(dst, m.value)
		})
	}
	at = at.find()
	return appendList(dst, v, func(dst []byte, m member) []byte {
		if v == s.root && s.flat && isParameter(m) {
			return s.appendSchema(appendKey(dst, at.toWire(m.key)), m.value)
		}
		return s.appendKeyword(dst, m, at)
	})
}

func appendKey(dst []byte, key string) []byte { return append(AppendString(dst, key), ':') }

// appendKeyword writes one member of a schema.
func (s *schemas) appendKeyword(dst []byte, m member, at *scope) []byte {
	dst = appendKey(dst, m.key)
	switch m.key {
	case "type":
		return appendStrings(dst, m.value, schemaType)
	case "required":
		return appendStrings(dst, m.value, at.toWire)
	case "enum":
		if m.value.kind == kindArray {
			return appendList(dst, m.value, func(dst []byte, option member) []byte {
				return appendNamed(dst, option.value, at, toWire)
			})
		}
	case "const":
		return appendNamed(dst, m.value, at, toWire)
	case "propertyNames":
		return s.appendPropertyNames(dst, m.value, at)
	case "$ref", "$dynamicRef":
		if m.value.kind == kindString {
			_, wire := s.resolve(m.value.text)
			return AppendString(dst, wire)
		}
	}
	if holdsNames(m.key) && m.value.kind == kindObject {
		return appendList(dst, m.value, func(dst []byte, p member) []byte {
			dst = appendKey(dst, at.toWire(p.key))
			if m.key != "properties" && p.value.kind == kindArray {
				return appendStrings(dst, p.value, at.toWire)
			}
			return s.appendSchema(dst, p.value)
		})
	}
	return s.appendSchema(dst, m.value)
}

// appendPropertyNames writes a schema, or an array of them, of the names in a scope: those it lists are
// converted. (Lists that it only refers to stay, because values may refer to them too.)
func (s *schemas) appendPropertyNames(dst []byte, v *value, at *scope) []byte {
	return appendList(dst, v, func(dst []byte, m member) []byte {
		if v.kind == kindArray {
			return s.appendPropertyNames(dst, m.value, at)
		}
		switch m.key {
		case "enum", "const":
			return appendStrings(appendKey(dst, m.key), m.value, at.declaredToWire)
		case "allOf", "anyOf", "oneOf", "not", "if", "then", "else":
			return s.appendPropertyNames(appendKey(dst, m.key), m.value, at)
		}
		return s.appendKeyword(dst, m, at)
	})
}

// appendStrings writes a string, or the strings in an array, converted; anything else as it is.
func appendStrings(dst []byte, v *value, convert func(string) string) []byte {
	switch v.kind {
	case kindString:
		return AppendString(dst, convert(v.text))
	case kindArray:
		return appendList(dst, v, func(dst []byte, m member) []byte {
			if m.value.kind != kindString {
				return appendValue(dst, m.value)
			}
			return AppendString(dst, convert(m.value.text))
		})
	}
	return appendValue(dst, v)
}

// direction says which names appendNamed writes.
type direction bool

const (
	toWire   direction = true
	toCaller direction = false
)

// appendNamed writes a value that stands at a place of the arguments, with its declared names in the other
// form; what is not declared stays.
func appendNamed(dst []byte, v *value, at *scope, d direction) []byte {
	if at == nil {
		return appendValue(dst, v)
	}
	return appendList(dst, v, func(dst []byte, m member) []byte {
		if v.kind == kindArray {
			return appendNamed(dst, m.value, at.items, d)
		}
		name, other := m.key, at.wire[m.key]
		if d == toCaller {
			other = at.caller[m.key]
		}
		if other == "" {
			other = name
		}
		if d == toCaller {
			name = other
		}
		return appendNamed(appendKey(dst, other), m.value, at.child(name), d)
	})
}

// appendObject writes flat parameters as a schema: what is no keyword moves into properties, a type or a
// description alone becomes a schema, and a parameter's "required": true moves to the list of names.
func (s *schemas) appendObject(dst []byte) []byte {
	s.object = true // references lead through properties
	at := s.scope[s.root].find()
	dst = append(dst, '{')
	if s.root.last("type") == nil {
		dst = append(dst, `"type":"object",`...)
	}
	required := []byte{'['}
	for _, m := range s.root.members {
		switch {
		case isParameter(m):
			if m.value.last("required").isTrue() {
				required = append(AppendString(required, at.toWire(m.key)), ',')
			}
		case m.key == "required" && m.value.kind == kindArray:
			for _, name := range m.value.members {
				if name.value.kind == kindString {
					required = append(AppendString(required, at.toWire(name.value.text)), ',')
				}
			}
		default:
			dst = append(s.appendKeyword(dst, m, at), ',')
		}
	}
	dst = append(dst, `"properties":{`...)
	for i, m := range s.root.parameters() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = s.appendParameter(appendKey(dst, at.toWire(m.key)), m.value)
	}
	dst = append(dst, '}')
	if len(required) > 1 {
		required[len(required)-1] = ']'
		dst = append(append(dst, `,"required":`...), required...)
	}
	return append(dst, '}')
}

// parameters returns the members of flat parameters that are no keywords.
func (v *value) parameters() []member {
	var found []member
	for _, m := range v.members {
		if isParameter(m) {
			found = append(found, m)
		}
	}
	return found
}

// isTrue says whether there is a value and it is true.
func (v *value) isTrue() bool { return v.is(kindBool) && v.text == "true" }

// appendParameter writes a flat parameter as a schema.
func (s *schemas) appendParameter(dst []byte, v *value) []byte {
	switch v.kind {
	case kindObject:
		schema := *v
		schema.members = nil
		for _, m := range v.members {
			if m.key != "required" || m.value.kind != kindBool {
				schema.members = append(schema.members, m)
			}
		}
		at := s.scope[v].find()
		return appendList(dst, &schema, func(dst []byte, m member) []byte { return s.appendKeyword(dst, m, at) })
	case kindBool:
		return append(dst, v.text...)
	case kindString:
		key := "description"
		if t := schemaType(v.text); typeNames[t] == t {
			key, v = "type", &value{kind: kindString, text: t}
		}
		return append(appendValue(appendKey(append(dst, '{'), key), v), '}')
	}
	return append(dst, "{}"...)
}
