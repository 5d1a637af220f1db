package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Bytes of a group's prepared values, and how far its second plane lies.
const (
	groupBytes = 256
	planeBytes = 128
)

// Offsets in simd.lookup, the tables of a codebook.
const (
	narrowTable = 0 // two of 64 bytes
	lowTable    = 128
	highTable   = 192
	wordTable   = 256
)

// prefetchAhead is how far before their use codes are asked for where each is
// used once, in bytes: a few kilobytes more than what the core asks for by
// itself, and a page further than it looks.
const prefetchAhead = 8192

// prefetchForBlock is the same where they are used for several tokens, more slowly.
const prefetchForBlock = 2048

const productSignature = "func(y *float32, stride, rows int, codes *byte, norms *uint16, groups int, " +
	"values *int16, first *float32, bias *int32, scale *float32, tables *byte, offset, unit float32)"

// products emits simd.MulNarrow and simd.MulWide for fixed numbers of tokens.
func (g *gen) products() {
	for _, kind := range []string{"narrow", "wide"} {
		for _, tokens := range g.tokenCounts(kind) {
			g.product(kind, tokens)
		}
	}
	g.peak()
}

// tokenCounts is bound by the registers that hold sums.
func (g *gen) tokenCounts(kind string) []int {
	switch {
	case g.zmm():
		return []int{1, 4, 8}
	case g.vnni && kind == "narrow":
		return []int{1, 2}
	default:
		return []int{1, 4}
	}
}

// product is one function's state.
type product struct {
	*gen
	kind   string
	tokens int
	planes bool // inputs are two planes of bytes, not words

	codes, norms    reg.GPVirtual
	values, values4 reg.GPVirtual // of tokens 0 and 4
	stride, stride3 reg.GPVirtual // bytes between tokens' values
	first, bias     reg.GPVirtual // of the group, token 0
	table           [2]reg.VecVirtual
	low4            reg.VecVirtual // AVX-512: mask of the low nibbles
	offset          reg.VecVirtual // AVX-512
	acc             [][]vec        // [token][chain, the planes after one another]
	sums            []vec
	local           operand.Mem
	parts           []int // of the rows' vectors that the pass works on
}

// passes are the parts of a tile's rows that are computed together. Words put
// together from bytes need so many sums that a pass has half of the rows.
func (p *product) passes() [][]int {
	switch {
	case p.zmm():
		return [][]int{{0}}
	case p.unpacked() && p.tokens > 1:
		return [][]int{{0}, {1}}
	default:
		return [][]int{{0, 1}}
	}
}

// passVec is a register for each part of the pass.
func (p *product) passVec() vec {
	var v vec
	for range p.parts {
		v = append(v, p.reg())
	}
	return v
}

func (g *gen) product(kind string, tokens int) {
	p := &product{gen: g, kind: kind, tokens: tokens, planes: kind == "narrow" && g.vnni}
	g.function(fmt.Sprintf("%s%d", kind, tokens), productSignature)
	p.prologue()
	rows := g.word("rows")
	tile := g.label("tile")
	g.Label(tile)
	p.startTile()
	groups := g.word("groups")
	group := g.label("group")
	g.Label(group)
	for i, parts := range p.passes() {
		p.parts = parts
		p.startGroup()
		p.dots(i == len(p.passes())-1)
		p.endGroup()
	}
	p.nextGroup()
	g.DECQ(groups)
	g.JNZ(operand.LabelRef(group))
	p.endTile(rows)
	g.SUBQ(operand.Imm(16), rows)
	g.CMPQ(rows, operand.Imm(0))
	g.JG(operand.LabelRef(tile))
	g.finish()
}

