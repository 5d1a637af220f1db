package simd

import (
	"math"
	"slices"
	"testing"
)

// mistakes are what assembly gets wrong although its results are nearly right:
// each is the definition with one of them.
var mistakes = map[string]struct {
	field   string
	mistake func(k *Kernels)
}{
	"fused Axpy": {"Axpy", func(k *Kernels) {
		k.Axpy = func(dst []float32, a float32, x []float32) {
			for i := range dst {
				dst[i] = fused(a, x[i], dst[i])
			}
		}
	}},
	"fused Dot": {"Dot", func(k *Kernels) {
		k.Dot = func(x, y []float32) float32 {
			var s [Lanes]float32
			for i := range x {
				s[i%Lanes] = fused(x[i], y[i], s[i%Lanes])
			}
			return tree(&s)
		}
	}},
	"lanes added as neighbours": {"Sum", func(k *Kernels) {
		k.Sum = func(x []float32) float32 {
			var s [Lanes]float32
			for i := range x {
				s[i%Lanes] += x[i]
			}
			for n := Lanes / 2; n > 0; n /= 2 {
				for j := range n {
					s[j] = s[2*j] + s[2*j+1]
				}
			}
			return s[0]
		}
	}},
	"a sum that starts with its first term": {"Sum", func(k *Kernels) {
		k.Sum = func(x []float32) float32 {
			if !slices.ContainsFunc(x, func(v float32) bool { return v != 0 || !math.Signbit(float64(v)) }) && len(x) >= Lanes {
				return minusZero
			}
			return Sum(x)
		}
	}},
	"the last of equal maxima": {"Max", func(k *Kernels) {
		k.Max = func(x []float32) float32 {
			m := x[0]
			for _, v := range x {
				if v >= m {
					m = v
				}
			}
			return m
		}
	}},
	"a leading NaN passed over": {"Max", func(k *Kernels) {
		k.Max = func(x []float32) float32 {
			if x[0] != x[0] && len(x) > 1 {
				x = x[1:]
			}
			return Max(x)
		}
	}},
	"a later NaN as maximum": {"Max", func(k *Kernels) { k.Max = func(x []float32) float32 { return slices.Max(x) + 0*x[0] } }},
	"NaN as magnitude": {"Quantize", quantizer(func(row []float32, scale float32) float32 {
		if slices.ContainsFunc(row, func(v float32) bool { return v != v }) {
			return nan
		}
		return scale
	}, roundInt8)},
	"a scale of 0": {"Quantize", quantizer(func(row []float32, scale float32) float32 {
		return maxAbs(row, 1) / 127
	}, roundInt8)},
	"NaN as 0": {"Quantize", quantizer(keepScale, func(v float32) int8 {
		if v != v {
			return 0
		}
		return roundInt8(v)
	})},
	"half away from zero": {"Quantize", quantizer(keepScale, func(v float32) int8 {
		if v != v {
			return -127
		}
		return int8(math.Round(float64(max(-127, min(127, v)))))
	})},
	"-128": {"Quantize", quantizer(keepScale, func(v float32) int8 {
		if v < -127 {
			return -128
		}
		return roundInt8(v)
	})},
	"times the reciprocal": {"Quantize", func(k *Kernels) {
		k.Quantize = func(q []int8, room int, scale, x []float32, n int, factor float32) {
			Quantize(q, room, scale, x, n, factor)
			for j, s := range scale {
				for i, v := range x[j*n : (j+1)*n] {
					q[j*room+i] = roundInt8(float32(v*factor) * (1 / s))
				}
			}
		}
	}},
	"a gain times a factor": {"Normalize", func(k *Kernels) {
		k.Normalize = func(dst, gain, x []float32) float32 {
			ones := slices.Repeat([]float32{1}, len(gain))
			least := Normalize(dst, ones, x)
			for i := range dst {
				dst[i] *= gain[i%len(gain)]
			}
			return least
		}
	}},
	"a NaN as the smallest factor": {"Normalize", func(k *Kernels) {
		k.Normalize = func(dst, gain, x []float32) float32 {
			broken := slices.ContainsFunc(x, func(v float32) bool { return v != v })
			if least := Normalize(dst, gain, x); !broken {
				return least
			}
			return nan
		}
	}},
	"the last taps first": {"Convolve", func(k *Kernels) {
		k.Convolve = func(dst, tap0, x0, tap1, x1, tap2, x2 []float32) {
			for i := range dst {
				dst[i] = float32(tap0[i]*x0[i]) + (float32(tap1[i]*x1[i]) + float32(tap2[i]*x2[i]))
			}
		}
	}},
	"subnormals flushed": {"Scale", func(k *Kernels) {
		k.Scale = func(dst []float32, a float32, x []float32) {
			Scale(dst, a, x)
			flush(dst)
		}
	}},
	"the smallest exponential for 0": {"ExpInto", func(k *Kernels) {
		k.ExpInto = func(dst, x []float32, shift float32) {
			for i, v := range x {
				dst[i] = Exp(max(v-shift, expMin))
			}
		}
	}},
	"clamped NaN": {"ExpInto", func(k *Kernels) {
		k.ExpInto = func(dst, x []float32, shift float32) {
			for i, v := range x {
				if v -= shift; v != v {
					v = expMax
				}
				dst[i] = Exp(v)
			}
		}
	}},
	"a division for two operations": {"Silu", func(k *Kernels) {
		k.Silu = func(dst, x []float32) {
			for i, v := range x {
				dst[i] = v / (1 + Exp(-v))
			}
		}
	}},
	"factors in another order": {"ScoreKeys", func(k *Kernels) {
		k.ScoreKeys = func(dst []float32, stride int, q []int8, scale []float32, keys []int8, keyScale []float32) {
			ones := slices.Repeat([]float32{1}, len(keyScale))
			ScoreKeys(dst, stride, q, scale, keys, ones)
			for j := range scale {
				row := dst[j*stride:][:len(ones)]
				Mul(row, row, keyScale)
			}
		}
	}},
	"the total of weights": {"Weigh", func(k *Kernels) {
		k.Weigh = func(w []float32, stride int, valueScale, total, largest []float32) {
			Weigh(w, stride, valueScale, total, largest)
			for j := range total {
				total[j] = Sum(w[j*stride:][:len(valueScale)])
			}
		}
	}},
	"negative weights as the largest": {"Weigh", func(k *Kernels) {
		k.Weigh = func(w []float32, stride int, valueScale, total, largest []float32) {
			Weigh(w, stride, valueScale, total, largest)
			for j := range largest {
				largest[j] = Max(w[j*stride:][:len(valueScale)])
			}
		}
	}},
	"digits truncated": {"SplitWeights", func(k *Kernels) {
		k.SplitWeights = func(high, low []uint8, w []float32, stride, n int, factor []float32) {
			for j, f := range factor {
				for i := j * stride; i < j*stride+n; i++ {
					v := int(w[i] * f)
					high[i], low[i] = uint8(v>>7), uint8(v&127)
				}
			}
		}
	}},
	"digits joined as integers": {"JoinSums", func(k *Kernels) {
		k.JoinSums = func(dst []float32, n int, sums []int32, dim int, unit []float32) {
			for j, u := range unit {
				for i := range n {
					dst[j*n+i] = float32(128*int64(sums[2*j*dim+i])+int64(sums[(2*j+1)*dim+i])) * u
				}
			}
		}
	}},
	"-128 saturated": {"Rotate", func(k *Kernels) {
		k.Rotate = func(h []int16, q []int8) {
			p := slices.Clone(q)
			for i := range p {
				p[i] = max(p[i], -127)
			}
			Rotate(h, p)
		}
	}},
	"steps in another order": {"Dequantize", func(k *Kernels) {
		k.Dequantize = func(dst *[Group]float32, packed []byte, points *[16]float32, norm float32) {
			bits := len(packed) * 8 / Group
			for i := range dst {
				dst[i] = points[packed[i*bits/8]>>(i*bits%8)&(1<<bits-1)]
			}
			for _, step := range []int{1, 64, 2, 32, 4, 16, 8} {
				for i := range dst {
					if i&step == 0 {
						dst[i], dst[i+step] = dst[i]+dst[i+step], dst[i]-dst[i+step]
					}
				}
			}
			Scale(dst[:], norm, dst[:])
		}
	}},
	"fused Rotary": {"Rotary", func(k *Kernels) {
		k.Rotary = func(x, cos, sin []float32) {
			n := len(cos)
			for ; len(x) > 0; x = x[2*n:] {
				for i := range n {
					p, q := x[i], x[n+i]
					x[i], x[n+i] = fused(p, cos[i], -float32(q*sin[i])), fused(q, cos[i], float32(p*sin[i]))
				}
			}
		}
	}},
	"a sum that starts with 0": {"Combine", func(k *Kernels) {
		k.Combine = func(out, rows, coef []float32, m, n, stride, step int) {
			Combine(out, rows, coef, m, n, stride, step)
			for i := range out {
				out[i] += 0
			}
		}
	}},
	"division by the sum": {"Sinkhorn", func(k *Kernels) {
		k.Sinkhorn = func(m []float32, n, rounds int) {
			for range rounds {
				for i := range 2 * n {
					first, stride := i*n, 1
					if i >= n {
						first, stride = i-n, n
					}
					sum := m[first]
					for j := 1; j < n; j++ {
						sum += m[first+j*stride]
					}
					for j := range n {
						m[first+j*stride] /= sum
					}
				}
			}
		}
	}},
	"subnormal norms flushed": {"MulNarrow", func(k *Kernels) {
		k.MulNarrow = func(y []float32, stride int, m Tiles, l *Levels, x Inputs) {
			m.Norms = slices.Clone(m.Norms)
			for i, v := range m.Norms {
				if v&0x7c00 == 0 {
					m.Norms[i] = v & 0x8000
				}
			}
			MulNarrow(y, stride, m, l, x)
		}
	}},
	"the offset left out": {"MulWide", func(k *Kernels) {
		k.MulWide = func(y []float32, stride int, m Tiles, l *Levels, x Inputs) {
			less := *l
			less.Offset = 0
			MulWide(y, stride, m, &less, x)
		}
	}},
	"whole tiles written": {"MulWide", func(k *Kernels) {
		k.MulWide = func(y []float32, stride int, m Tiles, l *Levels, x Inputs) {
			MulWide(y, stride, m, l, x)
			if m.Rows%TileRows != 0 && len(y) > m.Rows {
				y[m.Rows] = 0
			}
		}
	}},
}

