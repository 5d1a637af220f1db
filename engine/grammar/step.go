package grammar

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// step adds to out what a byte makes of a thread: nothing when it does not fit.
func step(t *thread, b byte, out []thread) []thread {
	switch t.at {
	case placeText:
		return t.stepText(b, out)
	case placeKey:
		return t.stepKey(b, out)
	case placeLiteral:
		return t.stepLiteral(b, out)
	case placeNumber:
		return t.stepNumber(b, out)
	case placeValue:
		return t.begin(b, out)
	case placeColon:
		if b == ':' {
			out = add(out, thread{frame: t.frame, at: placeValue, node: t.node})
		}
	case placeOpen, placeComma:
		return t.stepOpen(b, out)
	case placeAfter:
		return t.stepAfter(b, out)
	case placeStart:
		if b == '[' {
			return t.frame.calls.open(t.frame, out)
		}
	}
	return out
}

// begin reads the first byte of a value.
func (t *thread) begin(b byte, out []thread) []thread {
	f, n := t.frame, t.node
	if len(n.literals) > 0 {
		l := thread{frame: f, at: placeLiteral, node: n, high: int32(len(n.literals))}
		out = l.stepLiteral(b, out)
	}
	switch {
	case b == '"':
		for _, p := range n.texts {
			s := thread{frame: f, at: placeText, texts: p}
			if s.textLive() {
				out = add(out, s)
			}
		}
	case b == '-' || b >= '0' && b <= '9':
		for _, p := range n.numbers {
			s := thread{frame: f, at: placeNumber, numbers: p, text: digit(b)}
			if p.extends(s.text, takenNumbers(f.taken)) {
				out = add(out, s)
			}
		}
	case b == '[':
		for _, p := range n.arrays {
			if p.depth <= f.limit && (p.distinct || !holdsKind(f.taken, kindArray)) {
				out = p.open(f, out)
			}
		}
	case b == '{':
		for _, p := range n.objects {
			if p.depth <= f.limit && (p.distinct || !holdsKind(f.taken, kindObject)) {
				g := &frame{kind: frameObject, parent: f, limit: f.limit - 1, object: p, seen: p.empty}
				g.inherit(f, kindObject)
				out = add(out, thread{frame: g, at: placeOpen})
			}
		}
	}
	return out
}

// open adds the threads after an array's bracket.
func (p *arrayProgram) open(parent *frame, out []thread) []thread {
	f := &frame{kind: frameArray, parent: parent, limit: parent.limit - 1, array: p}
	if len(p.contains) > 0 {
		f.claims = make([]int32, len(p.contains))
	}
	f.inherit(parent, kindArray)
	if p.finished(f) {
		out = add(out, thread{frame: f, at: placeOpen})
	}
	return p.items(f, out)
}

// stepOpen reads the first byte inside a frame, or after a comma in an object.
func (t *thread) stepOpen(b byte, out []thread) []thread {
	f := t.frame
	switch {
	case f.kind == frameObject && b == '"':
		return f.object.keys(f, out)
	case t.at == placeComma:
	case f.kind == frameObject && b == '}' && f.object.finished(f),
		f.kind == frameArray && b == ']',
		f.kind == frameList && b == ']':
		return f.end(out)
	}
	return out
}

// stepAfter reads the byte after a value: a comma, or the end of its frame.
func (t *thread) stepAfter(b byte, out []thread) []thread {
	f := t.frame
	switch f.kind {
	case frameArray:
		switch {
		case b == ',':
			return f.array.items(f, out)
		case b == ']' && f.array.finished(f):
			return f.end(out)
		}
	case frameObject:
		switch {
		case b == ',' && f.object.more(f):
			return add(out, thread{frame: f, at: placeComma})
		case b == '}' && f.object.finished(f):
			return f.end(out)
		}
	case frameCall:
		if b == '}' {
			return f.end(out)
		}
	case frameList:
		switch {
		case b == ',':
			return f.calls.next(f, out)
		case b == ']' && int(f.count) >= f.calls.min:
			return f.end(out)
		}
	}
	return out
}

// end adds the thread after the end of a frame.
func (f *frame) end(out []thread) []thread {
	if !f.collects {
		return f.parent.complete(nil, out)
	}
	v := &value{kind: kindArray, items: f.values, names: f.names}
	if f.kind == frameObject {
		v.kind = kindObject
	}
	return f.parent.complete(v, out)
}

// complete adds the thread after a value has ended in a frame. v is the value where the frame collects.
func (f *frame) complete(v *value, out []thread) []thread {
	if f.collects {
		g := *f
		g.values = append(slices.Clone(f.values), v)
		g.differ = slices.DeleteFunc(slices.Clone(f.differ), func(e *value) bool {
			other := e.item(&g)
			return other == nil || !other.equal(v)
		})
		f = &g
	}
	return add(out, thread{frame: f, at: placeAfter})
}

