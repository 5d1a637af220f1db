package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// opm is op3 with a memory operand first.
func (g *gen) opm(f func(...operand.Op), m operand.Mem, b, dst vec) {
	for i := range dst {
		f(g.part(m, i), b[i], dst[i])
	}
}

// reductions emits the functions that end in one number.
func (g *gen) reductions() {
	g.function("dot", "func(x, y []float32) float32")
	x, n, y := g.pointer("x"), g.length("x"), g.pointer("y")
	sum := g.vec()
	g.zero(sum)
	g.blocks(n, []reg.GPVirtual{x, y}, func(a access) {
		v, w := g.vec(), g.vec()
		a.load(v, x, 0)
		a.load(w, y, 0)
		op3(g.VMULPS, v, w, v)
		op3(g.VADDPS, v, sum, sum)
	})
	g.returnTree(sum, g.VADDPS)

	g.dotRows()

	g.function("sum", "func(x []float32) float32")
	x, n = g.pointer("x"), g.length("x")
	sum = g.vec()
	g.zero(sum)
	g.blocks(n, []reg.GPVirtual{x}, func(a access) {
		v := g.vec()
		a.load(v, x, 0)
		op3(g.VADDPS, v, sum, sum)
	})
	g.returnTree(sum, g.VADDPS)

	g.function("max", "func(x []float32) float32")
	x, n = g.pointer("x"), g.length("x")
	g.Store(g.max(x, n), g.ReturnIndex(0))
	g.finish()
}

// max is simd.Max of n values at x; it uses both up.
func (g *gen) max(x, n reg.GPVirtual) reg.VecVirtual {
	top := g.vec()
	g.fill(top, operand.Mem{Base: x})
	g.blocks(n, []reg.GPVirtual{x}, func(a access) {
		v := g.vec()
		for i := range v {
			g.VMOVAPS(top[i], v[i])
		}
		a.loadOver(v, x, 0)
		g.keepLarger(v, top)
	})
	largest, zero := g.tree(top, g.VMAXPS), g.reg()
	g.zeroReg(zero)
	g.VADDSS(zero.AsX(), largest, largest) // -0 becomes +0
	return largest
}

// keepLarger is top = v > top ? v : top, as the generic code has it: where one
// is no number, top stays.
func (g *gen) keepLarger(v, top vec) { op3(g.VMAXPS, top, v, top) }

func (g *gen) and() func(...operand.Op) {
	if g.zmm() {
		return g.VPANDD
	}
	return func(o ...operand.Op) { g.VPAND(o[0], o[1], o[2]) }
}

// dotRows is simd.DotRows: several rows at a time, because one sum waits for
// its last addition.
func (g *gen) dotRows() {
	g.function("dotRows", "func(dst, rows, x []float32)")
	dst, left, row := g.pointer("dst"), g.length("dst"), g.pointer("rows")
	bytes, bytes3 := g.length("x"), g.GP64()
	g.SHLQ(operand.Imm(2), bytes)
	g.LEAQ(operand.Mem{Base: bytes, Index: bytes, Scale: 2}, bytes3)
	g.runs(left, []int{4, 1}, func(count int) {
		x, n := g.pointer("x"), g.length("x")
		sums := make([]vec, count)
		for i := range sums {
			sums[i] = g.vec()
			g.zero(sums[i])
		}
		places := []operand.Mem{{Base: row}, {Base: row, Index: bytes, Scale: 1}, {Base: row, Index: bytes, Scale: 2}, {Base: row, Index: bytes3, Scale: 1}}
		g.blocks(n, []reg.GPVirtual{x, row}, func(a access) {
			v := g.vec()
			a.load(v, x, 0)
			for i := range sums {
				w := g.vec()
				if a.tail != nil {
					at := g.GP64()
					g.LEAQ(places[i], at)
					a.load(w, at, 0)
				} else {
					for k, r := range w {
						g.VMOVUPS(places[i].Offset(k*g.width), r)
					}
				}
				op3(g.VMULPS, v, w, w)
				op3(g.VADDPS, w, sums[i], sums[i])
			}
			if a.tail != nil { // to the end of the row
				g.LEAQ(operand.Mem{Base: row, Index: n, Scale: 4}, row)
			}
		})
		for i := range sums {
			g.VMOVSS(g.tree(sums[i], g.VADDPS), operand.Mem{Base: dst, Disp: 4 * i})
		}
		for range count - 1 {
			g.ADDQ(bytes, row)
		}
		g.ADDQ(operand.Imm(uint64(4*count)), dst)
	})
	g.finish()
}

