package grammar

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// numberShape is a set of numbers. The zero value has all of them.
type numberShape struct {
	min, max         *big.Rat // nil: no bound
	minOpen, maxOpen bool     // the bound itself is not in
	integer          bool     // written without fraction and exponent
	multiple         *big.Rat // what all are multiples of; nil: no demand. Of integers at least 1
	notMultiples     []*big.Rat
	not              []*big.Rat
}

const (
	// maxDigits bounds the digits before the point, and those after it.
	maxDigits = 64
	// maxExponent keeps every number within what hosts hold in a double.
	maxExponent = 200
)

func (n *numberShape) above(bound *big.Rat, open bool) {
	if n.min != nil {
		if cmp := bound.Cmp(n.min); cmp < 0 || cmp == 0 && n.minOpen {
			return
		}
	}
	n.min, n.minOpen = bound, open
}

func (n *numberShape) below(bound *big.Rat, open bool) {
	if n.max != nil {
		if cmp := bound.Cmp(n.max); cmp > 0 || cmp == 0 && n.maxOpen {
			return
		}
	}
	n.max, n.maxOpen = bound, open
}

// and is the set of the numbers in both.
func (n *numberShape) and(m *numberShape) *numberShape {
	out := *n
	if m.min != nil {
		out.above(m.min, m.minOpen)
	}
	if m.max != nil {
		out.below(m.max, m.maxOpen)
	}
	out.integer = n.integer || m.integer
	out.multiple = commonMultiple(n.multiple, m.multiple)
	out.notMultiples = joinNumbers(n.notMultiples, m.notMultiples)
	out.not = joinNumbers(n.not, m.not)
	return &out
}

func joinNumbers(a, b []*big.Rat) []*big.Rat {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.ContainsFunc(a, func(y *big.Rat) bool { return x.Cmp(y) == 0 }) {
			out = append(out, x)
		}
	}
	return out
}

// plain reports that only the spelling is restricted.
func (n *numberShape) plain() bool {
	return n.min == nil && n.max == nil && len(n.notMultiples) == 0 && len(n.not) == 0 &&
		(n.multiple == nil || n.integer && n.multiple.Cmp(big.NewRat(1, 1)) == 0)
}

// holds reports whether a number is in the set.
func (n *numberShape) holds(x *big.Rat) bool {
	return n.inBounds(x) && (n.multiple == nil || isMultiple(x, n.multiple)) && !n.excluded(x)
}

func (n *numberShape) inBounds(x *big.Rat) bool {
	if n.min != nil {
		if cmp := x.Cmp(n.min); cmp < 0 || cmp == 0 && n.minOpen {
			return false
		}
	}
	if n.max != nil {
		if cmp := x.Cmp(n.max); cmp > 0 || cmp == 0 && n.maxOpen {
			return false
		}
	}
	return true
}

func (n *numberShape) excluded(x *big.Rat) bool {
	return slices.ContainsFunc(n.not, func(y *big.Rat) bool { return x.Cmp(y) == 0 }) ||
		slices.ContainsFunc(n.notMultiples, func(m *big.Rat) bool { return isMultiple(x, m) })
}

func isMultiple(x, of *big.Rat) bool { return new(big.Rat).Quo(x, of).IsInt() }

// some reports whether a number of the set, and none of taken, lies between two: from itself is in, to only
// when closed. nil stands for no bound.
func (n *numberShape) some(from, to *big.Rat, fromOpen, toOpen bool, taken []*big.Rat) bool {
	if n.contradicts() {
		return false
	}
	within := *n
	if from != nil {
		within.above(from, fromOpen)
	}
	if to != nil {
		within.below(to, toOpen)
	}
	if within.min == nil || within.max == nil {
		return true
	}
	free := func(x *big.Rat) bool {
		return !n.excluded(x) && !slices.ContainsFunc(taken, func(y *big.Rat) bool { return x.Cmp(y) == 0 })
	}
	if n.multiple == nil {
		cmp := within.min.Cmp(within.max)
		return cmp < 0 || cmp == 0 && !within.minOpen && !within.maxOpen && free(within.min)
	}
	return within.someMultiple(free, len(taken)+len(n.not))
}

// contradicts reports that each multiple that is demanded is one that is refused.
func (n *numberShape) contradicts() bool {
	return n.multiple != nil && slices.ContainsFunc(n.notMultiples, func(m *big.Rat) bool { return isMultiple(n.multiple, m) })
}

