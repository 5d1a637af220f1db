package model

// line is a sequence of tokens as far as the next one looks back at it beside keys and
// values. A session has one, and its forks have theirs.
type line struct {
	pos     int     // positions fed
	history []int32 // the last max(order)-1 ids, the newest last
	keptRaw []kept  // per layer: the newest projections, which the taps look back at
	memory  []kept  // per site: the newest value rows before the taps

	rawTrail, siteTrail trail // of keptRaw and of memory

	// A fork's positions from forked on have slots of their own, from slot on; those
	// before are the session's.
	forked, slot int

	first, n int // its tokens in the block
}

func newLine(m *Model) line {
	g := m.g
	l := line{forked: g.MaxSeqLen, rawTrail: newTrail(max(g.ConvTaps-1, 0))}
	_, _, raw := m.rawWidths()
	for range m.layers {
		l.keptRaw = append(l.keptRaw, newKept(&l.rawTrail, raw))
	}
	if len(m.sites) > 0 {
		l.siteTrail = newTrail((g.EngramConvTaps - 1) * g.EngramDilation)
	}
	for range m.sites {
		l.memory = append(l.memory, newKept(&l.siteTrail, g.Width))
	}
	if back := maxOrder(g.EngramOrders) - 1; back > 0 {
		l.history = make([]int32, back)
	}
	return l
}

// copyFrom makes l what other is, slots and tokens in the block aside.
func (l *line) copyFrom(other *line) {
	l.pos = other.pos
	copy(l.history, other.history)
	l.rawTrail.reset()
	l.siteTrail.reset()
	for i := range l.keptRaw {
		other.keptRaw[i].inOrder(l.keptRaw[i].data, &other.rawTrail)
	}
	for i := range l.memory {
		other.memory[i].inOrder(l.memory[i].data, &other.siteTrail)
	}
}

// beginLine makes ids the line's tokens in the block, behind those that are there.
func (s *Session) beginLine(l *line, ids []int32) {
	l.first, l.n = s.n, len(ids)
	for i, id := range ids {
		t := &s.tokens[s.n+i]
		t.id, t.pos, t.line = id, l.pos+i, l
	}
	l.rawTrail.plan(l.n)
	l.siteTrail.plan(l.n)
	s.n += l.n
	s.lines = append(s.lines, l)
}

// end makes the line's tokens in the block part of it.
func (l *line) end(ids []int32) {
	if k := len(l.history); k > 0 {
		if len(ids) < k {
			copy(l.history, l.history[len(ids):])
		}
		copy(l.history[max(k-len(ids), 0):], ids[max(len(ids)-k, 0):])
	}
	l.rawTrail.commit()
	l.siteTrail.commit()
	l.pos += l.n
}

// slotOf is where a token's keys and values go.
func (s *Session) slotOf(t *token) int {
	if l := t.line; t.pos >= l.forked {
		return l.slot + t.pos - l.forked
	}
	return s.kv.slot(t.pos, s.sink)
}

// find finds the slots that a token sees in its layer.
func (s *Session) find(t *token) {
	l, v := t.line, s.visible(t.layer, t.pos)
	t.seen = s.kv.find(&t.ranges, v, min(t.pos+1, l.forked), s.sink)
	if t.pos < l.forked {
		return
	}
	own := func(from, to int) slots { return slots{l.slot + from - l.forked, l.slot + to - l.forked} }
	if from := max(v.sinkFrom, l.forked); from < v.sinkTo { // a fork may begin within the sink
		t.seen = append(t.seen, own(from, v.sinkTo))
	}
	t.seen = append(t.seen, own(max(v.from, l.forked), t.pos+1))
}
