package grammar

import "slices"

// valid judges a value by a schema directly, keyword by keyword: listed values are filtered so, also where the
// schema's set is still being made.
func (c *compiler) valid(x signed, v *value) bool {
	if c.spend(1); x.trivial() || c.exhausted() {
		return true
	}
	return c.satisfies(x.s, v) != x.not
}

func (c *compiler) satisfies(s *schema, v *value) bool {
	if s.always || s.never {
		return s.always
	}
	has := func(sub *schema) bool { return c.valid(signed{s: sub}, v) }
	if s.types != 0 && !s.types.has(v) || s.enum != nil && !slices.ContainsFunc(s.enum, v.equal) {
		return false
	}
	for _, list := range s.all {
		if slices.ContainsFunc(list, func(sub *schema) bool { return !has(sub) }) {
			return false
		}
	}
	for _, list := range s.any {
		if !slices.ContainsFunc(list, has) {
			return false
		}
	}
	for _, list := range s.one {
		n := 0
		for _, sub := range list {
			n += int(one(has(sub)))
		}
		if n != 1 {
			return false
		}
	}
	if s.not != nil && has(s.not) {
		return false
	}
	if s.cond != nil {
		branch := s.other
		if has(s.cond) {
			branch = s.then
		}
		if branch != nil && !has(branch) {
			return false
		}
	}
	return c.satisfiesOwn(s, v)
}

func (t types) has(v *value) bool {
	switch v.kind {
	case kindNull:
		return t&typeNull != 0
	case kindBool:
		return t&typeBoolean != 0
	case kindNumber:
		return t&typeNumber != 0 || t&typeInteger != 0 && v.number != nil && v.number.IsInt()
	case kindString:
		return t&typeString != 0
	case kindArray:
		return t&typeArray != 0
	}
	return t&typeObject != 0
}

// satisfiesOwn judges by the keywords about numbers, strings, arrays and objects. The shapes of one schema say
// nothing of others, so making them needs no set.
func (c *compiler) satisfiesOwn(s *schema, v *value) bool {
	switch v.kind {
	case kindNumber:
		return s.number.plain() || v.number != nil && s.number.holds(v.number)
	case kindString:
		return c.textHolds(c.ownText(s), v.text)
	case kindArray:
		return c.arrayHolds(ownArray(s), v)
	case kindObject:
		if !c.objectHolds(ownObject(s), v) {
			return false
		}
		return !slices.ContainsFunc(s.object.implies, func(p property) bool {
			return v.member(p.name) != nil && !c.valid(signed{s: p.schema}, v)
		})
	}
	return true
}
