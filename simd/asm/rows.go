package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rows emits the kernels over several vectors.
func (g *gen) rows() {
	g.combine()
	g.gather()
	g.rotary()
	g.sinkhorn()
	g.readAll()
}

// combine is simd.Combine. A block of columns of several sums stays in
// registers while the rows pass by. Sums begin at -0, which is what added to
// any first term leaves it alone.
func (g *gen) combine() {
	g.function("combine", "func(out, rows, coef *float32, width, m, n, stride, step int)")
	out, rows := g.word("out"), g.word("rows")
	stride, step := g.word("stride"), g.word("step")
	g.SHLQ(operand.Imm(2), stride)
	g.SHLQ(operand.Imm(2), step)
	left, bytes := g.word("width"), g.GP64()
	g.MOVQ(left, bytes)
	g.SHLQ(operand.Imm(2), bytes)

	columns := func(vecs int, t *tail) {
		o, c, i := g.GP64(), g.word("coef"), g.word("m")
		g.MOVQ(out, o)
		g.runs(i, []int{4, 1}, func(count int) {
			g.combineSums(count, vecs, t, o, c, rows, stride, step, bytes)
			for range count {
				g.ADDQ(bytes, o)
				g.ADDQ(stride, c)
			}
		})
	}
	vecCounts := []int{1}
	if g.zmm() {
		vecCounts = []int{4, 2, 1}
	}
	for _, vecs := range vecCounts {
		loop, done := g.label("columns"), g.label("columnsDone")
		g.Label(loop)
		g.CMPQ(left, operand.Imm(uint64(16*vecs)))
		g.JL(operand.LabelRef(done))
		columns(vecs, nil)
		g.ADDQ(operand.U32(64*vecs), out)
		g.ADDQ(operand.U32(64*vecs), rows)
		g.SUBQ(operand.U32(16*vecs), left)
		g.JMP(operand.LabelRef(loop))
		g.Label(done)
	}
	end := g.label("end")
	g.TESTQ(left, left)
	g.JZ(operand.LabelRef(end))
	t := g.newTail(left)
	columns(1, &t)
	g.Label(end)
	g.finish()
}

// combineSums computes count sums over vecs*16 columns.
func (g *gen) combineSums(count, vecs int, t *tail, out, coef, rows, stride, step, bytes reg.GPVirtual) {
	acc := make([][]vec, count)
	for i := range acc {
		for range vecs {
			v := g.vec()
			g.move(g.constant("sign"), v)
			acc[i] = append(acc[i], v)
		}
	}
	row, c, j := g.GP64(), g.GP64(), g.word("n")
	g.MOVQ(rows, row)
	g.MOVQ(coef, c)
	var three reg.GPVirtual
	if count > 1 {
		three = g.GP64()
		g.LEAQ(operand.Mem{Base: stride, Index: stride, Scale: 2}, three)
	}
	loop := g.label("terms")
	g.Label(loop)
	var x []vec
	for k := range vecs {
		v := g.vec()
		if t != nil {
			t.load(v, row, 0)
		} else {
			g.load(v, row, 64*k)
		}
		x = append(x, v)
	}
	places := []operand.Mem{{Base: c}, {Base: c, Index: stride, Scale: 1}, {Base: c, Index: stride, Scale: 2}, {Base: c, Index: three, Scale: 1}}
	for i := range count {
		f, p := g.reg(), g.reg()
		g.VBROADCASTSS(places[i], f)
		for k := range vecs {
			for h := range x[k] {
				g.VMULPS(f, x[k][h], p)
				g.VADDPS(p, acc[i][k][h], acc[i][k][h])
			}
		}
	}
	g.ADDQ(bytes, row)
	g.ADDQ(step, c)
	g.DECQ(j)
	g.JNZ(operand.LabelRef(loop))
	o := row
	g.MOVQ(out, o)
	for i := range count {
		for k := range vecs {
			if t != nil {
				t.store(acc[i][k], o, 0)
			} else {
				g.store(acc[i][k], o, 64*k)
			}
		}
		g.ADDQ(bytes, o)
	}
}

