package simd

import (
	"math"
	"testing"
)

// relativeError compares with the standard library's float64 functions.
func relativeError(got float32, want float64) float64 {
	if want == 0 {
		return math.Abs(float64(got))
	}
	return math.Abs(float64(got)-want) / math.Abs(want)
}

func TestElementaryFunctions(t *testing.T) {
	check := func(name string, limit float64, lo, hi, step float32, got func(float32) float32, want func(float64) float64) {
		t.Helper()
		worst, at := 0.0, float32(0)
		for x := lo; x < hi; x += step {
			if e := relativeError(got(x), want(float64(x))); e > worst || e != e {
				worst, at = e, x
			}
		}
		if !(worst <= limit) {
			t.Errorf("%s: relative error %.2g at %g, want at most %.2g", name, worst, at, limit)
		}
	}
	check("exp", 2.5e-7, -87.3, 88.3, 0.0017, Exp, math.Exp)
	check("exp near 0", 2.5e-7, -1, 1, 0.00001, Exp, math.Exp)
	check("log", 2.5e-7, 1.5, 1e4, 0.37, Log, math.Log)
	check("log of small", 2.5e-7, 1e-6, 0.6, 0.0001, Log, math.Log)
	check("sigmoid", 4e-7, -80, 80, 0.013, Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) })
	check("sqrt", 6e-8, 0, 1e4, 0.31, Sqrt, math.Sqrt)
}

func TestExpEdges(t *testing.T) {
	inf := float32(math.Inf(1))
	nan := float32(math.NaN())
	for _, c := range []struct{ x, want float32 }{{0, 1}, {-88, 0}, {-inf, 0}} {
		if got := Exp(c.x); got != c.want {
			t.Errorf("Exp(%g) = %g, want %g", c.x, got, c.want)
		}
	}
	if got := Exp(inf); !(got > 2e38) || math.IsInf(float64(got), 0) {
		t.Errorf("Exp(+Inf) = %g, want the clamp's finite value", got)
	}
	if got := Exp(nan); got == got {
		t.Errorf("Exp(NaN) = %g", got)
	}
}

// TestSinCos holds every position of a context of 8192, and the largest angle
// the doc comment allows, to half a unit in the last place of 1.
func TestSinCos(t *testing.T) {
	worst := 0.0
	for p := float32(0); p < 9000; p += 0.37 {
		s, c := SinCos(p)
		ws, wc := math.Sincos(float64(p))
		worst = max(worst, math.Abs(float64(s)-ws), math.Abs(float64(c)-wc))
	}
	for _, p := range []float32{1 << 20, 1<<20 + 7, 1 << 26} {
		s, c := SinCos(p)
		ws, wc := math.Sincos(float64(p))
		worst = max(worst, math.Abs(float64(s)-ws), math.Abs(float64(c)-wc))
	}
	if worst > 6.1e-8 {
		t.Errorf("worst absolute error %.3g", worst)
	}
}

func TestPow(t *testing.T) {
	for _, base := range []float32{2, 10000, 100000, 1e6, 500.5} {
		for i := range 48 {
			e := float32(2*i) / 96
			want := math.Pow(float64(base), float64(e))
			if err := relativeError(Pow(base, e), want); err > 6.1e-8 {
				t.Errorf("Pow(%g, %g): relative error %.3g", base, e, err)
			}
		}
	}
}
