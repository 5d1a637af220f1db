package simd

// QuantizeInt8 writes round-half-even(x/scale), clipped to [-127, 127], to dst.
// scale is positive. What is not a number becomes -127. The reference clips to
// [-128, 127], but with scale = max|x|/127 nothing reaches -128 unless x is
// subnormal; without -128 a byte's magnitude is a byte.
func QuantizeInt8(dst []int8, x []float32, scale float32) {
	x = x[:len(dst)]
	for i := range dst {
		v := x[i] / scale
		if v > 127 {
			v = 127
		}
		if !(v >= -127) {
			v = -127
		}
		dst[i] = int8(v + rounding - rounding)
	}
}