// returnTree returns the tree of a vector's lanes.
func (g *gen) returnTree(v vec, op func(...operand.Op)) {
	g.Store(g.tree(v, op), g.ReturnIndex(0))
	g.finish()
}

// tree adds (or takes the larger of) lanes j and j+8, j+4, j+2, j+1; the result
// is lane 0.
func (g *gen) tree(v vec, op func(...operand.Op)) reg.VecVirtual {
	var y, h reg.VecVirtual
	if g.zmm() {
		h = g.YMM()
		g.VEXTRACTF64X4(operand.Imm(1), v[0], h)
		y = g.YMM()
		op(v[0].AsY(), h, y)
	} else {
		y = g.YMM()
		op(v[0], v[1], y)
	}
	x, t := g.XMM(), g.XMM()
	if g.zmm() {
		g.VEXTRACTF32X4(operand.Imm(1), y, t) // has all registers
	} else {
		g.VEXTRACTF128(operand.Imm(1), y, t)
	}
	op(y.AsX(), t, x)
	g.VPSHUFD(operand.Imm(0x0e), x, t)
	op(x, t, x)
	g.VPSHUFD(operand.Imm(0x01), x, t)
	op(x, t, x)
	return x
}

// elements emits the functions that treat each element by itself.
func (g *gen) elements() {
	// emit writes a function of dst and further arrays of one length.
	emit := func(name, signature string, arrays []string, prepare func(), body func(a access, p []reg.GPVirtual)) {
		g.function(name, signature)
		n := g.length(arrays[0])
		var p []reg.GPVirtual
		for _, array := range arrays {
			p = append(p, g.pointer(array))
		}
		if prepare != nil {
			prepare()
		}
		g.blocks(n, p, func(a access) { body(a, p) })
		g.finish()
	}
	binary := func(name string, op func(...operand.Op)) { // dst = x op y
		emit(name, "func(dst, x, y []float32)", []string{"dst", "x", "y"}, nil, func(a access, p []reg.GPVirtual) {
			v, w := g.vec(), g.vec()
			a.load(v, p[1], 0)
			a.load(w, p[2], 0)
			op3(op, w, v, v)
			a.store(v, p[0], 0)
		})
	}
	binary("sub", g.VSUBPS)
	binary("mul", g.VMULPS)
	emit("add", "func(dst, x []float32)", []string{"dst", "x"}, nil, func(a access, p []reg.GPVirtual) {
		v, w := g.vec(), g.vec()
		a.load(v, p[0], 0)
		a.load(w, p[1], 0)
		op3(g.VADDPS, w, v, v)
		a.store(v, p[0], 0)
	})
	emit("mulAdd", "func(dst, x, y []float32)", []string{"dst", "x", "y"}, nil, func(a access, p []reg.GPVirtual) {
		v, w := g.vec(), g.vec()
		a.load(v, p[1], 0)
		a.load(w, p[2], 0)
		op3(g.VMULPS, w, v, v)
		a.load(w, p[0], 0)
		op3(g.VADDPS, v, w, w)
		a.store(w, p[0], 0)
	})
	emit("convolve", "func(dst, tap0, x0, tap1, x1, tap2, x2 []float32)", []string{"dst", "tap0", "x0", "tap1", "x1", "tap2", "x2"}, nil, func(a access, p []reg.GPVirtual) {
		sum, v, w := g.vec(), g.vec(), g.vec()
		for i := 1; i < len(p); i += 2 {
			a.load(v, p[i], 0)
			a.load(w, p[i+1], 0)
			if i == 1 {
				op3(g.VMULPS, v, w, sum)
				continue
			}
			op3(g.VMULPS, v, w, v)
			op3(g.VADDPS, v, sum, sum)
		}
		a.store(sum, p[0], 0)
	})
	var factor vec
	scalar := func() { factor = g.scalar("a") }
	emit("axpy", "func(dst []float32, a float32, x []float32)", []string{"dst", "x"}, scalar, func(a access, p []reg.GPVirtual) {
		v, w := g.vec(), g.vec()
		a.load(v, p[1], 0)
		op3(g.VMULPS, factor, v, v)
		a.load(w, p[0], 0)
		op3(g.VADDPS, v, w, w)
		a.store(w, p[0], 0)
	})
	emit("scale", "func(dst []float32, a float32, x []float32)", []string{"dst", "x"}, scalar, func(a access, p []reg.GPVirtual) {
		v := g.vec()
		a.load(v, p[1], 0)
		op3(g.VMULPS, factor, v, v)
		a.store(v, p[0], 0)
	})
	emit("addMul", "func(dst, scale, gain, x, shift []float32)", []string{"dst", "scale", "gain", "x", "shift"}, nil, func(a access, p []reg.GPVirtual) {
		v, w := g.vec(), g.vec()
		a.load(v, p[2], 0)
		g.opm(g.VADDPS, g.constant("one"), v, v)
		a.load(w, p[1], 0)
		op3(g.VMULPS, w, v, v)
		a.load(w, p[3], 0)
		op3(g.VMULPS, w, v, v)
		a.load(w, p[4], 0)
		op3(g.VADDPS, w, v, v)
		a.store(v, p[0], 0)
	})
	var shift vec
	emit("expInto", "func(dst, x []float32, shift float32)", []string{"dst", "x"}, func() { shift = g.scalar("shift") }, func(a access, p []reg.GPVirtual) {
		v := g.vec()
		a.load(v, p[1], 0)
		op3(g.VSUBPS, shift, v, v)
		a.store(g.exp(v), p[0], 0)
	})
	emit("silu", "func(dst, x []float32)", []string{"dst", "x"}, nil, func(a access, p []reg.GPVirtual) {
		v := g.vec()
		a.load(v, p[1], 0)
		s := g.sigmoid(v)
		op3(g.VMULPS, s, v, v)
		a.store(v, p[0], 0)
	})
	emit("mulSigmoid", "func(dst, gate []float32)", []string{"dst", "gate"}, nil, func(a access, p []reg.GPVirtual) {
		v := g.vec()
		a.load(v, p[1], 0)
		s := g.sigmoid(v)
		a.load(v, p[0], 0)
		op3(g.VMULPS, s, v, v)
		a.store(v, p[0], 0)
	})
	g.quantize()
	g.normalize()
}

