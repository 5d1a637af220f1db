package ground

import (
	"strconv"
	"strings"
)

// clock is a time of the day as people write it: "3pm", "3:30 p.m.", "15:00", "at 7", "noon".
var clock = expression(`(?i)(?:\b(at|by|until|till|from|to|before|after|around|and|for) )?\b(?:(\d{1,2})(?:[:.](\d{2}))?(?::\d{2})?(?: ?(am|pm|a\.m|p\.m)\b)?|(noon|midday|midnight))`)

const halfDay = 12 * 60

// findClocks calls found with the minutes of the day that a text may mean. Without am, pm or
// a leading zero a time is one of the morning or of the afternoon; a bare number is a time
// behind a preposition only.
func findClocks(text string, found func(minute int)) {
	for _, m := range clock.re().FindAllStringSubmatch(text, -1) {
		if m[5] != "" {
			minute := halfDay
			if strings.EqualFold(m[5], "midnight") {
				minute = 0
			}
			found(minute)
			continue
		}
		hour, _ := strconv.Atoi(m[2])
		minutes, _ := strconv.Atoi("0" + m[3])
		minute := hour*60 + minutes
		switch half := strings.ToLower(m[4]); {
		case hour > 23 || minutes > 59 || half != "" && (hour > 12 || hour == 0):
		case half != "" && half[0] == 'p':
			found(minute%halfDay + halfDay)
		case half != "":
			found(minute % halfDay)
		case m[3] == "" && m[1] == "":
		case hour < 13 && m[2][0] != '0':
			found(minute % (2 * halfDay))
			found((minute + halfDay) % (2 * halfDay))
		default:
			found(minute)
		}
	}
}

// moment is a time of the day in a value, with a date before it or without.
var moment = expression(`^(?:(\d{4}-\d{2}-\d{2})[Tt ])?(\d{2}):(\d{2})(?::00(?:\.0+)?)?(?:[Zz]|[+-]\d{2}:?\d{2})?$`)

// namesMoment reports whether a value is a time that the conversation has in its own way: 15:00
// for "3pm", on a day that it names.
func (j *judge) namesMoment(value string) bool {
	m := moment.re().FindStringSubmatch(value)
	if m == nil || m[1] != "" && !j.said.HasText(m[1]) && !j.namesDay(m[1]) {
		return false
	}
	hour, _ := strconv.Atoi(m[2])
	minute, _ := strconv.Atoi(m[3])
	if j.clocks == nil {
		j.clocks = map[int]bool{}
		findClocks(j.conversation, func(minute int) { j.clocks[minute] = true })
	}
	return j.clocks[hour*60+minute]
}
