package prompt

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// maxDepth bounds how deep JSON may nest, because reading and writing recurse.
	maxDepth = 512
	// maxText bounds a text that is read into a tree. No context holds a hundredth of it, and a tree
	// takes about 40 times the memory of its text.
	maxText = 16 << 20
)

// SyntaxError says where a text stops being what it has to be.
type SyntaxError struct {
	Offset int    // in bytes of the text as given
	Msg    string // what was found and what was expected
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("at byte %d: %s", e.Offset, e.Msg) }

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

// String names the kind with its article, for messages.
func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// value is a JSON value as written: members in order, duplicates included.
type value struct {
	kind    kind
	offset  int      // of its first byte
	text    string   // a string decoded; null, booleans and numbers as written
	members []member // of an object; of an array without keys
}

type member struct {
	key   string
	value *value
}

// last returns the member that counts among those of one key, nil when there is none.
func (v *value) last(key string) *value {
	for i := len(v.members) - 1; i >= 0; i-- {
		if v.members[i].key == key {
			return v.members[i].value
		}
	}
	return nil
}

// is reports whether there is a value and it is of a kind.
func (v *value) is(k kind) bool { return v != nil && v.kind == k }

// scanner reads JSON as RFC 8259 defines it. Raw NUL bytes and each byte of invalid UTF-8 inside strings
// count as U+FFFD.
type scanner struct {
	text  string
	pos   int
	depth int
}

// parse reads a text that is one JSON value.
func parse(text string) (*value, error) {
	if len(text) > maxText {
		return nil, &SyntaxError{maxText, fmt.Sprintf("found %d bytes, expected at most %d", len(text), maxText)}
	}
	s := scanner{text: text}
	v, err := s.value()
	if err != nil {
		return nil, err
	}
	return v, s.end()
}

// end is nil when only blanks are left.
func (s *scanner) end() error {
	if s.blanks(); s.pos < len(s.text) {
		return s.expected("the end of the text")
	}
	return nil
}

