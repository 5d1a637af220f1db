package ground

import (
	"regexp"
	"slices"
	"strconv"
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
	// announced are words before a list that is complete: some name options, others need the list right behind them.
	announced = regexp.MustCompile(`(?i)\b(one of|either|options?|choices?|choose (from|between)|(allowed|valid|possible|accepted|permitted|supported|available) (values?|options?|choices?))\b`)
	demanded  = regexp.MustCompile(`(?i)\b(can|must|should|may) be( set to)?( either| one of)?\b`)
	// incomplete are words that say that the list is not complete, or that it is of something else.
	incomplete = regexp.MustCompile(`(?i)\be\.? ?g\b|\bsuch as\b|\bfor (example|instance)\b|\bexamples?\b|\blike\b|\betc\b|\bi\.? ?e\b|\.\.\.|…|\bdefault` +
		`|\bany(thing)?\b|\bothers?\b|\botherwise\b|\bcustom\b|\bsimilar\b|\binclud|\band so on\b|\bnot\b|n['’]t\b|\bcannot\b|\bnever\b|\bexcept|\bexclud|\bunless\b|\bwithout\b`)
	// quoted are quotations of all kinds; an apostrophe begins none.
	quoted = regexp.MustCompile("(?:^|[^\\p{L}\\p{N}])'([^']*)'|\"([^\"]*)\"|‘([^’]*)’|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»|`([^`]*)`")
	// ranged are words between the two ends of a range, and more is how a list goes on without quotes.
	ranged = regexp.MustCompile(`(?i)^\s*(to|through|until|up to|[-–—])\s*$|\bbetween\b`)
	more   = regexp.MustCompile(`(?i)^\s*,?\s*(and/or|or)\b|^\s*,\s*[\p{L}\p{N}_-]+\s*([,.]|$)`)
)

const (
	// longestOption is how many bytes an option that is quoted has at most.
	longestOption = 19
	// longestLead is how many bytes may stand between an announcement and the first option.
	longestLead = 60
)

// impliedOptions is an enumeration of the options that a description quotes behind words that announce them.
func impliedOptions(schema *jsontext.Value) []jsontext.Member {
	d := schema.Last("description")
	if !free(schema, "string") || !d.Is(jsontext.String) || incomplete.MatchString(d.Text) {
		return nil
	}
	seen := announcedOptions(d.Text)
	if len(seen) < 2 || !eachOf(schema, func(v *jsontext.Value) bool { return !v.Is(jsontext.String) || slices.Contains(seen, v.Text) }) {
		return nil
	}
	options := &jsontext.Value{Kind: jsontext.Array}
	for _, option := range seen {
		options.Members = append(options.Members, jsontext.Member{Value: newString(option)})
	}
	return []jsontext.Member{{Key: "enum", Value: options}}
}

// announcedOptions are the quoted options of a description; nil when the list may have others.
func announcedOptions(text string) (seen []string) {
	from, strict := announced.FindStringIndex(text), false
	if to := demanded.FindStringIndex(text); to != nil && (from == nil || to[0] < from[0]) {
		from, strict = to, true
	}
	if from == nil {
		return nil
	}
	text = text[from[1]:]
	last := 0
	for i, m := range quoted.FindAllStringSubmatchIndex(text, -1) {
		option, between := quotedFrom(text, m), text[last:m[0]]
		if i == 0 && !leadsToOptions(between, strict) || i > 0 && ranged.MatchString(between) || !isOption(option) {
			return nil
		}
		if !slices.Contains(seen, option) {
			seen = append(seen, option)
		}
		last = m[1]
	}
	if more.MatchString(text[last:]) {
		return nil
	}
	return seen
}

// quotedFrom is the one group of a match that has matched.
func quotedFrom(text string, match []int) string {
	for k := 2; k < len(match); k += 2 {
		if match[k] >= 0 {
			return text[match[k]:match[k+1]]
		}
	}
	return ""
}

// isOption reports whether a quotation is short, and one word.
func isOption(text string) bool {
	return text != "" && len(text) <= longestOption && !strings.ContainsAny(text, " \t\n\"'")
}

// leadsToOptions reports whether what stands between an announcement and the first option, in the same sentence,
// names none itself.
func leadsToOptions(text string, strict bool) bool {
	if strict {
		return strings.Trim(text, " :([") == ""
	}
	return len(text) <= longestLead && !strings.ContainsAny(text, ".!?;,\n") && !strings.Contains(text+" ", " or ")
}

// eachOf reports whether something holds for the default and all examples of a schema.
func eachOf(schema *jsontext.Value, holds func(v *jsontext.Value) bool) bool {
	if v := schema.Last("default"); v != nil && !holds(v) {
		return false
	}
	v := schema.Last("examples")
	return v == nil || !slices.ContainsFunc(v.Members, func(m jsontext.Member) bool { return !holds(m.Value) })
}

// impliedBounds are the bounds of a number by the words of its name, unless its description has numbers itself.
func impliedBounds(name string, schema *jsontext.Value) []jsontext.Member {
	if d := schema.Last("description"); !free(schema, "integer", "number") || d.Is(jsontext.String) && (strings.ContainsFunc(d.Text, isDigit) || negatives.MatchString(d.Text)) {
		return nil
	}
	parts := strings.Split(strings.ToLower(name), "_")
	if slices.ContainsFunc(parts, func(w string) bool { return differences[w] }) {
		return nil
	}
	for _, b := range boundedNames {
		if slices.ContainsFunc(parts, func(w string) bool { return b.words[w] }) && (!b.alone || len(parts) == 1 || slices.ContainsFunc(parts, ofDevices)) {
			if eachOf(schema, b.takes) {
				return b.bounds()
			}
			return nil
		}
	}
	return nil
}

var (
	// differences are words in the names of numbers that may be negative, or more than a hundred percent.
	differences = words("offset delta change changes diff difference shift adjust adjustment relative increase decrease growth gain step utc gmt timezone")
	negatives   = regexp.MustCompile(`(?i)negativ|minus|below zero|relative|offset`)
)

// takes reports whether a number is within the bounds; what is no number is.
func (b *boundedName) takes(v *jsontext.Value) bool {
	x, ok := number(v)
	low, _ := strconv.ParseFloat(b.min, 64)
	high, err := strconv.ParseFloat(b.max, 64)
	return !ok || x >= low && (err != nil || x <= high)
}

func number(v *jsontext.Value) (x float64, ok bool) {
	if !v.Is(jsontext.Number) {
		return 0, false
	}
	x, err := strconv.ParseFloat(v.Text, 64)
	return x, err == nil
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
