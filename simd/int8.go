package simd

// QuantizeInt8 writes round-half-even(x/scale), clipped to [-128, 127], to dst.
// scale is positive. What is not a number becomes -128.
func QuantizeInt8(dst []int8, x []float32, scale float32) {
	x = x[:len(dst)]
	for i := range dst {
		v := x[i] / scale
		if v > 127 {
			v = 127
		}
		if !(v >= -128) {
			v = -128
		}
		dst[i] = int8(v + rounding - rounding)
	}
}

// DotInt8 returns the exact sum of x[i]*y[i], for at most 131,071 elements.
func DotInt8(x, y []int8) int32 {
	y = y[:len(x)]
	var s int32
	for i := range x {
		s += int32(x[i]) * int32(y[i])
	}
	return s
}

// DotInt16 returns the exact sum of x[i]*y[i]; the caller knows that it fits.
func DotInt16(x, y []int16) int32 {
	y = y[:len(x)]
	var s0, s1 int32
	i := 0
	for ; i+2 <= len(x); i += 2 {
		s0 += int32(x[i]) * int32(y[i])
		s1 += int32(x[i+1]) * int32(y[i+1])
	}
	if i < len(x) {
		s0 += int32(x[i]) * int32(y[i])
	}
	return s0 + s1
}