func (s *scanner) blanks() {
	for s.pos < len(s.text) && isBlank(s.text[s.pos]) {
		s.pos++
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// peek returns the next byte, 0 at the end of the text.
func (s *scanner) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

// expected is the error for what stands at the current place.
func (s *scanner) expected(what string) error {
	found := "the end of the text"
	if s.pos < len(s.text) {
		r, _ := utf8.DecodeRuneInString(s.text[s.pos:])
		found = fmt.Sprintf("%q", r)
	}
	return &SyntaxError{s.pos, "found " + found + ", expected " + what}
}

// take passes over one byte after blanks, which has to be c.
func (s *scanner) take(c byte) error {
	if s.blanks(); s.peek() != c || s.pos == len(s.text) {
		return s.expected(fmt.Sprintf("%q", rune(c)))
	}
	s.pos++
	return nil
}

// value reads the next value into a tree.
func (s *scanner) value() (*value, error) {
	s.blanks()
	v := &value{offset: s.pos}
	var err error
	switch c := s.peek(); {
	case c == '{':
		v.kind = kindObject
		err = s.object(func(key string) error { return s.child(v, key) })
	case c == '[':
		v.kind = kindArray
		err = s.array(func() error { return s.child(v, "") })
	case c == '"':
		v.kind = kindString
		v.text, err = s.str()
	default:
		v.kind, v.text, err = s.scalar()
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (s *scanner) child(parent *value, key string) error {
	v, err := s.value()
	parent.members = append(parent.members, member{key, v})
	return err
}

// object reads an object; each reads the value of a key.
func (s *scanner) object(each func(key string) error) error {
	return s.list('}', func() error {
		if s.blanks(); s.peek() != '"' {
			return s.expected("a key")
		}
		key, err := s.str()
		if err == nil {
			err = s.take(':')
		}
		if err != nil {
			return err
		}
		return each(key)
	})
}

// array reads an array; each reads an element.
func (s *scanner) array(each func() error) error { return s.list(']', each) }

// list reads from an opening bracket, which is the next byte, to its closing one.
func (s *scanner) list(closing byte, each func() error) error {
	if s.depth == maxDepth {
		return &SyntaxError{s.pos, fmt.Sprintf("found more than %d levels, expected fewer", maxDepth)}
	}
	s.pos++
	s.depth++
	defer func() { s.depth-- }()
	if s.blanks(); s.peek() == closing {
		s.pos++
		return nil
	}
	for {
		if err := each(); err != nil {
			return err
		}
		switch s.blanks(); s.peek() {
		case ',':
			s.pos++
		case closing:
			s.pos++
			return nil
		default:
			return s.expected(fmt.Sprintf("',' or %q", rune(closing)))
		}
	}
}

// scalar reads what is neither string, array nor object.
func (s *scanner) scalar() (kind, string, error) {
	for _, l := range [...]struct {
		text string
		kind kind
	}{{"true", kindBool}, {"false", kindBool}, {"null", kindNull}} {
		if strings.HasPrefix(s.text[s.pos:], l.text) {
			s.pos += len(l.text)
			return l.kind, l.text, nil
		}
	}
	if c := s.peek(); c != '-' && !isDigit(c) {
		return 0, "", s.expected("a value")
	}
	text, err := s.number()
	return kindNumber, text, err
}

// number reads a number and returns its text.
func (s *scanner) number() (string, error) {
	start := s.pos
	if s.peek() == '-' {
		s.pos++
	}
	if s.peek() == '0' {
		s.pos++
	} else if err := s.digits(); err != nil {
		return "", err
	}
	if s.peek() == '.' {
		s.pos++
		if err := s.digits(); err != nil {
			return "", err
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if err := s.digits(); err != nil {
			return "", err
		}
	}
	return s.text[start:s.pos], nil
}

// digits passes over one digit or more.
func (s *scanner) digits() error {
	if !isDigit(s.peek()) {
		return s.expected("a digit")
	}
	for isDigit(s.peek()) {
		s.pos++
	}
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// str reads a string, the opening quote being the next byte, and returns what it stands for. Nothing is
// copied when it stands for itself.
func (s *scanner) str() (string, error) {
	open := s.pos
	s.pos++
	start := s.pos
	var b strings.Builder
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		r, size := rune(c), 1
		switch {
		case c == '"':
			tail := s.text[start:s.pos]
			s.pos++
			if start == open+1 { // nothing was replaced
				return tail, nil
			}
			b.WriteString(tail)
			return b.String(), nil
		case c == '\\':
			b.WriteString(s.text[start:s.pos])
			if err := s.escape(&b); err != nil {
				return "", err
			}
			start = s.pos
			continue
		case c == 0:
			r = utf8.RuneError
		case c < ' ':
			return "", s.expected("no raw control character in a string")
		case c >= utf8.RuneSelf:
			r, size = utf8.DecodeRuneInString(s.text[s.pos:])
		}
		if r == utf8.RuneError && size == 1 {
			b.WriteString(s.text[start:s.pos])
			b.WriteRune(r)
			start = s.pos + 1
		}
		s.pos += size
	}
	return "", &SyntaxError{open, "found a string without end, expected its closing quote"}
}

// escape reads an escape sequence, the backslash being the next byte.
func (s *scanner) escape(b *strings.Builder) error {
	s.pos++
	c := s.peek()
	if c == 'u' {
		return s.unicode(b)
	}
	at := strings.IndexByte(`"\/bfnrt`, c)
	if at < 0 || s.pos == len(s.text) {
		return s.expected("one of the escapes of JSON")
	}
	s.pos++
	b.WriteByte("\"\\/\b\f\n\r\t"[at])
	return nil
}

// unicode reads \uXXXX, or two that are a pair of surrogates, from the u on. A surrogate alone is U+FFFD.
func (s *scanner) unicode(b *strings.Builder) error {
	r, err := s.hex4()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) {
		first := r
		r = utf8.RuneError
		if rest := s.text[s.pos:]; strings.HasPrefix(rest, `\u`) {
			before := s.pos
			s.pos++
			second, err := s.hex4()
			if err != nil {
				return err
			}
			if r = utf16.DecodeRune(first, second); r == utf8.RuneError {
				s.pos = before // the second stands for itself
			}
		}
	}
	b.WriteRune(r)
	return nil
}

// hex4 reads u and four hexadecimal digits.
func (s *scanner) hex4() (rune, error) {
	s.pos++
	var r rune
	for range 4 {
		c := s.peek()
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, s.expected("a hexadecimal digit")
		}
		r = r<<4 | rune(c)
		s.pos++
	}
	return r, nil
}