// someMultiple looks for a free multiple between the bounds. Beyond those that may be taken one by one, the
// multiples of notMultiples come in a rhythm: 512 steps show a gap where there is one, but for odd collections of
// primes.
func (n *numberShape) someMultiple(free func(*big.Rat) bool, taken int) bool {
	first := ceil(new(big.Rat).Quo(n.min, n.multiple))
	if x := new(big.Rat).Mul(new(big.Rat).SetInt(first), n.multiple); n.minOpen && x.Cmp(n.min) == 0 {
		first.Add(first, big.NewInt(1))
	}
	x := new(big.Rat).Mul(new(big.Rat).SetInt(first), n.multiple)
	for range taken + 512 {
		if !n.inBounds(x) {
			return false
		}
		if free(x) {
			return true
		}
		x = new(big.Rat).Add(x, n.multiple)
	}
	return false
}

func ceil(x *big.Rat) *big.Int {
	q, m := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	if m.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// size is how many numbers the set has, endless when there are many.
func (n *numberShape) size() int32 {
	if n.min == nil || n.max == nil {
		return endless
	}
	if n.multiple == nil {
		if n.min.Cmp(n.max) < 0 {
			return endless
		}
		return one(n.holds(n.min))
	}
	if width := new(big.Rat).Quo(new(big.Rat).Sub(n.max, n.min), n.multiple); width.Cmp(big.NewRat(4096, 1)) > 0 {
		return endless
	}
	count := int32(0)
	for x := new(big.Rat).Mul(new(big.Rat).SetInt(ceil(new(big.Rat).Quo(n.min, n.multiple))), n.multiple); x.Cmp(n.max) <= 0; x = new(big.Rat).Add(x, n.multiple) {
		count += one(n.holds(x))
	}
	return count
}

func one(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// finished reports whether a text is a whole number of the set, and none of taken.
func (n *numberShape) finished(text string, taken []*big.Rat) bool {
	last := text[len(text)-1]
	if last < '0' || last > '9' {
		return false
	}
	if n.plain() && taken == nil {
		return true
	}
	x, ok := new(big.Rat).SetString(text)
	return ok && n.holds(x) && !slices.ContainsFunc(taken, func(y *big.Rat) bool { return x.Cmp(y) == 0 })
}

// extends reports whether a text that is not empty can be the beginning of a number of the set that is none
// of taken.
func (n *numberShape) extends(text string, taken []*big.Rat) bool {
	digits := strings.TrimPrefix(text, "-")
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		return !n.integer && n.exponent(text[:len(text)-len(digits)+i], digits[i+1:], taken)
	}
	whole, fraction, pointed := strings.Cut(digits, ".")
	switch {
	case !onlyDigits(whole) || !onlyDigits(fraction), len(whole) > 1 && whole[0] == '0',
		len(whole) > maxDigits, len(fraction) > maxDigits:
		return false
	case whole == "":
		return !pointed && n.begins(text == "-", taken)
	case pointed && n.integer:
		return false
	}
	if n.plain() && taken == nil {
		return true
	}
	if n.decimals(text[0] == '-', whole, fraction, pointed, taken) || n.finished(text, taken) {
		return true
	}
	if n.integer || pointed && fraction == "" {
		return false
	}
	low, high, ok := n.exponents(text, taken)
	return ok && low <= high
}

func onlyDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// begins reports whether the set has a number with a sign, or without.
func (n *numberShape) begins(negative bool, taken []*big.Rat) bool {
	if !negative {
		return n.some(new(big.Rat), nil, false, false, taken)
	}
	return n.some(nil, new(big.Rat), false, false, taken) // -0 too
}

// decimals reports whether digits can be continued, without an exponent, to a number of the set.
func (n *numberShape) decimals(negative bool, whole, fraction string, pointed bool, taken []*big.Rat) bool {
	value, _ := new(big.Int).SetString(whole+fraction, 10)
	next := new(big.Int).Add(value, big.NewInt(1))
	between := func(low, high *big.Rat, closed bool) bool {
		if negative {
			return n.some(high.Neg(high), low.Neg(low), !closed, false, taken)
		}
		return n.some(low, high, false, !closed, taken)
	}
	if pointed {
		if len(fraction) == maxDigits {
			return false // it ends here or not at all
		}
		scale := power(len(fraction))
		return between(new(big.Rat).SetFrac(value, scale), new(big.Rat).SetFrac(next, scale), false)
	}
	most := maxDigits - len(whole)
	if whole == "0" {
		most = 0
	}
	for k := 0; k <= most; k++ {
		scale := power(k)
		low, high := new(big.Int).Mul(value, scale), new(big.Int).Mul(next, scale)
		if n.integer {
			high.Sub(high, big.NewInt(1))
		}
		if between(new(big.Rat).SetInt(low), new(big.Rat).SetInt(high), n.integer) {
			return true
		}
		if beyond(n, negative, low) {
			break
		}
	}
	return false
}

// beyond reports that longer numbers than one of size x only lead further out of the bounds.
func beyond(n *numberShape, negative bool, x *big.Int) bool {
	if x.Sign() == 0 {
		return false
	}
	r := new(big.Rat).SetInt(x)
	if negative {
		return n.min != nil && r.Neg(r).Cmp(n.min) < 0
	}
	return n.max != nil && r.Cmp(n.max) > 0
}

var powers = sync.OnceValue(func() *[maxDigits + 1]*big.Int {
	var out [maxDigits + 1]*big.Int
	for i := range out {
		out[i] = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(i)), nil)
	}
	return &out
})

