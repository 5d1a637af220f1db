package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// BenchmarkKernels times each kernel at the sizes that one token, or a block of
// 32, has in one layer of the shipped geometry. "least-ns" is the fastest of the
// runs: on a busy machine it says more than the mean.
func BenchmarkKernels(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	// Kernels run on the same numbers again and again; what they write over may end
	// among the subnormal ones, which are slow.
	var refill []func()
	floats := func(n int) []float32 {
		x := random(r, n)
		start := slices.Clone(x)
		refill = append(refill, func() { copy(x, start) })
		return x
	}
	const width, lanes, hada = 768, 4 * 768, 1024
	x, y, z := floats(lanes), floats(lanes), floats(lanes)
	out, tmp, a := floats(hada), floats(hada), floats(hada)
	q8 := make([]int8, lanes)
	for i := range q8 {
		q8[i] = int8(r.IntN(255) - 127)
	}
	h, arranged := make([]int16, lanes), make([]int16, 32*lanes)
	index := make([]int32, hada)
	for i, p := range r.Perm(hada) {
		index[i] = int32(p)
	}
	const slots = 304
	keys, values := make([]int8, slots*48), make([]int8, slots*64)
	const queries = 6 // of a key-value head
	high, low := make([]uint8, queries*slots), make([]uint8, queries*slots)
	sums := make([]int32, queries*128)
	scores, rowScale := floats(queries*slots), floats(queries)
	valueScale := slices.Repeat([]float32{1}, slots)
	var level [16]int16
	for i := range level {
		level[i] = int16(i*17 - 120)
	}
	levels := NewLevels(level, 0.1, 0.01)
	matrix := func(rows, groups, tile int) Tiles {
		n := (rows + 15) / 16 * groups
		return Tiles{Rows: rows, Groups: groups, Codes: make([]byte, n*tile), Norms: make([]uint16, n*16)}
	}
	inputs := func(tokens, groups int) Inputs {
		return Inputs{Tokens: tokens, Values: arranged[:tokens*groups*Group], First: make([]float32, tokens*groups),
			Bias: make([]int32, tokens*groups), Scale: make([]float32, tokens)}
	}
	qkvg, maps := matrix(1568, 6, NarrowTile), matrix(24, 24, WideTile)
	head := matrix(8192, 6, WideTile)
	y32 := make([]float32, 32*1568)
	logits := make([]float32, 8192)
	for _, k := range All() {
		if !k.Supported() {
			continue
		}
		for _, c := range []struct {
			name string
			run  func()
		}{
			{"MulNarrow/1568x768x1", func() { k.MulNarrow(y32, 1568, qkvg, levels, inputs(1, 6)) }},
			{"MulNarrow/1568x768x32", func() { k.MulNarrow(y32, 1568, qkvg, levels, inputs(32, 6)) }},
			{"MulWide/24x3072x1", func() { k.MulWide(y32, 24, maps, levels, inputs(1, 24)) }},
			{"MulWide/24x3072x32", func() { k.MulWide(y32, 24, maps, levels, inputs(32, 24)) }},
			{"MulWide/8192x768x1", func() { k.MulWide(logits, 8192, head, levels, inputs(1, 6)) }},
			{"Rotate/3072", func() { k.Rotate(h, q8) }},
			{"ArrangeNarrow/768", func() { k.ArrangeNarrow(arranged[:width], h[:width]) }},
			{"ArrangeWide/3072", func() { k.ArrangeWide(arranged[:lanes], h) }},
			{"Dequantize", func() { k.Dequantize((*[Group]float32)(tmp), high[:32], (*[16]float32)(a), 0.5) }},
			{"Quantize/3072", func() { k.Quantize(q8, lanes, rowScale[:1], x, lanes, 0.5) }},
			{"Quantize/12x48", func() { k.Quantize(q8, 48, y[:12], z, 48, 1) }},
			{"Scale/3072", func() { k.Scale(y, 0.5, x) }},
			{"Dot/3072", func() { k.Dot(x, x) }},
			{"Dot/768", func() { k.Dot(x[:width], z[:width]) }},
			{"Dot/48", func() { k.Dot(x[:48], z[:48]) }},
			{"Normalize/768", func() { k.Normalize(y[:width], z[:width], x[:width]) }},
			{"Normalize/12x48", func() { k.Normalize(y[:12*48], z[:48], x[:12*48]) }},
			{"Combine/32x32x32", func() { k.Combine(out, tmp, a, 32, 32, 1, 32) }},
			{"Combine/lanes", func() { k.Combine(y, x, a, 4, 4, 4, 1) }},
			{"Combine/8x1024", func() { k.Combine(out, y32[:8192], a, 1, 8, 8, 1) }},
			{"Gather/1024", func() { k.Gather(out, tmp, index) }},
			{"Silu/1024", func() { k.Silu(out, tmp) }},
			{"AddMul/1024", func() { k.AddMul(out, tmp, a, tmp, a) }},
			{"MulSigmoid/768", func() { k.MulSigmoid(z[:width], x[:width]) }},
			{"Sinkhorn/1", func() { k.Sinkhorn(a[:16], 4, 20) }},
			{"Sinkhorn/8", func() { k.Sinkhorn(a[:8*16], 4, 20) }},
			{"ScoreKeys/6x300", func() { k.ScoreKeys(scores, slots, q8[:queries*48], rowScale, keys, x[:slots]) }},
			{"Weigh/6x300", func() { k.Weigh(scores, slots, valueScale, y[:queries], z[:queries]) }},
			{"SplitWeights/6x300", func() { k.SplitWeights(high, low, scores, slots, slots, rowScale) }},
			{"SumValues/6x300", func() { k.SumValues(sums, high, low, slots, 64, values) }},
			{"JoinSums/6x64", func() { k.JoinSums(out, 64, sums, 64, rowScale) }},
			{"Softmax/30", func() { k.Softmax(scores[:30]) }},
			{"Rotary/12x48", func() { k.Rotary(x[:576], a[:24], a[24:48]) }},
			{"ReadAll/16MB", func() { k.ReadAll(bench16MB) }},
		} {
			b.Run(c.name+"/"+k.Name, func(b *testing.B) {
				for _, f := range refill {
					f()
				}
				least := time.Hour
				for b.Loop() {
					begin := time.Now()
					for range 8 {
						c.run()
					}
					least = min(least, time.Since(begin)/8)
				}
				b.ReportMetric(float64(least), "least-ns")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

var bench16MB = make([]byte, 16<<20)
