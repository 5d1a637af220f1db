package grammar

import (
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// schema is one JSON Schema, its keywords read and its subschemas linked.
type schema struct {
	id      int
	pointer string // of the place it was first reached by
	partial bool   // something in it is not enforced: it stands for more values than it says
	always  bool   // takes every value: the schema true
	never   bool   // false

	types  types    // 0: any
	enum   []*value // the values of enum or const; nil: any
	number numberShape
	text   struct {
		min, max        int32 // code points; max < 0: no limit
		pattern, format *regex
		formatMax       int32
		formatExact     bool // format has every text of the format
	}
	array struct {
		prefix                   []*schema
		items, contains          *schema
		minContains, maxContains int
		min, max                 int // max < 0: no limit
		unique                   bool
	}
	object struct {
		properties        []property
		patterns          []patternProperty
		additional, names *schema
		required          []string
		needs             []*dependency // dependentRequired
		implies           []property    // dependentSchemas
		min, max          int           // max < 0: no limit
	}
	all, any, one     [][]*schema // each list of allOf, anyOf, oneOf; $ref is an allOf of one
	not               *schema
	cond, then, other *schema
}

type property struct {
	name   string
	schema *schema
}

type patternProperty struct {
	key    *regex
	schema *schema
}

type dependency struct {
	name  string
	needs []string
}

// types is a set of JSON types.
type types uint8

const (
	typeNull types = 1 << iota
	typeBoolean
	typeNumber // integers included
	typeInteger
	typeString
	typeArray
	typeObject
	anyType = typeNull | typeBoolean | typeNumber | typeString | typeArray | typeObject
)

var typeNames = map[string]types{"null": typeNull, "boolean": typeBoolean, "number": typeNumber, "integer": typeInteger,
	"string": typeString, "array": typeArray, "object": typeObject}

// Fault says what of a schema is not enforced, and why.
type Fault struct {
	Tool    string // the tool's name on the wire; empty in mode schema
	Pointer string // JSON pointer of the schema in the whole one, or in the tool's parameters; empty: the whole
	Keyword string
	Reason  string
	Invalid bool // the schema is wrong, not only beyond what is supported
}

func (f Fault) Error() string {
	where := "schema"
	if f.Tool != "" {
		where = fmt.Sprintf("tool %q", f.Tool)
	}
	return fmt.Sprintf("%s: #%s: %s: %s", where, f.Pointer, f.Keyword, f.Reason)
}

// reader turns JSON into schemas. Each place is read once, when it is reached, so references may go in circles.
type reader struct {
	c       *compiler
	root    *value
	legacy  bool // the schema declares a draft before 2019-09: $ref has no siblings
	byValue map[*value]*schema
	base    map[*value]*value // of each schema, the root of its resource
	byID    map[string]*value
	faults  []Fault
}

// maxDependencies bounds the names that others depend on in one schema.
const maxDependencies = 500

// maxSchemas bounds the subschemas of one schema.
const maxSchemas = 50_000

func newReader(c *compiler, root *value) *reader {
	r := &reader{c: c, root: root, byValue: map[*value]*schema{}, base: map[*value]*value{}, byID: map[string]*value{}}
	if d := root.member("$schema"); d != nil && d.kind == kindString {
		for _, draft := range []string{"draft-03", "draft-04", "draft-05", "draft-06", "draft-07"} {
			r.legacy = r.legacy || strings.Contains(d.text, draft)
		}
	}
	r.index(root, root, "")
	return r
}

// index notes the identifiers and anchors of a document. It also looks where no schema is: what it finds there
// is only used by a reference that names it.
func (r *reader) index(v, base *value, uri string) {
	if v.kind == kindObject {
		if id := v.member("$id"); id != nil && id.kind == kindString && !strings.HasPrefix(id.text, "#") {
			base, uri = v, resolveURI(uri, id.text)
			r.byID[strings.TrimSuffix(uri, "#")] = v
		}
		for _, key := range []string{"$anchor", "$dynamicAnchor", "$id", "id"} {
			name := v.member(key)
			if name == nil || name.kind != kindString {
				continue
			}
			if key == "$anchor" || key == "$dynamicAnchor" {
				r.byID[uri+"#"+name.text] = v
			} else if full := strings.TrimSuffix(resolveURI(uri, name.text), "#"); r.byID[full] == nil {
				r.byID[full] = v
			}
		}
		r.base[v] = base
	}
	for _, item := range v.items {
		r.index(item, base, uri)
	}
}

func resolveURI(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	u, err := b.Parse(ref)
	if err != nil {
		return ref
	}
	return u.String()
}

// fault notes what is not supported.
func (r *reader) fault(pointer, keyword, format string, args ...any) {
	r.note(Fault{Pointer: pointer, Keyword: keyword, Reason: fmt.Sprintf(format, args...)})
}

// invalid notes what is no JSON Schema.
func (r *reader) invalid(pointer, keyword, format string, args ...any) {
	r.note(Fault{Pointer: pointer, Keyword: keyword, Reason: fmt.Sprintf(format, args...), Invalid: true})
}

func (r *reader) note(f Fault) {
	if !slices.Contains(r.faults, f) {
		r.faults = append(r.faults, f)
	}
}

// read returns the schema at a place.
func (r *reader) read(v *value, pointer string) *schema {
	if s := r.byValue[v]; s != nil {
		return s
	}
	s := &schema{id: len(r.byValue), pointer: pointer}
	s.text.max, s.array.max, s.object.max = -1, -1, -1
	s.array.minContains, s.array.maxContains = 1, -1
	r.byValue[v] = s
	switch {
	case v.kind == kindBool:
		s.always, s.never = v.yes, !v.yes
	case v.kind != kindObject:
		r.invalid(pointer, "schema", "found %s, expected a schema", v.kind)
		s.always = true
	case len(r.byValue) > maxSchemas:
		r.fault(pointer, "schema", "more than %d subschemas", maxSchemas)
		s.always = true
	default:
		before := len(r.faults)
		r.keywords(s, v)
		s.partial = len(r.faults) > before
	}
	return s
}

// annotations restrict nothing, or are read together with another keyword.
var annotations = map[string]bool{"$schema": true, "$id": true, "id": true, "$anchor": true, "$dynamicAnchor": true,
	"$comment": true, "$defs": true, "definitions": true, "$vocabulary": true, "title": true, "description": true,
	"default": true, "examples": true, "deprecated": true, "readOnly": true, "writeOnly": true,
	"contentEncoding": true, "contentMediaType": true, "contentSchema": true}

func (r *reader) keywords(s *schema, v *value) {
	if ref := v.member("$ref"); ref != nil && r.legacy {
		r.keyword(s, v, "$ref", ref)
		return
	}
	for i, name := range v.names {
		if !annotations[name] {
			r.keyword(s, v, name, v.items[i])
		}
	}
}

// keyword reads one keyword of a schema. A name that is no keyword is an annotation.
func (r *reader) keyword(s *schema, in *value, name string, v *value) {
	at := s.pointer
	sub := func(v *value) *schema { return r.read(v, at+"/"+name) }
	switch name {
	case "$ref":
		if target := r.resolve(in, v, at); target != nil {
			s.all = append(s.all, []*schema{target})
		}
	case "type":
		r.types(s, v)
	case "enum":
		if r.is(v, kindArray, at, name) {
			s.restrict(v.items)
		}
	case "const":
		s.restrict([]*value{v})
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		r.number(s, in, name, v)
	case "minLength":
		s.text.min = int32(r.count(v, at, name, 0))
	case "maxLength":
		s.text.max = int32(r.count(v, at, name, -1))
	case "pattern":
		s.text.pattern = r.pattern(v, at, name)
	case "format":
		r.format(s, v)
	case "prefixItems":
		s.array.prefix = r.list(v, at, name)
	case "items":
		if v.kind == kindArray { // before 2020-12
			s.array.prefix = r.list(v, at, name)
		} else {
			s.array.items = sub(v)
		}
	case "additionalItems":
		if items := in.member("items"); items != nil && items.kind == kindArray {
			s.array.items = sub(v)
		}
	case "contains":
		s.array.contains = sub(v)
	case "minContains":
		s.array.minContains = r.count(v, at, name, 1)
	case "maxContains":
		s.array.maxContains = r.count(v, at, name, -1)
	case "minItems":
		s.array.min = r.count(v, at, name, 0)
	case "maxItems":
		s.array.max = r.count(v, at, name, -1)
	case "uniqueItems":
		if r.is(v, kindBool, at, name) {
			s.array.unique = v.yes
		}
	case "properties":
		s.object.properties = r.named(v, at, name)
	case "patternProperties":
		for _, p := range r.named(v, at, name) {
			if key := r.pattern(&value{kind: kindString, text: p.name}, at, name); key != nil {
				s.object.patterns = append(s.object.patterns, patternProperty{key, p.schema})
			}
		}
	case "additionalProperties":
		s.object.additional = sub(v)
	case "propertyNames":
		s.object.names = sub(v)
	case "required":
		s.object.required = r.names(v, at, name)
	case "dependentRequired", "dependentSchemas", "dependencies":
		r.dependencies(s, name, v)
	case "minProperties":
		s.object.min = r.count(v, at, name, 0)
	case "maxProperties":
		s.object.max = r.count(v, at, name, -1)
	case "allOf":
		s.all = append(s.all, r.list(v, at, name))
	case "anyOf":
		s.any = append(s.any, r.list(v, at, name))
	case "oneOf":
		s.one = append(s.one, r.list(v, at, name))
	case "not":
		s.not = sub(v)
	case "if":
		s.cond = sub(v)
	case "then":
		s.then = sub(v)
	case "else":
		s.other = sub(v)
	case "unevaluatedProperties", "unevaluatedItems":
		r.unevaluated(s, in, name, v)
	case "$dynamicRef", "$recursiveRef":
		r.fault(at, name, "references that depend on where they are reached from are not supported")
	case "extends", "disallow", "divisibleBy":
		r.fault(at, name, "a keyword of draft 3, not supported")
	}
}

// is reports, and notes when not, that a keyword's value is of a kind.
func (r *reader) is(v *value, k kind, pointer, keyword string) bool {
	if v.kind != k {
		r.invalid(pointer, keyword, "found %s, expected %s", v.kind, k)
	}
	return v.kind == k
}

// restrict adds an enumeration: with an earlier one, what both have.
func (s *schema) restrict(values []*value) {
	if s.enum != nil {
		values = slices.DeleteFunc(slices.Clone(s.enum), func(v *value) bool { return !slices.ContainsFunc(values, v.equal) })
	}
	s.enum = append([]*value{}, values...)
}

func (r *reader) types(s *schema, v *value) {
	names := []*value{v}
	if v.kind == kindArray {
		names = v.items
	}
	for _, n := range names {
		t := typeNames[n.text]
		if n.kind != kindString || t == 0 {
			r.invalid(s.pointer, "type", "found %s, expected the name of a JSON type", n.appendCompact(nil, false))
			s.types = 0
			return
		}
		s.types |= t
	}
}

// sane reports that a bound leaves room for the digits that numbers are written with.
func sane(x *big.Rat) bool {
	scaled := new(big.Rat).Mul(x, new(big.Rat).SetInt(power(30)))
	return scaled.IsInt() && len(x.Num().String()) <= 91 && new(big.Rat).Abs(x).Cmp(new(big.Rat).SetInt(power(60))) < 0
}

// count reads a number of things; absent is the value of one that is none.
func (r *reader) count(v *value, pointer, keyword string, absent int) int {
	const most = 1 << 30
	if v.kind != kindNumber || v.number == nil || !v.number.IsInt() || v.number.Sign() < 0 {
		r.invalid(pointer, keyword, "found %s, expected an integer of 0 or more", v.appendCompact(nil, false))
		return absent
	}
	if !v.number.Num().IsInt64() || v.number.Num().Int64() > most {
		return most
	}
	return int(v.number.Num().Int64())
}

func (r *reader) number(s *schema, in *value, name string, v *value) {
	if v.kind == kindBool && strings.HasPrefix(name, "exclusive") { // draft 4: read with minimum and maximum
		return
	}
	if v.kind != kindNumber || v.number == nil || name == "multipleOf" && v.number.Sign() <= 0 || !sane(v.number) {
		r.invalid(s.pointer, name, "found %.60s, expected a number of at most 60 digits, 30 of them after the point", v.appendCompact(nil, false))
		return
	}
	open := func(keyword string) bool {
		flag := in.member(keyword)
		return flag != nil && flag.kind == kindBool && flag.yes
	}
	n := &s.number
	switch name {
	case "minimum":
		n.above(v.number, open("exclusiveMinimum"))
	case "maximum":
		n.below(v.number, open("exclusiveMaximum"))
	case "exclusiveMinimum":
		n.above(v.number, true)
	case "exclusiveMaximum":
		n.below(v.number, true)
	case "multipleOf":
		n.multiple = commonMultiple(n.multiple, v.number)
	}
}

func (r *reader) pattern(v *value, pointer, keyword string) *regex {
	if !r.is(v, kindString, pointer, keyword) {
		return nil
	}
	re, err := r.c.re.pattern(v.text)
	if err == nil {
		_, err = r.c.automaton(re)
	}
	if err != nil {
		r.fault(pointer, keyword, "%q: %v", v.text, err)
		return nil
	}
	return re
}

func (r *reader) format(s *schema, v *value) {
	if v.kind != kindString {
		return
	}
	f, known, supported := formatOf(v.text)
	switch {
	case !known:
	case !supported:
		r.fault(s.pointer, "format", "%q is not supported", v.text)
	default:
		re, err := r.c.re.pattern(f.pattern)
		if err != nil {
			r.fault(s.pointer, "format", "%q: %v", v.text, err)
			return
		}
		s.text.format, s.text.formatMax, s.text.formatExact = re, -1, f.exact
		if f.max > 0 {
			s.text.formatMax = f.max
		}
	}
}

func (r *reader) list(v *value, pointer, keyword string) []*schema {
	if !r.is(v, kindArray, pointer, keyword) {
		return nil
	}
	out := make([]*schema, len(v.items))
	for i, item := range v.items {
		out[i] = r.read(item, pointer+"/"+keyword+"/"+strconv.Itoa(i))
	}
	return out
}

func (r *reader) named(v *value, pointer, keyword string) []property {
	if !r.is(v, kindObject, pointer, keyword) {
		return nil
	}
	out := make([]property, len(v.items))
	for i, item := range v.items {
		out[i] = property{v.names[i], r.read(item, pointer+"/"+keyword+"/"+escapePointer(v.names[i]))}
	}
	return out
}

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func (r *reader) names(v *value, pointer, keyword string) []string {
	if v.kind == kindBool { // draft 3 wrote it into the property
		r.invalid(pointer, keyword, "found a boolean, expected an array of names")
		return nil
	}
	if !r.is(v, kindArray, pointer, keyword) {
		return nil
	}
	var out []string
	for _, item := range v.items {
		if r.is(item, kindString, pointer, keyword) && !slices.Contains(out, item.text) {
			out = append(out, item.text)
		}
	}
	return out
}

func (r *reader) dependencies(s *schema, keyword string, v *value) {
	if !r.is(v, kindObject, s.pointer, keyword) {
		return
	}
	if len(v.names) > maxDependencies {
		r.fault(s.pointer, keyword, "%d names, more than %d", len(v.names), maxDependencies)
		return
	}
	for i, name := range v.names {
		item := v.items[i]
		switch {
		case item.kind == kindArray && keyword != "dependentSchemas":
			s.object.needs = append(s.object.needs, &dependency{name, r.names(item, s.pointer, keyword)})
		case item.kind == kindString && keyword == "dependencies": // draft 3
			s.object.needs = append(s.object.needs, &dependency{name, []string{item.text}})
		case keyword == "dependentRequired":
			r.invalid(s.pointer, keyword, "found %s, expected an array of names", item.kind)
		default:
			s.object.implies = append(s.object.implies, property{name, r.read(item, s.pointer+"/"+keyword+"/"+escapePointer(name))})
		}
	}
}

// unevaluated reads the keyword where it means the same as its simple cousin: nothing beside it looks into the
// same value.
func (r *reader) unevaluated(s *schema, in *value, name string, v *value) {
	for _, other := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "contains"} {
		if in.member(other) != nil {
			r.fault(s.pointer, name, "not supported beside %s", other)
			return
		}
	}
	if name == "unevaluatedItems" {
		items := in.member("items")
		if items == nil || items.kind == kindArray && in.member("additionalItems") == nil {
			s.array.items = r.read(v, s.pointer+"/"+name)
		}
	} else if in.member("additionalProperties") == nil {
		s.object.additional = r.read(v, s.pointer+"/"+name)
	}
}

