package ground

import (
	"strconv"
	"strings"
)

// decimal is a number's value: digits without zeros at either end, and the power of ten
// that they count. "20", "20.0" and "2e1" are all 2 times ten; zero has no digits.
// Values are compared as they were written, not as floats.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// mostExponent bounds the powers of ten that are told apart.
const mostExponent = 1 << 30

// newDecimal is the value of digits, which are only that, times a power of ten.
func newDecimal(negative bool, digits string, exponent int) decimal {
	digits = strings.TrimLeft(digits, "0")
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return decimal{}
	}
	return decimal{negative, short, exponent + len(digits) - len(short)}
}

// constant is the value of a number in this package.
func constant(text string) decimal {
	d, _ := parseDecimal(text)
	return d
}

// parseDecimal reads a JSON number; ok is false for anything else and for exponents
// beyond all measure.
func parseDecimal(text string) (d decimal, ok bool) {
	rest, negative := strings.CutPrefix(text, "-")
	mantissa, power, scientific := strings.Cut(strings.ToLower(rest), "e")
	exponent := 0
	if scientific {
		n, err := strconv.Atoi(power)
		if err != nil || n > mostExponent || n < -mostExponent {
			return decimal{}, false
		}
		exponent = n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if !onlyDigits(whole) || fraction != "" && !onlyDigits(fraction) {
		return decimal{}, false
	}
	return newDecimal(negative, whole+fraction, exponent-len(fraction)), true
}

func onlyDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// String is a JSON number of the value.
func (d decimal) String() string {
	if d.digits == "" {
		return "0"
	}
	sign := ""
	if d.negative {
		sign = "-"
	}
	return sign + d.digits + "e" + strconv.Itoa(d.exponent)
}

// times multiplies by a power of ten.
func (d decimal) times(power int) decimal { return newDecimal(d.negative, d.digits, d.exponent+power) }

// minus is the value with its sign turned to minus.
func (d decimal) minus() decimal { return newDecimal(true, d.digits, d.exponent) }

// plus adds a fraction between 0 and 1 to the magnitude of a whole number.
func (d decimal) plus(fraction decimal) decimal {
	if d.exponent > 1000 { // beyond what anybody adds a half to
		return d
	}
	places := -fraction.exponent
	zeros := strings.Repeat("0", d.exponent+places-len(fraction.digits))
	return newDecimal(d.negative, d.digits+zeros+fraction.digits, -places)
}