func (t *thread) stepLiteral(b byte, out []thread) []thread {
	list := t.node.literals
	low, high := t.low, t.high
	if t.n > 0 && int(t.n) == len(list[low].text) { // a number that may go on
		if b != '.' && b != 'e' && b != 'E' && (b < '0' || b > '9') {
			return t.endLiteral(list[low], b, out)
		}
		low++
	}
	for low < high && list[low].text[t.n] < b {
		low++
	}
	end := low
	for end < high && list[end].text[t.n] == b {
		end++
	}
	next := *t
	next.low, next.high, next.n = low, end, t.n+1
	if low == end || !next.literalLive() {
		return out
	}
	l := list[low]
	switch {
	case int(next.n) < len(l.text) || l.number:
		return add(out, next)
	case l.next != nil:
		f := t.frame
		call := &frame{kind: frameCall, parent: f, limit: f.limit}
		return add(out, thread{frame: call, at: placeValue, node: l.next})
	}
	return t.frame.complete(l.value, out)
}

// endLiteral ends a number and reads the byte after it.
func (t *thread) endLiteral(l *literal, b byte, out []thread) []thread {
	if slices.ContainsFunc(t.frame.taken, l.equals) {
		return out
	}
	for _, after := range t.frame.complete(l.value, nil) {
		out = step(&after, b, out)
	}
	return out
}

func (l *literal) equals(v *value) bool { return l.value != nil && l.value.equal(v) }

// literalLive reports whether one of the literals that are still possible may be used.
func (t *thread) literalLive() bool {
	taken := t.frame.taken
	if len(taken) == 0 {
		return true
	}
	for _, l := range t.node.literals[t.low:t.high] {
		if !slices.ContainsFunc(taken, l.equals) {
			return true
		}
	}
	return false
}

// digit is the text of one byte of a number. Go keeps such strings: it allocates nothing.
func digit(b byte) string { return string([]byte{b}) }

func (t *thread) stepNumber(b byte, out []thread) []thread {
	taken := takenNumbers(t.frame.taken)
	switch {
	case b >= '0' && b <= '9' || b == '.' || b == 'e' || b == 'E' || b == '+' || b == '-':
		next := *t
		if next.text = t.text + digit(b); t.numbers.extends(next.text, taken) {
			out = add(out, next)
		}
	case (b == ',' || b == ']' || b == '}') && t.numbers.finished(t.text, taken):
		for _, after := range t.frame.complete(t.numberValue(), nil) {
			out = step(&after, b, out)
		}
	}
	return out
}

// numberValue is nil where nobody needs it.
func (t *thread) numberValue() *value {
	if !t.frame.collects {
		return nil
	}
	return newNumber(t.text)
}

func (t *thread) stepText(b byte, out []thread) []thread {
	if t.unit.form == unitNone && b == '"' {
		if !t.texts.ends(t.q, t.n) || t.takenText() {
			return out
		}
		return t.frame.complete(t.textValue(), out)
	}
	next, c, done := t.spell(b)
	if !done {
		if next.unit.form != unitNone && next.unitLive() {
			out = add(out, next)
		}
		return out
	}
	if next.q = t.texts.d.step(t.q, c); next.q == dead {
		return out
	}
	next.n = t.texts.tally(t.n + 1)
	if t.frame.collects {
		next.text = t.text + string(c)
	}
	if next.textLive() {
		out = add(out, next)
	}
	return out
}

// spell reads a byte of a code point. done says that c is whole; else next stands inside one, or, when the byte
// does not fit, between two.
func (t *thread) spell(b byte) (next thread, c rune, done bool) {
	next = *t
	unit, c, done, ok := t.unit.next(b)
	if next.unit = unit; !ok {
		next.unit.form, done = unitNone, false
	}
	return next, c, done
}

func (t *thread) textValue() *value {
	if !t.frame.collects {
		return nil
	}
	return &value{kind: kindString, text: t.text}
}

// takenText reports whether the string so far is one that the next item must differ from.
func (t *thread) takenText() bool {
	return slices.ContainsFunc(t.frame.taken, func(v *value) bool { return v.kind == kindString && v.text == t.text })
}

// textLive reports whether the string so far can be finished.
func (t *thread) textLive() bool {
	p := t.texts
	if !p.live(t.q, t.n) {
		return false
	}
	taken := t.frame.taken
	if len(taken) == 0 {
		return true
	}
	begun := int32(0)
	for _, v := range taken {
		begun += one(v.kind == kindString && strings.HasPrefix(v.text, t.text))
	}
	return begun == 0 || p.atLeast(t.q, t.n) > begun
}

