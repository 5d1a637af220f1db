package ground

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/libneedle/libneedle/engine/jsontext"
)

var (
	// placeKeys are words in the names of properties that hold a place of any kind.
	placeKeys = words("location locations loc place places address venue area destination origin departure arrival pickup dropoff stop where whereabouts spot")
	// partKeys end the names of properties that hold one part of an address, not all of it.
	partKeys = words("city cities town village municipality county suburb district")
	// notPlaces are other words of such names that make them none.
	notPlaces = words("email mail ip mac web url wallet file path folder directory time date day code id zip postal state country region")
	// regionKeys hold what would follow a city.
	regionKeys = words("state country province region county zip zipcode postal postcode")
	searchKeys = words("query q search term keyword keywords")
	mapTools   = words("map maps place places poi navigate navigation navigator directions direction nearby location locations")
)

var (
	// locative stand before places.
	locative = words("in at to from near around by inside outside towards toward")
	// leads begin names of places, tails end them.
	leads = words("new san santa los las saint st fort port el la le north south east west northern southern eastern western " +
		"upper lower mount mt lake rio são sao cape little old great grand palo long palm")
	cityTails = words("city town beach springs falls heights hills")
	tails     = words("city town county beach springs falls heights hills island islands airport station village park harbor harbour valley bay square")
	streets   = words("street st road rd avenue ave boulevard blvd lane ln drive dr court ct square sq way terrace parkway pkwy highway hwy broadway plaza alley crescent")
	// numbered stand before the number of a place.
	numbered = words("terminal gate room route highway pier platform apartment apt suite unit floor building hall zone district sector exit interstate track")
	// small join words of one name.
	small = words("of de del della da do dos das du des di la las el los le les the van von der den upon al")
	// unfit begin no part of a place.
	unfit = words("i i'm i'd i'll in at to from near on for with and or but not is are was please ok okay thanks hi hey hello siri alexa google cortana assistant computer " +
		"what where when who how why which can could would should will do does don't find show get give tell book search let make set check call use " +
		"weather hotel hotels restaurant restaurants flight flights")
	// lands are what cities lie in, as far as a comma in front of them is no address of a person: of the states
	// that are names of persons too only those which stand behind cities far more often.
	lands = names("Alabama,Alaska,Arizona,Arkansas,California,Colorado,Connecticut,Delaware,Florida,Georgia,Hawaii,Idaho,Illinois,Indiana,Iowa,Kansas," +
		"Kentucky,Louisiana,Maine,Maryland,Massachusetts,Michigan,Minnesota,Mississippi,Missouri,Montana,Nebraska,Nevada,New Hampshire,New Jersey," +
		"New Mexico,New York,North Carolina,North Dakota,Ohio,Oklahoma,Oregon,Pennsylvania,Rhode Island,South Carolina,South Dakota,Tennessee,Texas,Utah," +
		"Vermont,Virginia,Washington,West Virginia,Wisconsin,Wyoming,Puerto Rico," +
		"Alberta,British Columbia,Manitoba,New Brunswick,Newfoundland,Nova Scotia,Ontario,Quebec,Québec,Saskatchewan,Yukon," +
		"New South Wales,Queensland,Tasmania,South Australia,Western Australia," +
		"England,Scotland,Wales,Northern Ireland,Cornwall,Yorkshire,Bavaria,Saxony,Hesse,Tyrol,Tuscany,Lombardy,Sicily,Sardinia,Piedmont," +
		"Brittany,Normandy,Burgundy,Alsace,Gard,Catalonia,Andalusia,Galicia,Punjab,Kerala,Goa,Gujarat,Rajasthan,Maharashtra,Karnataka,Tamil Nadu,Bali," +
		"United States,United States of America,United Kingdom,Great Britain,Britain,Ireland,Canada,Mexico,Guatemala,Honduras,Nicaragua,Panama,Costa Rica," +
		"El Salvador,Cuba,Jamaica,Haiti,Dominican Republic,Bahamas,Barbados,Colombia,Venezuela,Ecuador,Peru,Bolivia,Chile,Argentina,Uruguay,Paraguay,Brazil," +
		"France,Germany,Spain,Portugal,Italy,Switzerland,Austria,Belgium,Netherlands,The Netherlands,Luxembourg,Denmark,Norway,Sweden,Finland,Iceland,Poland," +
		"Czechia,Czech Republic,Slovakia,Slovenia,Hungary,Romania,Bulgaria,Greece,Turkey,Croatia,Serbia,Bosnia,Albania,Montenegro,North Macedonia,Kosovo," +
		"Estonia,Latvia,Lithuania,Ukraine,Belarus,Russia,Moldova,Cyprus,Malta,Monaco,Armenia,Azerbaijan,Kazakhstan,Uzbekistan,Mongolia,China,Taiwan,Japan," +
		"South Korea,North Korea,Korea,India,Pakistan,Bangladesh,Nepal,Bhutan,Sri Lanka,Thailand,Vietnam,Cambodia,Laos,Myanmar,Malaysia,Singapore,Indonesia," +
		"Philippines,The Philippines,Australia,New Zealand,Fiji,Israel,Lebanon,Syria,Iraq,Iran,Kuwait,Qatar,Bahrain,Oman,Yemen,Saudi Arabia," +
		"United Arab Emirates,Afghanistan,Egypt,Libya,Tunisia,Algeria,Morocco,Sudan,Ethiopia,Kenya,Uganda,Tanzania,Rwanda,Nigeria,Ghana,Senegal,Mali," +
		"Cameroon,Angola,Zambia,Zimbabwe,Mozambique,Namibia,Botswana,South Africa,Madagascar,Mauritius")
	// landCodes are short for some of them. OK is an answer more often than Oklahoma.
	landCodes = words("AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OR PA RI SC SD TN TX UT VT VA " +
		"WA WV WI WY DC PR AB BC MB NB NL NS ON PE QC SK YT NSW VIC QLD SA TAS ACT NT US USA UK GB UAE EU FR ES PT IT CH AT BE DK NO SE FI IE PL CZ HU GR " +
		"TR RU UA CN JP KR IN PK TH VN SG PH AU NZ ZA EG MX BR AR CL PE DEU FRA ESP ITA GBR")
	// followers may stand behind ", State".
	followers = words("in on at to from for near by with and or using within around during between starting departing leaving arriving " +
		"please that which who as via before after until till today tonight tomorrow next this of if so because but then " +
		"right now")
)