// resolve follows a reference; nil, and a fault, when it leads nowhere.
func (r *reader) resolve(in, ref *value, pointer string) *schema {
	if !r.is(ref, kindString, pointer, "$ref") {
		return nil
	}
	document, fragment, _ := strings.Cut(ref.text, "#")
	roots := []*value{r.base[in], r.root}
	if document != "" {
		roots = nil
		for _, uri := range []string{r.uri(in, document), document} {
			if v := r.byID[uri]; v != nil {
				roots = append(roots, v)
			}
		}
	}
	for _, root := range roots {
		if target := r.fragment(root, fragment); target != nil {
			return r.read(target, pointerOf(ref.text))
		}
	}
	if v := r.byID[r.uri(in, ref.text)]; v != nil {
		return r.read(v, pointerOf(ref.text))
	}
	if document != "" {
		r.fault(pointer, "$ref", "%q: references to other documents are not supported", ref.text)
	} else {
		r.invalid(pointer, "$ref", "%q leads to nothing in the schema", ref.text)
	}
	return nil
}

func pointerOf(ref string) string { return strings.TrimPrefix(ref, "#") }

// uri is a reference made absolute by the identifier of the resource it stands in.
func (r *reader) uri(in *value, ref string) string {
	base := ""
	if id := r.base[in].member("$id"); id != nil {
		base = id.text
	} else if id := r.root.member("id"); id != nil && id.kind == kindString {
		base = id.text
	}
	return resolveURI(base, ref)
}

// fragment follows a JSON pointer in a URI fragment.
func (r *reader) fragment(root *value, fragment string) *value {
	if fragment == "" {
		return root
	}
	if fragment[0] != '/' {
		return nil
	}
	at := root
	for _, token := range strings.Split(fragment[1:], "/") {
		if decoded, err := url.PathUnescape(token); err == nil {
			token = decoded
		}
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if at.kind == kindArray {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(at.items) {
				return nil
			}
			at = at.items[i]
		} else if at = at.member(token); at == nil {
			return nil
		}
	}
	return at
}

// commonMultiple is the least common multiple of two positive fractions; nil stands for no demand.
func commonMultiple(a, b *big.Rat) *big.Rat {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	gcd := func(x, y *big.Int) *big.Int { return new(big.Int).GCD(nil, nil, x, y) }
	num := new(big.Int).Div(new(big.Int).Mul(a.Num(), b.Num()), gcd(a.Num(), b.Num()))
	return new(big.Rat).SetFrac(num, gcd(a.Denom(), b.Denom()))
}
