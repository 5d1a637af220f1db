package ground

import (
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
	announced = expression(`(?i)\b(one of|either|options?|choices?|choose (from|between)|(allowed|valid|possible|accepted|permitted|supported|available) (values?|options?|choices?))\b`)
	demanded  = expression(`(?i)\b(can|must|should|may) be( set to)?( either| one of)?\b`)
	// incomplete are words that say that the list is not complete, or that it is of something else.
	incomplete = expression(`(?i)\be\.? ?g\b|\bsuch as\b|\bfor (example|instance)\b|\bexamples?\b|\blike\b|\betc\b|\bi\.? ?e\b|\.\.\.|…|\bdefault` +
		`|\bany(thing)?\b|\bothers?\b|\botherwise\b|\bcustom\b|\bsimilar\b|\binclud|\band so on\b|\bnot\b|n['’]t\b|\bcannot\b|\bnever\b|\bexcept|\bexclud|\bunless\b|\bwithout\b`)
	// quoted are quotations of all kinds; an apostrophe begins none.
	quoted = expression("(?:^|[^\\p{L}\\p{N}])'([^']*)'|\"([^\"]*)\"|‘([^’]*)’|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»|`([^`]*)`")
	// listing is all that may stand between options, lead before the first, and unrelated behind the last: sentences
	// about a unit. partly, in the sentence before the announcement, makes the options a part of what is possible.
	listing   = expression(`(?i)^[\s,/|()\[\]]*(and/or|or|and|und|oder|y|o|et|ou)?[\s,/|()\[\]]*$`)
	unrelated = expression(`(?i)^[\s)\]]*(\.?\s*|\.\s+(the )?units?\b[^.]*\.?\s*)$`)
	lead      = expression(`(?i)^(are|is|the following|these|values?|options?|from|between|either|one of|[\s:([])*$`)
	partly    = expression(`(?i)\b(or|and|plus|if|when)\W*$|\b(prefix|suffix|(begin|start|end)s? with|first|last|each|every|separated|list of|contains?` +
		`|combin|several|multiple|part of)`)
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
	if !free(schema, "string") || !d.Is(jsontext.String) || incomplete.re().MatchString(d.Text) {
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
	from, strict := announced.re().FindStringIndex(text), false
	if to := demanded.re().FindStringIndex(text); to != nil && (from == nil || to[0] < from[0]) {
		from, strict = to, true
	}
	if from == nil {
		return nil
	}
	sentence := text[:from[0]]
	if partly.re().MatchString(sentence[strings.LastIndexAny(sentence, ".!?\n")+1:]) {
		return nil
	}
	text = text[from[1]:]
	last := 0
	for i, m := range quoted.re().FindAllStringSubmatchIndex(text, -1) {
		option, between := quotedFrom(text, m), text[last:m[0]]
		if i == 0 && !leadsToOptions(between, strict) || i > 0 && !listing.re().MatchString(between) || !isOption(option) {
			return nil
		}
		if !slices.Contains(seen, option) {
			seen = append(seen, option)
		}
		last = m[1]
	}
	if !unrelated.re().MatchString(text[last:]) {
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

// leadsToOptions reports whether what stands between an announcement and the first option is nothing but a way to
// it.
func leadsToOptions(text string, strict bool) bool {
	if strict {
		return strings.Trim(text, " :([") == ""
	}
	return len(text) <= longestLead && lead.re().MatchString(text)
}

// eachOf reports whether something holds for the default and all examples of a schema.
func eachOf(schema *jsontext.Value, holds func(v *jsontext.Value) bool) bool {
	if v := schema.Last("default"); v != nil && !holds(v) {
		return false
	}
	v := schema.Last("examples")
	return v == nil || !slices.ContainsFunc(v.Members, func(m jsontext.Member) bool { return !holds(m.Value) })
}

// impliedBounds are the bounds of a number by the words of its name, unless something in its name or description
// speaks of another quantity, or its description has numbers itself.
func impliedBounds(name string, schema *jsontext.Value) []jsontext.Member {
	if !free(schema, "integer", "number") {
		return nil
	}
	snake, parts, about := strings.Split(strings.ToLower(name), "_"), keyWords(name), ""
	for _, keyword := range []string{"title", "description"} {
		if d := schema.Last(keyword); d.Is(jsontext.String) {
			about += " " + d.Text
		}
	}
	said := strings.Fields(plain(about))
	if strings.ContainsFunc(about, isDigit) || negatives.re().MatchString(about) ||
		hasWord(parts, differences) || hasWord(said, differences) {
		return nil
	}
	for _, b := range boundedNames {
		if hasWord(snake, b.words) && (!b.alone || len(snake) == 1 || hasWord(snake, devices)) {
			if hasWord(parts, b.others) || hasWord(said, b.others) || !b.speaks(about, said) || !eachOf(schema, b.takes) {
				return nil
			}
			return b.bounds()
		}
	}
	return nil
}

// speaks reports whether a text is about what the bounds are for: nothing, or a device or percent where these
// are told from other quantities by that.
func (b *boundedName) speaks(text string, said []string) bool {
	return !b.ofDevices || len(said) == 0 || strings.Contains(text, "%") || hasWord(said, devices) || hasWord(said, percents)
}

var (
	// differences are words about numbers that may be negative, or more than a hundred percent.
	differences = words("offset offsets delta deltas change changes changed diff difference differences shift shifted adjust adjusts adjustment relative " +
		"increase increases decrease decreases growth gain gains loss step steps utc gmt timezone return returns yield skip skips seek rewind jump before " +
		"ago earlier past back backward backwards remaining variance deviation margin profit drift correction trend surplus deficit balance zoom scale " +
		"ratio signed")
	negatives = expression(`(?i)negativ|minus|(below|less than|under|smaller than) (zero|nought|none)|\bsign(ed)?\b`)
	percents  = words("percent percentage percents")
	devices   = words("sound speaker speakers music media audio tv television light lights lamp lamps bulb led dim dimmer battery alarm ringtone fan screen " +
		"display device phone headphone headphones microphone playback radio bright brightly")
	// others are units and quantities that have another range.
	others = words("litre litres liter liters ml cl gallon gallons cubic metre metres meter meters cm mm feet foot inch inches ounce ounces barrel barrels " +
		"db dbfs dba decibel decibels lufs hertz hz nit nits lumen lumens lux candela cd kelvin watt watts lumens hue raw byte bits bit steps " +
		"stock stocks trading trade trades traded shares share market order orders sales sold price prices search traffic query queries " +
		"tank pool water fuel oil gas liquid reservoir river sea cargo box container room storey storeys story floor floors basement basements elevator lift parking deck garage " +
		"character characters player players game experience xp skill hero dungeon difficulty grade school class education confidence log logging " +
		"compression noise pressure loudness gain amplification amplified boost boosted overdrive overdriven zoom annual interest apr inflation tax discount markup tip " +
		"edition book chapter issue magazine peak sugar glucose cholesterol blood ph")
	otherRatings = words("imdb elo chess fide rotten tomatoes metacritic metascore critic critics glicko mmr ranked rank player players team ten hundred percent percentage " +
		"credit bond esrb age octane energy power voltage current ampere amps spf nps promoter fire wind horsepower watt watts score scores scale points " +
		"movie movies film films igdb tmdb thumbs zero half out")
	otherTimes = words("negative behind until til relative coordinate latitude longitude angle arc timestamp epoch degrees")
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
	{words("percent percentage brightness"), others, false, true, "0", "100"},
	{words("volume level"), others, true, true, "0", "100"},
	{words("rating"), otherRatings, true, false, "1", "5"},
	{words("minute minutes second seconds hour hours day days duration count"), otherTimes, false, false, "0", ""},
}

type boundedName struct {
	words     *wordList
	others    *wordList // words about another quantity of the name
	alone     bool
	ofDevices bool   // a text about it has to speak of a device or percent
	min, max  string // empty for none
}

func (b *boundedName) bounds() (list []jsontext.Member) {
	for _, bound := range [...][2]string{{"minimum", b.min}, {"maximum", b.max}} {
		if bound[1] != "" {
			list = append(list, jsontext.Member{Key: bound[0], Value: &jsontext.Value{Kind: jsontext.Number, Text: bound[1]}})
		}
	}
	return list
}
