package jsontext

import "unicode/utf8"

// AppendString appends s as a JSON string, escaping only what has to be: quotes, backslashes and control
// bytes (\b \f \n \r \t, else \u00xx). Everything else is written as it is, and each byte of invalid
// UTF-8 as U+FFFD, so the result is always valid JSON and valid UTF-8.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
		} else if c < ' ' || c == '"' || c == '\\' {
			dst = appendEscape(append(dst, s[start:i]...), c)
			start = i + 1
		}
		i += size
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '\b':
		c = 'b'
	case '\f':
		c = 'f'
	case '\n':
		c = 'n'
	case '\r':
		c = 'r'
	case '\t':
		c = 't'
	case '"', '\\':
	default:
		const hex = "0123456789abcdef"
		return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	}
	return append(dst, '\\', c)
}

// AppendValue writes a value, which is not nil, compactly: keys in order, numbers as written.
func AppendValue(dst []byte, v *Value) []byte {
	return AppendList(dst, v, func(dst []byte, m Member) []byte {
		if v.Kind == Object {
			dst = append(AppendString(dst, m.Key), ':')
		}
		return AppendValue(dst, m.Value)
	})
}

// AppendList writes a value whose members, if it has any, are written by each, key included.
func AppendList(dst []byte, v *Value, each func(dst []byte, m Member) []byte) []byte {
	open, closing := byte('['), byte(']')
	switch v.Kind {
	case String:
		return AppendString(dst, v.Text)
	case Object:
		open, closing = '{', '}'
	case Array:
	default:
		return append(dst, v.Text...)
	}
	dst = append(dst, open)
	for i, m := range v.Members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = each(dst, m)
	}
	return append(dst, closing)
}

// Compact returns a JSON text without the whitespace that means nothing. Strings stay as they are written,
// but for raw NUL bytes and invalid UTF-8, which become U+FFFD. What is no JSON text gives a *SyntaxError.
func Compact(text string) (string, error) {
	s := Scanner{text: text}
	dst, err := s.compact(make([]byte, 0, len(text)))
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return "", err
	}
	return string(dst), nil
}

// compact appends the next value as it is written, without whitespace.
func (s *Scanner) compact(dst []byte) ([]byte, error) {
	var err error
	switch s.blanks(); s.peek() {
	case '{':
		dst, err = s.compactList(dst, '}')
	case '[':
		dst, err = s.compactList(dst, ']')
	case '"':
		dst, err = s.compactString(dst)
	default:
		var text string
		_, text, err = s.scalar()
		dst = append(dst, text...)
	}
	return dst, err
}

func (s *Scanner) compactList(dst []byte, closing byte) ([]byte, error) {
	dst = append(dst, s.peek())
	empty := len(dst)
	err := s.list(closing, func() (err error) {
		if len(dst) > empty {
			dst = append(dst, ',')
		}
		if closing == '}' {
			if s.blanks(); s.peek() != '"' {
				return s.Expected("a key")
			}
			if dst, err = s.compactString(dst); err != nil {
				return err
			}
			if err = s.take(':'); err != nil {
				return err
			}
			dst = append(dst, ':')
		}
		dst, err = s.compact(dst)
		return err
	})
	return append(dst, closing), err
}

func (s *Scanner) compactString(dst []byte) ([]byte, error) {
	start := s.pos
	if _, err := s.str(); err != nil {
		return dst, err
	}
	return append(dst, Valid(s.text[start:s.pos])...), nil
}
