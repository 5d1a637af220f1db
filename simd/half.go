package simd

import "math"

// HalfToFloat returns the value of an IEEE half.
func HalfToFloat(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exponent, fraction := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch {
	case exponent == 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	case exponent != 0:
		return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
	default:
		v := float32(fraction) / (1 << 24)
		if sign != 0 {
			v = -v
		}
		return v
	}
}
