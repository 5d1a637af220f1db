package grammar

import (
	"math/big"
	"slices"
)

// complement is the set of the values that a schema refuses: the union of what each keyword refuses.
func (c *compiler) complement(s *schema) *values {
	if s.partial { // what is not enforced must not be enforced by its complement
		return c.everything()
	}
	out := &values{}
	join := func(v *values) { out = c.or(out, v, s) }
	if s.types != 0 {
		join(c.ofTypes(anyType &^ s.types))
		if s.types&typeInteger != 0 && s.types&typeNumber == 0 {
			out.numbers = []*numberShape{{notMultiples: []*big.Rat{big.NewRat(1, 1)}}}
		} else if s.types&typeNumber != 0 {
			out.numbers = nil
		}
	}
	if s.enum != nil {
		join(c.unlisted(s))
	}
	join(&values{numbers: outside(&s.number)})
	join(&values{texts: c.otherTexts(s), arrays: c.otherArrays(s), objects: c.otherObjects(s)})
	c.refusedByApplicators(s, join)
	return out
}

func (c *compiler) refusedByApplicators(s *schema, join func(*values)) {
	refused := func(sub *schema) *values { return c.of(signed{sub, true}) }
	for _, list := range s.all {
		for _, sub := range list {
			join(refused(sub))
		}
	}
	for _, list := range slices.Concat(s.any, s.one) {
		none := c.everything()
		for _, sub := range list {
			none = c.and(none, refused(sub), s)
		}
		join(none)
	}
	for _, list := range s.one {
		for i, sub := range list {
			for _, other := range list[:i] {
				join(c.and(c.of(signed{s: sub}), c.of(signed{s: other}), s))
			}
		}
	}
	if s.not != nil {
		join(c.of(signed{s: s.not}))
	}
	if s.cond != nil {
		if s.then != nil {
			join(c.and(c.of(signed{s: s.cond}), refused(s.then), s))
		}
		if s.other != nil {
			join(c.and(refused(s.cond), refused(s.other), s))
		}
	}
	for _, p := range s.object.implies {
		with := c.ofTypes(typeObject)
		with.objects[0].required = []string{p.name}
		join(c.and(with, refused(p.schema), s))
	}
}

// unlisted is the set of the values that an enumeration lacks.
func (c *compiler) unlisted(s *schema) *values {
	v := c.everything()
	number, language := &numberShape{}, []*regex{}
	for _, item := range s.enum {
		switch item.kind {
		case kindNull:
			v.null = false
		case kindBool:
			v.yes, v.no = v.yes && !item.yes, v.no && item.yes
		case kindString:
			language = append(language, c.re.literal(item.text))
		case kindNumber:
			if item.number != nil {
				number.not = append(number.not, item.number)
			} else {
				c.reader.fault(s.pointer, "enum", "a number of this size can't be excluded")
			}
		case kindArray:
			if len(item.items) > 0 {
				c.reader.fault(s.pointer, "enum", "arrays with items can't be excluded")
			} else {
				v.arrays[0].min = 1
			}
		case kindObject:
			if len(item.items) > 0 {
				c.reader.fault(s.pointer, "enum", "objects with members can't be excluded")
			} else {
				v.objects[0].min = 1
			}
		}
	}
	v.numbers = []*numberShape{number}
	v.texts[0].language = c.re.not(c.re.alt(language...))
	return v
}

// outside lists the numbers that a shape refuses.
func outside(n *numberShape) []*numberShape {
	var out []*numberShape
	if n.min != nil {
		out = append(out, &numberShape{max: n.min, maxOpen: !n.minOpen})
	}
	if n.max != nil {
		out = append(out, &numberShape{min: n.max, minOpen: !n.maxOpen})
	}
	if n.multiple != nil {
		out = append(out, &numberShape{notMultiples: []*big.Rat{n.multiple}})
	}
	return out
}

