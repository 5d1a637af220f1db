package main

import (
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rotations emits the Walsh-Hadamard transforms and the arrangements of their
// results for products.
func (g *gen) rotations() {
	g.rotate()
	g.dequantize("dequantizeNarrow")
	g.dequantize("dequantizeWide")
	g.arrangeWide()
	if g.zmm() {
		g.arrangePlanes512()
		return
	}
	g.arrangePlanes256()
	g.arrangeWords()
}

// A step of a transform replaces pairs of elements whose indices differ in one
// bit by their sum and difference. Steps between registers need no shuffling;
// transposing 4x4 blocks makes other index bits select registers.

// butterflies takes the steps of the top n bits of the registers' numbers, the
// highest first.
func butterflies(r []reg.VecVirtual, n int, add, sub func(...operand.Op), like func() reg.VecVirtual) {
	for half := len(r) / 2; n > 0; half, n = half/2, n-1 {
		for i := range r {
			if i&half == 0 {
				a, b := r[i], r[i+half]
				s, d := like(), like()
				add(b, a, s)
				sub(b, a, d)
				r[i], r[i+half] = s, d
			}
		}
	}
}

// transposeLanes exchanges, among 4 ZMM, the register's number with that of the
// 128-bit lane.
func (g *gen) transposeLanes(r []reg.VecVirtual) {
	t := []reg.VecVirtual{g.ZMM(), g.ZMM(), g.ZMM(), g.ZMM()}
	g.VSHUFI64X2(operand.Imm(0x44), r[1], r[0], t[0]) // a0 a1 b0 b1
	g.VSHUFI64X2(operand.Imm(0xee), r[1], r[0], t[1]) // a2 a3 b2 b3
	g.VSHUFI64X2(operand.Imm(0x44), r[3], r[2], t[2])
	g.VSHUFI64X2(operand.Imm(0xee), r[3], r[2], t[3])
	g.VSHUFI64X2(operand.Imm(0x88), t[2], t[0], r[0]) // a0 b0 c0 d0
	g.VSHUFI64X2(operand.Imm(0xdd), t[2], t[0], r[1])
	g.VSHUFI64X2(operand.Imm(0x88), t[3], t[1], r[2])
	g.VSHUFI64X2(operand.Imm(0xdd), t[3], t[1], r[3])
}

// exchangeHalves exchanges, between 2 YMM, the register's number with that of
// the 128-bit lane.
func (g *gen) exchangeHalves(a, b reg.VecVirtual) (x, y reg.VecVirtual) {
	x, y = g.YMM(), g.YMM()
	g.VPERM2I128(operand.Imm(0x20), b, a, x)
	g.VPERM2I128(operand.Imm(0x31), b, a, y)
	return x, y
}

// rotate is simd.Rotate.
func (g *gen) rotate() {
	g.function("rotate", "func(h []int16, q []int8)")
	h, q, n := g.pointer("h"), g.pointer("q"), g.length("q")
	loop, done := g.label("group"), g.label("done")
	signs, swap := g.reg(), g.reg()
	g.VMOVUPS(g.constant("word signs"), signs)
	g.VMOVUPS(g.constant("swap words"), swap)
	g.Label(loop)
	g.TESTQ(n, n)
	g.JZ(operand.LabelRef(done))
	words := g.width / 2
	r := make([]reg.VecVirtual, 128/words)
	for i := range r {
		r[i] = g.reg()
		g.VPMOVSXBW(operand.Mem{Base: q, Disp: words * i}, r[i])
	}
	add := func(o ...operand.Op) { g.VPADDW(o...) }
	sub := func(o ...operand.Op) { g.VPSUBW(o...) }
	g.transform(r, add, sub, func(quad []reg.VecVirtual) { g.lastWords(quad, signs, swap) })
	for i := range r {
		g.VMOVUPS(r[i], operand.Mem{Base: h, Disp: g.width * i})
	}
	g.ADDQ(operand.U32(256), h)
	g.ADDQ(operand.U32(128), q)
	g.SUBQ(operand.U32(128), n)
	g.JMP(operand.LabelRef(loop))
	g.Label(done)
	g.finish()
}

// transform takes all steps between registers, lanes of 128 bits and dwords, the
// widest first; last takes those within dwords.
func (g *gen) transform(r []reg.VecVirtual, add, sub func(...operand.Op), last func(quad []reg.VecVirtual)) {
	dwords := func(quad []reg.VecVirtual) {
		g.transpose4(quad)
		butterflies(quad, 2, add, sub, g.reg)
		last(quad)
		g.transpose4(quad)
	}
	butterflies(r, bits.Len(uint(len(r)))-1, add, sub, g.reg)
	if g.zmm() {
		for i := 0; i < len(r); i += 4 {
			quad := r[i : i+4]
			g.transposeLanes(quad)
			butterflies(quad, 2, add, sub, g.reg)
			dwords(quad)
			g.transposeLanes(quad)
		}
		return
	}
	g.exchangeAll(r)
	for i := 0; i < len(r); i += 2 {
		butterflies(r[i:i+2], 1, add, sub, g.reg)
	}
	// Now a register's lowest bit is the lane's; the two above it change places
	// with the dwords'.
	for k := range 2 {
		quad := []reg.VecVirtual{r[k], r[k+2], r[k+4], r[k+6]}
		dwords(quad)
		for i := range quad {
			r[k+2*i] = quad[i]
		}
	}
	g.exchangeAll(r)
}

func (g *gen) exchangeAll(r []reg.VecVirtual) {
	for i := 0; i < len(r); i += 2 {
		r[i], r[i+1] = g.exchangeHalves(r[i], r[i+1])
	}
}

// lastWords takes the step between neighbouring words.
func (g *gen) lastWords(r []reg.VecVirtual, signs, swap reg.VecVirtual) {
	for i := range r {
		other, own := g.reg(), g.reg()
		g.VPSHUFB(swap, r[i], other)
		g.VPMULLW(signs, r[i], own) // a, -b
		g.VPADDW(other, own, own)   // b+a, a-b
		r[i] = own
	}
}

// dequantize is simd.Dequantize for the codes of a width.
func (g *gen) dequantize(name string) {
	g.function(name, "func(dst *float32, packed *byte, points *float32, norm float32)")
	dst, packed, points := g.word("dst"), g.word("packed"), g.word("points")
	norm := g.scalar("norm")[0]
	add := func(o ...operand.Op) { g.VADDPS(o...) }
	sub := func(o ...operand.Op) { g.VSUBPS(o...) }
	none := func([]reg.VecVirtual) {}
	lookup := g.narrowLookup(packed, points)
	if name == "dequantizeWide" {
		lookup = g.wideLookup(packed, points)
	}
	if g.zmm() {
		r := make([]reg.VecVirtual, 8)
		for i := range r {
			r[i] = lookup(i)
		}
		g.transform(r, add, sub, none)
		for i := range r {
			g.VMULPS(norm, r[i], r[i])
			g.VMOVUPS(r[i], operand.Mem{Base: dst, Disp: 64 * i})
		}
		g.finish()
		return
	}
	// The registers hold half of the elements: the step between the halves
	// goes through memory.
	for i := range 8 {
		a, b, s := lookup(i), lookup(8+i), g.reg()
		g.VADDPS(b, a, s)
		g.VSUBPS(b, a, a)
		g.VMOVUPS(s, operand.Mem{Base: dst, Disp: 32 * i})
		g.VMOVUPS(a, operand.Mem{Base: dst, Disp: 256 + 32*i})
	}
	for half := range 2 {
		r := make([]reg.VecVirtual, 8)
		for i := range r {
			r[i] = g.reg()
			g.VMOVUPS(operand.Mem{Base: dst, Disp: 256*half + 32*i}, r[i])
		}
		g.transform(r, add, sub, none)
		for i := range r {
			m := operand.Mem{Base: dst, Disp: 256*half + 32*i}
			g.VBROADCASTSS(g.param("norm"), norm)
			g.VMULPS(norm, r[i], r[i])
			g.VMOVUPS(r[i], m)
		}
	}
	g.finish()
}

// narrowLookup returns what looks up register i's points, by 2 bits each.
func (g *gen) narrowLookup(packed, points reg.GPVirtual) func(i int) reg.VecVirtual {
	table := g.reg()
	if g.zmm() {
		g.VBROADCASTF32X4(operand.Mem{Base: points}, table)
	} else {
		g.VBROADCASTF128(operand.Mem{Base: points}, table)
	}
	return func(i int) reg.VecVirtual {
		codes := g.reg()
		shifts := g.constant("narrow shifts")
		if g.zmm() {
			g.VPBROADCASTD(operand.Mem{Base: packed, Disp: 4 * i}, codes)
		} else {
			g.VPBROADCASTD(operand.Mem{Base: packed, Disp: i / 2 * 4}, codes)
			shifts = shifts.Offset(i % 2 * 32)
		}
		g.VPSRLVD(shifts, codes, codes)
		g.VPERMILPS(codes, table, codes) // looks at 2 bits
		return codes
	}
}

// wideLookup is narrowLookup for 4 bits.
func (g *gen) wideLookup(packed, points reg.GPVirtual) func(i int) reg.VecVirtual {
	low, high := g.reg(), g.reg()
	g.VMOVUPS(operand.Mem{Base: points}, low)
	if !g.zmm() {
		g.VMOVUPS(operand.Mem{Base: points, Disp: 32}, high)
	}
	return func(i int) reg.VecVirtual {
		codes := g.reg()
		if g.zmm() {
			g.VPBROADCASTQ(operand.Mem{Base: packed, Disp: 8 * i}, codes)
			place := g.reg()
			g.VMOVUPS(g.constant("wide dwords"), place)
			g.VPERMD(codes, place, codes)
			g.VPSRLVD(g.constant("wide shifts"), codes, codes)
			g.VPERMPS(low, codes, codes) // looks at 4 bits
			return codes
		}
		g.VPBROADCASTD(operand.Mem{Base: packed, Disp: 4 * i}, codes)
		g.VPSRLVD(g.constant("wide shifts"), codes, codes)
		a, b := g.reg(), g.reg()
		g.VPERMPS(low, codes, a) // looks at 3 bits
		g.VPERMPS(high, codes, b)
		g.VPSLLD(operand.Imm(28), codes, codes)
		g.VBLENDVPS(codes, b, a, a)
		return a
	}
}

// arrange emits a loop over blocks of words of h, whose results go to dst.
func (g *gen) arrange(name string, bytes int, body func(dst, h reg.GPVirtual)) {
	g.function(name, "func(dst, h []int16)")
	dst, h, n := g.pointer("dst"), g.pointer("h"), g.length("h")
	loop, done := g.label("loop"), g.label("done")
	g.Label(loop)
	g.TESTQ(n, n)
	g.JZ(operand.LabelRef(done))
	body(dst, h)
	g.ADDQ(operand.U32(uint32(bytes)), dst)
	g.ADDQ(operand.U32(uint32(bytes)), h)
	g.SUBQ(operand.U32(uint32(bytes/2)), n)
	g.JMP(operand.LabelRef(loop))
	g.Label(done)
	g.finish()
}

// arrangeWide orders each 8 words: word 4+k behind word k for lookups of words;
// the even ones first where words are put together from bytes.
func (g *gen) arrangeWide() {
	order8 := "even words"
	if g.zmm() {
		order8 = "pair words"
	}
	g.arrange("arrangeWide", 256, func(dst, h reg.GPVirtual) {
		order := g.reg()
		g.VMOVUPS(g.constant(order8), order)
		for i := range 256 / g.width {
			v := g.reg()
			g.VMOVUPS(operand.Mem{Base: h, Disp: g.width * i}, v)
			g.VPSHUFB(order, v, v)
			g.VMOVUPS(v, operand.Mem{Base: dst, Disp: g.width * i})
		}
	})
}

// arrangeWords puts each 16 words into the order 0 4 8 12 1 5 9 13 ...: the
// columns of each field of the bytes of codes.
func (g *gen) arrangeWords() {
	g.arrange("arrangeWords", 256, func(dst, h reg.GPVirtual) {
		for i := range 8 {
			a, b, l, u := g.XMM(), g.XMM(), g.XMM(), g.XMM()
			g.VMOVUPS(operand.Mem{Base: h, Disp: 32 * i}, a)
			g.VMOVUPS(operand.Mem{Base: h, Disp: 32*i + 16}, b)
			g.VPUNPCKLWD(b, a, l) // 0 8 1 9 2 10 3 11
			g.VPUNPCKHWD(b, a, u) // 4 12 5 13 ...
			g.VPUNPCKLWD(u, l, a)
			g.VPUNPCKHWD(u, l, b)
			g.VMOVUPS(a, operand.Mem{Base: dst, Disp: 32 * i})
			g.VMOVUPS(b, operand.Mem{Base: dst, Disp: 32*i + 16})
		}
	})
}

// digits splits words h into 128*high + low, each fitting int8.
func (g *gen) digits(h reg.VecVirtual) (high, low reg.VecVirtual) {
	high, low = g.reg(), g.reg()
	g.VPADDW(g.constant("words of 64"), h, high)
	g.VPSRAW(operand.Imm(7), high, high)
	g.VPMINSW(g.constant("words of 127"), high, high)
	g.VPSLLW(operand.Imm(7), high, low)
	g.VPSUBW(low, h, low)
	return high, low
}

// arrangePlanes512 writes a group as two planes of bytes; in each 16 columns
// the order is that of fields, then bytes of codes: 0 4 8 12 1 5 9 13 ...
func (g *gen) arrangePlanes512() {
	g.arrange("arrangePlanes", 256, func(dst, h reg.GPVirtual) {
		order := g.YMM()
		g.VMOVUPS(g.constant("field bytes"), order)
		for i := range 4 {
			v := g.reg()
			g.VMOVUPS(operand.Mem{Base: h, Disp: 64 * i}, v)
			high, low := g.digits(v)
			for k, plane := range []reg.VecVirtual{high, low} {
				b := g.YMM()
				g.VPMOVWB(plane, b)
				g.VPSHUFB(order, b, b)
				g.VMOVUPS(b, operand.Mem{Base: dst, Disp: planeBytes*k + 32*i})
			}
		}
	})
}

func (g *gen) arrangePlanes256() {
	g.arrange("arrangePlanes", 256, func(dst, h reg.GPVirtual) {
		order := g.YMM()
		g.VMOVUPS(g.constant("field bytes"), order)
		for i := range 4 {
			a, b := g.reg(), g.reg()
			g.VMOVUPS(operand.Mem{Base: h, Disp: 64 * i}, a)
			g.VMOVUPS(operand.Mem{Base: h, Disp: 64*i + 32}, b)
			ah, al := g.digits(a)
			bh, bl := g.digits(b)
			for k, plane := range [][2]reg.VecVirtual{{ah, bh}, {al, bl}} {
				v := g.reg()
				g.VPACKSSWB(plane[1], plane[0], v)
				g.VPERMQ(operand.Imm(0xd8), v, v)
				g.VPSHUFB(order, v, v)
				g.VMOVUPS(v, operand.Mem{Base: dst, Disp: planeBytes*k + 32*i})
			}
		}
	})
}
