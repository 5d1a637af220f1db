package ground

import (
	"strings"
	"time"
)

// Turn is the conversation that calls are judged by, as far as it went before them. It is
// read-only.
type Turn struct {
	request      *Request  // of the user; empty after a tool's result, which asks for nothing
	user         bool      // the last input is a user's
	texts        []string  // everything that was read, as it is written
	conversation string    // the texts, one to a line
	plain        string    // the conversation in words
	said         *Evidence // of the conversation
	asked        *Evidence // of the request
	today        time.Time // zero when nothing says it
}

// NewTurn reads a conversation: the system text as the model reads it, the inputs in their
// order, tools' results among them, the last of which is the one that calls answer. user
// says that it is a user's.
func NewTurn(system string, inputs []string, user bool) *Turn {
	t := &Turn{today: today(system), user: user}
	texts := append([]string{withoutDate(system)}, inputs...)
	t.texts = texts
	t.conversation = strings.Join(texts, "\n")
	t.plain = plain(t.conversation)
	t.said = NewEvidence(texts...)
	request := ""
	if user && len(inputs) > 0 {
		request = inputs[len(inputs)-1]
	}
	t.request = NewRequest(request)
	t.asked = NewEvidence(request)
	return t
}

var (
	dateFact = expression(`(?:^|[^\p{L}])date: *(\d{4}-\d{2}-\d{2})[^;\n]*`)
	isoDay   = expression(`(?:^|\D)(\d{4}-\d{2}-\d{2})(?:\D|$)`)
	isoTime  = expression(`\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?`)
)

// today is the day that a system text is of: its date fact or else its first ISO date.
func today(system string) time.Time {
	day := ""
	if fact := dateFact.re().FindStringSubmatch(system); fact != nil {
		day = fact[1]
	} else if first := isoDay.re().FindStringSubmatch(system); first != nil {
		day = first[1]
	}
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return time.Time{}
	}
	return t
}

// withoutDate is a system text without today's date and time: their digits would be found
// for any number.
func withoutDate(system string) string {
	return isoTime.re().ReplaceAllString(dateFact.re().ReplaceAllString(system, " "), " ")
}

// dates are the days that the request names.
func (t *Turn) dates() []Date {
	if t.today.IsZero() {
		return nil
	}
	return t.request.Dates(t.today)
}

// Texts are what the model has read, without the date of the system text.
func (t *Turn) Texts() []string { return t.texts }

// Negated reports whether the request forbids something.
func (t *Turn) Negated() bool { return t.request.Negated() }
