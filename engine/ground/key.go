package ground

import (
	"strings"
	"unicode"
)

// keyWords are the words of a property's name in lower case: what stands between marks, the
// humps of camelCase, and letters apart from digits.
func keyWords(key string) (list []string) {
	var b strings.Builder
	finish := func() {
		if b.Len() > 0 {
			list = append(list, b.String())
			b.Reset()
		}
	}
	last := ' '
	for _, r := range key {
		switch {
		case !unicode.IsLetter(r) && !isDigit(r):
			finish()
			last = ' '
			continue
		case unicode.IsUpper(r) && unicode.IsLower(last), isDigit(r) != isDigit(last):
			finish()
		}
		b.WriteRune(unicode.ToLower(r))
		last = r
	}
	finish()
	return list
}
