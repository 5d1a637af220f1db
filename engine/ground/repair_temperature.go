package ground

import (
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// degrees is a scale of temperatures: 'f' or 'c', 0 for none.
type degrees byte

func (d degrees) other() degrees { return 'f' + 'c' - d }

// temperature is one that the request states.
type temperature struct {
	value decimal
	in    degrees
}

const numeralPattern = `[-−–]?\p{Nd}[\p{Nd}.,٫]*`

var (
	// A number with a scale behind it, or two: "60-70°F", "between 20 and 25 degrees Celsius".
	statedDegrees = expression(`(?i)(?:(` + numeralPattern + `)[ \x{a0}]*(?:-|–|to|and|or)[ \x{a0}]*)?(` + numeralPattern +
		`)(?:[ \x{a0}]*(?:degrees?|deg\.?|grados?|grad|degrés?|gradi|graus?|graden|[°º˚])[ \x{a0}]*|[ \x{a0}]*)(fahrenheit|celsius|centigrade|[℉℃]|(?-i:[FC])|[fc])(?:$|[^\p{L}\p{Nd}])`)
	namedFahrenheit = expression(`(?i)fahrenheit|℉|[°º˚] ?f(?:$|[^\p{L}\p{Nd}])`)
	namedCelsius    = expression(`(?i)celsius|centigrade|℃|[°º˚] ?c(?:$|[^\p{L}\p{Nd}])`)
)

// scaleOf is the scale that a word or a sign stands for.
func scaleOf(unit string) degrees {
	switch strings.ToLower(unit) {
	case "f", "fahrenheit", "℉":
		return 'f'
	case "c", "celsius", "centigrade", "℃":
		return 'c'
	}
	return 0
}

// temperatures turns numbers that the request states on the other scale into those of the
// schema's. Signs and the names of the scales are the same in many languages; numbers in
// words are read in English.
func temperatures(j *judge, rule string) {
	stated := sync.OnceValue(j.request.temperatures)
	eachCall(func(e *editor) { e.temperatures(stated) })(j, rule)
}

func (e *editor) temperatures(stated func() []temperature) {
	if e.request.speaksOfDifferences() {
		return
	}
	leaves := e.leaves()
	if slices.ContainsFunc(leaves, func(a argument) bool { return a.holdsScale() }) {
		return
	}
	for _, a := range leaves {
		scale := a.scale()
		if scale == 0 || !a.value.Is(jsontext.Number) || a.listed() || a.grounded() || a.isDifference() {
			continue
		}
		if to, ok := a.converted(scale, stated()); ok && !e.request.namesScale(scale, stated()) && !e.request.repeatsNumber(a.value.Text, stated()) {
			e.derive("the request states it on the other scale", a.become(&jsontext.Value{Kind: jsontext.Number, Text: to}))
		}
	}
}

// holdsScale reports whether an argument is the scale of the call's temperatures.
func (a *argument) holdsScale() bool {
	if !a.value.Is(jsontext.String) {
		return false
	}
	list := keyWords(a.key)
	unit := strings.Trim(a.value.Text, " °º˚")
	return hasWord(list, words("unit units scale")) || len(unit) <= len("centigrade") && scaleOf(unit) != 0
}

var (
	// betweenDegrees are words of differences between temperatures, which have no zero point to convert from.
	betweenDegrees = words("offset offsets delta deltas diff difference differences change changes differential hysteresis deadband tolerance margin step steps " +
		"increment increments decrement adjust adjustment adjustments shift variation deviation swing spread relative increase increases decrease decreases " +
		"rise drop range amount setback bias correction calibration error uncertainty gradient rate warmer cooler hotter colder by")
	// comparing are words of a request that asks for a difference.
	comparing = words("by warmer cooler hotter colder more less higher lower difference differences offset offsets delta deltas change changes " +
		"increase increases increased decrease decreases decreased increment rise rises risen rose fell dropped setback tolerance margin hysteresis within plus " +
		"another extra additional further notch above below under over each every per step steps swing spread vary varies deviation differ differs relative than")
	// degreesOff is "5 degrees up", "bump it up 5 degrees", and "±2°F" or "+5 F"; in other languages "um 5 Grad".
	degreesOff = expression(`(?i)degrees?( fahrenheit| celsius| [fc])? (up|down|off|apart)\b|(^|[^\p{L}])(up|down|plus/minus|um) (by |another )?` +
		numeralPattern + `|[±+] ?\p{Nd}|(^|[^\p{L}])(más|menos|mehr|wärmer|kälter|plus|moins|gradi in più)($|[^\p{L}])`)
)

// isDifference reports whether an argument is one between temperatures.
func (a *argument) isDifference() bool {
	return hasWord(keyWords(a.key), betweenDegrees) || hasWord(strings.Fields(plain(a.text())), betweenDegrees)
}

// speaksOfDifferences reports whether a request may ask for a difference between temperatures.
func (r *Request) speaksOfDifferences() bool {
	return anyWord(r.words, comparing) || degreesOff.re().MatchString(r.text)
}

// bareScale reports whether a letter behind a numeral, without a sign of degrees, is followed by nothing but marks or a
// preposition: "70 f for the night", but not "20 f stops" nor "vitamin 5 C tablets".
func bareScale(behind string) bool {
	end := strings.IndexAny(behind, ".,;:!?\n)")
	if end < 0 {
		end = len(behind)
	}
	behind = strings.TrimLeft(behind[:min(end, longestPreposition)], " \u00a0")
	next, _, _ := strings.Cut(behind, " ")
	return next == "" || behindScale.has(strings.ToLower(next))
}

// longestPreposition is how many bytes behind a scale are looked at.
const longestPreposition = 24

var behindScale = words("in for at on to from until till during and or before after when please tonight today tomorrow now")

// scale is the one scale that a property's name and texts are about, 0 for none or both.
func (p *place) scale() degrees {
	key := strings.ToLower(p.key)
	about := key + " " + p.text()
	fahrenheit := strings.HasSuffix(key, "_f") || namedFahrenheit.re().MatchString(about)
	celsius := strings.HasSuffix(key, "_c") || namedCelsius.re().MatchString(about)
	switch {
	case fahrenheit == celsius:
		return 0
	case fahrenheit:
		return 'f'
	}
	return 'c'
}

// namesScale reports whether the request names a scale, by itself or with a temperature.
func (r *Request) namesScale(scale degrees, stated []temperature) bool {
	named := namedCelsius
	if scale == 'f' {
		named = namedFahrenheit
	}
	return named.re().MatchString(r.text) || slices.ContainsFunc(stated, func(t temperature) bool { return t.in == scale })
}

// converted is the argument on the scale of its schema, when the request states it on the
// other one. A value that is already one of those converted is none.
func (a *argument) converted(scale degrees, stated []temperature) (text string, ok bool) {
	value, isNumber := parseDecimal(a.value.Text)
	if !isNumber {
		return "", false
	}
	places := 1
	if a.takes("integer") {
		places = 0
	}
	for _, t := range stated {
		if t.in != scale.other() {
			continue
		}
		for p := range 2 {
			if done, _ := parseDecimal(t.onOther(p)); done == value {
				return "", false
			}
		}
		if t.value == value {
			text, ok = t.onOther(places), true
		}
	}
	return text, ok
}

// onOther is the temperature on the other scale with so many decimals.
func (t temperature) onOther(places int) string {
	number, _ := new(big.Rat).SetString(t.value.String())
	thirtyTwo := big.NewRat(32, 1)
	if t.in == 'f' {
		number.Mul(number.Sub(number, thirtyTwo), big.NewRat(5, 9))
	} else {
		number.Add(number.Mul(number, big.NewRat(9, 5)), thirtyTwo)
	}
	text := number.FloatString(places)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return text
}

// Beyond these a number is no temperature.
const (
	mostDegreeDigits   = 12
	mostDegreeExponent = 9
)

// temperatures are those that the request states with their scales.
func (r *Request) temperatures() (list []temperature) {
	add := func(d decimal, in degrees) {
		if len(d.digits) <= mostDegreeDigits && d.exponent <= mostDegreeExponent && d.exponent >= -mostDegreeDigits {
			list = append(list, temperature{d, in})
		}
	}
	for _, m := range statedDegrees.re().FindAllStringSubmatchIndex(r.text, -1) {
		if unit := r.text[m[6]:m[7]]; len(unit) == 1 && unitIsBare(r.text[m[5]:m[6]]) && !bareScale(r.text[m[7]:]) {
			continue
		}
		in := scaleOf(r.text[m[6]:m[7]])
		for _, at := range [][]int{m[2:4], m[4:6]} {
			if at[0] >= 0 {
				findNumbers(r.text[signAt(r.text, at[0]):at[1]], func(d decimal) { add(d, in) })
			}
		}
	}
	r.speltTemperatures(add)
	return list
}

// repeatsNumber reports whether a number stands in the request more often than with a scale: it may be another quantity.
func (r *Request) repeatsNumber(value string, stated []temperature) bool {
	d, _ := parseDecimal(value)
	times := 0
	for _, numeral := range numerals.re().FindAllStringIndex(r.text, -1) {
		same := false
		findNumbers(r.text[signAt(r.text, numeral[0]):numeral[1]], func(n decimal) { same = same || n == d })
		if same {
			times++
		}
	}
	for _, t := range stated {
		if t.value == d {
			times--
		}
	}
	return times > 0
}

var numerals = expression(numeralPattern)

// unitIsBare reports whether nothing but blanks stands between a numeral and its scale.
func unitIsBare(gap string) bool { return strings.Trim(gap, " \u00a0") == "" }

// signAt is where a numeral at i begins without a dash that belongs to what is before it:
// a range's or a name's.
func signAt(text string, i int) int {
	for _, dash := range []string{"-", "−", "–"} {
		if strings.HasPrefix(text[i:], dash) && i > 0 && text[i-1] != ' ' && text[i-1] != '(' && text[i-1] != '\n' {
			return i + len(dash)
		}
	}
	return i
}

// speltTemperatures finds "seventy-two degrees Fahrenheit".
func (r *Request) speltTemperatures(found func(decimal, degrees)) {
	for i, w := range r.words {
		in := scaleOf(w.text)
		if in == 0 || len(w.text) == 1 && !strings.HasPrefix(r.at(i-1), "degree") {
			continue
		}
		end := i
		if strings.HasPrefix(r.at(end-1), "degree") {
			end--
		}
		start := max(0, end-longestSpelt)
		var list []string
		for _, before := range r.words[start:end] {
			list = append(list, before.text)
		}
		for at := range list {
			value, next, ok := spelt(list, at)
			if !ok || next != len(list) {
				continue
			}
			d := newDecimal(false, big.NewInt(value).String(), 0)
			if at > 0 && (list[at-1] == "minus" || list[at-1] == "negative") {
				d = d.minus()
			}
			found(d, in)
			break
		}
	}
}

// longestSpelt is how many words a temperature has: "minus one hundred and twenty two".
const longestSpelt = 7
