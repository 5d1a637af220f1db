package simd

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

func random(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// TestReductionsKeepTheOrder computes the documented order another way: lane
// sums gathered one by one, then added in pairs.
func TestReductionsKeepTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 261 {
		x, y := random(r, n), random(r, n)
		if got, want := Dot(x, y), orderedSum(n, func(i int) float32 { return float32(x[i] * y[i]) }); got != want {
			t.Errorf("Dot of %d: %g, documented order gives %g", n, got, want)
		}
		if got, want := Sum(x), orderedSum(n, func(i int) float32 { return x[i] }); got != want {
			t.Errorf("Sum of %d: %g, documented order gives %g", n, got, want)
		}
	}
}

func orderedSum(n int, term func(int) float32) float32 {
	lane := func(j int) float32 {
		var s float32
		for i := j; i < n; i += 16 {
			s += term(i)
		}
		return s
	}
	var sum func(j, width int) float32
	sum = func(j, width int) float32 {
		if width == 16 {
			return lane(j)
		}
		return sum(j, 2*width) + sum(j+width, 2*width)
	}
	return sum(0, 1)
}

func TestDotIsAccurate(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 261 {
		x, y := random(r, n), random(r, n)
		var want, size float64
		for i := range x {
			want += float64(x[i]) * float64(y[i])
			size += math.Abs(float64(x[i]) * float64(y[i]))
		}
		if e := math.Abs(float64(Dot(x, y)) - want); e > 1e-6*size {
			t.Errorf("Dot of %d is off by %g", n, e)
		}
	}
}

func TestMaxAbs(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		x    []float32
		want float32
	}{{nil, 0}, {[]float32{-3, 2}, 3}, {[]float32{nan, 1, nan}, 1}, {[]float32{0}, 0}} {
		if got := MaxAbs(c.x); got != c.want {
			t.Errorf("MaxAbs(%v) = %g, want %g", c.x, got, c.want)
		}
	}
	if got := Max([]float32{-5, -2, -9}); got != -2 {
		t.Errorf("Max = %g, want -2", got)
	}
}

func TestQuantizeInt8RoundsHalfToEven(t *testing.T) {
	nan := float32(math.NaN())
	x := []float32{0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.5, 127.5, 300, -126.5, -127.4, -300, 0.49999997, nan}
	want := []int8{0, 2, 2, 0, -2, -2, 126, 127, 127, -126, -127, -127, 0, -127}
	got := make([]int8, len(x))
	QuantizeInt8(got, x, 1)
	for i := range x {
		if got[i] != want[i] {
			t.Errorf("QuantizeInt8(%g) = %d, want %d", x[i], got[i], want[i])
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 100000 {
		v, scale := float32(r.NormFloat64()*50), float32(0.01+r.Float64())
		want := max(-127, min(127, math.RoundToEven(float64(v/scale))))
		QuantizeInt8(got[:1], []float32{v}, scale)
		if float64(got[0]) != want {
			t.Fatalf("QuantizeInt8(%g, scale %g) = %d, want %g", v, scale, got[0], want)
		}
	}
}

// TestHadamard compares with the definition: entry (i, j) of the Sylvester
// matrix is -1 to the number of common set bits.
func TestHadamard(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var q [Group]int8
	for trial := range 4 {
		for i := range q {
			q[i] = int8(r.IntN(256) - 128)
			if trial == 0 {
				q[i] = -128 // the largest magnitude there is
			}
		}
		var h [Group]int16
		Rotate(h[:], q[:])
		var f [Group]float32
		for i := range f {
			f[i] = float32(q[i])
		}
		Hadamard(&f)
		for i := range h {
			want := 0
			for j := range q {
				want += int(q[j]) * (1 - 2*(bits.OnesCount(uint(i&j))&1))
			}
			if int(h[i]) != want || f[i] != float32(want) {
				t.Fatalf("trial %d, element %d: int8 %d, float %g, definition %d", trial, i, h[i], f[i], want)
			}
		}
	}
}

// TestCombine computes Kronecker products A^T Z B, which the pass makes of two
// calls, from their definition.
func TestCombine(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, size := range [][2]int{{1, 1}, {2, 4}, {8, 16}, {16, 16}, {32, 32}} {
		p, q := size[0], size[1]
		z, a, b := random(r, p*q), random(r, p*p), random(r, q*q)
		out, tmp := make([]float32, p*q), make([]float32, p*q)
		Combine(tmp, z, a, p, p, 1, p)
		Combine(out, b, tmp, p, q, q, 1)
		for k := range p {
			for l := range q {
				var want, size float64
				for i := range p {
					for j := range q {
						term := float64(z[i*q+j]) * float64(a[i*p+k]) * float64(b[j*q+l])
						want += term
						size += math.Abs(term)
					}
				}
				if math.Abs(float64(out[k*q+l])-want) > 1e-6*size {
					t.Fatalf("%dx%d: out[%d,%d] = %g, want %g", p, q, k, l, out[k*q+l], want)
				}
			}
		}
	}
}
