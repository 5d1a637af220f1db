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

// dropExcluded drops calls with a value that the request leaves out.
func dropExcluded(j *judge, rule string) {
	j.drop(rule, func(c Call) (Place, string) {
		for _, a := range j.tools.leaves(c) {
			switch a.value.Kind {
			case jsontext.String, jsontext.Number:
				if namesSomething(a.value) && j.request.Excludes(a.value.Text) {
					return Place{c.Name, a.path}, "the request leaves out " + a.value.Text
				}
			}
		}
		return Place{}, ""
	})
}

// namesSomething reports whether a value is long enough to be recognised among words.
func namesSomething(v *jsontext.Value) bool {
	return v.Kind == jsontext.Number || len([]rune(squash(v.Text))) >= fewestLetters
}

// forbidden drops calls of tools whose action the request forbids.
func forbidden(j *judge, rule string) {
	j.drop(rule, func(c Call) (Place, string) {
		if j.request.Forbids(c.Name, j.values(c)) {
			return Place{Tool: c.Name}, "the request forbids it"
		}
		return Place{}, ""
	})
}

// values are the strings and numbers of a call.
func (j *judge) values(c Call) (list []string) {
	for _, a := range j.tools.leaves(c) {
		if a.value.Kind == jsontext.String || a.value.Kind == jsontext.Number {
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

// reported withholds calls that repeat what somebody else is said to have asked for.
func reported(j *judge, rule string) {
	if j.request.Reports() {
		j.withhold(rule, Place{}, "the request tells what somebody else said")
	}
}

// guessable are words in the names of enumerations that are chosen by what a request means,
// not by what it says.
var guessable = []string{"category", "type", "kind", "priority", "sentiment", "intent", "format", "unit", "metric", "status", "action", "mode", "level"}

// unnamedOption withholds calls with a required enumeration none of whose options is named.
func unnamedOption(j *judge, rule string) {
	j.eachRequired(func(c Call, a *argument) bool {
		options := a.options()
		if len(options) < 2 || !a.value.Is(jsontext.String) || sameText(a.fallback(), a.value) ||
			slices.ContainsFunc(guessable, func(w string) bool { return strings.Contains(strings.ToLower(a.key), w) }) ||
			slices.ContainsFunc(options, j.Turn.names) {
			return false
		}
		j.withhold(rule, Place{c.Name, a.path}, "none of its options is named")
		return true
	})
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
	if j.hasQuantity() {
		return
	}
	j.eachRequired(func(c Call, a *argument) bool {
		if a.value.Kind != jsontext.Number || a.listed() || a.fallback() != nil {
			return false
		}
		j.withhold(rule, Place{c.Name, a.path}, "no quantity is named anywhere")
		return true
	})
}

// quantities are words that name a quantity, besides those of numbers.
var quantities = words("half quarter third dozen dozens couple pair few several some single double triple twice once thrice both " +
	"max maximum min minimum full fully all none mute zero empty lowest highest loudest quietest brightest dimmest completely " +
	"today tomorrow tonight yesterday week weekend month year hour minute day night noon midnight first second last next " +
	"hundred thousand million billion percent")

// hasQuantity reports whether the conversation has a digit, or the request a quantity in
// words.
func (t *Turn) hasQuantity() bool {
	return strings.ContainsFunc(t.conversation, isDigit) || len(t.asked.numbers) > 0 ||
		slices.ContainsFunc(t.request.words, func(w word) bool { return quantities[w.text] || quantities[strings.TrimSuffix(w.text, "s")] })
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
		if !ofPlaces[p] {
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
	for _, c := range j.calls {
		leaves := j.tools.leaves(c)
		for _, from := range leaves {
			for _, to := range leaves {
				if isRoute(&from, &to) && (from.required || to.required) && squash(from.value.Text) == squash(to.value.Text) {
					j.withhold(rule, Place{c.Name, to.path}, "it is where %s is", from.path)
					return
				}
			}
		}
	}
}

// isRoute reports whether two arguments are the ends of one way.
func isRoute(from, to *argument) bool {
	if from.parent != to.parent || !from.value.Is(jsontext.String) || !to.value.Is(jsontext.String) {
		return false
	}
	return slices.ContainsFunc(routes, func(pair [2]string) bool {
		x, isFrom := wayEnd(from.key, pair[0])
		y, isTo := wayEnd(to.key, pair[1])
		return isFrom && isTo && x == y
	})
}