// unitLive reports whether the code point that has begun can be one that fits.
func (t *thread) unitLive() bool {
	p := t.texts
	n := p.tally(t.n + 1)
	if len(t.frame.taken) == 0 {
		live := func(q int32) bool { return p.live(q, n) }
		return t.unit.some(func(low, high rune) bool { return p.d.leads(t.q, low, high, live) })
	}
	return t.unit.some(func(low, high rune) bool {
		return p.between(t.q, n, low, high) > t.takenBetween(low, high)
	})
}

// takenBetween counts the strings to differ from that go on with a code point of a span.
func (t *thread) takenBetween(low, high rune) int64 {
	begun := int64(0)
	for _, v := range t.frame.taken {
		if rest, ok := strings.CutPrefix(v.text, t.text); ok && v.kind == kindString && rest != "" {
			c, _ := utf8.DecodeRuneInString(rest)
			begun += int64(one(c >= low && c <= high))
		}
	}
	return begun
}

func (t *thread) stepKey(b byte, out []thread) []thread {
	if t.unit.form == unitNone && b == '"' {
		return t.endKey(out)
	}
	next, c, done := t.spell(b)
	if !done {
		if next.unit.form != unitNone && next.keyUnitLive() {
			out = add(out, next)
		}
		return out
	}
	if t.unit.escaped() && !mayEscape(c) {
		return out
	}
	next.narrow(c)
	if next.q != dead {
		if next.q = t.frame.object.dynamic[t.claim].step(t.q, c); next.q != dead {
			next.text = t.text + string(c)
		}
	}
	if next.q == dead {
		next.text = ""
	}
	if next.keyLive() {
		out = add(out, next)
	}
	return out
}

// escaped reports that the code point is spelt as an escape.
func (u unit) escaped() bool { return u.form >= unitEscape }

// mayEscape reports whether a name may spell a character as an escape: where JSON asks for it, and beyond ASCII.
// Plain letters have one spelling only, so that what is forced stays forced.
func mayEscape(c rune) bool { return c < 0x20 || c >= 0x7f || c == '"' || c == '\\' }

// narrow keeps the declared names that go on with a code point.
func (t *thread) narrow(c rune) {
	names := t.frame.object.names
	var spelt [utf8.UTFMax]byte
	for _, b := range spelt[:utf8.EncodeRune(spelt[:], c)] {
		for t.low < t.high && (len(names[t.low]) <= int(t.n) || names[t.low][t.n] < b) {
			t.low++
		}
		end := t.low
		for end < t.high && names[end][t.n] == b {
			end++
		}
		t.high, t.n = end, t.n+1
	}
}

// keyUnitLive reports whether the code point that has begun can be one that goes on to a name.
func (t *thread) keyUnitLive() bool {
	escaped := t.unit.escaped()
	return t.unit.some(func(low, high rune) bool {
		if !escaped {
			return t.keyLeads(low, high)
		}
		for _, span := range [][2]rune{{0, 0x1f}, {'"', '"'}, {'\\', '\\'}, {0x7f, utf8.MaxRune}} {
			if from, to := max(low, span[0]), min(high, span[1]); from <= to && t.keyLeads(from, to) {
				return true
			}
		}
		return false
	})
}

func (t *thread) keyLeads(low, high rune) bool {
	p := t.frame.object
	for i := t.low; i < t.high; i++ {
		c, size := utf8.DecodeRuneInString(p.names[i][min(int(t.n), len(p.names[i])):])
		if size > 0 && c >= low && c <= high && p.may(t.frame, int(i), t.claim) {
			return true
		}
	}
	if t.q == dead {
		return false
	}
	d, used := p.dynamic[t.claim], int32(len(t.frame.dynamic)+len(p.names))
	return d.leads(t.q, low, high, func(q int32) bool { return d.count[q] == endless || d.count[q] > used })
}

// endKey reads the quote after a name.
func (t *thread) endKey(out []thread) []thread {
	f, p := t.frame, t.frame.object
	if t.low < t.high && len(p.names[t.low]) == int(t.n) {
		if g := p.with(f, int(t.low), t.claim); g != nil {
			out = add(out, thread{frame: g, at: placeColon, node: p.values[t.low][t.claim]})
		}
		return out
	}
	if t.q == dead || !p.dynamic[t.claim].ends[t.q] || slices.Contains(f.dynamic, t.text) {
		return out
	}
	node := p.rests[p.dynamic[t.claim].accept[t.q]][t.claim]
	if g := p.withOther(f, t.text, t.claim); g != nil && node.depth <= f.limit {
		out = add(out, thread{frame: g, at: placeColon, node: node})
	}
	return out
}

// more reports whether another member may come.
func (p *objectProgram) more(f *frame) bool { return len(p.keys(f, nil)) > 0 }
