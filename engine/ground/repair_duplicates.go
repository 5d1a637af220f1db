package ground

import (
	"slices"
	"strings"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// dropDuplicates makes a call once that is made several times. The order of keys and the
// spelling of numbers make no other call.
func dropDuplicates(j *judge, rule string) {
	seen := map[string]bool{}
	kept := j.calls[:0]
	for _, c := range j.calls {
		key := c.Name + " " + text(canonical(c.Arguments))
		if seen[key] {
			j.find(rule, Place{Tool: c.Name}, "it is made already")
			continue
		}
		seen[key] = true
		kept = append(kept, c)
	}
	j.calls = kept
}

// canonical is a value with the keys of objects in order, and numbers written one way.
func canonical(v *jsontext.Value) *jsontext.Value {
	c := &jsontext.Value{Kind: v.Kind, Text: v.Text}
	if d, ok := parseDecimal(v.Text); ok && v.Kind == jsontext.Number {
		c.Text = d.String()
	}
	for _, m := range v.Members {
		c.Members = append(c.Members, jsontext.Member{Key: m.Key, Value: canonical(m.Value)})
	}
	if v.Kind == jsontext.Object {
		slices.SortStableFunc(c.Members, func(a, b jsontext.Member) int { return strings.Compare(a.Key, b.Key) })
	}
	return c
}
