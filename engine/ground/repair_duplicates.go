package ground

import (
	"slices"
	"strconv"
	"strings"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// dropDuplicates makes a call once that is made several times, unless the request may want
// it so often. The order of keys and the spelling of numbers make no other call.
func dropDuplicates(j *judge, rule string) {
	keys, times := make([]string, len(j.calls)), map[string]int{}
	for i, c := range j.calls {
		keys[i] = c.Name + " " + text(canonical(c.Arguments))
		times[keys[i]]++
	}
	seen := map[string]bool{}
	kept := j.calls[:0]
	for i, c := range j.calls {
		if seen[keys[i]] && !j.wanted(c, times[keys[i]]) {
			j.find(rule, Place{Tool: c.Name}, "it is made already")
			continue
		}
		seen[keys[i]] = true
		kept = append(kept, c)
	}
	j.calls = kept
}

// repeating words ask for more than one of something. They are English.
var repeating = words("again another both each twice thrice double more times every second repeatedly duplicate copies")

// wanted reports whether the request may ask for a call several times: in a word, by a number
// that is none of the call's values, or because it has all that the call says so often.
func (j *judge) wanted(c Call, times int) bool {
	if anyWord(j.request.words, repeating) {
		return true
	}
	number := newDecimal(false, strconv.Itoa(times), 0)
	counted, said, often := j.asked.numbers[number], false, true
	for _, a := range j.tools.leaves(c) {
		if d, ok := parseDecimal(a.value.Text); ok && d == number {
			counted = false
		}
		if a.value.Is(jsontext.String) && !a.listed() {
			said = true
			often = often && strings.Count(" "+plain(j.request.text), plain(a.value.Text)) >= times
		}
	}
	return counted || said && often
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
