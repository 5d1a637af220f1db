package prompt

import (
	"strconv"
	"strings"

	"github.com/libneedle/libneedle/engine/jsontext"
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
	root   *jsontext.Value
	flat   bool                                           // root is a list of parameters, not a schema
	object bool                                           // flat parameters are being written as a schema
	scope  map[*jsontext.Value]*scope                     // of each object that is a schema
	refs   []reference                                    // not followed yet
	anchor map[string]*jsontext.Value                     // by its name
	index  map[*jsontext.Value]map[string]*jsontext.Value // the members of objects that references led through
}

// reference is a $ref in the schema of a scope.
type reference struct {
	to    string
	scope *scope
}

// newSchemas walks the parameters of a tool.
func newSchemas(b *scopes, parameters *jsontext.Value, root *scope) *schemas {
	s := &schemas{scopes: b, root: parameters, scope: map[*jsontext.Value]*scope{}, anchor: map[string]*jsontext.Value{},
		index: map[*jsontext.Value]map[string]*jsontext.Value{}}
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
func isFlat(parameters *jsontext.Value) bool {
	if parameters.Kind != jsontext.Object || parameters.Last("properties") != nil {
		return false
	}
	for _, m := range parameters.Members {
		if isParameter(m) {
			return true
		}
	}
	return false
}

func isParameter(m jsontext.Member) bool {
	takesObject, keyword := keywords[m.Key]
	return !keyword || !takesObject && m.Value.Kind == jsontext.Object
}

// schema notes that a value is a schema for a place, and what it says about that place.
func (s *schemas) schema(v *jsontext.Value, at *scope) {
	if v.Kind != jsontext.Object {
		return
	}
	if before, ok := s.scope[v]; ok {
		s.scopes.merge(before, at)
		return
	}
	s.scope[v] = at
	for _, m := range v.Members {
		if v == s.root && s.flat && isParameter(m) {
			s.schema(m.Value, s.scopes.property(at, m.Key, m.Value.Offset))
			continue
		}
		s.keyword(m.Key, m.Value, at)
		if (m.Key == "$anchor" || m.Key == "$dynamicAnchor") && m.Value.Kind == jsontext.String {
			s.anchor[m.Value.Text] = v
		}
	}
}

// keyword follows one keyword of a schema to the schemas in it and the properties it names.
func (s *schemas) keyword(key string, v *jsontext.Value, at *scope) {
	switch key {
	case "properties":
		s.each(v, func(m jsontext.Member) { s.schema(m.Value, s.scopes.property(at, m.Key, m.Value.Offset)) })
	case "patternProperties":
		s.each(v, func(m jsontext.Member) { s.schema(m.Value, s.scopes.extra(at)) })
	case "additionalProperties", "unevaluatedProperties":
		s.schema(v, s.scopes.extra(at))
	case "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains":
		s.oneOrMore(v, s.scopes.items(at))
	case "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "propertyNames":
		s.oneOrMore(v, at)
	case "contentSchema":
		s.schema(v, s.scopes.new()) // describes what is inside a string
	case "$defs", "definitions":
		s.each(v, func(m jsontext.Member) { s.schema(m.Value, s.scopes.new()) })
	case "required":
		s.mention(v, at)
	case "dependentRequired", "dependentSchemas", "dependencies":
		s.each(v, func(m jsontext.Member) {
			at.find().declare(m.Key, late+m.Value.Offset)
			s.mention(m.Value, at)
			s.schema(m.Value, at)
		})
	case "$ref", "$dynamicRef":
		if v.Kind == jsontext.String {
			s.refs = append(s.refs, reference{v.Text, at})
		}
	}
}

// each calls f for the members of an object.
func (s *schemas) each(v *jsontext.Value, f func(jsontext.Member)) {
	if v.Kind == jsontext.Object {
		for _, m := range v.Members {
			f(m)
		}
	}
}

// oneOrMore walks a schema or an array of them.
func (s *schemas) oneOrMore(v *jsontext.Value, at *scope) {
	if v.Kind != jsontext.Array {
		s.schema(v, at)
		return
	}
	for _, m := range v.Members {
		s.schema(m.Value, at)
	}
}

// mention notes the names in an array of property names.
func (s *schemas) mention(v *jsontext.Value, at *scope) {
	if v.Kind != jsontext.Array {
		return
	}
	for _, m := range v.Members {
		if m.Value.Kind == jsontext.String {
			at.find().declare(m.Value.Text, late+m.Value.Offset)
		}
	}
}

// resolve follows a reference within the parameters: to the place a JSON pointer names, or to an anchor.
// The target is nil when it leads nowhere, out of the parameters for one. wire is the same reference in the
// rendered schema, once the scopes are finished.
func (s *schemas) resolve(ref string) (target *jsontext.Value, wire string) {
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
		key := jsontext.PointerKey(token)
		next := s.step(target, key)
		if next == nil {
			return nil, ref
		}
		at := s.scope[target]
		isName := target == s.root && s.flat && isParameter(jsontext.Member{Key: key, Value: next})
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
func (s *schemas) step(v *jsontext.Value, key string) *jsontext.Value {
	switch v.Kind {
	case jsontext.Object:
		index, ok := s.index[v]
		if !ok { // thousands of references may go through the same object
			index = make(map[string]*jsontext.Value, len(v.Members))
			for _, m := range v.Members {
				index[m.Key] = m.Value
			}
			s.index[v] = index
		}
		return index[key]
	case jsontext.Array:
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(v.Members) {
			return v.Members[i].Value
		}
	}
	return nil
}
