package ground

import (
	"slices"
	"strings"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// leastConfidence is below which calls are withheld.
const leastConfidence = 0.1

// unsure is the gate of the confidence.
func unsure(j *judge, rule string) {
	if !(j.Confidence >= leastConfidence) {
		j.withhold(rule, Place{}, "the confidence is %.4f, calls need %.1f", j.Confidence, leastConfidence)
	}
}

// leavingOut are words in the names of parameters for what is left out.
var leavingOut = words("except exception exceptions exclude excluded excludes excluding exclusion exclusions without skip omit ignore not avoid but blacklist")

// dropExcluded drops calls with a value that the request leaves out.
func dropExcluded(j *judge, rule string) {
	omitted := j.request.omissions()
	if len(omitted.list) == 0 {
		return
	}
	j.drop(rule, func(c Call) (Place, string) {
		if hasLeavingOut(c.Name) { // "skip track 3" asks for a call of skip_track
			return Place{}, ""
		}
		for _, a := range j.tools.leaves(c) {
			if namesSomething(a.value) && !a.takesOmissions() && omitted.exclude(a.value.Text) {
				return Place{c.Name, a.path}, "the request leaves out " + a.value.Text
			}
		}
		return Place{}, ""
	})
}

// takesOmissions reports whether the argument is for what is left out.
func (a *argument) takesOmissions() bool {
	return slices.ContainsFunc(a.path, func(s jsontext.Step) bool {
		return hasLeavingOut(s.Name)
	})
}

func hasLeavingOut(name string) bool {
	return hasWord(strings.Split(name, "_"), leavingOut)
}

// common are short words that are in every other sentence.
var common = words("on in at to of up no me my us it is if or by an as be do go he we so off all any")

// namesSomething reports whether a value can be recognised among words.
func namesSomething(v *jsontext.Value) bool {
	switch v.Kind {
	case jsontext.Number:
		return true
	case jsontext.String:
		return len([]rune(squash(v.Text))) >= 2 && !common.has(squash(v.Text))
	default:
		return false
	}
}

// forbidden drops calls of tools whose action the request forbids.
func forbidden(j *judge, rule string) {
	prohibited := j.request.prohibitions()
	prohibited.today = j.today
	if _, taken := j.request.retraction(); taken < 0 && len(prohibited.list) == 0 {
		return
	}
	j.drop(rule, func(c Call) (Place, string) {
		if prohibited.forbid(c.Name, j.values(c)) {
			return Place{Tool: c.Name}, "the request forbids it"
		}
		return Place{}, ""
	})
}

// values are the strings and numbers of a call that can be recognised, "on" and "off" too.
func (j *judge) values(c Call) (list []string) {
	for _, a := range j.tools.leaves(c) {
		if namesSomething(a.value) || a.value.Is(jsontext.String) && isPole(a.value.Text) {
			list = append(list, a.value.Text)
		}
	}
	return list
}

// drop drops the calls for which there is a reason; when no other is left, they are withheld
// instead.
func (j *judge) drop(rule string, reason func(Call) (at Place, why string)) {
	var kept, dropped []Call
	for _, c := range j.calls {
		at, why := reason(c)
		if why == "" {
			kept = append(kept, c)
			continue
		}
		j.find(rule, at, "%s", why)
		dropped = append(dropped, c)
	}
	if len(kept) == 0 {
		j.Withheld = true
		return
	}
	j.calls, j.Dropped = kept, append(j.Dropped, dropped...)
}

// reported withholds calls that repeat what somebody else is said to have asked for. The
// user's own request beside it is one: `Bob said "call me", so call him`.
func reported(j *judge, rule string) {
	list := j.request.reports()
	if len(list) == 0 {
		return
	}
	told := j.request.retelling(list)
	for _, c := range j.calls {
		if !told.asksFor(c.Name, j.values(c)) {
			j.withhold(rule, Place{}, "the request tells what somebody else said")
			return
		}
	}
}

func sameText(x, y *jsontext.Value) bool { return x != nil && text(x) == text(y) }

// eachRequired calls f for the values of required properties, until it returns true.
func (j *judge) eachRequired(f func(c Call, a *argument) bool) {
	for _, c := range j.calls {
		for _, a := range j.tools.leaves(c) {
			if a.required && f(c, &a) {
				return
			}
		}
	}
}

// noQuantity withholds calls with a required number where nobody names a quantity.
func noQuantity(j *judge, rule string) {
	if j.hasQuantity() || !j.request.isEnglish() {
		return
	}
	j.eachRequired(func(c Call, a *argument) bool {
		if a.value.Kind != jsontext.Number || a.listed() || a.grounded() || a.fallback() != nil || located.has(a.key) || j.implies(a.value.Text) || j.impliesCount(a) || j.impliesBound(a) {
			return false
		}
		j.withhold(rule, Place{c.Name, a.path}, "no quantity is named anywhere")
		return true
	})
}

// located are the numbers that the name of a place stands for.
var located = words("latitude longitude lat lon lng long")

var (
	nothing = words("off mute silence silent silently nothing no")
	article = words("a an another")
)

// implies reports whether the request says 0 or 1 in another way: "turn it off", "a pizza".
func (t *Turn) implies(number string) bool {
	switch d, _ := parseDecimal(number); d {
	case constant("0"):
		return anyWord(t.request.words, nothing)
	case constant("1"):
		return anyWord(t.request.words, article)
	default:
		return false
	}
}

// counted are words in the names of numbers that are one where nobody says how many.
var counted = words("quantity qty count copies amount people persons guests passengers adults tickets pieces items units nights rooms seats times " +
	"travelers travellers attendees servings tables beds bags boxes bottles players")

// measured are words in the names of numbers that count nothing: an amount of money is not one by itself.
var measured = words("money price cost total fee fare balance currency usd eur dollars payment budget phone account order room track page floor line id serial reference minutes seconds hours number no code")

// impliesCount reports whether an argument is 1 and how many there are of something: who adds batteries to a cart
// means one pack. An amount is one of things only if its tool is about no money.
func (j *judge) impliesCount(a *argument) bool {
	if d, _ := parseDecimal(a.value.Text); d != constant("1") {
		return false
	}
	key := keyWords(a.key)
	numberOf := len(key) > 2 && (key[0] == "number" || key[0] == "num" || key[0] == "no") && key[1] == "of"
	if !numberOf && !hasWord(key, counted) || hasWord(key[len(key)-1:], measured) {
		return false
	}
	return !slices.Contains(key, "amount") || !a.ofMoney()
}

// ofMoney reports whether an amount is one of money: its tool or another argument speaks of it.
func (a *argument) ofMoney() bool {
	arguments := a.tool.arguments()
	return hasWord(keyWords(a.tool.Name), paying) ||
		slices.ContainsFunc(arguments.properties(), func(name string) bool { return hasWord(keyWords(name), measured) })
}

// paying are words in the names of tools whose amounts are money.
var paying = words("transfer pay payment send money deposit withdraw withdrawal donate tip charge refund invest bill invoice loan exchange convert currency budget")

// utmost are words for the end of a scale, utmostPhrases such phrases.
var (
	utmost        = words("crank blast utmost ultimate limit peak top bottom")
	utmostPhrases = []string{"as possible", "as it gets", "as it goes", "as it can", "as you can", "as they go", "all the way", "to the limit", "it will go", "it goes", "the most", "the least", "at its"}
)

// impliesBound reports whether an argument is a bound that its schema sets and the request asks for: "as bright as
// possible".
func (j *judge) impliesBound(a *argument) bool {
	value, ok := parseDecimal(a.value.Text)
	if !ok || !j.request.toTheUtmost() {
		return false
	}
	bound := func(v *jsontext.Value) bool { d, ok := parseDecimal(v.Text); return ok && d == value }
	if a.any("maximum", bound) || a.any("minimum", bound) {
		return true
	}
	// Without bounds of its own the end of a scale of hundred is one.
	return !a.has("maximum") && !a.has("minimum") && (value == constant("100") || value == constant("0"))
}

// toTheUtmost reports whether a request asks for the end of a scale.
func (r *Request) toTheUtmost() bool {
	for i, w := range r.words {
		if utmost.has(w.text) || r.longest(i, utmostPhrases) > 0 {
			return true
		}
		if strings.HasSuffix(w.text, "est") && len(w.text) > len("latest") && r.before(i) == "the" {
			return true
		}
	}
	return false
}

// quantities are words that name a quantity, besides those of numbers.
var quantities = words("half quarter third dozen dozens couple pair few several single double triple twice once thrice both " +
	"max maximum min minimum full fully all none mute zero empty lowest highest loudest quietest brightest dimmest completely " +
	"today tomorrow tonight yesterday week weekend month year hour minute day night noon midnight first second last next " +
	"hundred thousand million billion percent every each whole entire " +
	"january february march april june july august september october november december " +
	"monday tuesday wednesday thursday friday saturday sunday")

// hasQuantity reports whether the conversation has a digit, or the request a quantity in
// words.
func (t *Turn) hasQuantity() bool {
	return strings.ContainsFunc(t.conversation, isDigit) || len(t.asked.numbers) > 0 ||
		slices.ContainsFunc(t.request.words, func(w word) bool { return quantities.has(w.text) || quantities.has(strings.TrimSuffix(w.text, "s")) })
}

// routes are the words for the two ends of a way, in the names of properties.
var routes = [][2]string{
	{"origin", "destination"}, {"from", "to"}, {"source", "destination"}, {"departure", "arrival"},
	{"departure", "destination"}, {"pickup", "dropoff"}, {"pickup", "destination"}, {"start", "end"}, {"start", "destination"},
}

// ofPlaces are other words in the names of properties that hold places.
var ofPlaces = words("city location place station airport stop address point area street country state port code name terminal loc in of")

// wayEnd splits the name of a property that holds one end of a way.
func wayEnd(name, word string) (rest string, ok bool) {
	parts := strings.Split(name, "_")
	at := slices.Index(parts, word)
	if at < 0 {
		return "", false
	}
	parts = slices.Delete(parts, at, at+1)
	for _, p := range parts {
		if !ofPlaces.has(p) {
			return "", false
		}
	}
	if len(parts) == 0 && (word == "start" || word == "end") { // of a time, as well
		return "", false
	}
	return strings.Join(parts, "_"), true
}

// samePlace withholds calls whose origin is their destination.
func samePlace(j *judge, rule string) {
	type end struct {
		parent *jsontext.Value
		route  int
		rest   string
	}
	for _, c := range j.calls {
		leaves := j.tools.leaves(c)
		origins := map[end]*argument{}
		for i := range leaves {
			for route, pair := range routes {
				if rest, ok := leaves[i].wayEnd(pair[0]); ok {
					origins[end{leaves[i].parent, route, rest}] = &leaves[i]
				}
			}
		}
		for i := range leaves {
			for route, pair := range routes {
				to := &leaves[i]
				rest, ok := to.wayEnd(pair[1])
				from := origins[end{to.parent, route, rest}]
				if ok && from != nil && (from.required || to.required) && squash(from.value.Text) == squash(to.value.Text) && !j.request.returnsTo(to.value.Text) {
					j.withhold(rule, Place{c.Name, to.path}, "it is where %s is", from.path)
					return
				}
			}
		}
	}
}

// returning words lead from a place to the same one.
var (
	returning        = words("back within inside loop circular circuit roundtrip locally intracity")
	returningPhrases = []string{"round trip", "there and back", "round tour"}
)

// returnsTo reports whether the request names a place for both ends of a way, or once for one that ends where it begins.
func (r *Request) returnsTo(place string) bool {
	name := strings.TrimSpace(plain(place))
	if name == "" {
		return false
	}
	apart := func(words string) string { return strings.ReplaceAll(words, " ", "  ") } // so that neighbours don't share a blank
	switch named := strings.Count(apart(plain(r.text)), " "+apart(name)+" "); named {
	case 0:
		return false
	case 1:
	default:
		return true
	}
	for i, w := range r.words {
		if returning.has(w.text) || r.longest(i, returningPhrases) > 0 {
			return true
		}
	}
	return false
}

// wayEnd is wayEnd for an argument that may hold a place: addresses of mails and times have
// the same names.
func (a *argument) wayEnd(word string) (rest string, ok bool) {
	if !a.value.Is(jsontext.String) || squash(a.value.Text) == "" || strings.Contains(a.value.Text, "@") || isTime(a.value.Text) {
		return "", false
	}
	return wayEnd(a.key, word)
}

// longestTime is how long the text of a point in time may be.
const longestTime = 60

// isTime reports whether a text is a date or a time of day.
func isTime(text string) bool {
	text = strings.TrimSpace(text)
	if len(text) > longestTime {
		return false
	}
	if strings.ContainsAny(text, "-:/") && !strings.ContainsFunc(text, func(c rune) bool { return !isDigit(c) && !strings.ContainsRune("-:/.+TZ ", c) }) {
		return true
	}
	days := NewRequest(text).Dates(dayOf(2000, 1, 1))
	return len(days) > 0 && days[0].At == 0
}
