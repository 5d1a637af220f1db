package simd

import "math"

// The functions of this file are written once, in steps that round the same
// way on every CPU. The float32 polynomials are those of the Cephes library
// (expf, logf; S. Moshier), within about 2 units in the last place.

const (
	log2e    = 1.44269504088896341
	ln2High  = 0.693359375      // few enough bits that n*ln2High is exact
	ln2Low   = -2.12194440e-4   // ln 2 - ln2High
	expMax   = 88.3762626647949 // above it exp overflows soon: clamped
	expMin   = -87.3365478515625
	bias     = 127      // of float32's exponent
	rounding = 12582912 // 1.5*2^23: adding and subtracting it rounds half to even
)

// Exp returns e^x: 0 below -87.34 (where float32 turns subnormal), and x is
// clamped to 88.376 above. Exp(NaN) is NaN.
func Exp(x float32) float32 {
	if x < expMin {
		return 0
	}
	if x > expMax {
		x = expMax
	}
	// The low bits of scaled are the rounded exponent with float32's bias.
	scaled := float32(x*log2e) + (rounding + bias)
	n := scaled - (rounding + bias)
	r := x - float32(n*ln2High)
	r -= float32(n * ln2Low)
	// In pairs of terms: half as many steps wait for the one before as in Horner's
	// scheme.
	square := float32(r * r)
	p := float32(1.9875691500e-4*r) + 1.3981999507e-3
	p = float32(p*square) + (float32(8.3334519073e-3*r) + 4.1665795894e-2)
	p = float32(p*square) + (float32(1.6666665459e-1*r) + 5.0000001201e-1)
	p = float32(p*square) + r + 1
	if n != n {
		return n
	}
	return p * math.Float32frombits(math.Float32bits(scaled)<<23)
}

// ExpInto writes Exp(x[i]-shift) to dst[i]; dst may be x.
func ExpInto(dst, x []float32, shift float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = Exp(x[i] - shift)
	}
}

// Log returns the natural logarithm of a normal positive x.
func Log(x float32) float32 {
	bits := math.Float32bits(x)
	e := float32(int32(bits>>23) - 126)
	m := math.Float32frombits(bits&0x007fffff | 0x3f000000) // [0.5, 1)
	if m < 0.707106781186547524 {
		e--
		m = m + m - 1
	} else {
		m--
	}
	z := float32(m * m)
	p := float32(7.0376836292e-2)
	p = float32(p*m) - 1.1514610310e-1
	p = float32(p*m) + 1.1676998740e-1
	p = float32(p*m) - 1.2420140846e-1
	p = float32(p*m) + 1.4249322787e-1
	p = float32(p*m) - 1.6668057665e-1
	p = float32(p*m) + 2.0000714765e-1
	p = float32(p*m) - 2.4999993993e-1
	p = float32(p*m) + 3.3333331174e-1
	y := float32(float32(p*m) * z)
	y += float32(e * ln2Low)
	y -= float32(z * 0.5)
	return m + y + float32(e*ln2High)
}

// Sigmoid returns 1/(1+e^-x).
func Sigmoid(x float32) float32 { return 1 / (1 + Exp(-x)) }

// Silu writes x*Sigmoid(x) to dst; dst may be x.
func Silu(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = v * Sigmoid(v)
	}
}

// MulSigmoid multiplies dst by Sigmoid(gate).
func MulSigmoid(dst, gate []float32) {
	gate = gate[:len(dst)]
	for i, g := range gate {
		dst[i] *= Sigmoid(g)
	}
}

// Sqrt returns the square root, correctly rounded.
func Sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// SinCos returns sine and cosine of an angle of at most 2^26 radians, computed
// in float64 (three-part reduction by pi/2, Taylor polynomials) and rounded once.
func SinCos(angle float32) (sin, cos float32) {
	const (
		twoOverPi = 0.63661977236758134308
		part1     = 1.57079632673412561417     // the first 33 bits of pi/2
		part2     = 6.07710050630396597660e-11 // the next 33
		part3     = 2.02226624879595063154e-21
	)
	x := float64(angle)
	k := math.Floor(float64(x*twoOverPi) + 0.5)
	r := x - float64(k*part1)
	r -= float64(k * part2)
	r -= float64(k * part3)
	z := float64(r * r)
	s, c := sinSeries(r, z), cosSeries(z)
	switch int64(k) & 3 {
	case 1:
		s, c = c, -s
	case 2:
		s, c = -s, -c
	case 3:
		s, c = -c, s
	}
	return float32(s), float32(c)
}

func sinSeries(r, z float64) float64 {
	p := -1.0 / 1307674368000
	p = float64(p*z) + 1.0/6227020800
	p = float64(p*z) - 1.0/39916800
	p = float64(p*z) + 1.0/362880
	p = float64(p*z) - 1.0/5040
	p = float64(p*z) + 1.0/120
	p = float64(p*z) - 1.0/6
	return r + float64(float64(r*z)*p)
}

func cosSeries(z float64) float64 {
	p := 1.0 / 20922789888000
	p = float64(p*z) - 1.0/87178291200
	p = float64(p*z) + 1.0/479001600
	p = float64(p*z) - 1.0/3628800
	p = float64(p*z) + 1.0/40320
	p = float64(p*z) - 1.0/720
	p = float64(p*z) + 1.0/24
	p = float64(p*z) - 0.5
	return 1 + float64(p*z)
}

// Pow returns base^exponent for a positive finite base, computed in float64
// by series and rounded once: the standard library's versions differ between
// architectures in the last bit.
func Pow(base, exponent float32) float32 {
	return float32(exp64(float64(float64(exponent) * log64(float64(base)))))
}

// log64 uses 2*atanh((m-1)/(m+1)) on the mantissa.
func log64(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = m*2, e-1
	}
	t := (m - 1) / (m + 1)
	z := float64(t * t)
	p := 0.0
	for k := 25; k >= 1; k -= 2 {
		p = float64(p*z) + 1/float64(k)
	}
	return float64(2*float64(t*p)) + float64(float64(e)*math.Ln2)
}

func exp64(x float64) float64 {
	n := math.Floor(float64(x/math.Ln2) + 0.5)
	r := x - float64(n*math.Ln2)
	p := 1.0
	for k := 16.0; k >= 1; k-- {
		p = 1 + float64(float64(p*r)/k)
	}
	return math.Ldexp(p, int(n))
}
