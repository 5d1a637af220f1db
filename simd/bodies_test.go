package simd

import (
	"math"
	"slices"
)

// shape holds the sizes of a trial; each body says in which order.
type shape [4]int

// body is the test of one kernel.
type body struct {
	field string
	group string // of the fuzz targets
	// Which shapes run: all once; some with every fill, every aliasing and at
	// guard pages; few at every alignment.
	all, some, few []shape
	elem           int // bytes of the smallest element
	aliases        int // the sources that the destination may be
	// prepare fills the buffers of a trial and returns the call.
	prepare func(c *trial, s shape) func(k *Kernels)
}

// sweepLength is the length at which floats are all bit patterns, 65537 apart.
const sweepLength = 1 << 16

// bodies is the one table of kernel tests.
var bodies = slices.Concat(products, attention, floatKernels, rotations)

var products = []body{
	product("MulNarrow", false), product("MulWide", true),
	arrangement("ArrangeNarrow", false), arrangement("ArrangeWide", true),
}

var attention = []body{
	{
		// tiles, len(q), queries, what lies between their rows
		field: "ScoreKeys", group: "attention", elem: 1, prepare: prepareScoreKeys,
		all: shapes(cross(upTo(0, 9, 1), upTo(4, 132, 4), list(1), list(0)), cross(list(17, 65), list(4, 64, 96, 128, 256), list(1), list(0)),
			cross(list(0, 1, 3), list(4, 12, 48), upTo(0, 14, 1), list(0, 5, 16))),
		some: shapes(cross(list(0, 1, 2, 3, 5), list(4, 8, 12, 16, 28, 32, 36, 64, 96, 100, 128), list(1), list(0)),
			cross(list(1, 3), list(4, 48), list(2, 3, 4, 6, 7), list(0, 5))),
		few: cross(list(1, 3), list(4, 20, 64), list(1, 6), list(0, 16)),
	}, {
		// weights of a row, rows, what lies between them
		field: "Weigh", group: "attention", elem: 4, prepare: prepareWeigh,
		all:  shapes(cross(lengths[1:], list(1), list(0)), cross(upTo(1, 40, 1), list(0, 2, 6), list(0, 5))),
		some: cross(someLengths[1:], list(1, 3), list(0, 16)), few: cross(fewLengths, list(2), list(1)),
	}, {
		// weights of a row, rows, what lies between them
		field: "SplitWeights", group: "attention", elem: 1, prepare: prepareSplitWeights,
		all:  shapes(cross(lengths, list(1), list(0)), cross(upTo(0, 40, 1), list(0, 2, 6), list(0, 5))),
		some: cross(someLengths, list(1, 3), list(0, 16)), few: cross(fewLengths, list(2), list(1)),
	}, {
		// slots, dim, rows, what lies between them
		field: "SumValues", group: "attention", elem: 1, prepare: prepareSumValues,
		all: shapes(cross(upTo(0, 68, 4), upTo(16, 144, 16), list(1), list(0)), cross(list(128, 260, 1024, 3072), list(16, 48, 96, 128), list(1), list(0)),
			cross(list(0, 4, 12), list(16, 64, 80), list(0, 2, 6), list(0, 7))),
		some: cross(list(0, 4, 8, 12, 16, 20, 32, 36, 64, 68), list(16, 32, 48, 64, 80, 96, 128), list(1, 3), list(4)),
		few:  cross(list(4, 12, 36), list(16, 48), list(2), list(1)),
	}, {
		// n, what half a row of sums is longer than that needs, rows
		field: "JoinSums", group: "attention", elem: 4, prepare: prepareJoinSums,
		all:  shapes(cross(lengths, list(0), list(1)), cross(list(1, 16, 33), list(0, 16, 32), list(0, 2, 6))),
		some: cross(someLengths, list(0), list(1, 3)), few: cross(fewLengths, list(16), list(2)),
	},
}

