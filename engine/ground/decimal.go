package ground

import (
	"strconv"
	"strings"
)

// decimal is a number's value: digits without zeros at either end, "e", the power of
// ten that they count; with a "-" in front of negative ones. "20", "20.0" and "2e1" are
// all "2e1", and zero is "0e0". Values are compared as they were written, not as floats.
type decimal string

const zero decimal = "0e0"

// mostExponent bounds the powers of ten that are told apart.
const mostExponent = 1 << 30

// newDecimal is the value of digits, which are only that, times a power of ten.
func newDecimal(negative bool, digits string, exponent int) decimal {
	digits = strings.TrimLeft(digits, "0")
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return zero
	}
	exponent += len(digits) - len(short)
	sign := ""
	if negative {
		sign = "-"
	}
	return decimal(sign + short + "e" + strconv.Itoa(exponent))
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
			return "", false
		}
		exponent = n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if !onlyDigits(whole) || fraction != "" && !onlyDigits(fraction) {
		return "", false
	}
	return newDecimal(negative, whole+fraction, exponent-len(fraction)), true
}

func onlyDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// times multiplies by a power of ten.
func (d decimal) times(power int) decimal {
	if d == zero {
		return d
	}
	digits, _, _ := strings.Cut(string(d), "e")
	return decimal(digits + "e" + strconv.Itoa(d.exponent()+power))
}

// negative is the value with its sign turned to minus.
func (d decimal) negative() decimal {
	if d == zero || d[0] == '-' {
		return d
	}
	return "-" + d
}

// exponent is the power of ten that the digits count.
func (d decimal) exponent() int {
	_, power, _ := strings.Cut(string(d), "e")
	n, _ := strconv.Atoi(power)
	return n
}
