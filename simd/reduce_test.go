package simd

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
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

func TestMax(t *testing.T) {
	if got := Max([]float32{-5, -2, -9}); got != -2 {
		t.Errorf("Max = %g, want -2", got)
	}
}

func TestQuantizeRoundsHalfToEven(t *testing.T) {
	nan := float32(math.NaN())
	x := []float32{0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.5, 127, -126.5, -127, 0.49999997, nan}
	want := []int8{0, 2, 2, 0, -2, -2, 126, 127, -126, -127, 0, -127}
	got, scale := make([]int8, len(x)), []float32{0}
	Quantize(got, len(x), scale, x, len(x), 1)
	if !slices.Equal(got, want) || scale[0] != 1 {
		t.Errorf("Quantize(%g) = %d times %g, want %d times 1", x, got, scale, want)
	}
	if Quantize(got, 0, scale, []float32{0, nan}, 2, 1); scale[0] != 1 || got[0] != 0 || got[1] != -127 {
		t.Errorf("nothing above 0 becomes %d times %g", got[:2], scale)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 100000 {
		top, v := float32(0.01+r.Float64()), float32(0)
		for v = top + 1; v > top; v = float32(math.Abs(r.NormFloat64())) {
		}
		want := math.RoundToEven(float64(v / (top / 127)))
		Quantize(got, 0, scale, []float32{-top, v}, 2, 1)
		if got[0] != -127 || float64(got[1]) != want || scale[0] != top/127 {
			t.Fatalf("Quantize(%g, %g) = %d times %g, want %g times %g", -top, v, got[:2], scale, want, top/127)
		}
	}
}

// TestNormalize compares with float64.
func TestNormalize(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, n := range []int{1, 3, 48, 768} {
		x, gain, got := random(r, 3*n), random(r, n), make([]float32, 3*n)
		least := Normalize(got, gain, x)
		smallest := math.Inf(1)
		for row := range 3 {
			var squares float64
			for _, v := range x[row*n : (row+1)*n] {
				squares += float64(v) * float64(v)
			}
			a := 1 / math.Sqrt(squares/float64(n)+1e-6)
			smallest = min(smallest, a)
			for i := range n {
				want := float64(gain[i]) * float64(x[row*n+i]) * a
				if v := float64(got[row*n+i]); math.Abs(v-want) > 1e-6*math.Abs(want) {
					t.Errorf("value %d of row %d of length %d is %g, want %g", i, row, n, v, want)
				}
			}
		}
		if math.Abs(float64(least)-smallest) > 1e-6*smallest {
			t.Errorf("the smallest factor is %g, want %g", least, smallest)
		}
	}
	for _, bad := range []float32{1e20, float32(math.NaN()), float32(math.Inf(-1))} {
		x := []float32{1, bad, 1, 1}
		if least := Normalize(x, []float32{1, 1}, x); least != 0 {
			t.Errorf("a row with %g has the factor %g", bad, least)
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