var rotations = []body{
	{
		// groups
		field: "Rotate", group: "rotations", elem: 1, prepare: prepareRotate,
		all: one(list(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 24)), some: one(list(0, 1, 2, 3, 4, 5)), few: one(list(1, 2, 3)),
	}, {
		// bits of a code
		field: "Dequantize", group: "rotations", elem: 4, prepare: prepareDequantize,
		all: one(list(2, 4)), some: one(slices.Repeat(list(2, 4), 40)), few: one(list(2, 4)), // some more of each fill
	}, {
		// len(cos), vectors
		field: "Rotary", group: "rotations", elem: 4, prepare: prepareRotary,
		all:  shapes(cross(lengths[1:], list(1, 2)), cross(upTo(1, 70, 1), list(0, 3, 4, 8))),
		some: shapes(cross(someLengths[1:], list(1)), cross(upTo(1, 40, 1), list(2, 3))),
		few:  cross(fewLengths, list(1, 3)),
	}, {
		// m, n, width, which stride and step
		field: "Combine", group: "rotations", elem: 4, prepare: prepareCombine,
		all: combineShapes(), some: combineSome(), few: combineFew(),
	}, {
		// len(dst), len(src)
		field: "Gather", group: "rotations", elem: 4, prepare: prepareGather,
		all:  shapes(cross(lengths, list(1, 768)), cross(upTo(1, 40, 1), upTo(1, 40, 1)), cross(list(sweepLength), list(3072))),
		some: cross(someLengths, list(1, 50)), few: cross(fewLengths, list(7, 130)),
	}, {
		// n, rounds, matrices
		field: "Sinkhorn", group: "rotations", elem: 4, prepare: prepareSinkhorn,
		all:  shapes(cross(upTo(1, 9, 1), list(0, 1, 2, 3, 20), list(1)), cross(list(16, 17), list(20), list(1)), cross(list(1, 4, 5), list(0, 1, 20), upTo(0, 13, 1))),
		some: cross(upTo(1, 6, 1), list(0, 1, 2, 20, 1, 1, 2), list(1, 3, 7)),
		few:  cross(upTo(1, 6, 1), list(1, 2), list(1, 5)),
	},
}

var floatKernels = []body{
	reduction("Dot", 0, func(k *Kernels, x, y []float32) float32 { return k.Dot(x, y) }),
	{
		// rows, len(x)
		field: "DotRows", group: "floats", elem: 4, prepare: prepareDotRows,
		all:  shapes(cross(upTo(0, 9, 1), upTo(0, 70, 1)), cross(list(1, 2, 3, 4, 5, 8, 30), list(127, 128, 129, 257, 768, 1025))),
		some: cross(list(0, 1, 2, 3, 4, 5, 7, 8, 9, 13), list(0, 1, 5, 8, 15, 16, 17, 31, 32, 33, 47, 64, 129)),
		few:  cross(list(1, 4, 5, 6, 11), list(3, 16, 33, 65)),
	},
	reduction("Sum", 0, func(k *Kernels, x, _ []float32) float32 { return k.Sum(x) }),
	reduction("Max", 1, func(k *Kernels, x, _ []float32) float32 { return k.Max(x) }),
	{
		// values of a row, rows, what lies between the rows of q
		field: "Quantize", group: "floats", elem: 1, prepare: prepareQuantize,
		all:  shapes(cross(lengths, list(1), list(0)), cross(upTo(0, 70, 1), list(0, 2, 5), list(0, 3)), cross(list(sweepLength), list(1), list(0))),
		some: cross(someLengths, list(1, 3), list(1)), few: cross(fewLengths, list(2), list(1)),
	}, {
		// values of a row, rows
		field: "Normalize", group: "floats", elem: 4, aliases: 1, prepare: prepareNormalize,
		all:  shapes(cross(lengths[1:], list(1)), cross(upTo(1, 70, 1), list(0, 2, 5))),
		some: cross(someLengths[1:], list(1, 3)), few: cross(fewLengths, list(2)),
	},
	elementwise("Axpy", 1, 0, func(k *Kernels, dst []float32, x [6][]float32, a float32) { k.Axpy(dst, a, x[0]) }),
	elementwise("Scale", 1, 1, func(k *Kernels, dst []float32, x [6][]float32, a float32) { k.Scale(dst, a, x[0]) }),
	elementwise("Add", 1, 0, func(k *Kernels, dst []float32, x [6][]float32, _ float32) { k.Add(dst, x[0]) }),
	elementwise("Sub", 2, 2, func(k *Kernels, dst []float32, x [6][]float32, _ float32) { k.Sub(dst, x[0], x[1]) }),
	elementwise("Mul", 2, 2, func(k *Kernels, dst []float32, x [6][]float32, _ float32) { k.Mul(dst, x[0], x[1]) }),
	elementwise("MulAdd", 2, 0, func(k *Kernels, dst []float32, x [6][]float32, _ float32) { k.MulAdd(dst, x[0], x[1]) }),
	elementwise("Convolve", 6, 1, func(k *Kernels, dst []float32, x [6][]float32, _ float32) {
		k.Convolve(dst, x[1], x[0], x[2], x[3], x[4], x[5])
	}),
	elementwise("AddMul", 4, 1, func(k *Kernels, dst []float32, x [6][]float32, _ float32) {
		k.AddMul(dst, x[1], x[2], x[0], x[3])
	}),
	elementwise("ExpInto", 1, 1, func(k *Kernels, dst []float32, x [6][]float32, a float32) { k.ExpInto(dst, x[0], a) }),
	elementwise("Silu", 1, 1, func(k *Kernels, dst []float32, x [6][]float32, _ float32) { k.Silu(dst, x[0]) }),
	elementwise("MulSigmoid", 1, 0, func(k *Kernels, dst []float32, x [6][]float32, _ float32) { k.MulSigmoid(dst, x[0]) }),
	{
		field: "ReadAll", group: "floats", elem: 1, prepare: prepareReadAll,
		all: shapes(one(lengths), one(list(4096, 70001))), some: one(someLengths), few: one(fewLengths),
	}, {
		field: "Peak", group: "floats", elem: 4, prepare: preparePeak,
		all: one(upTo(2, 40, 1)), some: one(list(2, 1000)), few: one(list(2)),
	},
}