// denials words leave out the place that they stand before.
var denials = words("not isn't wasn't aren't never no nor neither without except excluding don't avoid ignore instead than skip")

// widenPlaces makes a part of a place's name what the request calls it. Capitals show how far
// the name goes; what stands around it is known in English only.
func widenPlaces(j *judge, rule string) {
	if !j.request.isEnglish() {
		return
	}
	unasked := sync.OnceValue(j.request.unasked)
	for range mostWidened { // what one place holds may set another free
		held, before := j.heldTexts(), len(j.Trace)
		eachCall(func(e *editor) { e.widenPlaces(held, unasked) })(j, rule)
		if len(j.Trace) == before {
			return
		}
	}
}

func (e *editor) widenPlaces(held map[string]bool, unasked func() []bool) {
	for _, a := range e.leaves() {
		if !a.value.Is(jsontext.String) || a.listed() || a.grounded() || !a.holdsPlace() {
			continue
		}
		g := gazette{e.request, a.narrow(), a.takesRegion(), held, unasked}
		if wide := g.widen(a.value.Text); wide != a.value.Text {
			e.change("the request has more of the place", a.becomeText(wide))
		}
	}
}

// holdsPlace reports whether a property is of a place, or of a search for one.
func (a *argument) holdsPlace() bool {
	list := keyWords(a.key)
	if hasWord(list, notPlaces) {
		return false
	}
	return hasWord(list, placeKeys) || a.narrow() || hasWord(list, searchKeys) && hasWord(keyWords(a.tool.Name), mapTools)
}

// narrow reports whether a property is of one part of an address.
func (p *place) narrow() bool {
	list := keyWords(p.key)
	return len(list) > 0 && partKeys.has(list[len(list)-1])
}

// regionForm is how a schema says that more than a city is wanted: "San Francisco, CA".
var regionForm = expression(`\p{L}, ?\p{Lu}`)

// takesRegion reports whether a place may be followed by what it lies in: not where another
// argument holds that, and not in a city's property whose text doesn't show it.
func (a *argument) takesRegion() bool {
	for _, m := range a.parent.Members {
		if m.Key != a.key && hasWord(keyWords(m.Key), regionKeys) {
			return false
		}
	}
	return !a.narrow() || regionForm.re().MatchString(a.text())
}

