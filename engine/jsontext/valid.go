package jsontext

import (
	"strings"
	"unicode/utf8"
)

// Valid returns text with each byte of invalid UTF-8, and each NUL, replaced by U+FFFD: the form in which
// every text of a conversation is seen, by the model and by the rules.
func Valid(text string) string {
	if utf8.ValidString(text) {
		return strings.ReplaceAll(text, "\x00", "\uFFFD")
	}
	return strings.Map(func(r rune) rune { // invalid bytes come as U+FFFD one by one
		if r == 0 {
			return utf8.RuneError
		}
		return r
	}, text)
}
