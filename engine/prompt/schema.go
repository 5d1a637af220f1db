package prompt

import (
	"strconv"
	"strings"
)

// keywords are the members of a schema that are no parameters in the flat form. Those that are true may
// hold an object; an object under another one is a parameter that happens to be called so.
var keywords = map[string]bool{
	"$schema": false, "$id": false, "$ref": false, "$anchor": false, "$dynamicRef": false,
	"$dynamicAnchor": false, "$comment": false, "$vocabulary": true, "$defs": true, "definitions": true,
	"type": false, "enum": false, "const": true, "title": false, "description": false, "default": true,
	"examples": false, "deprecated": false, "readOnly": false, "writeOnly": false,
	"multipleOf": false, "maximum": false, "exclusiveMaximum": false, "minimum": false,
	"exclusiveMinimum": false, "maxLength": false, "minLength": false, "pattern": false, "format": false,
	"contentEncoding": false, "contentMediaType": false, "contentSchema": true,
	"items": true, "prefixItems": false, "additionalItems": true, "unevaluatedItems": true,
	"contains": true, "minContains": false, "maxContains": false, "maxItems": false, "minItems": false,
	"uniqueItems": false, "properties": true, "required": false, "maxProperties": false,
	"minProperties": false, "additionalProperties": true, "unevaluatedProperties": true,
	"patternProperties": true, "propertyNames": true, "dependentRequired": true, "dependentSchemas": true,
	"dependencies": true, "allOf": false, "anyOf": false, "oneOf": false, "not": true, "if": true,
	"then": true, "else": true,
}

// late orders names that are only mentioned (in required, ...) after those declared in properties.
const late = 1 << 30

// schemas is what is known of the schemas of one tool.
type schemas struct {
	scopes *scopes
	root   *value
	flat   bool                         // root is a list of parameters, not a schema
	object bool                         // flat parameters are being written as a schema
	scope  map[*value]*scope            // of each object that is a schema
	refs   []reference                  // not followed yet
	anchor map[string]*value            // by its name
	index  map[*value]map[string]*value // the members of objects that references led through
}

// reference is a $ref in the schema of a scope.
type reference struct {
	to    string
	scope *scope
}

// newSchemas walks the parameters of a tool.
func newSchemas(b *scopes, parameters *value, root *scope) *schemas {
	s := &schemas{scopes: b, root: parameters, scope: map[*value]*scope{}, anchor: map[string]*value{},
		index: map[*value]map[string]*value{}}
	if parameters == nil {
		return s
	}
	s.flat = isFlat(parameters)
	s.schema(parameters, root)
	for len(s.refs) > 0 {
		r := s.refs[len(s.refs)-1]
		s.refs = s.refs[:len(s.refs)-1]
		if target, _ := s.resolve(r.to); target != nil {
			s.schema(target, r.scope)
		}
	}
	return s
}

// isFlat says whether parameters are given as members beside the keywords instead of in properties.
func isFlat(parameters *value) bool {
	if parameters.kind != kindObject || parameters.last("properties") != nil {
		return false
	}
	for _, m := range parameters.members {
		if isParameter(m) {
			return true
		}
	}
	return false
}

func isParameter(m member) bool {
	takesObject, keyword := keywords[m.key]
	return !keyword || !takesObject && m.value.kind == kindObject
}

// schema notes that a value is a schema for a place, and what it says about that place.
func (s *schemas) schema(v *value, at *scope) {
	if v.kind != kindObject {
		return
	}
	if before, ok := s.scope[v]; ok {
		s.scopes.merge(before, at)
		return
	}
	s.scope[v] = at
	for _, m := range v.members {
		if v == s.root && s.flat && isParameter(m) {
			s.schema(m.value, s.scopes.property(at, m.key, m.value.offset))
			continue
		}
		s.keyword(m.key, m.value, at)
		if (m.key == "$anchor" || m.key == "$dynamicAnchor") && m.value.kind == kindString {
			s.anchor[m.value.text] = v
		}
	}
}

