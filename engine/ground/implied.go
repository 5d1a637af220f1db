package ground

import (
	"regexp"
	"slices"
	"strings"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// Implied is a tool's schema with what its texts imply: options that the description of a free string quotes, and
// bounds that the name of a number without bounds stands for. It is nil when that is nothing. What is declared
// is never changed.
func (t *Tools) Implied(name string) []byte {
	tool := t.byName[name]
	if tool == nil || tool.root == nil {
		return nil
	}
	root := clone(tool.root)
	if !imply(root) {
		return nil
	}
	return jsontext.AppendValue(nil, root)
}

// imply adds to the properties of all schemas in v, and reports whether it added anything.
func imply(v *jsontext.Value) (added bool) {
	if properties := v.Last("properties"); properties.Is(jsontext.Object) {
		for _, p := range properties.Members {
			if p.Value.Is(jsontext.Object) {
				extra := append(impliedOptions(p.Value), impliedBounds(p.Key, p.Value)...)
				p.Value.Members = append(p.Value.Members, extra...)
				added = added || len(extra) > 0
			}
		}
	}
	for _, m := range v.Members {
		if m.Key != "enum" && m.Key != "const" && m.Key != "default" && m.Key != "examples" {
			added = imply(m.Value) || added
		}
	}
	return added
}

// restricting are the keywords with which a schema says itself what its values are.
var restricting = []string{
	"enum", "const", "pattern", "format", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"multipleOf", "$ref", "allOf", "anyOf", "oneOf", "not", "if", "grounded",
}

// free reports whether a schema has a type and nothing else that restricts its values.
func free(schema *jsontext.Value, types ...string) bool {
	t := schema.Last("type")
	return t.Is(jsontext.String) && slices.Contains(types, t.Text) &&
		!slices.ContainsFunc(restricting, func(keyword string) bool { return schema.Last(keyword) != nil })
}

var (
	// announced are words before a list that is complete; examples are those that say it is not.
	announced = regexp.MustCompile(`(?i)\b(one of|either|options?|choices?|choose (from|between)|can be|must be|should be|may be|(allowed|valid|possible|accepted|permitted|supported|available) (values?|options?|choices?))\b`)
	examples  = regexp.MustCompile(`(?i)\be\.? ?g\b|\bsuch as\b|\bfor (example|instance)\b|\bexamples?\b|\blike\b|\betc\b|\bi\.? ?e\b|\.\.\.|…|\bdefault`)
	quoted    = regexp.MustCompile(`'([^'"\s]{1,19})'|"([^'"\s]{1,19})"|‘([^’\s]{1,19})’|“([^”\s]{1,19})”`)
)

// impliedOptions is an enumeration of the options that a description quotes behind words that announce them.
func impliedOptions(schema *jsontext.Value) []jsontext.Member {
	d := schema.Last("description")
	if !free(schema, "string") || !d.Is(jsontext.String) || examples.MatchString(d.Text) {
		return nil
	}
	from := announced.FindStringIndex(d.Text)
	if from == nil {
		return nil
	}
	options := &jsontext.Value{Kind: jsontext.Array}
	var seen []string
	for _, m := range quoted.FindAllStringSubmatch(d.Text[from[1]:], -1) {
		if option := strings.Join(m[1:], ""); !slices.Contains(seen, option) {
			seen = append(seen, option)
			options.Members = append(options.Members, jsontext.Member{Value: newString(option)})
		}
	}
	fallback := schema.Last("default")
	if len(seen) < 2 || fallback.Is(jsontext.String) && !slices.Contains(seen, fallback.Text) {
		return nil
	}
	return []jsontext.Member{{Key: "enum", Value: options}}
}

// impliedBounds are the bounds of a number by the words of its name, unless its description has numbers itself.
func impliedBounds(name string, schema *jsontext.Value) []jsontext.Member {
	if d := schema.Last("description"); !free(schema, "integer", "number") || d.Is(jsontext.String) && strings.ContainsFunc(d.Text, isDigit) {
		return nil
	}
	parts := strings.Split(strings.ToLower(name), "_")
	for _, b := range boundedNames {
		if slices.ContainsFunc(parts, func(w string) bool { return b.words[w] }) && (!b.alone || len(parts) == 1 || slices.ContainsFunc(parts, ofDevices)) {
			return b.bounds()
		}
	}
	return nil
}

// boundedNames are words in names with the bounds that they imply; alone: only by themselves or beside a word of
// devices, since a volume may be one of water.
var boundedNames = []boundedName{
	{words("percent percentage brightness"), false, "0", "100"},
	{words("volume level"), true, "0", "100"},
	{words("rating"), true, "1", "5"},
	{words("minute minutes second seconds hour hours day days duration count"), false, "0", ""},
}

type boundedName struct {
	words    map[string]bool
	alone    bool
	min, max string // empty for none
}

func (b *boundedName) bounds() (list []jsontext.Member) {
	for _, bound := range [...][2]string{{"minimum", b.min}, {"maximum", b.max}} {
		if bound[1] != "" {
			list = append(list, jsontext.Member{Key: bound[0], Value: &jsontext.Value{Kind: jsontext.Number, Text: bound[1]}})
		}
	}
	return list
}

// ofDevices reports whether a word of a name is about what has a volume or level in percent.
func ofDevices(word string) bool { return devices[word] }

var devices = words("sound speaker music media audio tv light lights lamp dim dimmer battery alarm ringtone fan screen display")