var (
	lengths     = append(upTo(0, 260, 1), 511, 512, 513, 767, 768, 769, 1023, 1024, 1025, 3071, 3072, 3073)
	someLengths = append(upTo(0, 70, 1), 127, 128, 129, 191, 255, 256, 257, 511, 513, 767, 1025, 3073)
	fewLengths  = list(1, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 65, 127, 130)
)

func list(n ...int) []int { return n }

// upTo lists the numbers from lo to hi.
func upTo(lo, hi, step int) (n []int) {
	for ; lo <= hi; lo += step {
		n = append(n, lo)
	}
	return n
}

// one makes shapes of one size.
func one(sizes []int) []shape { return cross(sizes) }

// cross makes shapes of all combinations.
func cross(sizes ...[]int) []shape {
	out := []shape{{}}
	for i, values := range sizes {
		var longer []shape
		for _, s := range out {
			for _, v := range values {
				s[i] = v
				longer = append(longer, s)
			}
		}
		out = longer
	}
	return out
}

func shapes(s ...[]shape) []shape { return slices.Concat(s...) }

// reduction is the body of a kernel that returns a number of one or two vectors.
func reduction(field string, shortest int, f func(k *Kernels, x, y []float32) float32) body {
	b := body{field: field, group: "floats", elem: 4, few: one(fewLengths)}
	b.all, b.some = one(lengths[shortest:]), one(someLengths[shortest:])
	b.prepare = func(c *trial, s shape) func(*Kernels) {
		x, y, out := c.floats(s[0]), c.floats(s[0]), c.floats(1)
		return func(k *Kernels) { out[0] = f(k, x, y) }
	}
	return b
}

func prepareDotRows(c *trial, s shape) func(*Kernels) {
	rows, x, dst := c.floats(s[0]*s[1]), c.floats(s[1]), c.floats(s[0])
	return func(k *Kernels) { k.DotRows(dst, rows, x) }
}