// exp is simd.Exp of a vector or a part of one. It uses x up.
func (g *gen) exp(x vec) vec {
	n, r, p := g.regs(len(x)), g.regs(len(x)), g.regs(len(x))
	g.move(g.constant("expMax"), n)
	op3(g.VMINPS, x, n, x) // where x is no number, x
	g.opm(g.VMULPS, g.constant("log2e"), x, n)
	scaled := g.regs(len(x)) // its low bits are the exponent, with its bias
	g.opm(g.VADDPS, g.constant("rounding+bias"), n, scaled)
	g.opm(g.VSUBPS, g.constant("rounding+bias"), scaled, n)
	g.opm(g.VMULPS, g.constant("ln2High"), n, r)
	op3(g.VSUBPS, r, x, r)
	g.opm(g.VMULPS, g.constant("ln2Low"), n, p)
	op3(g.VSUBPS, p, r, r)
	square, pair := g.regs(len(x)), g.regs(len(x))
	op3(g.VMULPS, r, r, square)
	g.opm(g.VMULPS, g.constant("p0"), r, p)
	g.opm(g.VADDPS, g.constant("p1"), p, p)
	for _, c := range [][2]string{{"p2", "p3"}, {"p4", "p5"}} {
		op3(g.VMULPS, square, p, p)
		g.opm(g.VMULPS, g.constant(c[0]), r, pair)
		g.opm(g.VADDPS, g.constant(c[1]), pair, pair)
		op3(g.VADDPS, pair, p, p)
	}
	op3(g.VMULPS, square, p, p)
	op3(g.VADDPS, r, p, p)
	g.opm(g.VADDPS, g.constant("one"), p, p)
	for i := range scaled {
		g.VPSLLD(operand.Imm(23), scaled[i], scaled[i])
	}
	op3(g.VMULPS, scaled, p, p)
	// 0 below expMin.
	const lessThan = 0x11
	for i := range p {
		if g.zmm() {
			k := g.K()
			g.VCMPPS(operand.Imm(0x15), g.part(g.constant("expMin"), i), x[i], k) // not less
			g.VMOVAPS_Z(p[i], k, p[i])
		} else {
			mask := g.reg()
			g.VCMPPS(operand.Imm(lessThan), g.part(g.constant("expMin"), i), x[i], mask)
			g.VANDNPS(p[i], mask, p[i])
		}
	}
	return p
}

