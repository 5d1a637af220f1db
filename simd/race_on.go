//go:build race && amd64 && !purego

package simd

import (
	"runtime"
	"unsafe"
)

// The race detector sees no access of assembly: declared tells it what each
// kernel reads and writes.

func reads[T any](x ...[]T) {
	for _, s := range x {
		if len(s) > 0 {
			runtime.RaceReadRange(unsafe.Pointer(&s[0]), len(s)*int(unsafe.Sizeof(s[0])))
		}
	}
}

func writes[T any](x []T) {
	if len(x) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(&x[0]), len(x)*int(unsafe.Sizeof(x[0])))
	}
}

func declared(k Kernels) Kernels {
	d := k
	d.Rotate = func(h []int16, q []int8) { reads(q); writes(h); k.Rotate(h, q) }
	d.ArrangeNarrow = func(dst, h []int16) { reads(h); writes(dst); k.ArrangeNarrow(dst, h) }
	d.ArrangeWide = func(dst, h []int16) { reads(h); writes(dst); k.ArrangeWide(dst, h) }
	d.MulNarrow = func(y []float32, stride int, m Tiles, l *Levels, x Inputs) {
		declareProduct(y, stride, m, x)
		k.MulNarrow(y, stride, m, l, x)
	}
	d.MulWide = func(y []float32, stride int, m Tiles, l *Levels, x Inputs) {
		declareProduct(y, stride, m, x)
		k.MulWide(y, stride, m, l, x)
	}
	d.Dequantize = func(dst *[Group]float32, packed []byte, points *[16]float32, norm float32) {
		reads(packed)
		reads(points[:])
		writes(dst[:])
		k.Dequantize(dst, packed, points, norm)
	}
	d.ScoreKeys = func(dst []float32, stride int, q []int8, scale []float32, keys []int8, keyScale []float32) {
		reads(q, keys)
		reads(scale, keyScale)
		for j := range scale {
			writes(dst[j*stride:][:len(keyScale)])
		}
		k.ScoreKeys(dst, stride, q, scale, keys, keyScale)
	}
	d.Weigh = func(w []float32, stride int, valueScale, total, largest []float32) {
		reads(valueScale)
		for j := range total {
			writes(w[j*stride:][:len(valueScale)])
		}
		writes(total)
		writes(largest)
		k.Weigh(w, stride, valueScale, total, largest)
	}
	d.SplitWeights = func(high, low []uint8, w []float32, stride, n int, factor []float32) {
		reads(factor)
		for j := range factor {
			at := j * stride
			reads(w[at : at+n])
			writes(high[at : at+n])
			writes(low[at : at+n])
		}
		k.SplitWeights(high, low, w, stride, n, factor)
	}
	d.SumValues = func(sums []int32, high, low []uint8, stride, dim int, values []int8) {
		for j := range len(sums) / (2 * dim) {
			reads(high[j*stride:][:len(values)/dim], low[j*stride:][:len(values)/dim])
		}
		reads(values)
		writes(sums)
		k.SumValues(sums, high, low, stride, dim, values)
	}
	d.JoinSums = func(dst []float32, n int, sums []int32, dim int, unit []float32) {
		reads(unit)
		for j := range unit {
			reads(sums[2*j*dim:][:n], sums[(2*j+1)*dim:][:n])
		}
		writes(dst[:n*len(unit)])
		k.JoinSums(dst, n, sums, dim, unit)
	}
	d.Rotary = func(x, cos, sin []float32) { reads(cos, sin); writes(x); k.Rotary(x, cos, sin) }
	d.Dot = func(x, y []float32) float32 { reads(x, y); return k.Dot(x, y) }
	d.DotRows = func(dst, rows, x []float32) { reads(rows, x); writes(dst); k.DotRows(dst, rows, x) }
	d.Sum = func(x []float32) float32 { reads(x); return k.Sum(x) }
	d.Max = func(x []float32) float32 { reads(x); return k.Max(x) }
	d.Normalize = func(dst, gain, x []float32) float32 { reads(gain, x); writes(dst); return k.Normalize(dst, gain, x) }
	d.Quantize = func(q []int8, room int, scale, x []float32, n int, factor float32) {
		reads(x[:n*len(scale)])
		writes(scale)
		for j := range scale {
			writes(q[j*room:][:n])
		}
		k.Quantize(q, room, scale, x, n, factor)
	}
	d.Axpy = func(dst []float32, a float32, x []float32) { reads(x); writes(dst); k.Axpy(dst, a, x) }
	d.Scale = func(dst []float32, a float32, x []float32) { reads(x); writes(dst); k.Scale(dst, a, x) }
	d.Add = func(dst, x []float32) { reads(x); writes(dst); k.Add(dst, x) }
	d.Sub = func(dst, x, y []float32) { reads(x, y); writes(dst); k.Sub(dst, x, y) }
	d.Mul = func(dst, x, y []float32) { reads(x, y); writes(dst); k.Mul(dst, x, y) }
	d.MulAdd = func(dst, x, y []float32) { reads(x, y); writes(dst); k.MulAdd(dst, x, y) }
	d.Convolve = func(dst, tap0, x0, tap1, x1, tap2, x2 []float32) {
		reads(tap0, x0, tap1, x1, tap2, x2)
		writes(dst)
		k.Convolve(dst, tap0, x0, tap1, x1, tap2, x2)
	}
	d.AddMul = func(dst, scale, gain, x, shift []float32) {
		reads(scale, gain, x, shift)
		writes(dst)
		k.AddMul(dst, scale, gain, x, shift)
	}
	d.Combine = func(out, rows, coef []float32, m, n, stride, step int) {
		reads(rows[:n*(len(out)/m)], coef[:(m-1)*stride+(n-1)*step+1])
		writes(out)
		k.Combine(out, rows, coef, m, n, stride, step)
	}
	d.Gather = func(dst, src []float32, index []int32) {
		reads(src)
		reads(index)
		writes(dst)
		k.Gather(dst, src, index)
	}
	d.Sinkhorn = func(m []float32, n, rounds int) { writes(m); k.Sinkhorn(m, n, rounds) }
	d.ExpInto = func(dst, x []float32, shift float32) { reads(x); writes(dst); k.ExpInto(dst, x, shift) }
	d.Silu = func(dst, x []float32) { reads(x); writes(dst); k.Silu(dst, x) }
	d.MulSigmoid = func(dst, gate []float32) { reads(gate); writes(dst); k.MulSigmoid(dst, gate) }
	d.ReadAll = func(p []byte) byte { reads(p); return k.ReadAll(p) }
	return d
}

func declareProduct(y []float32, stride int, m Tiles, x Inputs) {
	reads(m.Codes)
	reads(m.Norms)
	reads(x.Values)
	reads(x.First, x.Scale)
	reads(x.Bias)
	for t := range x.Tokens {
		writes(y[t*stride : t*stride+m.Rows])
	}
}