// elementwise is the body of a kernel whose destination has the length of its
// sources, the first few of which it may be.
func elementwise(field string, sources, aliases int, f func(k *Kernels, dst []float32, x [6][]float32, a float32)) body {
	b := body{field: field, group: "floats", elem: 4, aliases: aliases, some: one(someLengths), few: one(fewLengths)}
	b.all = shapes(one(lengths), one(list(sweepLength)))
	b.prepare = func(c *trial, s shape) func(*Kernels) {
		var x [6][]float32
		for i := range sources {
			x[i] = c.floats(s[0])
		}
		c.vary(x[0])
		a := c.float()
		if s[0] == sweepLength {
			a = 0.25 // of no effect on the shifted argument's top bits
		}
		var dst []float32
		if c.alias > 0 {
			dst = x[c.alias-1]
		} else {
			dst = c.floats(s[0])
		}
		return func(k *Kernels) { f(k, dst, x, a) }
	}
	return b
}

// vary gives ordinary numbers the range in which exponentials differ from 0, 1
// and each other, and a sweep its bit patterns.
func (c *trial) vary(x []float32) {
	for i := range x {
		if len(x) == sweepLength {
			x[i] = math.Float32frombits(uint32(i) * 65537)
		} else if c.fill == ordinary {
			x[i] *= [...]float32{1, 5, 20, 60}[i/3%4]
		}
	}
}

func prepareQuantize(c *trial, s shape) func(*Kernels) {
	n, rows, room := s[0], s[1], s[0]+s[2]
	x, scale, factor := c.floats(n*rows), c.floats(rows), c.positive()
	q := integers[int8](c, rowsOf(n, rows, s[2]), -128, 127)
	c.vary(x)
	if c.fill == extreme && c.r.IntN(2) == 0 {
		// Halfway between integers, on them, or next to that, in units of the scale.
		factor = float32(1+c.r.IntN(3)) / 4
		for i := range x {
			if x[i] = float32(c.r.IntN(509)-254) / 4; i%2 > 0 {
				x[i] = math.Nextafter32(x[i], float32(c.r.IntN(2)*1000-500))
			}
		}
		for j := range rows {
			if n > 0 {
				x[j*n+c.r.IntN(n)] = 63.5
			}
		}
	}
	return func(k *Kernels) { k.Quantize(q, room, scale, x, n, factor) }
}

func prepareNormalize(c *trial, s shape) func(*Kernels) {
	x, gain, out := c.floats(s[0]*s[1]), c.floats(s[0]), c.floats(1)
	dst := x
	if c.alias == 0 {
		dst = c.floats(len(x))
	}
	return func(k *Kernels) { out[0] = k.Normalize(dst, gain, x) }
}

func prepareReadAll(c *trial, s shape) func(*Kernels) {
	p, out := c.bytes(s[0]), c.bytes(1)
	return func(k *Kernels) { out[0] = k.ReadAll(p) }
}

// preparePeak asks that the count, which depends on the tier, grows with rounds.
func preparePeak(c *trial, s shape) func(*Kernels) {
	out := take[int32](c, 1, exact)
	return func(k *Kernels) {
		out[0] = 0
		if once := k.Peak(1); once > 0 && k.Peak(s[0]) == s[0]*once {
			out[0] = 1
		}
	}
}

func prepareScoreKeys(c *trial, s shape) func(*Kernels) {
	n, queries, gap := s[0]*SlotTile, s[2], s[3]
	q, keys := integers[int8](c, queries*s[1], -127, 127), integers[int8](c, n*s[1], -127, 127)
	keyScale, dst, scale := c.floats(n), c.floats(rowsOf(n, queries, gap)), c.floats(queries)
	return func(k *Kernels) { k.ScoreKeys(dst, n+gap, q, scale, keys, keyScale) }
}

// rowsOf is the length of rows of n values with a gap between them.
func rowsOf(n, rows, gap int) int { return max(0, rows*(n+gap)-gap) }

func prepareWeigh(c *trial, s shape) func(*Kernels) {
	n, rows, gap := s[0], s[1], s[2]
	w, valueScale := c.floats(rowsOf(n, rows, gap)), c.floats(n)
	total, largest := c.floats(rows), c.floats(rows)
	c.vary(w)
	return func(k *Kernels) { k.Weigh(w, n+gap, valueScale, total, largest) }
}

