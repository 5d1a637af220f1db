package ground

import (
	"github.com/libneedle/libneedle/engine/jsontext"
)

// Call is a call under the names of the wire. Arguments is an object.
type Call struct {
	Name      string
	Arguments *jsontext.Value
}

// clone copies a value with all below it.
func clone(v *jsontext.Value) *jsontext.Value {
	c := *v
	c.Members = make([]jsontext.Member, len(v.Members))
	for i, m := range v.Members {
		c.Members[i] = jsontext.Member{Key: m.Key, Value: clone(m.Value)}
	}
	return &c
}

// text is a value as compact JSON.
func text(v *jsontext.Value) string { return string(jsontext.AppendValue(nil, v)) }

// argument is a value in a call that holds no others.
type argument struct {
	place
	value    *jsontext.Value
	parent   *jsontext.Value // that it is a member of
	path     jsontext.Path
	required bool
}

// leaves are the arguments of a call at every depth, in their order.
func (t *Tools) leaves(c Call) (list []argument) {
	tool := t.byName[c.Name]
	if tool == nil {
		return nil
	}
	var walk func(a argument)
	walk = func(a argument) {
		switch a.value.Kind {
		case jsontext.Object:
			for _, m := range a.value.Members {
				walk(argument{a.property(m.Key), m.Value, a.value, a.path.To(m.Key), a.requires(m.Key)})
			}
		case jsontext.Array:
			for i, m := range a.value.Members {
				walk(argument{a.element(i), m.Value, a.value, a.path.At(i), false})
			}
		default:
			list = append(list, a)
		}
	}
	walk(argument{place: tool.arguments(), value: c.Arguments})
	return list
}

// eachObject calls f for the arguments of a call and the objects in them, at every depth.
func (t *Tools) eachObject(c Call, f func(argument)) {
	tool := t.byName[c.Name]
	if tool == nil {
		return
	}
	var walk func(a argument)
	walk = func(a argument) {
		switch a.value.Kind {
		case jsontext.Object:
			f(a)
			for _, m := range a.value.Members {
				walk(argument{place: a.property(m.Key), value: m.Value, parent: a.value, path: a.path.To(m.Key)})
			}
		case jsontext.Array:
			for i, m := range a.value.Members {
				walk(argument{place: a.element(i), value: m.Value, parent: a.value, path: a.path.At(i)})
			}
		}
	}
	walk(argument{place: tool.arguments(), value: c.Arguments})
}
