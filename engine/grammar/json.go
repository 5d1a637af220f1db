package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// kind is the type of a JSON value.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

var kindNames = [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}

func (k kind) String() string { return kindNames[k] }

// value is a JSON value that keeps the order of keys and the text of numbers.
type value struct {
	kind   kind
	yes    bool   // of a boolean
	text   string // of a string, decoded; of a number, as written
	items  []*value
	names  []string // of an object's members, which are in items
	number *big.Rat // of a number whose size is sane, else nil
	name   string   // see key
}

// maxNesting bounds the nesting of schemas and of the values in them.
const maxNesting = 256

// parseJSON reads one JSON value. Of members of one name the last counts, at the place of the first.
func parseJSON(text []byte) (*value, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := readValue(d, 0)
	if err != nil {
		return nil, fmt.Errorf("offset %d: %w", d.InputOffset(), err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("offset %d: found more text after the value", d.InputOffset())
	}
	return v, nil
}

func readValue(d *json.Decoder, depth int) (*value, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("nested deeper than %d", maxNesting)
	}
	t, err := d.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case bool:
		return &value{kind: kindBool, yes: t}, nil
	case json.Number:
		return newNumber(string(t)), nil
	case string:
		return &value{kind: kindString, text: t}, nil
	case json.Delim:
		if t == '[' {
			return readArray(d, depth)
		}
		return readObject(d, depth)
	}
	return &value{kind: kindNull}, nil
}

func readArray(d *json.Decoder, depth int) (*value, error) {
	v := &value{kind: kindArray}
	for d.More() {
		item, err := readValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, item)
	}
	_, err := d.Token()
	return v, err
}

func readObject(d *json.Decoder, depth int) (*value, error) {
	v, place := &value{kind: kindObject}, map[string]int{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("found %v, expected a member's name", t)
		}
		item, err := readValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		if at, seen := place[name]; seen {
			v.items[at] = item
			continue
		}
		place[name] = len(v.items)
		v.names, v.items = append(v.names, name), append(v.items, item)
	}
	_, err := d.Token()
	return v, err
}

// maxNumberText bounds the text of a number that is computed with.
const maxNumberText = 200

// newNumber reads a JSON number. A very long one, or one with an exponent beyond ±400, keeps its text only.
func newNumber(text string) *value {
	v := &value{kind: kindNumber, text: text}
	if len(text) > maxNumberText {
		return v
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(text[i+1:]); err != nil || e > 400 || e < -400 {
			return v
		}
	}
	v.number, _ = new(big.Rat).SetString(text)
	return v
}

// member returns the value of an object's member, nil when there is none.
func (v *value) member(name string) *value {
	if v == nil || v.kind != kindObject {
		return nil
	}
	if i := slices.Index(v.names, name); i >= 0 {
		return v.items[i]
	}
	return nil
}

// equal compares as JSON Schema does: numbers by value, objects without order.
func (v *value) equal(w *value) bool {
	if v == w {
		return true
	}
	if v.kind != w.kind || len(v.items) != len(w.items) {
		return false
	}
	switch v.kind {
	case kindBool:
		return v.yes == w.yes
	case kindNumber:
		return v.text == w.text || v.number != nil && w.number != nil && v.number.Cmp(w.number) == 0
	case kindString:
		return v.text == w.text
	case kindArray:
		return slices.EqualFunc(v.items, w.items, (*value).equal)
	case kindObject:
		for i, name := range v.names {
			if other := w.member(name); other == nil || !v.items[i].equal(other) {
				return false
			}
		}
	}
	return true
}

// key is a text that values have in common exactly when they are equal.
func (v *value) key() string {
	if v.name == "" {
		v.name = string(v.appendKey(nil))
	}
	return v.name
}

func (v *value) appendKey(b []byte) []byte {
	switch v.kind {
	case kindNumber:
		if v.number != nil {
			return append(b, v.number.RatString()...)
		}
	case kindArray:
		b = append(b, '[')
		for _, item := range v.items {
			b = append(item.appendKey(b), ',')
		}
		return append(b, ']')
	case kindObject:
		order := slices.Sorted(slices.Values(v.names))
		b = append(b, '{')
		for _, name := range order {
			b = append(v.member(name).appendKey(append(appendQuoted(b, name, false), ':')), ',')
		}
		return append(b, '}')
	}
	return v.appendCompact(b, false)
}

// literalSet holds values by their keys.
type literalSet map[string]bool

func newLiteralSet(list []*value) literalSet {
	s := literalSet{}
	for _, v := range list {
		s[v.key()] = true
	}
	return s
}

func (s literalSet) has(v *value) bool { return s[v.key()] }

// add appends a value to a set's literals unless it is there.
func (s literalSet) add(to *values, v *value) {
	if key := v.key(); !s[key] {
		s[key] = true
		to.literals = append(to.literals, v)
	}
}

// appendCompact writes a value without whitespace. With ascii, characters beyond ASCII are escaped.
func (v *value) appendCompact(b []byte, ascii bool) []byte {
	switch v.kind {
	case kindNull:
		return append(b, "null"...)
	case kindBool:
		return strconv.AppendBool(b, v.yes)
	case kindNumber:
		return append(b, v.text...)
	case kindString:
		return appendQuoted(b, v.text, ascii)
	}
	open, end := byte('['), byte(']')
	if v.kind == kindObject {
		open, end = '{', '}'
	}
	b = append(b, open)
	for i, item := range v.items {
		if i > 0 {
			b = append(b, ',')
		}
		if v.kind == kindObject {
			b = append(appendQuoted(b, v.names[i], ascii), ':')
		}
		b = item.appendCompact(b, ascii)
	}
	return append(b, end)
}

// appendQuoted writes a JSON string with the escapes it needs and no other.
func appendQuoted(b []byte, text string, ascii bool) []byte {
	const hex = "0123456789abcdef"
	unit := func(c rune) {
		b = append(b, '\\', 'u', hex[c>>12&15], hex[c>>8&15], hex[c>>4&15], hex[c&15])
	}
	b = append(b, '"')
	for _, c := range text {
		short := strings.IndexRune("\b\t\n\f\r", c)
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case short >= 0:
			b = append(b, '\\', "btnfr"[short])
		case c < 0x20 || ascii && c > 0x7e && c < 0x10000:
			unit(c)
		case ascii && c >= 0x10000:
			unit(0xd800 + (c-0x10000)>>10)
			unit(0xdc00 + (c-0x10000)&0x3ff)
		default:
			b = append(b, string(c)...)
		}
	}
	return append(b, '"')
}
