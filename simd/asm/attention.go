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
		g.weigh()
	}
}

// scoreKeys is simd.ScoreKeys: several queries at a time, because they share the
// loads of the keys, and because a sum waits for its last product.
func (g *gen) scoreKeys() {
	g.function("scoreKeys", "func(dst []float32, stride int, q []int8, scale []float32, keys []int8, keyScale []float32)")
	dst, query, scale, left := g.pointer("dst"), g.pointer("q"), g.pointer("scale"), g.length("scale")
	length, row := g.GP64(), g.word("stride") // of a query, from row to row of scores, in bytes
	done := g.label("done")
	g.TESTQ(left, left)
	g.JZ(operand.LabelRef(done))
	g.queryLength(length, left)
	g.SHLQ(operand.Imm(2), row)
	most := 3
	if g.zmm() {
		most = 6
	}
	g.runs(left, []int{most, 1}, func(count int) {
		g.scoreQueries(count, dst, query, length, scale, row)
		for range count {
			g.ADDQ(length, query)
			g.ADDQ(row, dst)
		}
		g.ADDQ(operand.Imm(uint64(4*count)), scale)
	})
	g.Label(done)
	g.finish()
}

// queryLength divides the length of all queries by their number.
func (g *gen) queryLength(length, queries reg.GPVirtual) {
	g.Load(g.Param("q").Len(), reg.RAX)
	g.XORQ(reg.RDX, reg.RDX)
	g.DIVQ(queries)
	g.MOVQ(reg.RAX, length)
}

// places are the memory of count rows, rowBytes apart, from base on.
func (g *gen) places(count int, base, rowBytes reg.GPVirtual) (rows []operand.Mem) {
	for i := range count {
		switch i {
		case 0:
			rows = append(rows, operand.Mem{Base: base})
		case 1, 2, 4:
			rows = append(rows, operand.Mem{Base: base, Index: rowBytes, Scale: uint8(i)})
		default: // 3 and 5
			odd := g.GP64()
			g.LEAQ(operand.Mem{Base: base, Index: rowBytes, Scale: uint8(i - 1)}, odd)
			rows = append(rows, operand.Mem{Base: odd, Index: rowBytes, Scale: 1})
		}
	}
	return rows
}

// scoreQueries scores count queries with all keys.
func (g *gen) scoreQueries(count int, dst, query, length, scale, row reg.GPVirtual) {
	start := make([]reg.VecVirtual, count)
	var flip, ones reg.VecVirtual
	if g.vnni {
		// A dot product takes one side unsigned: keys + 128, so that sums begin
		// at -128 times the query's.
		flip = g.reg()
		g.VMOVUPS(g.constant("flip"), flip)
		for i := range start {
			start[i] = g.reg()
			g.zeroReg(start[i])
		}
		q, left := g.GP64(), g.GP64()
		g.MOVQ(query, q)
		g.MOVQ(length, left)
		loop := g.label("query")
		g.Label(loop)
		for i, m := range g.places(count, q, length) {
			g.dotBytes(m, vec{flip}, vec{start[i]})
		}
		g.ADDQ(operand.Imm(4), q)
		g.SUBQ(operand.Imm(4), left)
		g.JNZ(operand.LabelRef(loop))
		zero := g.reg()
		g.zeroReg(zero)
		for _, r := range start {
			g.VPSUBD(r, zero, r)
		}
	} else {
		ones = g.reg()
		g.VMOVUPS(g.constant("words of 1"), ones)
	}
	keys, keyScale, n, out := g.pointer("keys"), g.pointer("keyScale"), g.length("keyScale"), g.GP64()
	g.MOVQ(dst, out)
	tile, done := g.label("tile"), g.label("tilesDone")
	g.Label(tile)
	g.TESTQ(n, n)
	g.JZ(operand.LabelRef(done))
	acc := make([]vec, count)
	for i := range acc {
		acc[i] = g.vec()
		for _, r := range acc[i] {
			if g.vnni {
				g.VMOVAPS(start[i], r)
			} else {
				g.zeroReg(r)
			}
		}
	}
	q, left := g.GP64(), g.GP64()
	g.MOVQ(query, q)
	g.MOVQ(length, left)
	g.runs(left, []int{16, 4}, func(bytes int) {
		at := g.places(count, q, length)
		for d := range bytes / 4 {
			g.addKeys(at, keys, d, flip, ones, acc)
		}
		g.ADDQ(operand.U32(uint32(16*bytes)), keys)
		g.ADDQ(operand.Imm(uint64(bytes)), q)
	})
	rows := g.places(count, out, row)
	for i := range acc {
		for k, r := range acc[i] {
			g.VCVTDQ2PS(r, r)
			f := g.reg()
			g.VBROADCASTSS(operand.Mem{Base: scale, Disp: 4 * i}, f)
			g.VMULPS(g.at(keyScale, 0, k), f, f)
			g.VMULPS(f, r, r)
			g.VMOVUPS(r, rows[i].Offset(k*g.width))
		}
	}
	g.ADDQ(operand.Imm(64), out)
	g.ADDQ(operand.Imm(64), keyScale)
	g.SUBQ(operand.Imm(16), n)
	g.JMP(operand.LabelRef(tile))
	g.Label(done)
}

