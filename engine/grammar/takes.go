package grammar

import "slices"

// takesShaped reports whether a value has one of the shapes of a set.
func (c *compiler) takesShaped(v *values, x *value) bool {
	switch x.kind {
	case kindNull:
		return v.null
	case kindBool:
		return x.yes && v.yes || !x.yes && v.no
	case kindNumber:
		return slices.ContainsFunc(v.numbers, func(n *numberShape) bool {
			return x.number != nil && n.holds(x.number) || x.number == nil && n.plain() && !n.integer
		})
	case kindString:
		return slices.ContainsFunc(v.texts, func(t *textShape) bool { return c.textHolds(t, x.text) })
	case kindArray:
		return slices.ContainsFunc(v.arrays, func(a *arrayShape) bool { return c.arrayHolds(a, x) })
	}
	return slices.ContainsFunc(v.objects, func(o *objectShape) bool { return c.objectHolds(o, x) })
}

func (c *compiler) goalHolds(goal []signed, x *value) bool {
	return !slices.ContainsFunc(goal, func(s signed) bool { return !c.valid(s, x) })
}

func (c *compiler) arrayHolds(a *arrayShape, x *value) bool {
	if len(x.items) < a.min || a.max >= 0 && len(x.items) > a.max {
		return false
	}
	for i, item := range x.items {
		if !c.goalHolds(a.goal(i), item) || a.unique && slices.ContainsFunc(x.items[:i], item.equal) {
			return false
		}
	}
	for _, k := range a.contains {
		n := 0
		for _, item := range x.items[min(k.from, len(x.items)):] {
			n += int(one(c.goalHolds([]signed{k.schema}, item)))
		}
		if n < k.min || k.max >= 0 && n > k.max {
			return false
		}
	}
	return true
}

func (c *compiler) objectHolds(o *objectShape, x *value) bool {
	if len(x.items) < o.min || o.max >= 0 && len(x.items) > o.max {
		return false
	}
	lacks := func(name string) bool { return !slices.Contains(x.names, name) }
	if slices.ContainsFunc(o.required, lacks) {
		return false
	}
	for _, d := range o.needs {
		if !lacks(d.name) && slices.ContainsFunc(d.needs, lacks) {
			return false
		}
	}
	for i, name := range x.names {
		if !c.goalHolds(o.goal(c, name), x.items[i]) {
			return false
		}
	}
	for _, owed := range o.obligations {
		met := false
		for i, name := range x.names {
			met = met || c.textHolds(&textShape{language: owed.key, max: -1}, name) && c.goalHolds([]signed{owed.schema}, x.items[i])
		}
		if !met {
			return false
		}
	}
	return true
}
