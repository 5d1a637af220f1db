package grammar

import "slices"

// What makes the items of an array differ (uniqueItems). Scalars are compared as they are spelt. Arrays and
// objects are told apart by one value in them that can always be another one than those taken, or by one more
// item or member; a shape that has neither is used once only.

// inherit takes over from the frame a value stands in what the value must differ from.
func (f *frame) inherit(parent *frame, k kind) {
	f.collects = parent.collects || f.kind == frameArray && f.array.unique
	for _, v := range parent.taken {
		if v.kind == k {
			f.differ = append(f.differ, v)
		}
	}
}

func holdsKind(list []*value, k kind) bool {
	return slices.ContainsFunc(list, func(v *value) bool { return v.kind == k })
}

// repeats reports that a frame, if it ended here, would be one of the values it must differ from.
func (f *frame) repeats() bool {
	return slices.ContainsFunc(f.differ, func(e *value) bool { return len(e.items) == int(f.count) })
}

// item returns what an array or object has where a frame has its last value; nil for nothing.
func (v *value) item(f *frame) *value {
	if v.kind == kindObject {
		return v.member(f.names[len(f.values)-1])
	}
	if i := len(f.values) - 1; i < len(v.items) {
		return v.items[i]
	}
	return nil
}

// manyItems reports that arrays can always be told apart: by one more item, or by the last.
func (p *arrayProgram) manyItems() bool {
	if p.unique {
		return false
	}
	if p.max == endless {
		return p.rest[0].depth < MaxDepth
	}
	if p.max == 0 {
		return false
	}
	return !slices.ContainsFunc(p.at(p.max-1), func(n *node) bool { return n.depth != endless && n.size != endless })
}

// taken lists the values that the next item of an array must differ from.
func (p *arrayProgram) taken(f *frame) []*value {
	if p.unique {
		return f.values
	}
	if p.max == endless || f.count != p.max-1 {
		return nil // one more item can make the difference
	}
	var out []*value
	for _, e := range f.differ {
		if len(e.items) == int(p.max) {
			out = append(out, e.items[f.count])
		}
	}
	return out
}

// manyMembers reports that objects can always be told apart: by one more member, or by a value that has many.
func (p *objectProgram) manyMembers() bool {
	if p.addsNames() {
		return true
	}
	for i := range p.names {
		if p.tells(i) {
			return true
		}
	}
	return false
}

// addsNames reports that another undeclared member can always be added.
func (p *objectProgram) addsNames() bool {
	d := p.dynamic[0]
	return p.max == endless && d != nil && p.free[0] == endless && p.dynamicDepth[0] < 2
}

// tells reports that a member, which comes for sure or can always be added, has many values.
func (p *objectProgram) tells(name int) bool {
	if !p.loose && !p.required.has(name) {
		return false
	}
	some := false
	for _, n := range p.values[name] {
		if n.depth != endless {
			if some = true; n.size != endless {
				return false
			}
		}
	}
	return some
}

// taken lists the values that the member named last must differ from: those of the objects that agree so far,
// when no other member can make the difference later.
func (p *objectProgram) taken(f *frame) []*value {
	if len(f.differ) == 0 || p.addsNames() {
		return nil
	}
	for i := range p.names {
		if !f.seen.has(i) && p.tells(i) {
			return nil
		}
	}
	var out []*value
	for _, e := range f.differ {
		if v := e.member(f.names[len(f.names)-1]); v != nil {
			out = append(out, v)
		}
	}
	return out
}
