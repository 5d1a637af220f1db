package simd

import "math"

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

// Normalize writes gain*x/rms(x) to dst, for each row of len(gain) values of x:
// (gain*x)*a, where a = 1/sqrt(Dot(x, x)/len(gain) + 1e-6). dst may be x. It
// returns the smallest a of all rows; 0 if one is not above 0, which is the mark
// of a row whose squares overflow, or that holds a NaN.
func Normalize(dst, gain, x []float32) float32 {
	n, least := len(gain), float32(math.MaxFloat32)
	for at := 0; at < len(x); at += n {
		row := x[at : at+n]
		a := 1 / Sqrt(Dot(row, row)/float32(n)+1e-6)
		switch {
		case !(a > 0):
			least = 0
		case a < least:
			least = a
		}
		for i, v := range row {
			dst[at+i] = float32(gain[i]*v) * a
		}
	}
	return least
}