func (g *gen) move(m operand.Mem, v vec) {
	for i, r := range v {
		g.VMOVUPS(g.part(m, i), r)
	}
}

// sigmoid is simd.Sigmoid; x stays.
func (g *gen) sigmoid(x vec) vec {
	minus := g.vec()
	for i := range x {
		if g.zmm() {
			g.VPXORD(g.part(g.constant("sign"), i), x[i], minus[i])
		} else {
			g.VPXOR(g.part(g.constant("sign"), i), x[i], minus[i])
		}
	}
	e := g.exp(minus)
	g.opm(g.VADDPS, g.constant("one"), e, e)
	one := g.vec()
	g.move(g.constant("one"), one)
	op3(g.VDIVPS, e, one, e)
	return e
}

// quantize is simd.Quantize. Dividing takes twice as long as all else, so values
// are multiplied by the scale's reciprocal: that can lead to another integer only
// where it is about as close to the next, and there they are divided.
func (g *gen) quantize() {
	g.function("quantize", "func(q []int8, room int, scale, x []float32, n int, factor float32)")
	q, scale, left, x := g.pointer("q"), g.pointer("scale"), g.length("scale"), g.pointer("x")
	factor := g.scalar("factor")
	g.times(left, func() {
		unit, inverse := g.scaleOf(g.largestMagnitude(x, factor))
		g.VMOVSS(unit.AsX(), operand.Mem{Base: scale})

		n, out := g.word("n"), g.GP64()
		g.MOVQ(q, out)
		g.blocks(n, []reg.GPVirtual{x, out}, func(a access) {
			v := g.vec()
			a.load(v, x, 0)
			op3(g.VMULPS, factor, v, v)
			g.divideExactly(v, unit, inverse)
			for i := range v {
				g.VCVTPS2DQ(v[i], v[i])
			}
			g.storeBytes(a, v, n, out)
		}, 4, 1)
		g.pastTail(g.word("n"), x)
		room := g.word("room")
		g.ADDQ(room, q)
		g.ADDQ(operand.Imm(4), scale)
	})
	g.finish()
}