func prepareSplitWeights(c *trial, s shape) func(*Kernels) {
	n, rows, gap := s[0], s[1], s[2]
	w, factor := take[float32](c, rowsOf(n, rows, gap), float), take[float32](c, rows, float)
	for i := range w {
		// Finite, and no two further apart than the factor can bear.
		w[i] = float32(math.Abs(float64(c.float())))
		if !(w[i] < 1e30) {
			w[i] = 0
		}
	}
	for j := range factor {
		row := w[j*(n+gap):][:n]
		factor[j] = 1
		if top := maxAbs(row, 1); top > 1e-30 {
			factor[j] = MaxWeight / top
		}
		if c.fill == extreme && c.r.IntN(2) == 0 {
			factor[j] = 0.25
			for i := range row {
				row[i] = float32(c.r.IntN(2*MaxWeight)) * 2 // halfway between integers, or on them
			}
		}
	}
	high, low := integers[uint8](c, len(w), 0, 255), integers[uint8](c, len(w), 0, 255)
	return func(k *Kernels) { k.SplitWeights(high, low, w, n+gap, n, factor) }
}

func prepareSumValues(c *trial, s shape) func(*Kernels) {
	slots, dim, rows, gap := s[0], s[1], s[2], s[3]
	sums := integers[int32](c, 2*dim*rows, -1<<29, 1<<29)
	digits := rowsOf(slots, rows, gap)
	high, low := integers[uint8](c, digits, 0, 127), integers[uint8](c, digits, 0, 127)
	values := integers[int8](c, slots*dim, -128, 127)
	return func(k *Kernels) { k.SumValues(sums, high, low, slots+gap, dim, values) }
}

func prepareJoinSums(c *trial, s shape) func(*Kernels) {
	n, rows := s[0], s[2]
	dim := (n+15)/16*16 + s[1]
	sums, dst, unit := integers[int32](c, 2*dim*rows, -1<<29, 1<<29), c.floats(n*rows), c.floats(rows)
	if c.fill == ordinary {
		for i := range sums {
			sums[i] >>= i % 23
		}
	}
	return func(k *Kernels) { k.JoinSums(dst, n, sums, dim, unit) }
}

func prepareRotate(c *trial, s shape) func(*Kernels) {
	n := s[0] * Group
	q, h := integers[int8](c, n, -128, 127), integers[int16](c, n, math.MinInt16, math.MaxInt16)
	return func(k *Kernels) { k.Rotate(h, q) }
}

func prepareDequantize(c *trial, s shape) func(*Kernels) {
	packed, norm := c.bytes(Group*s[0]/8), c.float()
	points, dst := (*[16]float32)(c.floats(16)), (*[Group]float32)(c.floats(Group))
	return func(k *Kernels) { k.Dequantize(dst, packed, points, norm) }
}

func prepareRotary(c *trial, s shape) func(*Kernels) {
	cos, sin, x := c.floats(s[0]), c.floats(s[0]), c.floats(2*s[0]*s[1])
	return func(k *Kernels) { k.Rotary(x, cos, sin) }
}

func prepareGather(c *trial, s shape) func(*Kernels) {
	dst, src, index := c.floats(s[0]), c.floats(s[1]), integers[int32](c, s[0], 0, s[1]-1)
	return func(k *Kernels) { k.Gather(dst, src, index) }
}

func prepareSinkhorn(c *trial, s shape) func(*Kernels) {
	m := take[float32](c, s[0]*s[0]*s[2], float)
	for i := range m {
		m[i] = c.positive()
	}
	return func(k *Kernels) { k.Sinkhorn(m, s[0], s[1]) }
}

func prepareCombine(c *trial, s shape) func(*Kernels) {
	m, n, width := s[0], s[1], s[2]
	stride, step := n, 1
	switch s[3] {
	case 1:
		stride, step = 1, m
	case 2:
		stride, step = n+3, 1
	case 3:
		stride, step = 2, 2*m+1
	}
	out, rows, coef := c.floats(m*width), c.floats(n*width), c.floats((m-1)*stride+(n-1)*step+1)
	return func(k *Kernels) { k.Combine(out, rows, coef, m, n, stride, step) }
}