// gather is simd.Gather, element by element: where that was measured, it takes half
// the time of the instructions that gather.
func (g *gen) gather() {
	g.function("gather", "func(dst, src []float32, index []int32)")
	dst, n, src, index := g.pointer("dst"), g.length("dst"), g.pointer("src"), g.pointer("index")
	place := func(i int) operand.Mem {
		at := g.GP64()
		g.MOVL(operand.Mem{Base: index, Disp: 4 * i}, at.As32())
		return operand.Mem{Base: src, Index: at, Scale: 4}
	}
	g.runs(n, []int{16, 4, 1}, func(count int) {
		for i := 0; i < count; i += 4 {
			x := g.XMM()
			g.VMOVSS(place(i), x)
			if count == 1 {
				g.VMOVSS(x, operand.Mem{Base: dst})
				continue
			}
			for k := 1; k < 4; k++ {
				g.VINSERTPS(operand.Imm(uint64(k<<4)), place(i+k), x, x)
			}
			g.VMOVUPS(x, operand.Mem{Base: dst, Disp: 4 * i})
		}
		g.ADDQ(operand.Imm(uint64(4*count)), dst)
		g.ADDQ(operand.Imm(uint64(4*count)), index)
	})
	g.finish()
}

// rotary is simd.Rotary, 8 pairs at a time, then one by one: halves of heads are
// short, and a masked load of one waits for stores to the other.
func (g *gen) rotary() {
	g.function("rotary", "func(x, cos, sin []float32)")
	x, n, half := g.pointer("x"), g.length("x"), g.length("cos")
	bytes := g.GP64()
	g.MOVQ(half, bytes)
	g.SHLQ(operand.Imm(2), bytes)
	loop, done := g.label("heads"), g.label("headsDone")
	g.Label(loop)
	g.TESTQ(n, n)
	g.JZ(operand.LabelRef(done))
	b, left := g.GP64(), g.GP64()
	g.LEAQ(operand.Mem{Base: x, Index: bytes, Scale: 1}, b)
	g.MOVQ(half, left)
	cos, sin := g.pointer("cos"), g.pointer("sin")
	g.runs(left, []int{8, 1}, func(pairs int) {
		if pairs == 8 {
			g.rotatePairs(g.YMM, g.VMOVUPS, g.VMULPS, g.VADDPS, g.VSUBPS, x, b, cos, sin)
		} else {
			g.rotatePairs(g.XMM, g.VMOVSS, g.VMULSS, g.VADDSS, g.VSUBSS, x, b, cos, sin)
		}
		for _, p := range []reg.GPVirtual{x, b, cos, sin} {
			g.ADDQ(operand.Imm(uint64(4*pairs)), p)
		}
	})
	g.ADDQ(bytes, x)
	g.SUBQ(half, n)
	g.SUBQ(half, n)
	g.JMP(operand.LabelRef(loop))
	g.Label(done)
	g.finish()
}

// rotatePairs writes a*cos - b*sin to a, b*cos + a*sin to b.
func (g *gen) rotatePairs(register func() reg.VecVirtual, move, mul, add, sub func(...operand.Op), a, b, cos, sin reg.GPVirtual) {
	load := func(from reg.GPVirtual) reg.VecVirtual {
		r := register()
		move(operand.Mem{Base: from}, r)
		return r
	}
	p, q, c, s := load(a), load(b), load(cos), load(sin)
	u, v := register(), register()
	mul(c, p, u)
	mul(s, q, v)
	sub(v, u, u)
	move(u, operand.Mem{Base: a})
	mul(c, q, u)
	mul(s, p, v)
	add(v, u, u)
	move(u, operand.Mem{Base: b})
}

// sinkhorn is simd.Sinkhorn for n = 4: as many matrices at a time as a register has
// quarters of 16 bytes, because one waits for its divisions, then one by one.
func (g *gen) sinkhorn() {
	g.function("sinkhorn4", "func(m []float32, rounds int)")
	m, left, rounds := g.pointer("m"), g.length("m"), g.word("rounds")
	g.SHRQ(operand.Imm(4), left)
	g.runs(left, []int{g.width / 16, 1}, func(count int) {
		g.sinkhornOf(count, m, rounds)
		g.ADDQ(operand.U32(uint32(64*count)), m)
	})
	g.finish()
}

