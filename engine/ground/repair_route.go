package ground

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/libneedle/libneedle/engine/jsontext"
)

var (
	// travelWords in the names and texts of tools show that bare "from" and "to" are places.
	travelWords = words("flight flights train trains bus buses ride rides trip trips travel taxi cab drive driving directions direction navigate navigation " +
		"distance journey commute route routes ferry transit transport transportation tickets itinerary itineraries airport station city cities place places map")
	// otherWays have a from and a to that are no places.
	otherWays = words("translate translation translator language languages currency currencies convert conversion exchange unit units email emails mail message messages " +
		"file files folder payment payments money")
	// placeEnds are ends whose names mean places whatever the tool is.
	placeEnds = words("origin departure arrival pickup dropoff destination")
)

var (
	// otherDirection are words of ways back, and of ways that are not the one to go: what is
	// written behind "from" may be the end of the trip that is asked for.
	otherDirection = words("return returns returning returned back backwards backward home reverse reversed reversing inverse inverted opposite contrary inbound " +
		"swap swapped wrong direction versa not don't instead again")
	// pastTravel are words of trips that were made.
	pastTravel = words("was were had been flew went gone came drove driven rode ridden took taken walked hiked cycled biked sailed ran moved relocated travelled traveled " +
		"journeyed commuted arrived landed departed left transferred migrated emigrated immigrated headed visited been got used did last previous previously " +
		"ago yesterday earlier once already former formerly")
	// subjects are whose past a word that ends as "walked" tells, wishes are words of theirs that
	// tell of none.
	subjects = words("i we he she they it have has i've we've")
	wishes   = words("wanted needed hoped planned liked wished decided")
)

// way is what a request says of one: the words behind "from", and those behind "to".
type way struct{ from, to string }

// repairRoute puts the ends of a way where the request has them: "from X to Y", "pick me up
// at X", "drop me off at Y". It knows English only.
func repairRoute(j *judge, rule string) {
	if !j.request.isEnglish() {
		return
	}
	ways := j.request.ways()
	if len(ways) == 0 || j.request.tellsOtherTrip() {
		return
	}
	for range mostWidened { // an end that was filled in may be a part of a place's name
		before := len(j.Trace)
		eachCall(func(e *editor) { e.repairRoute(ways) })(j, rule)
		if len(j.Trace) == before || !j.on(placeRule) {
			return
		}
		widenPlaces(j, placeRule)
	}
}

// placeRule is the name of the rule that makes places whole.
const placeRule = "place"

// tellsOtherTrip reports whether the request may speak of more than the way that is asked for:
// of the way back, or of a trip that somebody made.
func (r *Request) tellsOtherTrip() bool {
	for i, w := range r.words {
		switch {
		case otherDirection.has(w.text) || pastTravel.has(w.text):
			return true
		case w.text == "other" && (r.at(i+1) == "way" || r.at(i+1) == "direction"):
			return true
		case w.text == "having" || w.text == "after" && strings.HasSuffix(r.at(i+1), "ing"):
			return true
		case i > 0 && subjects.has(r.words[i-1].text) && strings.HasSuffix(w.text, "ed") && !strings.HasSuffix(w.text, "eed") && !wishes.has(w.text):
			return true
		}
	}
	return false
}

func (e *editor) repairRoute(ways []way) {
	e.eachObject(e.arguments(), e.call.Arguments, nil, func(p place, v *jsontext.Value, path jsontext.Path) {
		for _, pair := range p.routeKeys() {
			e.repairWay(p, v, path, pair, ways)
		}
	})
}

// eachObject calls f for the objects in a value.
func (e *editor) eachObject(p place, v *jsontext.Value, path jsontext.Path, f func(place, *jsontext.Value, jsontext.Path)) {
	switch v.Kind {
	case jsontext.Object:
		for _, m := range v.Members {
			e.eachObject(p.property(m.Key), m.Value, path.To(m.Key), f)
		}
		if p.tool != nil {
			f(p, v, path)
		}
	case jsontext.Array:
		for i, m := range v.Members {
			e.eachObject(p.element(i), m.Value, path.At(i), f)
		}
	}
}

// routeKeys are the declared pairs of properties that are the ends of a way between places.
// One that is in two pairs, as a destination with a pickup and an origin, is in the first.
func (p *place) routeKeys() (pairs [][2]string) {
	names := p.properties()
	used := map[string]bool{}
	for _, pair := range routes {
		for _, from := range names {
			x, isFrom := wayEnd(from, pair[0])
			if !isFrom || used[from] || !p.isPlaceEnd(from) {
				continue
			}
			for _, to := range names {
				if y, isTo := wayEnd(to, pair[1]); isTo && x == y && from != to && !used[to] && !used[from] {
					used[from], used[to] = true, true
					pairs = append(pairs, [2]string{from, to})
				}
			}
		}
	}
	return pairs
}