// combineShapes gives each size of up to 9 rows of up to 70 values one of the
// four ways to lay out the coefficients.
func combineShapes() (out []shape) {
	for i, s := range cross(upTo(1, 9, 1), upTo(1, 9, 1), upTo(1, 70, 1)) {
		s[3] = (i + i/70) % 4
		out = append(out, s)
	}
	return append(out, combineFew()...)
}

func combineSome() []shape {
	return cross(list(1, 2, 4, 5, 9), list(1, 2, 4, 5), list(1, 3, 7, 8, 15, 16, 17, 31, 32, 33, 49, 64, 65), list(0, 1))
}

func combineFew() []shape {
	return []shape{{32, 32, 32, 0}, {32, 32, 32, 1}, {4, 4, 768, 0}, {1, 4, 768, 0}, {3, 2, 17, 2}, {8, 16, 16, 1}, {1, 9, 5, 3}}
}

// product is the body of a matrix product: rows, groups, tokens, and how much
// longer the stride is than the rows.
func product(field string, wide bool) body {
	b := body{field: field, group: "products", elem: 1, prepare: prepareProduct(wide)}
	for i, s := range cross(upTo(1, 50, 1), list(1, 2, 3, 4, 5, 6, 24)) {
		s[2], s[3] = 1+i%5, i%3*7
		b.all = append(b.all, s)
	}
	b.all = shapes(b.all, cross(list(1, 16, 17, 50), list(1, 2, 5), upTo(1, 33, 1), list(0, 3)),
		cross(list(16, 33), list(24), list(6, 7, 8, 31, 32, 33), list(0)), []shape{everyNorm})
	b.some = cross(list(1, 15, 16, 17, 33), list(1, 2, 3, 5), list(1, 2, 3, 4, 5, 8, 9, 17), list(1))
	b.few = []shape{{1, 1, 1, 0}, {17, 2, 3, 0}, {16, 3, 4, 16}, {33, 1, 9, 2}, {50, 6, 5, 0}}
	return b
}

// arrangement is the body of the kernel that orders a product's inputs. The
// order is the implementation's own, so the product tells whether it is right.
func arrangement(field string, wide bool) body {
	b := product(field, wide)
	b.all = cross(list(1, 17), upTo(1, 6, 1), upTo(1, 5, 1))
	b.some = cross(list(1, 16), upTo(1, 4, 1), upTo(1, 3, 1))
	b.few = b.few[:2]
	return b
}

// everyNorm is the shape in which each row has another half as its norm.
var everyNorm = shape{1 << 16, 1, 1, 0}

func prepareProduct(wide bool) func(c *trial, s shape) func(*Kernels) {
	return func(c *trial, s shape) func(*Kernels) {
		rows, groups, tokens, stride := s[0], s[1], s[2], s[0]+s[3]
		l := c.levels(wide)
		q := integers[int8](c, tokens*groups*Group, -127, 127)
		h, arranged := take[int16](c, len(q), exact), take[int16](c, len(q), opaque)
		x := Inputs{Tokens: tokens, Values: arranged, Scale: c.floats(tokens)}
		x.First, x.Bias = take[float32](c, tokens*groups, exact), take[int32](c, tokens*groups, exact)
		for i := range x.First {
			sum := Group * int32(q[i*Group]) // see quant.Activations
			x.First[i], x.Bias[i] = float32(sum), -sum
		}
		Rotate(h, q)
		m := c.tiles(s, wide, l, h)
		y := c.floats((tokens-1)*stride + rows)
		copied, intact := take[int16](c, len(q), opaque), take[uint8](c, 1, exact)
		each := len(q) // arranged at once
		if (tokens+rows)%2 == 0 {
			each = groups * Group // or token by token
		}
		return func(k *Kernels) {
			k.Rotate(h, q)
			for at := 0; at < len(q); at += each {
				if wide {
					k.ArrangeWide(arranged[at:at+each], h[at:at+each])
				} else {
					k.ArrangeNarrow(arranged[at:at+each], h[at:at+each])
				}
			}
			copy(copied, arranged)
			if wide {
				k.MulWide(y, stride, m, l, x)
			} else {
				k.MulNarrow(y, stride, m, l, x)
			}
			if intact[0] = 0; slices.Equal(copied, arranged) {
				intact[0] = 1
			}
		}
	}
}