// keyword follows one keyword of a schema to the schemas in it and the properties it names.
func (s *schemas) keyword(key string, v *value, at *scope) {
	switch key {
	case "properties":
		s.each(v, func(m member) { s.schema(m.value, s.scopes.property(at, m.key, m.value.offset)) })
	case "patternProperties":
		s.each(v, func(m member) { s.schema(m.value, s.scopes.extra(at)) })
	case "additionalProperties", "unevaluatedProperties":
		s.schema(v, s.scopes.extra(at))
	case "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains":
		s.oneOrMore(v, s.scopes.items(at))
	case "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "propertyNames":
		s.oneOrMore(v, at)
	case "contentSchema":
		s.schema(v, s.scopes.new()) // describes what is inside a string
	case "$defs", "definitions":
		s.each(v, func(m member) { s.schema(m.value, s.scopes.new()) })
	case "required":
		s.mention(v, at)
	case "dependentRequired", "dependentSchemas", "dependencies":
		s.each(v, func(m member) {
			at.find().declare(m.key, late+m.value.offset)
			s.mention(m.value, at)
			s.schema(m.value, at)
		})
	case "$ref", "$dynamicRef":
		if v.kind == kindString {
			s.refs = append(s.refs, reference{v.text, at})
		}
	}
}

// each calls f for the members of an object.
func (s *schemas) each(v *value, f func(member)) {
	if v.kind == kindObject {
		for _, m := range v.members {
			f(m)
		}
	}
}

// oneOrMore walks a schema or an array of them.
func (s *schemas) oneOrMore(v *value, at *scope) {
	if v.kind != kindArray {
		s.schema(v, at)
		return
	}
	for _, m := range v.members {
		s.schema(m.value, at)
	}
}

// mention notes the names in an array of property names.
func (s *schemas) mention(v *value, at *scope) {
	if v.kind != kindArray {
		return
	}
	for _, m := range v.members {
		if m.value.kind == kindString {
			at.find().declare(m.value.text, late+m.value.offset)
		}
	}
}

// resolve follows a reference within the parameters: to the place a JSON pointer names, or to an anchor.
// The target is nil when it leads nowhere, out of the parameters for one. wire is the same reference in the
// rendered schema, once the scopes are finished.
func (s *schemas) resolve(ref string) (target *value, wire string) {
	name, ok := strings.CutPrefix(ref, "#")
	switch {
	case !ok:
		return nil, ref
	case name == "":
		return s.root, ref
	case name[0] != '/':
		return s.anchor[name], ref
	}
	target = s.root
	tokens := strings.Split(name[1:], "/")
	var names *scope // not nil where target holds something by the name of a property
	for i, token := range tokens {
		key := pointerKey(token)
		next := s.step(target, key)
		if next == nil {
			return nil, ref
		}
		at := s.scope[target]
		isName := target == s.root && s.flat && isParameter(member{key, next})
		if isName {
			names = at
		}
		if names != nil {
			if w := names.find().toWire(key); w != key {
				tokens[i] = w // letters, digits and underscores, so nothing to escape
			}
		}
		if isName && s.object {
			tokens[i] = "properties/" + tokens[i]
		}
		names = nil
		if !isName && at != nil && holdsNames(key) {
			names = at
		}
		target = next
	}
	return target, "#/" + strings.Join(tokens, "/")
}

// holdsNames says whether the object under a keyword has the names of properties as keys.
func holdsNames(keyword string) bool {
	switch keyword {
	case "properties", "dependentRequired", "dependentSchemas", "dependencies":
		return true
	}
	return false
}

// step returns the value that a key leads to, nil for none.
func (s *schemas) step(v *value, key string) *value {
	switch v.kind {
	case kindObject:
		index, ok := s.index[v]
		if !ok { // thousands of references may go through the same object
			index = make(map[string]*value, len(v.members))
			for _, m := range v.members {
				index[m.key] = m.value
			}
			s.index[v] = index
		}
		return index[key]
	case kindArray:
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(v.members) {
			return v.members[i].value
		}
	}
	return nil
}

// pointerKey decodes one token of a JSON pointer in a URI fragment.
func pointerKey(token string) string {
	if !strings.ContainsAny(token, "%~") {
		return token
	}
	out := make([]byte, 0, len(token))
	for i := 0; i < len(token); i++ {
		c := token[i]
		if c == '%' && i+2 < len(token) {
			if b, err := strconv.ParseUint(token[i+1:i+3], 16, 8); err == nil {
				c, i = byte(b), i+2
			}
		}
		out = append(out, c)
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(string(out))
}
