package simd

// Quantize rounds rows of n floats, times factor, to int8: row j of x, x[j*n:],
// goes to q[j*room:]; there are len(scale) rows. The row's scale is the largest
// magnitude of x*factor divided by 127, or 1 if nothing is above 0; NaNs are passed over.
// The values are round-half-even(x*factor/scale), clipped to [-127, 127]; what is
// not a number becomes -127.
//
// The reference clips to [-128, 127], but with this scale nothing reaches -128
// unless x is subnormal; without -128 a byte's magnitude is a byte.
func Quantize(q []int8, room int, scale, x []float32, n int, factor float32) {
	for j := range scale {
		row := x[j*n : (j+1)*n]
		scale[j] = 1
		if top := maxAbs(row, factor); top > 0 {
			scale[j] = top / 127
		}
		for i, v := range row {
			q[j*room+i] = roundInt8(float32(v*factor) / scale[j])
		}
	}
}

func maxAbs(x []float32, factor float32) (top float32) {
	for _, v := range x {
		if v *= factor; v < 0 {
			v = -v
		}
		if v > top {
			top = v
		}
	}
	return top
}

func roundInt8(v float32) int8 {
	if v > 127 {
		v = 127
	}
	if !(v >= -127) {
		v = -127
	}
	return int8(v + rounding - rounding) // half to even: see rounding
}
