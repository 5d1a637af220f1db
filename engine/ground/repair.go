package ground

import (
	"slices"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// editor changes one call on behalf of a rule.
type editor struct {
	*judge
	rule string
	call *Call
}

// eachCall makes a repair of calls of a rule for one.
func eachCall(apply func(*editor)) func(*judge, string) {
	return func(j *judge, rule string) {
		for i := range j.calls {
			apply(&editor{j, rule, &j.calls[i]})
		}
	}
}

// leaves are the call's values at every depth, in their order. They stay valid while values
// are changed.
func (e *editor) leaves() []argument { return e.tools.leaves(*e.call) }

// arguments is the place of the call's arguments.
func (e *editor) arguments() place {
	if t := e.tools.byName[e.call.Name]; t != nil {
		return t.arguments()
	}
	return place{}
}

// edit is a change of one value in the call: another value, none, or one that is added.
type edit struct {
	path   jsontext.Path
	parent *jsontext.Value
	value  *jsontext.Value // that is there; nil to add one
	to     *jsontext.Value // nil to remove it

	before  *jsontext.Value   // a copy of value
	members []jsontext.Member // of parent
}

// become is the change of an argument to another value.
func (a *argument) become(v *jsontext.Value) edit {
	return edit{path: a.path, parent: a.parent, value: a.value, to: v}
}

// becomeText is the change of an argument to a string.
func (a *argument) becomeText(text string) edit { return a.become(newString(text)) }

// vanish is the removal of an argument, which must be a property.
func (a *argument) vanish() edit { return a.become(nil) }

func newString(text string) *jsontext.Value {
	return &jsontext.Value{Kind: jsontext.String, Text: text}
}

func (d *edit) make() {
	d.members = d.parent.Members
	switch {
	case d.value == nil:
		d.parent.Members = append(slices.Clip(d.members), jsontext.Member{Key: d.path[len(d.path)-1].Name, Value: clone(d.to)})
	case d.to == nil:
		d.before = clone(d.value)
		d.parent.Members = slices.DeleteFunc(slices.Clone(d.members), func(m jsontext.Member) bool { return m.Value == d.value })
	default:
		d.before = clone(d.value)
		*d.value = *clone(d.to)
	}
}

func (d *edit) undo() {
	d.parent.Members = d.members
	if d.value != nil {
		*d.value = *d.before
	}
}

// mostEdits bounds how often a call is changed: each time it is held to its schema.
const mostEdits = 64

// change makes all the edits or, when a call that follows its schema would not any more, none.
// It reports whether it did.
func (e *editor) change(why string, edits ...edit) bool {
	if e.edited[e.call] >= mostEdits {
		return false
	}
	e.edited[e.call]++
	wasValid := e.valid()
	for i := range edits {
		edits[i].make()
	}
	if wasValid && !e.valid() {
		for i := len(edits) - 1; i >= 0; i-- {
			edits[i].undo()
		}
		return false
	}
	for _, d := range edits {
		e.Trace = append(e.Trace, Finding{Rule: e.rule, At: Place{e.call.Name, d.path}, Before: d.before, After: d.to, Why: why})
	}
	return true
}

// derive changes an argument to what the request says in other words.
func (e *editor) derive(why string, d edit) bool {
	changed := e.change(why, d)
	if changed {
		e.derived[d.value] = true
	}
	return changed
}

func (e *editor) valid() bool { return e.Valid == nil || e.Valid(*e.call) }