// addKeys adds the products of dword d of each query with those of the keys.
func (g *gen) addKeys(queries []operand.Mem, keys reg.GPVirtual, d int, flip, ones reg.VecVirtual, acc []vec) {
	if g.vnni {
		k := g.vec()
		for i := range k {
			if g.zmm() {
				g.VPXORD(g.at(keys, 64*d, i), flip, k[i])
			} else {
				g.VPXOR(g.at(keys, 64*d, i), flip, k[i])
			}
		}
		for j, m := range queries {
			g.dotBytes(m.Offset(4*d), k, acc[j])
		}
		return
	}
	for i := range acc[0] {
		size := g.reg()
		g.VPABSB(g.at(keys, 64*d, i), size)
		for j, m := range queries {
			b := g.reg()
			g.VPBROADCASTD(m.Offset(4*d), b)
			g.VPSIGNB(g.at(keys, 64*d, i), b, b)
			g.VPMADDUBSW(b, size, b)
			g.VPMADDWD(ones, b, b)
			g.VPADDD(b, acc[j][i], acc[j][i])
		}
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

// sumValues is simd.SumValues: row by row; for each 16 values, or 64
// where so many are left, all slots.
func (g *gen) sumValues() {
	g.function("sumValues", "func(sums []int32, high, low []uint8, stride, dim int, values []int8)")
	sums, sumsEnd := g.pointer("sums"), g.length("sums")
	g.LEAQ(operand.Mem{Base: sums, Index: sumsEnd, Scale: 4}, sumsEnd)
	highs, lows := g.pointer("high"), g.pointer("low")
	step := g.word("dim") // bytes of a group of slots; of half a row of sums as well
	g.SHLQ(operand.Imm(2), step)
	var ones reg.VecVirtual
	if !g.vnni {
		ones = g.reg()
		g.VMOVUPS(g.constant("words of 1"), ones)
	}
	row, allDone := g.label("row"), g.label("done")
	g.Label(row)
	g.CMPQ(sums, sumsEnd)
	g.JAE(operand.LabelRef(allDone))
	values, dim := g.pointer("values"), g.word("dim")
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
		h, l, v, end := g.GP64(), g.GP64(), g.GP64(), g.length("values")
		g.MOVQ(highs, h)
		g.MOVQ(lows, l)
		g.MOVQ(values, v)
		g.ADDQ(values, end)
		slots, slotsDone := g.label("slots"), g.label("slotsDone")
		g.Label(slots)
		g.CMPQ(v, end)
		g.JAE(operand.LabelRef(slotsDone))
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
	g.ADDQ(step, sums) // the low digits' half of the row
	stride := g.word("stride")
	g.ADDQ(stride, highs)
	g.ADDQ(stride, lows)
	g.JMP(operand.LabelRef(row))
	g.Label(allDone)
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

// eachRow runs body for each element of a float parameter, broadcast.
func (g *gen) eachRow(factors string, body func(factor vec)) {
	at, left := g.pointer(factors), g.length(factors)
	g.times(left, func() {
		factor := g.vec()
		g.fill(factor, operand.Mem{Base: at})
		body(factor)
		g.ADDQ(operand.Imm(4), at)
	})
}

// splitWeights is simd.SplitWeights.
func (g *gen) splitWeights() {
	g.function("splitWeights", "func(high, low []uint8, w []float32, stride, n int, factor []float32)")
	high, low, w := g.pointer("high"), g.pointer("low"), g.pointer("w")
	and := g.and()
	g.eachRow("factor", func(factor vec) {
		n, rest := g.word("n"), g.word("stride")
		g.SUBQ(n, rest)
		tail := g.GP64() // what blocks leave for pointers to advance
		g.MOVQ(n, tail)
		g.ANDQ(operand.Imm(15), tail)
		g.ADDQ(tail, rest)
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
		g.LEAQ(operand.Mem{Base: w, Index: rest, Scale: 4}, w)
		g.ADDQ(rest, high)
		g.ADDQ(rest, low)
	})
	g.finish()
}

// joinSums is simd.JoinSums.
func (g *gen) joinSums() {
	g.function("joinSums", "func(dst []float32, n int, sums []int32, dim int, unit []float32)")
	dst, sums, dim := g.pointer("dst"), g.pointer("sums"), g.word("dim")
	g.eachRow("unit", func(unit vec) {
		n, out, high, low := g.word("n"), g.GP64(), g.GP64(), g.GP64()
		g.MOVQ(dst, out)
		g.LEAQ(operand.Mem{Base: dst, Index: n, Scale: 4}, dst)
		g.MOVQ(sums, high)
		g.LEAQ(operand.Mem{Base: sums, Index: dim, Scale: 4}, low)
		g.LEAQ(operand.Mem{Base: sums, Index: dim, Scale: 8}, sums)
		g.blocks(n, []reg.GPVirtual{out, high, low}, func(a access) {
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
			a.store(h, out, 0)
		})
	})
	g.finish()
}

// weigh is simd.Weigh.
func (g *gen) weigh() {
	g.function("weigh", "func(w []float32, stride int, valueScale, total, largest []float32)")
	// The largest scores first: they have to wait, but not for each other.
	rows := func(body func(w, total, largest reg.GPVirtual)) {
		w, total, left, largest := g.pointer("w"), g.pointer("total"), g.length("total"), g.pointer("largest")
		g.times(left, func() {
			body(w, total, largest)
			g.ADDQ(operand.Imm(4), total)
			g.ADDQ(operand.Imm(4), largest)
			stride := g.word("stride")
			g.LEAQ(operand.Mem{Base: w, Index: stride, Scale: 4}, w)
		})
	}
	rows(func(w, _, largest reg.GPVirtual) {
		x, n := g.GP64(), g.length("valueScale")
		g.MOVQ(w, x)
		g.VMOVSS(g.max(x, n), operand.Mem{Base: largest})
	})
	rows(g.weighRow)
	g.finish()
}

// weighRow turns one row of scores, the largest of which is at largest, into
// weights.
func (g *gen) weighRow(w, total, largest reg.GPVirtual) {
	top := g.reg()
	g.VBROADCASTSS(operand.Mem{Base: largest}, top)
	x, n := g.GP64(), g.length("valueScale")
	g.MOVQ(w, x)
	scale := g.pointer("valueScale")
	sum, most := g.vec(), g.vec()
	g.zero(sum)
	g.zero(most)
	g.blocks(n, []reg.GPVirtual{x, scale}, func(a access) {
		v := g.vec()
		a.load(v, x, 0)
		// One register after the other: with 256 bits they are scarce.
		for i := range v {
			g.VSUBPS(top, v[i], v[i])
			g.VMOVAPS(g.exp(vec{v[i]})[0], v[i])
		}
		a.clear(v)
		op3(g.VADDPS, v, sum, sum)
		f := g.vec()
		a.load(f, scale, 0)
		op3(g.VMULPS, f, v, v)
		a.store(v, x, 0)
		g.keepLarger(v, most)
	})
	g.VMOVSS(g.tree(sum, g.VADDPS), operand.Mem{Base: total})
	g.VMOVSS(g.tree(most, g.VMAXPS), operand.Mem{Base: largest})
}
