package simd

// Lanes is the number of partial sums of every float reduction.
const Lanes = 16

// tree adds the partial sums in the one order that all reductions share.
func tree(s *[Lanes]float32) float32 {
	for width := Lanes / 2; width > 0; width /= 2 {
		for j := range width {
			s[j] += s[j+width]
		}
	}
	return s[0]
}

// Dot returns the sum of x[i]*y[i].
func Dot(x, y []float32) float32 {
	var s [Lanes]float32
	y = y[:len(x)]
	i := 0
	for ; i+Lanes <= len(x); i += Lanes {
		a, b := (*[Lanes]float32)(x[i:]), (*[Lanes]float32)(y[i:])
		for j := range s {
			s[j] += float32(a[j] * b[j])
		}
	}
	for j := 0; i < len(x); i, j = i+1, j+1 {
		s[j] += float32(x[i] * y[i])
	}
	return tree(&s)
}

// DotRows writes Dot(row i of rows, x) to dst[i]; a row is as long as x.
func DotRows(dst, rows, x []float32) {
	for i := range dst {
		dst[i] = Dot(rows[i*len(x):(i+1)*len(x)], x)
	}
}

// Sum returns the sum of x.
func Sum(x []float32) float32 {
	var s [Lanes]float32
	i := 0
	for ; i+Lanes <= len(x); i += Lanes {
		a := (*[Lanes]float32)(x[i:])
		for j := range s {
			s[j] += a[j]
		}
	}
	for j := 0; i < len(x); i, j = i+1, j+1 {
		s[j] += x[i]
	}
	return tree(&s)
}

// Max returns the largest element of x, which is not empty; of zeros, +0. A NaN
// is never the result unless it is the first element.
func Max(x []float32) float32 {
	m := x[0]
	for _, v := range x[1:] {
		if v > m {
			m = v
		}
	}
	if m == 0 {
		return 0 // whichever zero came first
	}
	return m
}

// MaxAbs returns the largest magnitude in x, 0 for an empty x. NaNs are
// passed over.
func MaxAbs(x []float32) float32 {
	var m float32
	for _, v := range x {
		if v < 0 {
			v = -v
		}
		if v > m {
			m = v
		}
	}
	return m
}
