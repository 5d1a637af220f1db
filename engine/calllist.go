package engine

// callList follows the text of the call region byte by byte and knows when its list is complete. It
// judges nothing but the nesting: whether the text is a list of calls is decided when it is parsed.
type callList struct {
	first, last     byte // of the bytes that are no blanks
	depth           int
	quoted, escaped bool
	complete        bool
}

// write takes the next bytes of the text.
func (l *callList) write(text []byte) {
	for _, c := range text {
		l.next(c)
	}
}

func (l *callList) next(c byte) {
	if l.quoted {
		l.inString(c)
		return
	}
	switch c {
	case ' ', '\t', '\n', '\r':
		return
	case '"':
		l.quoted = true
	case '[', '{':
		l.depth++
	case ']', '}':
		if l.depth--; l.depth <= 0 {
			l.complete = true
		}
	}
	if l.first == 0 {
		l.first = c
	}
	l.last = c
}

func (l *callList) inString(c byte) {
	switch {
	case l.escaped:
		l.escaped = false
	case c == '\\':
		l.escaped = true
	case c == '"':
		l.quoted = false
		l.last = c
	}
}

// closable reports whether a `]` would complete a list that holds at least one element. An empty list is
// left open: a cut answer must not look like a refusal.
func (l *callList) closable() bool {
	return l.first == '[' && l.depth == 1 && l.last == '}' && !l.quoted
}