func (p *product) prologue() {
	g := p.gen
	p.codes, p.norms = g.word("codes"), g.word("norms")
	tables := g.word("tables")
	at := map[string][2]int{
		"narrow": {narrowTable, narrowTable + 64}, "wide": {lowTable, highTable},
	}[p.kind]
	n := 2
	if p.kind == "wide" && g.zmm() {
		at[0], n = wordTable, 1
	}
	for i := range n {
		p.table[i] = g.reg()
		g.VMOVUPS(operand.Mem{Base: tables, Disp: at[i]}, p.table[i])
	}
	if g.zmm() {
		p.low4 = g.reg()
		g.VMOVUPS(g.constant("nibbles"), p.low4)
		p.offset = g.reg()
		g.VBROADCASTSS(g.param("offset"), p.offset)
	} else {
		p.local = g.AllocLocal(64 * p.tokens)
	}
	if p.tokens > 1 {
		p.stride = g.word("groups")
		g.SHLQ(operand.Imm(8), p.stride)
		p.stride3 = g.GP64()
		g.LEAQ(operand.Mem{Base: p.stride, Index: p.stride, Scale: 2}, p.stride3)
	}
	p.values, p.first = g.GP64(), g.GP64()
	if p.kind == "narrow" {
		p.bias = g.GP64()
	}
	if p.tokens > 4 {
		p.values4 = g.GP64()
	}
}

