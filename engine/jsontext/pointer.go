package jsontext

import (
	"strconv"
	"strings"
)

// At is the value that a JSON pointer (RFC 6901) leads to from here, nil for none; escapes of URI fragments
// are understood too. An empty pointer leads to v itself.
func (v *Value) At(pointer string) *Value {
	if pointer == "" {
		return v
	}
	if pointer[0] != '/' {
		return nil
	}
	for _, token := range strings.Split(pointer[1:], "/") {
		if v == nil {
			return nil
		}
		v = v.child(PointerKey(token))
	}
	return v
}

// child is the member of a key, or the element of a number.
func (v *Value) child(key string) *Value {
	switch v.Kind {
	case Object:
		return v.Last(key)
	case Array:
		if i, err := strconv.Atoi(key); err == nil && strconv.Itoa(i) == key && i >= 0 && i < len(v.Members) {
			return v.Members[i].Value
		}
	}
	return nil
}

// PointerKey decodes one token of a JSON pointer in a URI fragment.
func PointerKey(token string) string {
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