// heldTexts are the strings of all calls, in words.
func (j *judge) heldTexts() map[string]bool {
	held := map[string]bool{}
	for _, c := range j.calls {
		for _, a := range j.tools.leaves(c) {
			if a.value.Is(jsontext.String) {
				head, _, _ := strings.Cut(a.value.Text, ",")
				held[plain(a.value.Text)], held[plain(head)] = true, true
			}
		}
	}
	return held
}

// gazette finds how far the names of places go in a request.
type gazette struct {
	*Request
	narrow bool            // only words that belong to names of places widen a name
	region bool            // ", Illinois" belongs to it
	held   map[string]bool // what the calls hold
	// unasked marks the words that the request leaves out.
	unasked func() []bool
}

const (
	// mostPlaceWords bounds the words of a place, mostWidened how often it is widened, and
	// mostOccurring how many of its occurrences are looked at.
	mostPlaceWords = 12
	mostWidened    = 4
	mostOccurring  = 8
)

// widen is the place that a text is a part of wherever the request has it, or the text when
// there is none, or more than one.
func (g *gazette) widen(value string) string {
	now := value
	for range mostWidened {
		next := g.widenOnce(now)
		if next == now {
			return now
		}
		now = next
	}
	return value
}

func (g *gazette) widenOnce(value string) string {
	parts := NewRequest(value).words
	if len(parts) == 0 || len(parts) > mostPlaceWords || len(parts) == 1 && generic(parts[0].text) {
		return value
	}
	wide, seen := "", 0
	for i := range g.words {
		if g.owns(i, parts) {
			return value
		}
		if !g.occurs(i, parts) {
			continue
		}
		if seen++; seen > mostOccurring {
			return value
		}
		from, to := g.around(i, i+len(parts), value)
		found := g.written(from, to)
		if from == i && to == i+len(parts) || wide != "" && wide != found || g.denied(from, to) {
			return value
		}
		wide = found
	}
	if wide == "" || g.held[plain(wide)] {
		return value
	}
	return wide
}

// owns reports whether words stand in the request from i on as the owner of something: "York's
// weather".
func (r *Request) owns(i int, parts []word) bool {
	last := len(parts) - 1
	return i+last < len(r.words) && r.words[i+last].text == parts[last].text+"'s" && r.occurs(i, parts[:last])
}

// generic reports whether a word is of many places' names and none by itself.
func generic(w string) bool { return tails.has(w) || streets.has(w) || numbered.has(w) }

// around is the place around the words of a value. In another case than the value's they may
// be a common noun's, which is no part of a name: only what the place lies in is added then.
func (g *gazette) around(i, end int, value string) (from, to int) {
	if strings.Contains(value, g.written(i, end)) {
		return g.span(i, end)
	}
	from, to = g.span(i, end)
	if from != i || to > end && !g.isComma(end) {
		return i, end
	}
	return from, to
}

// denied reports whether the request leaves out the place from a word on, or some of it.
func (g *gazette) denied(from, to int) bool {
	for i := from - 1; i >= max(0, from-4) && g.words[i].clause == g.words[from].clause; i-- {
		if denials.has(g.words[i].text) {
			return true
		}
	}
	return slices.Contains(g.unasked()[from:to], true)
}

// written is the words from i to end as they are written; a single quotation mark behind them
// is none of theirs.
func (r *Request) written(i, end int) string {
	return strings.TrimRight(r.text[r.words[i].at:r.words[end-1].end], "'’ʼ")
}

// occurs reports whether words stand in the request from i on.
func (r *Request) occurs(i int, parts []word) bool {
	if i+len(parts) > len(r.words) {
		return false
	}
	for k, p := range parts {
		if r.words[i+k].text != p.text {
			return false
		}
	}
	return true
}

// original is a word as it is written.
func (r *Request) original(i int) string { return r.text[r.words[i].at:r.words[i].end] }

// isTitle reports whether a word begins with a capital, and can be one of a place's name.
func (r *Request) isTitle(i int) bool {
	first, _ := utf8.DecodeRuneInString(r.original(i))
	w := r.words[i].text
	return (unicode.IsUpper(first) || unicode.IsTitle(first)) && !unfit.has(w) && !namesTimes(w)
}

