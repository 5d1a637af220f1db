package prompt

import (
	"slices"
	"strings"
)

// scope is the property names of one place in the arguments of a tool. All schemas that describe that
// place (branches of anyOf, the target of a $ref, ...) share one scope, so that a value can be given back
// under the caller's names without knowing which branch it followed. References make scopes cyclic.
type scope struct {
	into     *scope            // the scope this one was merged into
	order    map[string]int    // the caller's names, with the place where each was declared first
	children map[string]*scope // by the caller's name, of the values of declared properties
	items    *scope            // of elements
	extra    *scope            // of the values of undeclared properties

	wire   map[string]string // the caller's name to the one on the wire; those that differ
	caller map[string]string // the other way
}

// find returns the scope that s has become by merging.
func (s *scope) find() *scope {
	for s.into != nil {
		if s.into.into != nil {
			s.into = s.into.into
		}
		s = s.into
	}
	return s
}

// declare notes a property's name; at orders names within the scope.
func (s *scope) declare(name string, at int) {
	if before, ok := s.order[name]; ok && before <= at {
		return
	}
	if s.order == nil {
		s.order = map[string]int{}
	}
	s.order[name] = at
}

// toWire returns the name of a property on the wire.
func (s *scope) toWire(name string) string {
	if _, ok := s.order[name]; ok {
		return s.declaredToWire(name)
	}
	return snakeCase(name)
}

// declaredToWire leaves a name alone that is not declared: in values it may be anything.
func (s *scope) declaredToWire(name string) string {
	if w, ok := s.wire[name]; ok {
		return w
	}
	return name
}

// child returns the scope of the value of a property under the caller's name; nil when none of its
// values' names is known.
func (s *scope) child(name string) *scope {
	if c, ok := s.children[name]; ok {
		return c
	}
	return s.extra
}

// scopes makes, merges and finishes the scopes of one tool set.
type scopes struct{ all []*scope }

func (b *scopes) new() *scope {
	s := &scope{}
	b.all = append(b.all, s)
	return s
}

// property returns the scope of a declared property's value.
func (b *scopes) property(s *scope, name string, at int) *scope {
	s = s.find()
	s.declare(name, at)
	if s.children == nil {
		s.children = map[string]*scope{}
	}
	if s.children[name] == nil {
		s.children[name] = b.new()
	}
	return s.children[name]
}

func (b *scopes) items(s *scope) *scope {
	s = s.find()
	if s.items == nil {
		s.items = b.new()
	}
	return s.items
}

func (b *scopes) extra(s *scope) *scope {
	s = s.find()
	if s.extra == nil {
		s.extra = b.new()
	}
	return s.extra
}

// merge makes two scopes one, and with them the scopes of the same places below.
func (b *scopes) merge(x, y *scope) {
	pairs := [][2]*scope{{x, y}}
	for len(pairs) > 0 {
		pair := pairs[len(pairs)-1]
		pairs = pairs[:len(pairs)-1]
		keep, gone := pair[0].find(), pair[1].find()
		if keep == gone {
			continue
		}
		if len(gone.order) > len(keep.order) { // each name moves only into a scope twice as large
			keep, gone = gone, keep
		}
		gone.into = keep
		for name, at := range gone.order {
			keep.declare(name, at)
		}
		for name, c := range gone.children {
			if keep.children == nil {
				keep.children = map[string]*scope{}
			}
			pairs = keepEither(&keep.children, name, c, pairs)
		}
		pairs = either(&keep.items, gone.items, pairs)
		pairs = either(&keep.extra, gone.extra, pairs)
		gone.order, gone.children, gone.items, gone.extra = nil, nil, nil, nil
	}
}

// either puts a scope in an empty place, or notes that it has to be merged with what is there.
func either(place **scope, s *scope, pairs [][2]*scope) [][2]*scope {
	if *place != nil && s != nil {
		return append(pairs, [2]*scope{*place, s})
	}
	if s != nil {
		*place = s
	}
	return pairs
}

func keepEither(children *map[string]*scope, name string, s *scope, pairs [][2]*scope) [][2]*scope {
	place := (*children)[name]
	pairs = either(&place, s, pairs)
	(*children)[name] = place
	return pairs
}

// finish gives all names their form on the wire. Afterwards nothing changes any more.
func (b *scopes) finish() {
	for _, s := range b.all {
		if s.into != nil {
			continue
		}
		for name, c := range s.children {
			s.children[name] = c.find()
		}
		if s.items != nil {
			s.items = s.items.find()
		}
		if s.extra != nil {
			s.extra = s.extra.find()
		}
		s.name()
	}
}

// name fills the tables of a scope.
func (s *scope) name() {
	names := make([]string, 0, len(s.order))
	for name := range s.order {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int {
		if d := s.order[x] - s.order[y]; d != 0 {
			return d
		}
		return strings.Compare(x, y)
	})
	for name, wire := range propertyNames(names) {
		if name == wire {
			continue
		}
		if s.wire == nil {
			s.wire, s.caller = map[string]string{}, map[string]string{}
		}
		s.wire[name], s.caller[wire] = wire, name
	}
}