func power(n int) *big.Int { return powers()[n] }

// exponents returns the exponents that bring a mantissa into the bounds. Where single numbers are excluded,
// or only multiples are in, none is written.
func (n *numberShape) exponents(mantissa string, taken []*big.Rat) (low, high int, ok bool) {
	if n.multiple != nil || len(n.not)+len(n.notMultiples)+len(taken) > 0 {
		return 0, 0, false
	}
	if n.min == nil && n.max == nil {
		return -maxExponent, maxExponent, true
	}
	m, _ := new(big.Rat).SetString(mantissa)
	if m.Sign() == 0 {
		return -maxExponent, maxExponent, n.inBounds(m)
	}
	// The values go one way as the exponent grows: outwards from zero.
	tooNear := func(x *big.Rat) bool {
		if m.Sign() > 0 {
			return n.min != nil && (x.Cmp(n.min) < 0 || n.minOpen && x.Cmp(n.min) == 0)
		}
		return n.max != nil && (x.Cmp(n.max) > 0 || n.maxOpen && x.Cmp(n.max) == 0)
	}
	tooFar := func(x *big.Rat) bool { return !n.inBounds(x) && !tooNear(x) }
	first := func(stop func(*big.Rat) bool) int { // the least exponent at which stop holds
		lo, hi := -maxExponent, maxExponent+1
		for lo < hi {
			mid := (lo + hi) >> 1
			if stop(shift(m, mid)) {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		return lo
	}
	low = first(func(x *big.Rat) bool { return !tooNear(x) })
	high = first(tooFar) - 1
	return low, high, low <= high
}

// shift is x times ten to the power of e.
func shift(x *big.Rat, e int) *big.Rat {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil)
	if e < 0 {
		return new(big.Rat).Quo(x, new(big.Rat).SetInt(p))
	}
	return new(big.Rat).Mul(x, new(big.Rat).SetInt(p))
}

// exponent reports whether the text after the e can be continued to an exponent that fits the mantissa.
func (n *numberShape) exponent(mantissa, text string, taken []*big.Rat) bool {
	if last := mantissa[len(mantissa)-1]; last < '0' || last > '9' {
		return false
	}
	low, high, ok := n.exponents(mantissa, taken)
	if !ok {
		return false
	}
	digits := strings.TrimLeft(text, "+-")
	if len(text)-len(digits) > 1 || len(digits) > 3 || !onlyDigits(digits) {
		return false
	}
	positive, negative := high >= 0, low <= 0
	if text != digits {
		positive, negative = positive && text[0] == '+', negative && text[0] == '-'
	} else if digits != "" {
		negative = false
	}
	if digits == "" {
		return positive || negative
	}
	value, err := strconv.Atoi(digits)
	if err != nil {
		return false
	}
	for rest := 3 - len(digits); rest >= 0; rest-- {
		from, to := value, value
		for range rest {
			from, to = from*10, to*10+9
		}
		if positive && from <= high && to >= low || negative && -from >= low && -to <= high {
			return true
		}
	}
	return false
}