func (g *gen) param(name string) operand.Mem {
	b, err := g.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

func (p *product) startTile() {
	g := p.gen
	g.Load(g.Param("values"), p.values)
	g.Load(g.Param("first"), p.first)
	if p.bias != nil {
		g.Load(g.Param("bias"), p.bias)
	}
	p.sums = nil
	for t := range p.tokens {
		v := g.vec()
		g.zero(v)
		if g.zmm() {
			p.sums = append(p.sums, v)
		} else {
			for i := range v {
				g.VMOVUPS(v[i], p.local.Offset(64*t+32*i))
			}
		}
	}
}

// chains is the number of independent sums per token and plane; a dot product
// takes some cycles.
func (p *product) chains() int {
	if p.tokens > 1 || !p.zmm() {
		return 1
	}
	return 4
}

func (p *product) startGroup() {
	g := p.gen
	if p.values4 != nil {
		g.LEAQ(operand.Mem{Base: p.values, Index: p.stride, Scale: 4}, p.values4)
	}
	p.acc = make([][]vec, p.tokens)
	parts := 1
	if p.planes || p.unpacked() {
		parts = 2
	}
	for t := range p.tokens {
		for range parts * p.chains() {
			v := p.passVec()
			g.zero(v)
			p.acc[t] = append(p.acc[t], v)
		}
	}
	if p.planes {
		// The tables hold levels + 128; the first plane counts 128 times, so
		// that it begins at minus the sum of the values.
		for t, m := range p.tokenPlaces(p.bias) {
			for _, r := range p.acc[t][0] {
				g.VPBROADCASTD(m, r)
			}
		}
	}
}

// tokenPlaces are the places of the tokens' numbers in an array [tokens][groups]
// of dwords.
func (p *product) tokenPlaces(base reg.GPVirtual) []operand.Mem {
	g := p.gen
	places := []operand.Mem{{Base: base}}
	if p.tokens == 1 {
		return places
	}
	step, step3 := g.word("groups"), g.GP64()
	g.LEAQ(operand.Mem{Base: step, Index: step, Scale: 2}, step3)
	places = append(places, operand.Mem{Base: base, Index: step, Scale: 4}, operand.Mem{Base: base, Index: step, Scale: 8},
		operand.Mem{Base: base, Index: step3, Scale: 4})
	if p.tokens > 4 {
		base4 := g.GP64()
		g.LEAQ(operand.Mem{Base: base, Index: step, Scale: 8}, base4)
		g.LEAQ(operand.Mem{Base: base4, Index: step, Scale: 8}, base4)
		places = append(places, operand.Mem{Base: base4}, operand.Mem{Base: base4, Index: step, Scale: 4},
			operand.Mem{Base: base4, Index: step, Scale: 8}, operand.Mem{Base: base4, Index: step3, Scale: 4})
	}
	return places[:p.tokens]
}

// value is the place of token t's dword at a byte of its group.
func (p *product) value(t, at int) operand.Mem {
	m := operand.Mem{Base: p.values, Disp: at}
	if t >= 4 {
		m.Base = p.values4
	}
	switch t % 4 {
	case 1:
		m.Index, m.Scale = p.stride, 1
	case 2:
		m.Index, m.Scale = p.stride, 2
	case 3:
		m.Index, m.Scale = p.stride3, 1
	}
	return m
}

// dots adds the products of a group's vectors of codes. The last pass goes on
// to the next group.
func (p *product) dots(last bool) {
	g := p.gen
	vectors, bytes := 8, 16*2 // of words that a vector of codes meets
	switch {
	case p.planes:
		bytes = 16
	case p.kind == "wide":
		vectors, bytes = 16, 16
	}
	unroll := vectors
	if p.tokens > 1 {
		unroll = 2
	}
	if unroll == vectors {
		for j := range vectors {
			g.PREFETCHT0(operand.Mem{Base: p.codes, Disp: 64*j + prefetchAhead})
			p.vector(64*j, bytes*j)
		}
	} else {
		n, loop := g.GP64(), g.label("codes")
		g.MOVQ(operand.U32(uint32(vectors/unroll)), n)
		g.Label(loop)
		for j := range unroll {
			g.PREFETCHT0(operand.Mem{Base: p.codes, Disp: 64*j + prefetchForBlock})
			p.vector(64*j, bytes*j)
		}
		g.ADDQ(operand.Imm(uint64(64*unroll)), p.codes)
		g.ADDQ(operand.Imm(uint64(bytes*unroll)), p.values)
		if p.values4 != nil {
			g.ADDQ(operand.Imm(uint64(bytes*unroll)), p.values4)
		}
		g.DECQ(n)
		g.JNZ(operand.LabelRef(loop))
	}
	stepped := 0
	if unroll != vectors {
		stepped = vectors
	}
	code, value := 64*vectors, groupBytes
	if !last {
		code, value = 0, 0
	}
	g.advance(p.codes, code-64*stepped)
	g.advance(p.values, value-bytes*stepped)
	if p.values4 != nil && !last {
		g.advance(p.values4, value-bytes*stepped)
	}
}

// advance adds a number, which may be negative, to a pointer.
func (g *gen) advance(r reg.GPVirtual, n int) {
	switch {
	case n > 0:
		g.ADDQ(operand.U32(uint32(n)), r)
	case n < 0:
		g.SUBQ(operand.U32(uint32(-n)), r)
	}
}

// unpacked says whether levels of words are put together from bytes.
func (p *product) unpacked() bool { return !p.planes && !p.zmm() }

// vector multiplies one vector of codes.
func (p *product) vector(code, value int) {
	switch {
	case p.planes:
		p.vectorPlanes(code, value)
	case p.unpacked():
		p.vectorUnpacked(code, value)
	default:
		p.vectorWide(code, value)
	}
}

// nibble is the low or high half of each byte of part i of a vector of codes.
func (p *product) nibble(i, code, half int) reg.VecVirtual {
	g := p.gen
	m, index := g.at(p.codes, code, i), g.reg()
	switch {
	case g.zmm() && half == 0:
		g.VPANDD(m, p.low4, index)
	case g.zmm():
		g.VPSRLD(operand.Imm(4), m, index)
		g.VPANDD(p.low4, index, index)
	default:
		g.VMOVDQU(m, index)
		if half == 1 {
			g.VPSRLD(operand.Imm(4), index, index)
		}
		g.VPAND(g.constant("nibbles"), index, index)
	}
	return index
}

func (p *product) vectorPlanes(code, value int) {
	g := p.gen
	for half := range 2 {
		index := make(vec, 64/g.width)
		for i := range index {
			index[i] = p.nibble(i, code, half)
		}
		for f := range 2 {
			levels := g.vec()
			for i := range levels {
				g.VPSHUFB(index[i], p.table[f], levels[i])
			}
			field := 2*half + f
			for t := range p.tokens {
				chain := field % p.chains()
				p.dotBytes(p.value(t, value+4*field), levels, p.acc[t][chain])
				p.dotBytes(p.value(t, value+4*field+planeBytes), levels, p.acc[t][p.chains()+chain])
			}
		}
	}
}

// vectorUnpacked interleaves the low and high bytes of levels: a row's four
// words take the place of two rows' bytes, and meet four words of the input.
func (p *product) vectorUnpacked(code, value int) {
	g := p.gen
	fields := 2
	if p.kind == "wide" {
		fields = 1
	}
	for half := range 2 {
		var index vec
		for _, part := range p.parts {
			index = append(index, p.nibble(part, code, half))
		}
		for f := range fields {
			words, low := p.passVec(), p.passVec()
			for i := range p.parts {
				high := g.reg()
				if p.kind == "wide" {
					g.VPSHUFB(index[i], p.table[1], high)
				} else {
					g.zeroReg(high)
				}
				g.VPSHUFB(index[i], p.table[f], low[i])
				g.VPUNPCKLBW(high, low[i], words[i])
				g.VPUNPCKHBW(high, low[i], low[i])
			}
			for t := range p.tokens {
				b := g.reg()
				g.VPBROADCASTQ(p.value(t, value+8*(fields*half+f)), b)
				for i := range p.parts {
					g.addWords(b, words[i], p.acc[t][0][i], false)
					g.addWords(b, low[i], p.acc[t][1][i], i == len(p.parts)-1)
				}
			}
		}
	}
}

// addWords adds products of words; last says that the first operand may go.
func (g *gen) addWords(b, words, acc reg.VecVirtual, last bool) {
	if g.vnni {
		g.VPDPWSSD(b, words, acc)
		return
	}
	t := b
	if !last {
		t = g.reg()
	}
	g.VPMADDWD(b, words, t)
	g.VPADDD(t, acc, acc)
}

// vectorWide looks words up by the low bits of each word.
func (p *product) vectorWide(code, value int) {
	g := p.gen
	for n := range 4 {
		words := g.reg()
		if n == 0 {
			g.VMOVDQU32(operand.Mem{Base: p.codes, Disp: code}, words)
		} else {
			g.VPSRLW(operand.Imm(uint64(4*n)), operand.Mem{Base: p.codes, Disp: code}, words)
		}
		g.VPERMW(p.table[0], words, words)
		for t := range p.tokens {
			g.VPDPWSSD_BCST(p.value(t, value+4*n), words, p.acc[t][n%p.chains()][0])
		}
	}
}

// endGroup adds norm * (dot + first*offset) to the sums.
func (p *product) endGroup() {
	g := p.gen
	norm := p.passVec()
	for i, r := range norm {
		g.VCVTPH2PS(g.halfAt(p.norms, p.parts[i]), r)
	}
	for t, first := range p.tokenPlaces(p.first) {
		dot := p.joinChains(t)
		for i := range dot {
			g.VCVTDQ2PS(dot[i], dot[i])
			shift := g.reg()
			if g.zmm() {
				g.VMULPS_BCST(first, p.offset, shift)
			} else {
				g.VBROADCASTSS(g.param("offset"), shift)
				f := g.reg()
				g.VBROADCASTSS(first, f)
				g.VMULPS(f, shift, shift)
			}
			g.VADDPS(shift, dot[i], dot[i])
			g.VMULPS(norm[i], dot[i], dot[i])
			if g.zmm() {
				g.VADDPS(dot[i], p.sums[t][i], p.sums[t][i])
			} else {
				m := p.local.Offset(64*t + 32*p.parts[i])
				g.VADDPS(m, dot[i], dot[i])
				g.VMOVUPS(dot[i], m)
			}
		}
	}
}

func (p *product) nextGroup() {
	g := p.gen
	g.ADDQ(operand.Imm(32), p.norms)
	g.ADDQ(operand.Imm(4), p.first)
	if p.bias != nil {
		g.ADDQ(operand.Imm(4), p.bias)
	}
}

// halfAt is the memory of the halves that fill part i.
func (g *gen) halfAt(base reg.Register, i int) operand.Mem {
	return operand.Mem{Base: base, Disp: i * g.width / 2}
}

// joinChains is the group's dot product of token t.
func (p *product) joinChains(t int) vec {
	g, n := p.gen, p.chains()
	add := func(a []vec) vec {
		for len(a) > 1 {
			for i := range len(a) / 2 {
				op3(g.VPADDDAny, a[i+len(a)/2], a[i], a[i])
			}
			a = a[:len(a)/2]
		}
		return a[0]
	}
	if p.unpacked() {
		dot := p.acc[t][0]
		for i := range dot {
			g.VPHADDD(p.acc[t][1][i], dot[i], dot[i])
			if p.kind == "narrow" { // the tables hold levels + 128
				bias := g.reg()
				g.VPBROADCASTD(p.tokenPlaces(p.bias)[t], bias)
				g.VPSLLD(operand.Imm(7), bias, bias)
				g.VPADDD(bias, dot[i], dot[i])
			}
		}
		return dot
	}
	dot := add(p.acc[t][:n])
	if p.planes {
		for i := range dot {
			g.VPSLLD(operand.Imm(7), dot[i], dot[i])
		}
		op3(g.VPADDDAny, add(p.acc[t][n:]), dot, dot)
	}
	return dot
}

// VPADDDAny is VPADDD with op3's signature.
func (g *gen) VPADDDAny(o ...operand.Op) { g.VPADDD(o...) }

// endTile writes sum * (unit*scale) of each token.
func (p *product) endTile(rows reg.GPVirtual) {
	g := p.gen
	y, stride, scale := g.word("y"), g.word("stride"), g.word("scale")
	g.SHLQ(operand.Imm(2), stride)
	whole, done := g.label("whole"), g.label("written")
	g.CMPQ(rows, operand.Imm(16))
	g.JGE(operand.LabelRef(whole))
	tail := g.newTail(rows)
	for _, store := range []func(v vec, base reg.Register, disp int){tail.store, g.store} {
		for t := range p.tokens {
			factor := g.reg()
			g.VBROADCASTSS(g.param("unit"), factor)
			s := g.reg()
			g.VBROADCASTSS(operand.Mem{Base: scale, Disp: 4 * t}, s)
			g.VMULPS(s, factor, factor)
			sum := g.vec()
			for i := range sum {
				if g.zmm() {
					g.VMULPS(factor, p.sums[t][i], sum[i])
				} else {
					g.VMULPS(p.local.Offset(64*t+32*i), factor, sum[i])
				}
			}
			store(sum, y, 0)
			if t < p.tokens-1 {
				g.ADDQ(stride, y)
			}
		}
		if whole != "" {
			g.JMP(operand.LabelRef(done))
			g.Label(whole)
			whole = ""
			g.Load(g.Param("y"), y)
		}
	}
	g.Label(done)
	next := g.word("y")
	g.ADDQ(operand.Imm(64), next)
	g.Store(next, g.Param("y"))
}

// peak is simd.Peak: 10 independent chains of the tier's multiply-add.
func (g *gen) peak() {
	g.function("peak", "func(rounds int) int")
	rounds := g.word("rounds")
	x, w := g.reg(), g.reg()
	g.zeroReg(x)
	g.zeroReg(w)
	acc := make([]reg.VecVirtual, 10)
	for i := range acc {
		acc[i] = g.reg()
		g.zeroReg(acc[i])
	}
	lanes := g.width // multiply-adds of bytes an instruction
	loop, done := g.label("loop"), g.label("done")
	g.Label(loop)
	g.TESTQ(rounds, rounds)
	g.JZ(operand.LabelRef(done))
	for i := range acc {
		if g.vnni {
			g.VPDPBUSD(x, w, acc[i])
		} else {
			lanes = g.width / 2 // words
			t := g.reg()
			g.VPMADDWD(x, w, t)
			g.VPADDD(t, acc[i], acc[i])
		}
	}
	g.DECQ(rounds)
	g.JMP(operand.LabelRef(loop))
	g.Label(done)
	total := g.word("rounds")
	g.IMUL3Q(operand.U32(uint32(len(acc)*lanes)), total, total)
	g.Store(total, g.ReturnIndex(0))
	g.finish()
}