// gap is what stands between the words i-1 and i, "" where there are none.
func (r *Request) gap(i int) string {
	if i <= 0 || i >= len(r.words) {
		return ""
	}
	return r.text[r.words[i-1].end:r.words[i].at]
}

// joined reports whether the words i-1 and i may be of one name.
func (r *Request) joined(i int) bool {
	if i <= 0 || i >= len(r.words) {
		return false
	}
	switch gap := r.gap(i); strings.Trim(gap, " \u00a0") {
	case "", "&":
		return true
	case "-":
		return gap == "-"
	case ".": // "St. Louis"
		w := r.words[i-1].text
		return w == "st" || w == "mt" || w == "ft"
	}
	return false
}

func (r *Request) isComma(i int) bool { return strings.TrimRight(r.gap(i), " \u00a0") == "," }

// capitals reports whether they mean something around a name: not in a title or a shout.
func (g *gazette) capitals(from int) bool {
	if from > 0 {
		w := g.original(from - 1)
		if locative.has(w) || w == "the" || w == "for" {
			return true
		}
	}
	near := g.words[max(0, from-longestClause):min(len(g.words), from+longestClause)]
	return slices.ContainsFunc(near, func(w word) bool {
		text := g.text[w.at:w.end]
		return utf8.RuneCountInString(text) >= 4 && strings.IndexFunc(text, unicode.IsUpper) < 0 && strings.IndexFunc(text, isDigit) < 0
	})
}

// span is the place around the words from i to end.
func (g *gazette) span(i, end int) (from, to int) {
	first, _ := utf8.DecodeRuneInString(g.original(i))
	begins := unicode.IsUpper(first) || isDigit(first)
	last, _ := utf8.DecodeRuneInString(g.original(end - 1))
	ends := unicode.IsUpper(last) || isDigit(last)
	if !ends && !begins || !g.capitals(i) {
		return i, end
	}
	from, to = i, end
	if begins {
		from = g.left(i)
		if g.holds(from, i) {
			from = i
		}
	}
	if ends {
		name := g.right(from, to)
		if !g.holds(to, name) {
			to = name
		}
		from = g.houseNumber(from, to)
		if g.region {
			to = g.regions(from, to)
		}
	}
	return from, to
}

// holds reports whether some of the words from i to end are what the calls hold.
func (g *gazette) holds(i, end int) bool {
	for a := i; a < end; a++ {
		for b := a + 1; b <= end; b++ {
			if g.held[plain(g.text[g.words[a].at:g.words[b-1].end])] {
				return true
			}
		}
	}
	return false
}

// left is where a name begins that goes on at i.
func (g *gazette) left(i int) int {
	from := i
	for from > 0 && i-from < mostPlaceWords {
		at := g.leftOf(from)
		if at == from {
			break
		}
		from = at
	}
	if from < i && !g.narrow && g.introduced(from) {
		return from
	}
	for from = i; g.joined(from) && g.isTitle(from-1) && leads.has(g.words[from-1].text); {
		from--
	}
	return from
}

// leftOf is the beginning of a name with one more word, with small ones between, than the one
// that begins at i.
func (g *gazette) leftOf(i int) int {
	at := i
	for at > 0 && i-at < 2 && g.joined(at) && small.has(g.original(at-1)) {
		at--
	}
	if g.joined(at) && g.isTitle(at-1) {
		return at - 1
	}
	return i
}

// introduced reports whether a word of places stands before the word i.
func (g *gazette) introduced(i int) bool {
	if i > 0 && g.original(i-1) == "the" {
		i--
	}
	return i > 0 && g.joined(i) && locative.has(g.words[i-1].text)
}

// right is where a name ends that began at from and goes on to end.
func (g *gazette) right(from, end int) int {
	free := !g.narrow && g.introduced(from)
	for to := end; ; {
		at := to
		for free && at < len(g.words) && at-to < 2 && g.joined(at) && small.has(g.original(at)) {
			at++
		}
		switch {
		case to-end > mostPlaceWords || !g.joined(at):
			return to
		case g.isTitle(at) && (free && !shouted(g.original(at)) || g.isTail(at)):
		case at == to && !g.narrow && onlyDigits(g.words[at].text) && numbered.has(g.words[at-1].text):
		default:
			return to
		}
		to = at + 1
	}
}