// Codebooks as package quant makes them: Gaussian quantisers of 2 bits, of 1.58,
// of 3 and of 4 bits.
var (
	narrowBooks = [][16]int16{{-127, -38, 38, 127}, {0, 127, 0, -127}, {-20, -6, 6, 20}}
	wideBooks   = [][16]int16{
		{-8191, -6201, -4849, -3764, -2824, -1968, -1163, -385, 385, 1163, 1968, 2824, 3764, 4849, 6201, 8191},
		{-8191, -5115, -2878, -933, 933, 2878, 5115, 8191},
		// Both sides of where the high byte changes.
		{-8191, -8064, -257, -256, -255, -129, -128, -1, 0, 127, 128, 255, 256, 257, 8064, 8191},
	}
)

// levels returns a codebook whose tables lie in a buffer.
func (c *trial) levels(wide bool) *Levels {
	books, codes, bound := narrowBooks, 4, 127
	if wide {
		books, codes, bound = wideBooks, 16, 8191
	}
	var level [16]int16
	if n := c.r.IntN(len(books) + 1); n < len(books) && (c.fill == ordinary || c.fill == special) {
		level = books[n]
	} else {
		for i := range codes {
			level[i] = int16(c.integer(-bound, bound))
		}
	}
	l := &take[Levels](c, 1, exact)[0]
	*l = *NewLevels(level, c.float(), c.float())
	return l
}

// tiles returns the weights of a product. The rows that the last tile misses
// are zeros, as Tiles asks for.
func (c *trial) tiles(s shape, wide bool, l *Levels, h []int16) Tiles {
	rows, groups := s[0], s[1]
	tiles, size := (rows+TileRows-1)/TileRows, NarrowTile
	if wide {
		size = WideTile
	}
	m := Tiles{Rows: rows, Groups: groups, Codes: c.bytes(tiles * groups * size), Norms: take[uint16](c, tiles*groups*TileRows, exact)}
	for i := range m.Norms {
		m.Norms[i] = c.half()
		if s == everyNorm {
			m.Norms[i] = uint16(i)
		}
	}
	if c.fill == extreme || c.fill == equal {
		for row := range rows {
			m.match(row, wide, l, h)
		}
	}
	m.clearFrom(rows, tiles*TileRows, size)
	return m
}

// match gives a row the codes whose products with the first token are largest,
// or smallest, as far from zero as a dot product gets.
func (m *Tiles) match(row int, wide bool, l *Levels, h []int16) {
	codes := 4
	if wide {
		codes = 16
	}
	low, high := 0, 0
	for code, v := range l.Level[:codes] {
		if v < l.Level[low] {
			low = code
		}
		if v > l.Level[high] {
			high = code
		}
	}
	for i := range m.Groups * Group {
		code := low
		if (h[i] > 0) == (row%2 == 0) {
			code = high
		}
		m.setCode(row, i, wide, byte(code))
	}
}

// setCode writes column i of a row, by the description of TileRows.
func (m *Tiles) setCode(row, i int, wide bool, code byte) {
	bits, size := 2, NarrowTile
	if wide {
		bits, size = 4, WideTile
	}
	bit := i % Group * bits // in the row's part of the tile
	at := (row/TileRows*m.Groups+i/Group)*size + bit/32*64 + row%TileRows*4 + bit%32/8
	m.Codes[at] = m.Codes[at]&^((1<<bits-1)<<(bit%8)) | code<<(bit%8)
}

// clearFrom zeroes the rows from lo to hi, all within the last tile.
func (m *Tiles) clearFrom(lo, hi, size int) {
	for row := lo; row < hi; row++ {
		for g := range m.Groups {
			tile := row/TileRows*m.Groups + g
			m.Norms[tile*TileRows+row%TileRows] = 0
			for at := row % TileRows * 4; at < size; at += 64 {
				clear(m.Codes[tile*size+at:][:4])
			}
		}
	}
}
