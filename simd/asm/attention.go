package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// attention emits the kernels over int8 keys and values.
func (g *gen) attention() {
	g.scoreKeys()
	g.sumValues()
	if g.base == "" {
		g.splitWeights()
		g.joinSums()
	}
}

// scoreKeys is simd.ScoreKeys.
func (g *gen) scoreKeys() {
	g.function("scoreKeys", "func(dst []float32, q []int8, scale float32, keys []int8, keyScale []float32)")
	dst, n, keys, keyScale := g.pointer("dst"), g.length("dst"), g.pointer("keys"), g.pointer("keyScale")
	scale := g.scalar("scale")
	start := g.vec()
	g.zero(start)
	var flip, ones reg.VecVirtual
	if g.vnni {
		// A dot product takes one side unsigned: keys + 128, so that sums begin
		// at -128 times the query's.
		flip = g.reg()
		g.VMOVUPS(g.constant("flip"), flip)
		q, left := g.pointer("q"), g.length("q")
		loop := g.label("query")
		g.Label(loop)
		g.dotBytes(operand.Mem{Base: q}, vec{flip, flip}, start)
		g.ADDQ(operand.Imm(4), q)
		g.SUBQ(operand.Imm(4), left)
		g.JNZ(operand.LabelRef(loop))
		for _, r := range start {
			zero := g.reg()
			g.zeroReg(zero)
			g.VPSUBD(r, zero, r)
		}
	} else {
		ones = g.reg()
		g.VMOVUPS(g.constant("words of 1"), ones)
	}
	tile, done := g.label("tile"), g.label("done")
	g.Label(tile)
	g.TESTQ(n, n)
	g.JZ(operand.LabelRef(done))
	acc := g.vec()
	for i := range acc {
		g.VMOVAPS(start[i], acc[i])
	}
	q, left := g.pointer("q"), g.length("q")
	for _, dwords := range []int{4, 1} {
		loop, done := g.label("values"), g.label("valuesDone")
		g.Label(loop)
		g.CMPQ(left, operand.Imm(uint64(4*dwords)))
		g.JL(operand.LabelRef(done))
		for d := range dwords {
			g.addKeys(operand.Mem{Base: q, Disp: 4 * d}, keys, 64*d, flip, ones, acc)
		}
		g.ADDQ(operand.U32(uint32(64*dwords)), keys)
		g.ADDQ(operand.Imm(uint64(4*dwords)), q)
		g.SUBQ(operand.Imm(uint64(4*dwords)), left)
		g.JMP(operand.LabelRef(loop))
		g.Label(done)
	}
	for i := range acc {
		g.VCVTDQ2PS(acc[i], acc[i])
		f := g.reg()
		g.VMULPS(g.at(keyScale, 0, i), scale[i], f)
		g.VMULPS(f, acc[i], acc[i])
		g.VMOVUPS(acc[i], g.at(dst, 0, i))
	}
	g.ADDQ(operand.Imm(64), dst)
	g.ADDQ(operand.Imm(64), keyScale)
	g.SUBQ(operand.Imm(16), n)
	g.JMP(operand.LabelRef(tile))
	g.Label(done)
	g.finish()
}

// addKeys adds the products of a dword of the query with the keys at disp.
func (g *gen) addKeys(q operand.Mem, keys reg.GPVirtual, disp int, flip, ones reg.VecVirtual, acc vec) {
	if g.vnni {
		k := g.vec()
		for i := range k {
			if g.zmm() {
				g.VPXORD(g.at(keys, disp, i), flip, k[i])
			} else {
				g.VPXOR(g.at(keys, disp, i), flip, k[i])
			}
		}
		g.dotBytes(q, k, acc)
		return
	}
	b := g.reg()
	g.VPBROADCASTD(q, b)
	for i := range acc {
		size, signed := g.reg(), g.reg()
		g.VPABSB(g.at(keys, disp, i), size)
		g.VPSIGNB(g.at(keys, disp, i), b, signed)
		g.VPMADDUBSW(signed, size, size)
		g.VPMADDWD(ones, size, size)
		g.VPADDD(size, acc[i], acc[i])
	}
}

// dotBytes adds the products of a dword of signed bytes in memory with unsigned
// bytes.
func (g *gen) dotBytes(m operand.Mem, unsigned, acc vec) {
	if g.zmm() {
		g.VPDPBUSD_BCST(m, unsigned[0], acc[0])
		return
	}
	b := g.reg()
	g.VPBROADCASTD(m, b)
	for i := range acc {
		g.VPDPBUSD(b, unsigned[i], acc[i])
	}
}

