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
	x := []float32{0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.5, 127.5, 300, -127.5, -128.4, -300, 0.49999997, nan}
	want := []int8{0, 2, 2, 0, -2, -2, 126, 127, 127, -128, -128, -128, 0, -128}
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
		want := max(-128, min(127, math.RoundToEven(float64(v/scale))))
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
		HadamardInt8(&h, &q)
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

func TestKron(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, size := range [][2]int{{1, 1}, {2, 4}, {8, 16}, {16, 16}, {32, 32}} {
		ba, bb := size[0], size[1]
		z, a, b := random(r, ba*bb), random(r, ba*ba), random(r, bb*bb)
		out, tmp := make([]float32, ba*bb), make([]float32, ba*bb)
		Kron(out, tmp, z, a, b, ba, bb)
		for k := range ba {
			for l := range bb {
				var want, size float64
				for i := range ba {
					for j := range bb {
						term := float64(z[i*bb+j]) * float64(a[i*ba+k]) * float64(b[j*bb+l])
						want += term
						size += math.Abs(term)
					}
				}
				if math.Abs(float64(out[k*bb+l])-want) > 1e-6*size {
					t.Fatalf("%dx%d: out[%d,%d] = %g, want %g", ba, bb, k, l, out[k*bb+l], want)
				}
			}
		}
	}
}

func TestCQDots(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var h [Group]int16
	for i := range h {
		h[i] = int16(r.IntN(32769) - 16384)
	}
	var quads [256][4]int16
	var pairs [256][2]int16
	level := make([]int16, 16)
	for i := range level {
		level[i] = int16(r.IntN(255) - 127)
	}
	for b := range 256 {
		for k := range 4 {
			quads[b][k] = level[b>>(2*k)&3]
		}
		pairs[b] = [2]int16{level[b&15], level[b>>4]}
	}
	for bits := 1; bits <= 4; bits++ {
		packed := make([]byte, Group*bits/8)
		for i := range packed {
			packed[i] = byte(r.IntN(256))
		}
		var codes [Group]uint8
		UnpackCodes(&codes, packed, bits)
		var want int32
		for k := range codes {
			var code uint8
			for b := range bits {
				at := k*bits + b
				code |= packed[at/8] >> (at % 8) & 1 << b
			}
			if codes[k] != code {
				t.Fatalf("width %d: code %d is %d, want %d", bits, k, codes[k], code)
			}
			want += int32(level[code]) * int32(h[k])
		}
		switch bits {
		case 2:
			if got := CQDot2((*[32]byte)(packed), &h, &quads); got != want {
				t.Errorf("CQDot2 = %d, want %d", got, want)
			}
		case 4:
			if got := CQDot4((*[64]byte)(packed), &h, &pairs); got != want {
				t.Errorf("CQDot4 = %d, want %d", got, want)
			}
		}
	}
}
