package prompt

import (
	"strings"
	"time"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// SystemText returns S, the text of the system turn; empty for none. A JSON object gives the facts the model
// was trained on, a text that is nothing but a timestamp a fact too; any other text is returned as it is.
// SystemText of S is S.
func SystemText(system string) string {
	trimmed := strings.Trim(system, " \t\r\n")
	if trimmed == "null" {
		return ""
	}
	if strings.HasPrefix(trimmed, "{") {
		if v, err := jsontext.Parse(trimmed); err == nil {
			if facts := facts(v); facts != "" {
				return jsontext.Valid(facts)
			}
		}
		return jsontext.Valid(system)
	}
	if date, rest, ok := timestamp(trimmed); ok && isTimeRest(rest) {
		return "date: " + date
	}
	return jsontext.Valid(system)
}

// facts writes the known members of an object that hold something.
func facts(v *jsontext.Value) string {
	var found []string
	for _, key := range [...]string{"date", "locale", "device", "battery", "network", "location", "user",
		"assistant", "thermostat", "volume"} {
		fact := v.Last(key)
		if fact == nil || fact.Text == "" || fact.Kind == jsontext.Null {
			continue
		}
		text := fact.Text
		if key == "date" && fact.Kind == jsontext.String {
			text = dateFact(text)
		}
		found = append(found, key+": "+text)
	}
	return strings.Join(found, "; ")
}

// dateFact returns the first timestamp in a date with its weekday, or the date as it is.
func dateFact(date string) string {
	for i := range len(date) {
		if i > 0 && isDigit(date[i-1]) {
			continue
		}
		if found, _, ok := timestamp(date[i:]); ok {
			return found
		}
	}
	return date
}

// timestamp reads YYYY-MM-DD, a T or a blank, and HH:MM, if there is such a time, and returns it with the
// weekday, as "YYYY-MM-DD Www HH:MM", and what follows.
func timestamp(text string) (date, rest string, ok bool) {
	const layout = "dddd-dd-dd dd:dd"
	if len(text) < len(layout) || len(text) > len(layout) && isDigit(text[len(layout)]) {
		return "", "", false
	}
	for i := range len(layout) {
		c := text[i]
		switch {
		case layout[i] == 'd' && !isDigit(c):
			return "", "", false
		case layout[i] == ' ' && c == 'T':
		case layout[i] != 'd' && layout[i] != c:
			return "", "", false
		}
	}
	at, err := time.Parse("2006-01-02 15:04", text[:10]+" "+text[11:16])
	if err != nil {
		return "", "", false
	}
	return at.Format("2006-01-02 Mon 15:04"), text[len(layout):], true
}

// isTimeRest says whether nothing but seconds, a zone and blanks follow a timestamp's minutes.
func isTimeRest(rest string) bool {
	if after, ok := cutDigits(rest, ":", 2); ok {
		rest = after
		if rest != "" && (rest[0] == '.' || rest[0] == ',') {
			fraction := strings.TrimLeft(rest[1:], "0123456789")
			if len(fraction) == len(rest)-1 {
				return false
			}
			rest = fraction
		}
	}
	return isZone(strings.Trim(rest, " \t\r\n"))
}

// cutDigits cuts a prefix and n digits off.
func cutDigits(text, prefix string, n int) (string, bool) {
	after, ok := strings.CutPrefix(text, prefix)
	if !ok || len(after) < n {
		return text, false
	}
	for i := range n {
		if !isDigit(after[i]) {
			return text, false
		}
	}
	return after[n:], true
}

// isZone says whether a text is a time zone as timestamps carry it: Z, an offset, one of the abbreviations
// of RFC 2822 and UTC, a name in brackets as RFC 9557 adds it, or nothing.
func isZone(zone string) bool {
	if open := strings.IndexByte(zone, '['); open >= 0 {
		name := zone[open:]
		if len(name) < 3 || strings.IndexByte(name, ']') != len(name)-1 || strings.ContainsAny(name, " \t\r\n") {
			return false
		}
		zone = zone[:open]
	}
	switch zone {
	case "", "Z", "z", "UTC", "GMT", "UT", "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT":
		return true
	}
	zone = strings.TrimPrefix(strings.TrimPrefix(zone, "UTC"), "GMT")
	for _, sign := range [...]string{"+", "-"} {
		if minutes, ok := cutDigits(zone, sign, 2); ok {
			if minutes == "" {
				return true
			}
			rest, ok := cutDigits(strings.TrimPrefix(minutes, ":"), "", 2)
			return ok && rest == ""
		}
	}
	return false
}