// fused returns x*y+z with the product not rounded.
func fused(x, y, z float32) float32 { return float32(float64(x)*float64(y) + float64(z)) }

func flush(x []float32) {
	for i, v := range x {
		if math.Abs(float64(v)) < 0x1p-126 {
			x[i] = 0
		}
	}
}

// quantizer makes a kernel of a way to change the scale and one to round.
func quantizer(rescale func(row []float32, scale float32) float32, round func(v float32) int8) func(k *Kernels) {
	return func(k *Kernels) {
		k.Quantize = func(q []int8, room int, scale, x []float32, n int, factor float32) {
			Quantize(q, room, scale, x, n, factor)
			for j := range scale {
				row := x[j*n : (j+1)*n]
				scale[j] = rescale(row, scale[j])
				for i, v := range row {
					q[j*room+i] = round(float32(v*factor) / scale[j])
				}
			}
		}
	}
}

func keepScale(_ []float32, scale float32) float32 { return scale }

// TestMistakesAreFound shows that the trials' numbers tell such mistakes from
// the definition.
func TestMistakesAreFound(t *testing.T) {
	for name, m := range mistakes {
		k := generic()
		m.mistake(&k)
		if bodyOf(m.field).check(&k) == nil {
			t.Errorf("%s: %s passes for right", m.field, name)
		}
	}
}