// sinkhornOf treats count matrices, whose rows share registers.
func (g *gen) sinkhornOf(count int, m, rounds reg.GPVirtual) {
	at := func(row, matrix int) operand.Mem { return operand.Mem{Base: m, Disp: 16*row + 64*matrix} }
	r := make([]reg.VecVirtual, 4)
	for i := range r {
		low := g.XMM()
		g.VMOVUPS(at(i, 0), low)
		switch r[i] = low; count {
		case 2:
			r[i] = g.YMM()
			g.VINSERTF128(operand.Imm(1), at(i, 1), low.AsY(), r[i])
		case 4:
			r[i] = g.ZMM()
			g.VINSERTF32X4(operand.Imm(1), at(i, 1), low.AsZ(), r[i])
			g.VINSERTF32X4(operand.Imm(2), at(i, 2), r[i], r[i])
			g.VINSERTF32X4(operand.Imm(3), at(i, 3), r[i], r[i])
		}
	}
	one := g.like(r[0])
	g.VMOVUPS(g.constant("one"), one)
	left := g.GP64()
	g.MOVQ(rounds, left)
	loop, done := g.label("rounds"), g.label("roundsDone")
	g.Label(loop)
	g.TESTQ(left, left)
	g.JZ(operand.LabelRef(done))
	for range 2 { // rows, as columns of the transposed; then columns
		g.transpose4(r)
		sum := g.like(r[0])
		g.VADDPS(r[1], r[0], sum)
		g.VADDPS(r[2], sum, sum)
		g.VADDPS(r[3], sum, sum)
		g.VDIVPS(sum, one, sum)
		for i := range r {
			g.VMULPS(sum, r[i], r[i])
		}
	}
	g.DECQ(left)
	g.JMP(operand.LabelRef(loop))
	g.Label(done)
	for i := range r {
		g.VMOVUPS(r[i].AsX(), at(i, 0))
		for k := 1; k < count; k++ {
			if count == 2 {
				g.VEXTRACTF128(operand.Imm(1), r[i], at(i, k))
			} else {
				g.VEXTRACTF32X4(operand.Imm(uint64(k)), r[i], at(i, k))
			}
		}
	}
}

// transpose4 transposes dwords within each 128-bit lane of four registers.
func (g *gen) transpose4(r []reg.VecVirtual) {
	t := make([]reg.VecVirtual, 4)
	for i := range t {
		t[i] = g.like(r[0])
	}
	g.VPUNPCKLDQ(r[1], r[0], t[0]) // 00 10 01 11
	g.VPUNPCKHDQ(r[1], r[0], t[1]) // 02 12 03 13
	g.VPUNPCKLDQ(r[3], r[2], t[2])
	g.VPUNPCKHDQ(r[3], r[2], t[3])
	g.VPUNPCKLQDQ(t[2], t[0], r[0])
	g.VPUNPCKHQDQ(t[2], t[0], r[1])
	g.VPUNPCKLQDQ(t[3], t[1], r[2])
	g.VPUNPCKHQDQ(t[3], t[1], r[3])
}

func (g *gen) like(r reg.VecVirtual) reg.VecVirtual {
	switch r.Size() {
	case 64:
		return g.ZMM()
	case 32:
		return g.YMM()
	default:
		return g.XMM()
	}
}

// readAll is simd.ReadAll for whole kilobytes.
func (g *gen) readAll() {
	g.function("readAll", "func(p []byte) byte")
	p, n := g.pointer("p"), g.length("p")
	var acc []reg.VecVirtual
	for range 4 {
		r := g.reg()
		g.zeroReg(r)
		acc = append(acc, r)
	}
	loop, done := g.label("loop"), g.label("done")
	g.SHRQ(operand.Imm(10), n)
	g.Label(loop)
	g.TESTQ(n, n)
	g.JZ(operand.LabelRef(done))
	for i := range 1024 / g.width {
		g.xorMem(operand.Mem{Base: p, Disp: i * g.width}, acc[i%4])
	}
	g.ADDQ(operand.U32(1024), p)
	g.DECQ(n)
	g.JMP(operand.LabelRef(loop))
	g.Label(done)
	for i := 1; i < 4; i++ {
		g.xorReg(acc[i], acc[0])
	}
	y := acc[0]
	if g.zmm() {
		h := g.YMM()
		g.VEXTRACTI64X4(operand.Imm(1), acc[0], h)
		y = g.YMM()
		g.VPXOR(acc[0].AsY(), h, y)
	}
	x, t := g.XMM(), g.XMM()
	g.VEXTRACTI128(operand.Imm(1), y, t)
	g.VPXOR(y.AsX(), t, x)
	for _, shift := range []uint64{8, 4, 2, 1} {
		g.VPSRLDQ(operand.Imm(shift), x, t)
		g.VPXOR(t, x, x)
	}
	b := g.GP32()
	g.VPEXTRB(operand.Imm(0), x, b)
	g.Store(b.As8(), g.ReturnIndex(0))
	g.finish()
}

func (g *gen) xorMem(m operand.Mem, r reg.VecVirtual) {
	if g.zmm() {
		g.VPXORD(m, r, r)
	} else {
		g.VPXOR(m, r, r)
	}
}

func (g *gen) xorReg(a, r reg.VecVirtual) {
	if g.zmm() {
		g.VPXORD(a, r, r)
	} else {
		g.VPXOR(a, r, r)
	}
}
