package ground

import (
	"strings"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// wholeFloats writes 20 as 20.0 where the schema has a number that need not be whole.
func wholeFloats(e *editor) {
	for _, a := range e.leaves() {
		if a.value.Is(jsontext.Number) && onlyDigits(strings.TrimPrefix(a.value.Text, "-")) && a.takes("number") && !a.takes("integer") && !a.listed() {
			e.change("the schema has a number, not an integer", a.become(&jsontext.Value{Kind: jsontext.Number, Text: a.value.Text + ".0"}))
		}
	}
}
