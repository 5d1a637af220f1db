package ground

import (
	"fmt"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// Options say how calls are judged.
type Options struct {
	// Off names rules that are not applied.
	Off map[string]bool
	// Valid says whether a call follows its tool's schema; nil stands for always. What
	// follows it still does after a repair.
	Valid func(Call) bool
	// Triggered says that a tool's trigger made the model call: doubts then don't withhold.
	Triggered bool
	// Confidence is how sure the model is, 0 to 1.
	Confidence float64
}

// Verdict is what became of calls.
type Verdict struct {
	Calls      []Call    // repaired, without those that were dropped
	Dropped    []Call    // those that the request leaves out or forbids, when others remain
	Withheld   bool      // Calls are not to be delivered
	Ungrounded []Place   // values that the conversation does not have
	Negation   bool      // something is forbidden in the request
	Trace      []Finding // what the rules did and found, in their order
}

// Place names a value in a call, or without a path the call.
type Place struct {
	Tool string        // under the caller's name
	Path jsontext.Path // in the arguments, under the caller's names
}

// Finding is what a rule did, or found.
type Finding struct {
	Rule   string          // its name
	At     Place           // empty where all calls are meant
	Before *jsontext.Value // nil when there was none, or nothing was changed
	After  *jsontext.Value // nil when it is gone, or nothing was changed
	Why    string          // half a sentence for people
}

// judge is one list of calls under judgement.
type judge struct {
	*Turn
	Options
	tools *Tools
	calls []Call
	// derived are the values that repairs worked out of the request, in other words than its own.
	derived map[*jsontext.Value]bool
	edited  map[*Call]int // how often each call was changed
	// What the conversation names, nil before it is asked: minutes of the day, days, and days of a month.
	clocks map[int]bool
	days   []Date
	loose  []int
	Verdict
}

// Judge repairs the calls of a user's turn, and says whether they should be delivered. The
// calls given are not changed.
func (t *Tools) Judge(turn *Turn, calls []Call, o Options) Verdict {
	j := newJudge(t, turn, calls, o)
	if len(calls) == 0 {
		return j.Verdict
	}
	if turn.user {
		for _, r := range repairs {
			if j.on(r.Name) {
				r.apply(j, r.Name)
			}
		}
	}
	for _, r := range gates {
		if j.on(r.Name) && (turn.user || !r.user) && (r.strong || !j.Triggered) {
			r.apply(j, r.Name)
		}
	}
	j.Verdict.Calls = j.calls
	j.Ungrounded = j.ungrounded()
	j.Negation = turn.request.Negated()
	return j.Verdict
}

func newJudge(tools *Tools, turn *Turn, calls []Call, o Options) *judge {
	j := &judge{Turn: turn, Options: o, tools: tools, derived: map[*jsontext.Value]bool{}, edited: map[*Call]int{}}
	for _, c := range calls {
		j.calls = append(j.calls, Call{c.Name, clone(c.Arguments)})
	}
	return j
}

// on reports whether a rule is applied.
func (j *judge) on(rule string) bool { return !j.Off[rule] }

// find notes what a rule found in a call.
func (j *judge) find(rule string, at Place, why string, args ...any) {
	j.Trace = append(j.Trace, Finding{Rule: rule, At: at, Why: fmt.Sprintf(why, args...)})
}

// withhold keeps the calls from being delivered.
func (j *judge) withhold(rule string, at Place, why string, args ...any) {
	j.find(rule, at, why, args...)
	j.Withheld = true
}

// ungrounded are the values that the conversation does not have: strings, and numbers.
func (j *judge) ungrounded() (list []Place) {
	for _, c := range j.calls {
		for _, a := range j.tools.leaves(c) {
			if !j.isGrounded(&a) {
				list = append(list, Place{c.Name, a.path})
			}
		}
	}
	return list
}

// isGrounded reports whether the conversation has a value. Those that are enumerated are not
// looked for, nor those that a repair worked out of the request. Identifiers are: what holds
// them to the conversation while they are written gives way to a schema that nothing in it fits.
func (j *judge) isGrounded(a *argument) bool {
	switch {
	case a.listed() || j.derived[a.value]:
		return true
	case a.value.Kind == jsontext.Number:
		return j.said.HasNumber(a.value.Text)
	case a.value.Kind == jsontext.String:
		return j.said.HasText(a.value.Text) || j.said.HasNumber(a.value.Text) || j.namesDay(a.value.Text) || j.namesMoment(a.value.Text)
	default:
		return true
	}
}