func (c *compiler) otherTexts(s *schema) []*textShape {
	var out []*textShape
	if s.text.min > 0 {
		out = append(out, &textShape{language: c.re.every, max: s.text.min - 1})
	}
	limits := []int32{s.text.max}
	if s.text.format != nil {
		limits = append(limits, s.text.formatMax)
		if !s.text.formatExact {
			c.reader.fault(s.pointer, "format", "its complement is not supported: fewer texts are written than the format has")
		}
	}
	for _, most := range limits {
		if most >= 0 {
			out = append(out, &textShape{language: c.re.every, min: most + 1, max: -1})
		}
	}
	for _, r := range []*regex{s.text.pattern, s.text.format} {
		if r != nil {
			out = append(out, &textShape{language: c.re.not(r), max: -1})
		}
	}
	return out
}

func (c *compiler) otherArrays(s *schema) []*arrayShape {
	var out []*arrayShape
	a := &s.array
	if a.min > 0 {
		out = append(out, &arrayShape{max: a.min - 1})
	}
	if a.max >= 0 {
		out = append(out, &arrayShape{min: a.max + 1, max: -1})
	}
	for i, sub := range a.prefix {
		source := &arraySource{prefix: make([]signed, i+1)}
		source.prefix[i] = signed{sub, true}
		out = append(out, &arrayShape{min: i + 1, max: -1, sources: []*arraySource{source}})
	}
	if a.items != nil {
		out = append(out, &arrayShape{max: -1, contains: []*contains{{signed{a.items, true}, len(a.prefix), 1, -1}}})
	}
	if a.contains != nil {
		this := signed{s: a.contains}
		if a.minContains > 0 {
			out = append(out, &arrayShape{max: -1, contains: []*contains{{this, 0, 0, a.minContains - 1}}})
		}
		if a.maxContains >= 0 {
			out = append(out, &arrayShape{max: -1, contains: []*contains{{this, 0, a.maxContains + 1, -1}}})
		}
	}
	if a.unique {
		c.reader.fault(s.pointer, "uniqueItems", "its complement is not supported")
		out = append(out, &arrayShape{max: -1})
	}
	return out
}

func (c *compiler) otherObjects(s *schema) []*objectShape {
	o := &s.object
	var out []*objectShape
	if o.min > 0 {
		out = append(out, &objectShape{max: o.min - 1})
	}
	if o.max >= 0 {
		out = append(out, &objectShape{min: o.max + 1, max: -1})
	}
	for _, name := range o.required {
		out = append(out, lacking(name))
	}
	for _, d := range o.needs {
		for _, name := range d.needs {
			without := lacking(name)
			without.required = []string{d.name}
			out = append(out, without)
		}
	}
	var declared []*regex
	for _, p := range o.properties {
		declared = append(declared, c.re.literal(p.name))
		if refused := (signed{p.schema, true}); !refused.isNever() {
			source := &objectSource{properties: map[string]signed{p.name: refused}, order: []string{p.name}, neutral: true}
			out = append(out, &objectShape{max: -1, required: []string{p.name}, sources: []*objectSource{source}})
		}
	}
	owed := func(key *regex, value signed) {
		if !value.isNever() {
			out = append(out, &objectShape{max: -1, obligations: []*obligation{{key, value}}})
		}
	}
	for _, p := range o.patterns {
		declared = append(declared, p.key)
		owed(p.key, signed{p.schema, true})
	}
	if o.additional != nil {
		owed(c.re.not(c.re.alt(declared...)), signed{o.additional, true})
	}
	if o.names != nil {
		if key, err := c.keyLanguage(c.of(signed{o.names, true})); err != nil {
			c.reader.fault(s.pointer, "propertyNames", "its complement is %v", err)
		} else {
			owed(key, signed{})
		}
	}
	return out
}

// keyLanguage is the language of the strings of a set.
func (c *compiler) keyLanguage(v *values) (*regex, error) {
	const mostLength = 1000
	key := c.re.never
	for _, t := range v.texts {
		one := t.language
		switch {
		case t.words != nil:
			one = c.re.never
			for _, w := range t.words {
				one = c.re.alt(one, c.re.literal(w))
			}
		case t.min > mostLength || t.max > mostLength:
			return nil, errTooComplex
		case t.min > 0 || t.max >= 0:
			one = c.re.and(one, c.re.repeat(c.re.any, int(t.min), int(t.max)))
		}
		key = c.re.alt(key, one)
	}
	return key, nil
}
