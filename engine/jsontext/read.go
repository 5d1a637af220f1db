package jsontext

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

// Kind is the type of a JSON value.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String names the kind with its article, for messages.
func (k Kind) String() string {
	names := [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}
	if int(k) >= len(names) {
		return "no JSON value"
	}
	return names[k]
}

// Value is a JSON value as written: members in order, duplicates included.
type Value struct {
	Kind    Kind
	Offset  int      // of its first byte
	Text    string   // a string decoded; null, booleans and numbers as written
	Members []Member // of an object; of an array without keys
}

// Member is a member of an object, or an element of an array, whose Key is empty.
type Member struct {
	Key   string
	Value *Value
}

// Last returns the member that counts among those of one key, nil when there is none, as in no
// value at all.
func (v *Value) Last(key string) *Value {
	if v == nil {
		return nil
	}
	for i := len(v.Members) - 1; i >= 0; i-- {
		if v.Members[i].Key == key {
			return v.Members[i].Value
		}
	}
	return nil
}

// Is reports whether there is a value and it is of a kind.
func (v *Value) Is(k Kind) bool { return v != nil && v.Kind == k }

// IsTrue reports whether there is a value and it is true.
func (v *Value) IsTrue() bool { return v.Is(Bool) && v.Text == "true" }

// Scanner reads JSON as RFC 8259 defines it. Raw NUL bytes and each byte of invalid UTF-8 inside strings
// count as U+FFFD.
type Scanner struct {
	text  string
	pos   int
	depth int
}

// NewScanner returns a scanner at the beginning of a text.
func NewScanner(text string) *Scanner { return &Scanner{text: text} }

// Offset is the place in bytes.
func (s *Scanner) Offset() int { return s.pos }

// Peek passes over blanks and returns the byte behind them, 0 at the end of the text.
func (s *Scanner) Peek() byte {
	s.blanks()
	return s.peek()
}

// Parse reads a text that is one JSON value, of at most 16 MB and 512 levels.
func Parse(text string) (*Value, error) {
	if len(text) > maxText {
		return nil, &SyntaxError{maxText, fmt.Sprintf("found %d bytes, expected at most %d", len(text), maxText)}
	}
	s := Scanner{text: text}
	v, err := s.Value()
	if err != nil {
		return nil, err
	}
	return v, s.End()
}

// End is nil when only blanks are left.
func (s *Scanner) End() error {
	if s.blanks(); s.pos < len(s.text) {
		return s.Expected("the end of the text")
	}
	return nil
}

func (s *Scanner) blanks() {
	for s.pos < len(s.text) && isBlank(s.text[s.pos]) {
		s.pos++
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// peek returns the byte at the current place, 0 at the end of the text.
func (s *Scanner) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

// Expected is the error for what stands at the current place.
func (s *Scanner) Expected(what string) error {
	found := "the end of the text"
	if s.pos < len(s.text) {
		r, _ := utf8.DecodeRuneInString(s.text[s.pos:])
		found = fmt.Sprintf("%q", r)
	}
	return &SyntaxError{s.pos, "found " + found + ", expected " + what}
}

// take passes over one byte after blanks, which has to be c.
func (s *Scanner) take(c byte) error {
	if s.blanks(); s.peek() != c || s.pos == len(s.text) {
		return s.Expected(fmt.Sprintf("%q", rune(c)))
	}
	s.pos++
	return nil
}

// Value reads the next value into a tree.
func (s *Scanner) Value() (*Value, error) {
	s.blanks()
	v := &Value{Offset: s.pos}
	var err error
	switch c := s.peek(); {
	case c == '{':
		v.Kind = Object
		err = s.Object(func(key string) error { return s.member(v, key) })
	case c == '[':
		v.Kind = Array
		err = s.Array(func() error { return s.member(v, "") })
	case c == '"':
		v.Kind = String
		v.Text, err = s.str()
	default:
		v.Kind, v.Text, err = s.scalar()
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (s *Scanner) member(parent *Value, key string) error {
	v, err := s.Value()
	parent.Members = append(parent.Members, Member{key, v})
	return err
}

// Object reads an object, whose opening brace is the next byte; each reads the value of a key.
func (s *Scanner) Object(each func(key string) error) error {
	return s.list('}', func() error {
		if s.blanks(); s.peek() != '"' {
			return s.Expected("a key")
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

// Array reads an array, whose opening bracket is the next byte; each reads an element.
func (s *Scanner) Array(each func() error) error { return s.list(']', each) }

// list reads from an opening bracket, which is the next byte, to its closing one.
func (s *Scanner) list(closing byte, each func() error) error {
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
			return s.Expected(fmt.Sprintf("',' or %q", rune(closing)))
		}
	}
}

// scalar reads what is neither string, array nor object.
func (s *Scanner) scalar() (Kind, string, error) {
	for _, l := range [...]struct {
		text string
		kind Kind
	}{{"true", Bool}, {"false", Bool}, {"null", Null}} {
		if strings.HasPrefix(s.text[s.pos:], l.text) {
			s.pos += len(l.text)
			return l.kind, l.text, nil
		}
	}
	if c := s.peek(); c != '-' && !isDigit(c) {
		return 0, "", s.Expected("a value")
	}
	text, err := s.number()
	return Number, text, err
}

// number reads a number and returns its text.
func (s *Scanner) number() (string, error) {
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
func (s *Scanner) digits() error {
	if !isDigit(s.peek()) {
		return s.Expected("a digit")
	}
	for isDigit(s.peek()) {
		s.pos++
	}
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// str reads a string, the opening quote being the next byte, and returns what it stands for. Nothing is
// copied when it stands for itself.
func (s *Scanner) str() (string, error) {
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
			return "", s.Expected("no raw control character in a string")
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
func (s *Scanner) escape(b *strings.Builder) error {
	s.pos++
	c := s.peek()
	if c == 'u' {
		return s.unicode(b)
	}
	at := strings.IndexByte(`"\/bfnrt`, c)
	if at < 0 || s.pos == len(s.text) {
		return s.Expected("one of the escapes of JSON")
	}
	s.pos++
	b.WriteByte("\"\\/\b\f\n\r\t"[at])
	return nil
}

// unicode reads \uXXXX, or two that are a pair of surrogates, from the u on. A surrogate alone is U+FFFD.
func (s *Scanner) unicode(b *strings.Builder) error {
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
func (s *Scanner) hex4() (rune, error) {
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
			return 0, s.Expected("a hexadecimal digit")
		}
		r = r<<4 | rune(c)
		s.pos++
	}
	return r, nil
}