// isTail reports whether a word ends names of places, whatever stands before them.
func (g *gazette) isTail(i int) bool {
	w := g.words[i].text
	if g.narrow {
		return cityTails.has(w)
	}
	return tails.has(w) || streets.has(w)
}

// shouted reports whether a word is all capitals, as "TV" and "ASAP".
func shouted(w string) bool {
	return utf8.RuneCountInString(w) > 1 && strings.IndexFunc(w, unicode.IsLower) < 0
}

// houseNumber is where a street begins with its number.
func (g *gazette) houseNumber(from, to int) int {
	if g.narrow || !g.joined(from) || !onlyDigits(g.words[from-1].text) || len(g.words[from-1].text) > 5 || g.held[plain(g.original(from-1))] {
		return from
	}
	for i := from; i < to; i++ {
		if i > from && !g.joined(i) {
			return from
		}
		if streets.has(g.words[i].text) {
			return from - 1
		}
	}
	return from
}

// regions is where a place ends with what it lies in: ", Springfield, IL 62701".
func (g *gazette) regions(from, to int) int {
	if g.isComma(from) && from > 0 && g.isTitle(from-1) { // one of a list
		return to
	}
	street := g.isStreet(from, to)
	for range 3 {
		end := g.segment(to)
		switch code := end == to+1 && isRegionCode(g.original(to)); {
		case end == to || g.holds(to, end) || !g.endsPlace(end):
			return to
		case code:
			return g.zip(end)
		case !g.isLand(to, end) && !g.landFollows(end): // somebody may be spoken to
			return to
		case !street && g.lists(end):
			return to
		case !street && !g.codeFollows(end):
			return end
		}
		to = end
	}
	return to
}

// isStreet reports whether a place begins with a street and its number.
func (g *gazette) isStreet(from, to int) bool {
	if !onlyDigits(g.words[from].text) {
		return false
	}
	return anyWord(g.words[from:to], streets)
}

// segment is where a name ends that follows a comma at i; i when there is none.
func (g *gazette) segment(i int) int {
	if i >= len(g.words) || !g.isComma(i) || !g.isTitle(i) && !isRegionCode(g.original(i)) {
		return i
	}
	end := i + 1
	for end < len(g.words) && end-i < 4 && g.joined(end) {
		switch {
		case g.isTitle(end):
			end++
		case small.has(g.original(end)) && end+1 < len(g.words) && g.joined(end+1) && g.isTitle(end+1):
			end += 2
		default:
			return end
		}
	}
	return end
}

// isRegionCode reports whether a word is short for a state or a country.
func isRegionCode(w string) bool { return landCodes.has(w) }

// isLand reports whether the words from i to end name what a city lies in.
func (g *gazette) isLand(i, end int) bool { return lands.has(plain(g.written(i, end))) }

// zip is where a place ends with the number behind its state.
func (g *gazette) zip(to int) int {
	if g.joined(to) && len(g.words[to].text) == 5 && onlyDigits(g.words[to].text) {
		return to + 1
	}
	return to
}

// endsPlace reports whether a place can end before the word i: at a mark, or before a word
// that goes on with something else.
func (g *gazette) endsPlace(i int) bool {
	if i >= len(g.words) {
		return true
	}
	return strings.Trim(g.gap(i), " \u00a0-&'") != "" || followers.has(g.words[i].text) || namesTimes(g.words[i].text) ||
		onlyDigits(g.words[i].text)
}

// lists reports whether another name follows at i as one of a list.
func (g *gazette) lists(i int) bool {
	if i >= len(g.words) {
		return false
	}
	if w := g.words[i].text; w == "and" || w == "or" {
		return i+1 < len(g.words) && g.isTitle(i+1)
	}
	return strings.Trim(g.gap(i), " ") == "&" || g.isComma(i) && g.isTitle(i) && !g.codeFollows(i)
}

// landFollows reports whether a state or a country follows a comma.
func (g *gazette) landFollows(i int) bool {
	end := g.segment(i)
	return end > i && (isRegionCode(g.original(i)) && end == i+1 || g.isLand(i, end)) && g.endsPlace(end)
}

// codeFollows reports whether a state or a country in short follows a comma.
func (g *gazette) codeFollows(i int) bool {
	end := g.segment(i)
	return end == i+1 && isRegionCode(g.original(i)) && !g.lists(end)
}