// sumValues is simd.SumValues: for each 16 values, or 64 where so many are
// left, all slots.
func (g *gen) sumValues() {
	g.function("sumValues", "func(sums []int32, high, low []uint8, values []int8)")
	sums, dim := g.pointer("sums"), g.length("sums")
	g.SHRQ(operand.Imm(1), dim)
	values := g.pointer("values")
	step := g.GP64() // bytes of a group of slots; of a row of sums as well
	g.MOVQ(dim, step)
	g.SHLQ(operand.Imm(2), step)
	var ones reg.VecVirtual
	if !g.vnni {
		ones = g.reg()
		g.VMOVUPS(g.constant("words of 1"), ones)
	}
	counts := []int{2, 1}
	if g.zmm() {
		counts = []int{4, 1}
	}
	for _, count := range counts {
		loop, done := g.label("values"), g.label("valuesDone")
		g.Label(loop)
		g.CMPQ(dim, operand.Imm(uint64(16*count)))
		g.JL(operand.LabelRef(done))
		var high, low []vec
		for c := range count {
			h, l := g.vec(), g.vec()
			g.load(h, sums, 64*c)
			for i := range l {
				m := g.at(sums, 64*c, i)
				m.Index, m.Scale = step, 1
				g.VMOVUPS(m, l[i])
			}
			high, low = append(high, h), append(low, l)
		}
		h, l, n, v := g.pointer("high"), g.pointer("low"), g.length("high"), g.GP64()
		g.MOVQ(values, v)
		slots, slotsDone := g.label("slots"), g.label("slotsDone")
		g.Label(slots)
		g.TESTQ(n, n)
		g.JZ(operand.LabelRef(slotsDone))
		dh, dl := g.reg(), g.reg()
		g.VPBROADCASTD(operand.Mem{Base: h}, dh)
		g.VPBROADCASTD(operand.Mem{Base: l}, dl)
		for c := range count {
			for i := range high[c] {
				x := g.reg()
				g.VMOVUPS(g.at(v, 64*c, i), x)
				g.addDigits(dh, x, high[c][i], ones)
				g.addDigits(dl, x, low[c][i], ones)
			}
		}
		g.ADDQ(step, v)
		g.ADDQ(operand.Imm(4), h)
		g.ADDQ(operand.Imm(4), l)
		g.SUBQ(operand.Imm(4), n)
		g.JMP(operand.LabelRef(slots))
		g.Label(slotsDone)
		for c := range count {
			g.store(high[c], sums, 64*c)
			for i, r := range low[c] {
				m := g.at(sums, 64*c, i)
				m.Index, m.Scale = step, 1
				g.VMOVUPS(r, m)
			}
		}
		g.ADDQ(operand.U32(uint32(64*count)), sums)
		g.ADDQ(operand.U32(uint32(64*count)), values)
		g.SUBQ(operand.Imm(uint64(16*count)), dim)
		g.JMP(operand.LabelRef(loop))
		g.Label(done)
	}
	g.finish()
}

// addDigits adds digit * value over four slots.
func (g *gen) addDigits(digits, values, acc, ones reg.VecVirtual) {
	if g.vnni {
		g.VPDPBUSD(values, digits, acc)
		return
	}
	t := g.reg()
	g.VPMADDUBSW(values, digits, t)
	g.VPMADDWD(ones, t, t)
	g.VPADDD(t, acc, acc)
}

// splitWeights is simd.SplitWeights.
func (g *gen) splitWeights() {
	g.function("splitWeights", "func(high, low []uint8, w []float32, factor float32)")
	high, low, w, n := g.pointer("high"), g.pointer("low"), g.pointer("w"), g.length("w")
	factor := g.scalar("factor")
	and := g.and()
	g.blocks(n, []reg.GPVirtual{w, high, low}, func(a access) {
		v, h := g.vec(), g.vec()
		a.load(v, w, 0)
		op3(g.VMULPS, factor, v, v)
		g.opm(g.VADDPS, g.constant("rounding"), v, v)
		for i := range v {
			g.VPSRLD(operand.Imm(7), v[i], h[i])
		}
		g.opm(and, g.constant("seven bits"), h, h)
		g.opm(and, g.constant("seven bits"), v, v)
		g.storeBytes(a, h, n, high)
		g.storeBytes(a, v, n, low)
	}, 4, 1, 1)
	g.finish()
}

// joinSums is simd.JoinSums.
func (g *gen) joinSums() {
	g.function("joinSums", "func(dst []float32, sums []int32, unit float32)")
	dst, n, high, low := g.pointer("dst"), g.length("dst"), g.pointer("sums"), g.length("sums")
	g.SHRQ(operand.Imm(1), low)
	g.LEAQ(operand.Mem{Base: high, Index: low, Scale: 4}, low)
	unit := g.scalar("unit")
	g.blocks(n, []reg.GPVirtual{dst, high, low}, func(a access) {
		h, l := g.vec(), g.vec()
		a.load(h, high, 0)
		a.load(l, low, 0)
		for i := range h {
			g.VCVTDQ2PS(h[i], h[i])
			g.VCVTDQ2PS(l[i], l[i])
		}
		g.opm(g.VMULPS, g.constant("128"), h, h)
		op3(g.VADDPS, l, h, h)
		op3(g.VMULPS, unit, h, h)
		a.store(h, dst, 0)
	})
	g.finish()
}