// isPlaceEnd reports whether a property that is named as an end of a way is one between
// places.
func (p *place) isPlaceEnd(name string) bool {
	tool := append(keyWords(p.tool.Name), strings.Fields(plain(p.tool.Description))...)
	if hasWord(keyWords(p.tool.Name), otherWays) {
		return false
	}
	list := keyWords(name)
	return hasWord(list, placeEnds) || len(list) > 1 && hasWord(list, placeKeys) || len(list) > 1 && hasWord(list, partKeys) ||
		hasWord(tool, travelWords) && !hasWord(tool, otherWays)
}

// end is one end of a way in a call; without a value it is missing.
func (p *place) end(v *jsontext.Value, path jsontext.Path, key string) (a argument, ok bool) {
	a = argument{p.property(key), v.Last(key), v, path.To(key), p.requires(key)}
	if a.listed() || a.grounded() || a.has("format") || a.has("pattern") {
		return a, false
	}
	return a, a.value.Is(jsontext.String) || a.value == nil && a.takes("string")
}

// repairWay repairs one pair of ends.
func (e *editor) repairWay(p place, v *jsontext.Value, path jsontext.Path, pair [2]string, ways []way) {
	from, okFrom := p.end(v, path, pair[0])
	to, okTo := p.end(v, path, pair[1])
	switch {
	case !okFrom || !okTo || from.value == nil && to.value == nil:
	case from.value != nil && to.value != nil && e.swapped(from.value.Text, to.value.Text, ways):
		e.change("the request has it the other way round", from.becomeText(to.value.Text), to.becomeText(from.value.Text))
	case to.value != nil && e.isOpen(&from):
		e.fill(from, one(ways, to.value.Text, func(w way) (string, string) { return w.to, w.from }))
	case from.value != nil && e.isOpen(&to):
		e.fill(to, one(ways, from.value.Text, func(w way) (string, string) { return w.from, w.to }))
	}
}

// swapped reports whether every way has the ends exchanged. A way's beginning that is named
// again may be where another one ends.
func (e *editor) swapped(from, to string, ways []way) bool {
	return !samePlaceText(from, to) && !e.request.repeats(ways[0].from) && !slices.ContainsFunc(ways, func(w way) bool {
		return !samePlaceText(w.from, to) || !samePlaceText(w.to, from) || samePlaceText(w.from, from) || samePlaceText(w.to, to)
	})
}

// repeats reports whether a place is named more than once, with what it lies in or without.
func (r *Request) repeats(name string) bool {
	head, _, _ := strings.Cut(name, ",")
	parts := NewRequest(head).words
	if len(parts) == 0 || len(parts) > mostPlaceWords {
		return true
	}
	n := 0
	for i := range r.words {
		if r.occurs(i, parts) {
			n++
		}
	}
	return n != 1
}

// isOpen reports whether an end is missing, or says what the conversation doesn't.
func (e *editor) isOpen(a *argument) bool {
	if a.value == nil {
		return true
	}
	head, _, _ := strings.Cut(a.value.Text, ",")
	return !a.isDefault() && !e.isGrounded(a) && !e.said.HasText(head) && !e.hasInitials(strings.Fields(plain(head)))
}

// one is the end of the only way whose other end a text is; "" for none or several.
func one(ways []way, known string, ends func(way) (known, other string)) (found string) {
	for _, w := range ways {
		name, other := ends(w)
		switch {
		case !samePlaceText(name, known):
		case found != "" && !samePlaceText(found, other):
			return ""
		default:
			found = other
		}
	}
	if samePlaceText(found, known) { // "from Boston to Boston Airport"
		return ""
	}
	return found
}

// fill gives an end the text, if there is one.
func (e *editor) fill(a argument, text string) {
	switch {
	case text == "":
	case a.value != nil:
		e.change("the request has the end of this way", a.becomeText(text))
	default:
		e.change("the request has the end of this way", edit{path: a.path, parent: a.parent, to: newString(text)})
	}
}

// samePlaceText reports whether two texts name one place, or one of them leaves out what
// follows the comma.
func samePlaceText(x, y string) bool {
	if x == "" || y == "" {
		return x == y
	}
	x, y = plain(x), plain(y)
	return x == y || strings.HasPrefix(x, y) && isRegionOf(x, y) || strings.HasPrefix(y, x) && isRegionOf(y, x)
}

