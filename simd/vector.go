package simd

// Axpy adds a*x to dst.
func Axpy(dst []float32, a float32, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += float32(a * x[i])
	}
}

// AxpyInt8 adds a*x to dst.
func AxpyInt8(dst []float32, a float32, x []int8) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += float32(a * float32(x[i]))
	}
}

// MulAdd adds the element products x*y to dst.
func MulAdd(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] += float32(x[i] * y[i])
	}
}

// Add adds x to dst.
func Add(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += x[i]
	}
}

// Scale writes a*x to dst; dst may be x.
func Scale(dst []float32, a float32, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = a * x[i]
	}
}

// Mul writes the element products x*y to dst; dst may be either.
func Mul(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

// ScaleMul writes (gain*x)*a to dst; dst may be x.
func ScaleMul(dst, gain, x []float32, a float32) {
	gain, x = gain[:len(dst)], x[:len(dst)]
	for i := range dst {
		dst[i] = float32(gain[i]*x[i]) * a
	}
}

// Gather writes src[index[i]] to dst[i]. Every index is within src; dst and
// src do not overlap.
func Gather(dst, src []float32, index []int32) {
	index = index[:len(dst)]
	for i := range dst {
		dst[i] = src[index[i]]
	}
}
