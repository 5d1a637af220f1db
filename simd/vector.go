package simd

// Axpy adds a*x to dst.
func Axpy(dst []float32, a float32, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += float32(a * x[i])
	}
}

// MulAdd adds the element products x*y to dst.
func MulAdd(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] += float32(x[i] * y[i])
	}
}

// Convolve writes three taps of a convolution, element by element, to dst:
// (tap0*x0 + tap1*x1) + tap2*x2. dst may be x0.
func Convolve(dst, tap0, x0, tap1, x1, tap2, x2 []float32) {
	n := len(dst)
	tap0, x0, tap1, x1, tap2, x2 = tap0[:n], x0[:n], tap1[:n], x1[:n], tap2[:n], x2[:n]
	for i := range dst {
		dst[i] = float32(tap0[i]*x0[i]) + float32(tap1[i]*x1[i]) + float32(tap2[i]*x2[i])
	}
}

// Add adds x to dst.
func Add(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += x[i]
	}
}

// Sub writes x-y to dst; dst may be either.
func Sub(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
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

// Gather writes src[index[i]] to dst[i]. Every index is within src; dst and
// src do not overlap.
func Gather(dst, src []float32, index []int32) {
	index = index[:len(dst)]
	for i := range dst {
		dst[i] = src[index[i]]
	}
}

// AddMul writes (scale*(1+gain))*x + shift, element by element, to dst; dst may
// be x.
func AddMul(dst, scale, gain, x, shift []float32) {
	scale, gain, x, shift = scale[:len(dst)], gain[:len(dst)], x[:len(dst)], shift[:len(dst)]
	for i := range dst {
		dst[i] = float32(float32(scale[i]*(1+gain[i]))*x[i]) + shift[i]
	}
}

// Combine writes m sums of n rows, each of len(out)/m values, to out:
//
//	out[i] = sum over ascending j of coef[i*stride+j*step] * rows[j]
//
// The first term starts the sum. out and rows do not overlap.
func Combine(out, rows, coef []float32, m, n, stride, step int) {
	width := len(out) / m
	for i := range m {
		dst := out[i*width : (i+1)*width]
		Scale(dst, coef[i*stride], rows)
		for j := 1; j < n; j++ {
			Axpy(dst, coef[i*stride+j*step], rows[j*width:])
		}
	}
}