// isRegionOf reports whether little follows a name.
func isRegionOf(long, name string) bool { return len(strings.Fields(long[len(name):])) <= 2 }

// The phrases before the ends of ways.
var (
	fromPhrases = []string{"from", "pick me up at", "pick me up from", "pick us up at", "pick us up from", "pick up at", "pick up from", "picked up at", "picked up from", "pickup at", "pickup from"}
	toPhrases   = []string{"to", "drop me off at", "drop us off at", "drop off at", "dropped off at", "dropoff at", "drop me at", "drop us at"}
	// routeStops end a place that has no capitals.
	routeStops = words("from to at in on by for with and or via before after around until till then please if when that which who leaving departing " +
		"arriving starting returning using as so tomorrow today tonight next this using pick drop how what is are i me my us our")
	// noPlaces are behind "from" and "to", too.
	noPlaces = words("here there home it them him her you me us be get go see make have do book find know start beginning end first last one two three " +
		"english french german spanish italian portuguese chinese japanese korean russian arabic hindi dutch latin greek turkish polish swedish " +
		"dollars dollar euros euro pounds pound yen usd eur gbp jpy celsius fahrenheit")
)

// ways are those that the request tells of, in their order: an end with the other one near it.
func (r *Request) ways() (list []way) {
	for i := 0; i < len(r.words); i++ {
		from, next := r.wayPart(i, fromPhrases)
		if from != "" {
			if to, end := r.nearPart(next, toPhrases); to != "" {
				list = append(list, way{from, to})
				i = end - 1
			}
			continue
		}
		to, next := r.wayPart(i, toPhrases)
		if to == "" {
			continue
		}
		if from, end := r.nearPart(next, fromPhrases); from != "" {
			// In "to A from B to C" it is not told whose end B is.
			if again, _ := r.wayPart(end, toPhrases); again != "" {
				return nil
			}
			list = append(list, way{from, to})
			i = end - 1
		}
	}
	return list
}

// wayPart is the place behind one of the phrases at i, and which word follows it.
func (r *Request) wayPart(i int, phrases []string) (name string, next int) {
	start := r.longest(i, phrases)
	if start == 0 || start >= len(r.words) {
		return "", i
	}
	if r.original(start) == "the" || r.words[start].text == "my" {
		start++
	}
	end := r.placeEnd(start)
	if end == start || noPlaces.has(r.words[start].text) || r.isOwner(end) {
		return "", i
	}
	return r.written(start, end), end
}

// isOwner reports whether something of the place that ends before the word i follows: "London's
// airport".
func (r *Request) isOwner(i int) bool {
	return strings.HasSuffix(r.words[i-1].text, "'s") && r.joined(i) && !routeStops.has(r.words[i].text)
}

// farthest is how many words there may be between the ends of a way.
const farthest = 3

// nearPart is the place behind one of the phrases at i or soon after it: "and drop me off at".
func (r *Request) nearPart(i int, phrases []string) (name string, next int) {
	for at := i; at < min(i+farthest, len(r.words)); at++ {
		if name, next = r.wayPart(at, phrases); name != "" {
			return name, next
		}
		if strings.ContainsAny(r.gap(at+1), ".!?\n") {
			break
		}
	}
	return "", i
}

// mostRouteWords is how many words the end of a way has without capitals.
const mostRouteWords = 4

// placeEnd is where the place that begins at i ends; i when there is none.
func (r *Request) placeEnd(i int) int {
	if i >= len(r.words) {
		return i
	}
	if onlyDigits(r.words[i].text) && !(i+1 < len(r.words) && r.isTitle(i+1) && r.isStreetSoon(i+1)) {
		return i
	}
	if first, _ := utf8.DecodeRuneInString(r.original(i)); unicode.IsUpper(first) || isDigit(first) {
		return r.titleEnd(i)
	}
	end := i
	for end < len(r.words) && (end == i || r.gap(end) == " ") {
		w := r.words[end].text
		if routeStops.has(w) || namesTimes(w) || strings.IndexFunc(w, isDigit) >= 0 {
			break
		}
		if end++; end-i > mostRouteWords {
			return i
		}
	}
	return end
}

// isStreetSoon reports whether a street follows a number.
func (r *Request) isStreetSoon(i int) bool {
	return anyWord(r.words[i:min(len(r.words), i+3)], streets)
}

// titleEnd is where a place with capitals ends, with what it lies in.
func (r *Request) titleEnd(i int) int {
	if !r.isTitle(i) && !onlyDigits(r.words[i].text) {
		return i
	}
	g := gazette{Request: r, region: true}
	return g.regions(i, g.right(i, i+1))
}
