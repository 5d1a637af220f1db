package grammar

// unit is a code point of a string while it is being spelt: in UTF-8, or as an escape. The zero value is the
// place between two code points.
type unit struct {
	form uint8
	left uint8 // bytes or hex digits to come
	code rune  // of those that came
	high rune  // the first half of a surrogate pair
}

const (
	unitNone   uint8 = iota
	unitBytes2       // in UTF-8, by its length
	unitBytes3
	unitBytes4
	unitEscape // after a backslash
	unitHex    // in the digits of \u
	unitPair   // after the first half of a pair: a backslash comes
	unitPairU  // then a u
)

// next takes a byte. done says that c is a whole code point; the unit is then zero. ok is false for a byte that
// can't stand there; a quote between code points is not for this function.
func (u unit) next(b byte) (after unit, c rune, done, ok bool) {
	switch u.form {
	case unitNone:
		return beginUnit(b)
	case unitBytes2, unitBytes3, unitBytes4:
		if b&0xc0 != 0x80 {
			return u, 0, false, false
		}
		u.code, u.left = u.code<<6|rune(b&0x3f), u.left-1
	case unitEscape:
		if b == 'u' {
			return unit{form: unitHex, left: 4}, 0, false, true
		}
		c, ok := shortEscape(b)
		return unit{}, c, true, ok
	case unitPair:
		return unit{form: unitPairU, high: u.high}, 0, false, b == '\\'
	case unitPairU:
		return unit{form: unitHex, left: 4, high: u.high}, 0, false, b == 'u'
	case unitHex:
		digit, ok := hexDigit(b)
		if !ok {
			return u, 0, false, false
		}
		u.code, u.left = u.code<<4|digit, u.left-1
	}
	low, high := u.span()
	if low > high {
		return u, 0, false, false
	}
	if u.left > 0 {
		return u, 0, false, true
	}
	if u.form == unitHex && u.high == 0 && u.code >= surrogateFrom && u.code < 0xdc00 {
		return unit{form: unitPair, high: u.code}, 0, false, true
	}
	return unit{}, low, true, true
}

func beginUnit(b byte) (after unit, c rune, done, ok bool) {
	switch {
	case b == '\\':
		return unit{form: unitEscape}, 0, false, true
	case b < 0x20:
		return unit{}, 0, false, false
	case b < 0x80:
		return unit{}, rune(b), true, true
	case b >= 0xc2 && b < 0xe0:
		return unit{form: unitBytes2, left: 1, code: rune(b & 0x1f)}, 0, false, true
	case b >= 0xe0 && b < 0xf0:
		return unit{form: unitBytes3, left: 2, code: rune(b & 0x0f)}, 0, false, true
	case b >= 0xf0 && b < 0xf5:
		return unit{form: unitBytes4, left: 3, code: rune(b & 0x07)}, 0, false, true
	}
	return unit{}, 0, false, false
}

func shortEscape(b byte) (rune, bool) {
	switch b {
	case '"', '\\', '/':
		return rune(b), true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	}
	return 0, false
}

func hexDigit(b byte) (rune, bool) {
	switch {
	case b >= '0' && b <= '9':
		return rune(b - '0'), true
	case b >= 'a' && b <= 'f':
		return rune(b-'a') + 10, true
	case b >= 'A' && b <= 'F':
		return rune(b-'A') + 10, true
	}
	return 0, false
}

// span returns the code points that the unit can become, low > high for none. Halves of pairs count as the code
// points beyond the first plane that they lead to.
func (u unit) span() (low, high rune) {
	low, high = u.code, u.code
	for range u.left {
		if u.form == unitHex {
			low, high = low<<4, high<<4|15
		} else {
			low, high = low<<6, high<<6|63
		}
	}
	switch u.form {
	case unitNone, unitEscape:
		return 0, 0x10ffff
	case unitBytes2:
		return max(low, 0x80), high
	case unitBytes3:
		return clip(max(low, 0x800), high)
	case unitBytes4:
		return max(low, 0x10000), min(high, 0x10ffff)
	case unitPair, unitPairU:
		return pair(u.high, 0xdc00), pair(u.high, surrogateTo)
	}
	if u.high != 0 {
		low, high = max(low, 0xdc00), min(high, surrogateTo)
		return pair(u.high, low), pair(u.high, high)
	}
	if low >= 0xdc00 && high <= surrogateTo { // a second half without a first
		return 1, 0
	}
	return low, high
}

// clip takes surrogates off the ends of a span.
func clip(low, high rune) (rune, rune) {
	if low >= surrogateFrom && low <= surrogateTo {
		low = surrogateTo + 1
	}
	if high >= surrogateFrom && high <= surrogateTo {
		high = surrogateFrom - 1
	}
	return low, high
}

func pair(high, low rune) rune { return 0x10000 + (high-surrogateFrom)<<10 + low - 0xdc00 }

// some reports whether a code point that the unit can become satisfies ok, which is asked about spans of code
// points it need not tell apart: ok gets the ends of a span and says whether one in it fits.
func (u unit) some(ok func(low, high rune) bool) bool {
	if u.form == unitEscape {
		for _, b := range []byte(`"\/bfnrt`) {
			c, _ := shortEscape(b)
			if ok(c, c) {
				return true
			}
		}
		return ok(0, 0x10ffff)
	}
	low, high := u.span()
	if u.form != unitHex || u.high != 0 {
		return low <= high && ok(low, high)
	}
	// Digits that can become the first half of a pair lead beyond the first plane.
	if low <= min(high, surrogateFrom-1) && ok(low, min(high, surrogateFrom-1)) {
		return true
	}
	if first, last := max(low, surrogateFrom), min(high, 0xdbff); first <= last && ok(pair(first, 0xdc00), pair(last, surrogateTo)) {
		return true
	}
	return max(low, surrogateTo+1) <= high && ok(max(low, surrogateTo+1), high)
}