// largestMagnitude is that of the n values at x times factor. Each of several
// registers takes every so many, because one waits for its last comparison.
func (g *gen) largestMagnitude(x reg.GPVirtual, factor vec) reg.VecVirtual {
	at, n := g.GP64(), g.word("n")
	g.MOVQ(x, at)
	tops := []vec{g.vec(), g.vec()}
	for _, t := range tops {
		g.zero(t)
	}
	compare := func(load func(v vec, base reg.Register, disp int), disp int, top vec) {
		v := g.vec()
		load(v, at, disp)
		op3(g.VMULPS, factor, v, v)
		g.opm(g.and(), g.constant("magnitude"), v, v)
		g.keepLarger(v, top)
	}
	loop, rest := g.label("magnitudes"), g.label("magnitudesRest")
	g.Label(loop)
	g.CMPQ(n, operand.Imm(uint64(16*len(tops))))
	g.JL(operand.LabelRef(rest))
	for i, top := range tops {
		compare(g.load, 64*i, top)
	}
	g.ADDQ(operand.U32(uint32(64*len(tops))), at)
	g.SUBQ(operand.Imm(uint64(16*len(tops))), n)
	g.JMP(operand.LabelRef(loop))
	g.Label(rest)
	g.blocks(n, []reg.GPVirtual{at}, func(a access) { compare(a.load, 0, tops[0]) })
	op3(g.VMAXPS, tops[1], tops[0], tops[0])
	return g.tree(tops[0], g.VMAXPS)
}

// scaleOf is a row's scale, largest/127 or 1, and its reciprocal.
func (g *gen) scaleOf(largest reg.VecVirtual) (unit, inverse reg.VecVirtual) {
	by, one, zero := g.XMM(), g.XMM(), g.zeroX()
	g.VMOVSS(g.constant("127"), by)
	g.VDIVSS(by, largest, by)
	g.VMOVSS(g.constant("one"), one)
	some := g.label("some")
	g.VUCOMISS(zero, largest)
	g.JA(operand.LabelRef(some))
	g.VMOVAPS(one, by)
	g.Label(some)
	unit, inverse = g.reg(), g.reg()
	g.VDIVSS(by, one, one)
	g.VBROADCASTSS(by, unit)
	g.VBROADCASTSS(one, inverse)
	return unit, inverse
}

// divideExactly divides v by unit, or multiplies by its inverse where that rounds
// to the same integers; the quotients are at most 127 in magnitude. With numbers
// up to 127 the two differ by less than 2.3e-5.
func (g *gen) divideExactly(v vec, unit, inverse reg.VecVirtual) {
	y, away, near := g.vec(), g.vec(), g.label("near")
	for i := range v {
		g.VMULPS(inverse, v[i], y[i])
	}
	g.opm(g.VADDPS, g.constant("rounding"), y, away)
	g.opm(g.VSUBPS, g.constant("rounding"), away, away)
	op3(g.VSUBPS, away, y, away)
	g.opm(g.and(), g.constant("magnitude"), away, away)
	const notLess = 0x15 // or not comparable
	if g.zmm() {
		k := g.K()
		g.VCMPPS(operand.Imm(notLess), g.constant("almost half"), away[0], k)
		g.KORTESTW(k, k)
		g.JZ(operand.LabelRef(near))
	} else {
		for i := range away {
			g.VCMPPS(operand.Imm(notLess), g.part(g.constant("almost half"), i), away[i], away[i])
		}
		any := g.GP32()
		g.VORPS(away[0], away[1], away[0])
		g.VMOVMSKPS(away[0], any)
		g.TESTL(any, any)
		g.JZ(operand.LabelRef(near))
	}
	for i := range v {
		g.VDIVPS(unit, v[i], y[i])
	}
	g.opm(g.VMAXPS, g.constant("-127"), y, y) // no number becomes -127
	g.opm(g.VMINPS, g.constant("127"), y, y)
	g.Label(near)
	for i := range v {
		g.VMOVAPS(y[i], v[i])
	}
}

// normalize is simd.Normalize.
func (g *gen) normalize() {
	g.function("normalize", "func(dst, gain, x []float32) float32")
	dst, x, end := g.pointer("dst"), g.pointer("x"), g.length("x")
	g.LEAQ(operand.Mem{Base: x, Index: end, Scale: 4}, end)
	length, one, least := g.XMM(), g.XMM(), g.XMM()
	gains := g.length("gain")
	g.VCVTSI2SSQ(gains, g.zeroX(), length)
	g.VMOVSS(g.constant("one"), one)
	g.VMOVSS(g.constant("largest"), least)
	row, done := g.label("row"), g.label("rowsDone")
	g.Label(row)
	g.CMPQ(x, end)
	g.JAE(operand.LabelRef(done))

	at, n := g.GP64(), g.length("gain")
	g.MOVQ(x, at)
	squares := g.vec()
	g.zero(squares)
	g.blocks(n, []reg.GPVirtual{at}, func(a access) {
		v := g.vec()
		a.load(v, at, 0)
		op3(g.VMULPS, v, v, v)
		op3(g.VADDPS, v, squares, squares)
	})
	a := g.tree(squares, g.VADDPS)
	g.VDIVSS(length, a, a)
	g.VADDSS(g.constant("1e-6"), a, a)
	g.VSQRTSS(a, a, a)
	g.VDIVSS(a, one, a)
	// least is a where that is less, 0 where a is not above 0.
	positive, zero := g.XMM(), g.zeroX()
	const above = 0x1e
	if g.zmm() {
		k := g.K()
		g.VCMPSS(operand.Imm(above), zero, a, k)
		g.VMOVAPS_Z(a, k, positive)
	} else {
		g.VCMPSS(operand.Imm(above), zero, a, positive)
		g.VANDPS(a, positive, positive)
	}
	g.VMINSS(positive, least, least)
	factor := g.reg()
	g.VBROADCASTSS(a, factor)

	gain, n := g.pointer("gain"), g.length("gain")
	g.blocks(n, []reg.GPVirtual{dst, gain, x}, func(a access) {
		v, w := g.vec(), g.vec()
		a.load(v, gain, 0)
		a.load(w, x, 0)
		op3(g.VMULPS, w, v, v)
		for i := range v {
			g.VMULPS(factor, v[i], v[i])
		}
		a.store(v, dst, 0)
	})
	g.pastTail(g.length("gain"), dst, x)
	g.JMP(operand.LabelRef(row))
	g.Label(done)
	g.Store(least, g.ReturnIndex(0))
	g.finish()
}

func (g *gen) zeroX() reg.VecVirtual {
	zero := g.XMM()
	g.VXORPS(zero, zero, zero)
	return zero
}

// storeBytes writes the low bytes of lanes, whose values fit int8; n is the
// number of elements left.
func (g *gen) storeBytes(a access, v vec, n, dst reg.GPVirtual) {
	if g.zmm() {
		if a.tail != nil {
			g.VPMOVDB(v[0], a.tail.k, operand.Mem{Base: dst})
		} else {
			g.VPMOVDB(v[0], operand.Mem{Base: dst})
		}
		return
	}
	x, high := g.XMM(), g.XMM()
	words := g.YMM()
	g.VPACKSSDW(v[1], v[0], words)
	g.VPERMQ(operand.Imm(0xd8), words, words)
	g.VEXTRACTI128(operand.Imm(1), words, high)
	g.VPACKSSWB(high, words.AsX(), x)
	if a.tail == nil {
		g.VMOVDQU(x, operand.Mem{Base: dst})
		return
	}
	// The last bytes one after the other.
	loop := g.label("bytes")
	b, left, at := g.GP64(), g.GP64(), g.GP64()
	g.MOVQ(n, left)
	g.MOVQ(dst, at)
	g.Label(loop)
	g.VPEXTRB(operand.Imm(0), x, b.As32())
	g.MOVB(b.As8(), operand.Mem{Base: at})
	g.VPSRLDQ(operand.Imm(1), x, x)
	g.INCQ(at)
	g.DECQ(left)
	g.JNZ(operand.LabelRef(loop))
}
