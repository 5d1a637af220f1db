package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is what a tier's instructions offer.
type isa struct {
	name  string
	width int  // bytes of a register
	vnni  bool // has integer dot products
	base  string
}

type gen struct {
	*build.Context
	isa
	labels int
}

// vec is 16 lanes of 32 bits.
type vec []reg.VecVirtual

// zmm says whether registers have 512 bits.
func (g *gen) zmm() bool { return g.width == 64 }

func (g *gen) reg() reg.VecVirtual {
	if g.zmm() {
		return g.ZMM()
	}
	return g.YMM()
}

func (g *gen) vec() vec { return g.regs(64 / g.width) }

// regs is a vector, or a part of one, of n registers.
func (g *gen) regs(n int) (v vec) {
	for range n {
		v = append(v, g.reg())
	}
	return v
}

// at is the memory of part i of a vector at base+disp.
func (g *gen) at(base reg.Register, disp, i int) operand.Mem {
	return operand.Mem{Base: base, Disp: disp + i*g.width}
}

func (g *gen) label(name string) string {
	g.labels++
	return fmt.Sprintf("%s%d", name, g.labels)
}

// op3 applies an instruction to each part: dst = op(b, a), in Go's operand order
// op(a, b, dst).
func op3(f func(...operand.Op), a, b, dst vec) {
	for i := range dst {
		f(a[i], b[i], dst[i])
	}
}

func (g *gen) zero(v vec) {
	for _, r := range v {
		g.zeroReg(r)
	}
}

func (g *gen) zeroReg(r reg.VecVirtual) {
	if g.zmm() {
		g.VPXORD(r, r, r)
	} else {
		g.VPXOR(r, r, r)
	}
}

func (g *gen) load(v vec, base reg.Register, disp int) {
	for i, r := range v {
		g.VMOVUPS(g.at(base, disp, i), r)
	}
}

func (g *gen) store(v vec, base reg.Register, disp int) {
	for i, r := range v {
		g.VMOVUPS(r, g.at(base, disp, i))
	}
}

// fill broadcasts a float or dword in memory to all lanes.
func (g *gen) fill(v vec, m operand.Mem) {
	for _, r := range v {
		g.VBROADCASTSS(m, r)
	}
}

// constant is the memory of a constant, 64 bytes; those of a tier lie in one
// table.
func (g *gen) constant(name string) operand.Mem {
	at, ok := constantAt[name]
	if !ok {
		panic("no constant " + name)
	}
	return operand.NewDataAddr(operand.NewStaticSymbol("constants"+g.name), at)
}

func (g *gen) part(m operand.Mem, i int) operand.Mem { return m.Offset(i * g.width) }

// namedConstant is a constant of 64 bytes: its dwords, repeated.
type namedConstant struct {
	name string
	bits []uint32
}

func f32(name string, v float64) namedConstant {
	return i32(name, math.Float32bits(float32(v)))
}

func i32(name string, v uint32) namedConstant {
	return namedConstant{name, []uint32{v}}
}

var constantList = []namedConstant{
	f32("log2e", 1.44269504088896341), f32("rounding", 12582912),
	f32("ln2High", 0.693359375), f32("ln2Low", -2.12194440e-4),
	f32("expMax", 88.3762626647949), f32("expMin", -87.3365478515625),
	f32("p0", 1.9875691500e-4), f32("p1", 1.3981999507e-3), f32("p2", 8.3334519073e-3),
	f32("p3", 4.1665795894e-2), f32("p4", 1.6666665459e-1), f32("p5", 5.0000001201e-1),
	f32("one", 1), f32("127", 127), f32("-127", -127), f32("128", 128),
	f32("almost half", 0.5-1./16384), f32("1e-6", 1e-6), f32("largest", math.MaxFloat32),
	f32("rounding+bias", 12582912+127), i32("sign", 1<<31), i32("magnitude", 1<<31-1), i32("seven bits", 127),
	i32("nibbles", 0x0f0f0f0f), i32("flip", 0x80808080),
	i32("words of 1", 0x00010001), i32("words of 64", 0x00400040), i32("words of 127", 0x007f007f),
	// Where the codes of a dword begin; for wide ones, which dword that is.
	{"narrow shifts", []uint32{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30}},
	{"wide shifts", []uint32{0, 4, 8, 12, 16, 20, 24, 28}},
	{"wide dwords", []uint32{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}},
	// Shuffles of bytes.
	{"swap words", []uint32{0x01000302, 0x05040706, 0x09080b0a, 0x0d0c0f0e}},
	{"pair words", []uint32{0x09080100, 0x0b0a0302, 0x0d0c0504, 0x0f0e0706}},
	{"even words", []uint32{0x05040100, 0x0d0c0908, 0x07060302, 0x0f0e0b0a}},
	{"field bytes", []uint32{0x0c080400, 0x0d090501, 0x0e0a0602, 0x0f0b0703}},
	i32("word signs", 0xffff0001),
}

var constantAt = map[string]int{}

// Every constant fills 64 bytes; after them come a row of 16 set and 16 clear
// dwords, out of which masks are cut.
func init() {
	for i, c := range constantList {
		constantAt[c.name] = 64 * i
	}
	constantAt["mask"] = 64 * len(constantList)
}

func (g *gen) constants() {
	g.StaticGlobal("constants" + g.name)
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, c := range constantList {
		for k := range 16 {
			g.AddDatum(64*i+4*k, operand.U32(c.bits[k%len(c.bits)]))
		}
	}
	for k := range 32 {
		v := uint32(math.MaxUint32)
		if k >= 16 {
			v = 0
		}
		g.AddDatum(64*len(constantList)+4*k, operand.U32(v))
	}
}

// tail handles the last n elements, 1 to 15, of a run: n is a register.
type tail struct {
	g *gen
	k reg.Register // AVX-512
	m vec          // AVX2
}

func (g *gen) newTail(n reg.GPVirtual) tail {
	t := tail{g: g}
	if g.zmm() {
		bits := g.GP64()
		g.MOVQ(operand.I32(-1), bits)
		shifted := g.GP64()
		g.SHLXQ(n, bits, shifted)
		g.NOTQ(shifted)
		k := g.K()
		g.KMOVW(shifted.As32(), k)
		t.k = k
		return t
	}
	base := g.GP64()
	g.LEAQ(g.constant("mask").Offset(64), base)
	back := g.GP64()
	g.MOVQ(n, back)
	g.SHLQ(operand.U8(2), back)
	g.SUBQ(back, base)
	t.m = g.vec()
	g.load(t.m, base, 0)
	return t
}

// load reads the elements that exist, zeros for the others.
func (t tail) load(v vec, base reg.Register, disp int) {
	for i, r := range v {
		if t.g.zmm() {
			t.g.VMOVUPS_Z(t.g.at(base, disp, i), t.k, r)
		} else {
			t.g.VMASKMOVPS(t.g.at(base, disp, i), t.m[i], r)
		}
	}
}

// loadOver reads the elements that exist into v and leaves its others.
func (t tail) loadOver(v vec, base reg.Register, disp int) {
	for i, r := range v {
		if t.g.zmm() {
			t.g.VMOVUPS(t.g.at(base, disp, i), t.k, r)
			continue
		}
		x := t.g.reg()
		t.g.VMASKMOVPS(t.g.at(base, disp, i), t.m[i], x)
		t.g.VBLENDVPS(t.m[i], x, r, r)
	}
}

// clear makes the elements that don't exist zeros.
func (t tail) clear(v vec) {
	for i, r := range v {
		if t.g.zmm() {
			t.g.VMOVAPS_Z(r, t.k, r)
		} else {
			t.g.VANDPS(t.m[i], r, r)
		}
	}
}

func (t tail) store(v vec, base reg.Register, disp int) {
	for i, r := range v {
		if t.g.zmm() {
			t.g.VMOVUPS(r, t.k, t.g.at(base, disp, i))
		} else {
			t.g.VMASKMOVPS(r, t.m[i], t.g.at(base, disp, i))
		}
	}
}

// access is how a block of 16 elements is reached: whole, or a tail.
type access struct {
	load     func(v vec, base reg.Register, disp int)
	loadOver func(v vec, base reg.Register, disp int)
	store    func(v vec, base reg.Register, disp int)
	clear    func(v vec)
	tail     *tail
}

// blocks runs body over n elements of the arrays at the pointers, 16 at a time;
// it advances the pointers and uses n up. step says how many bytes an element
// of each array takes; 4 unless given.
func (g *gen) blocks(n reg.GPVirtual, pointers []reg.GPVirtual, body func(a access), step ...int) {
	loop, rest, done := g.label("loop"), g.label("rest"), g.label("done")
	g.Label(loop)
	g.CMPQ(n, operand.Imm(16))
	g.JL(operand.LabelRef(rest))
	body(access{g.load, g.load, g.store, func(vec) {}, nil})
	for i, p := range pointers {
		size := 4
		if i < len(step) {
			size = step[i]
		}
		g.ADDQ(operand.Imm(uint64(16*size)), p)
	}
	g.SUBQ(operand.Imm(16), n)
	g.JMP(operand.LabelRef(loop))
	g.Label(rest)
	g.TESTQ(n, n)
	g.JZ(operand.LabelRef(done))
	t := g.newTail(n)
	body(access{t.load, t.loadOver, t.store, t.clear, &t})
	g.Label(done)
}

// times runs body as often as n says, and uses it up.
func (g *gen) times(n reg.GPVirtual, body func()) {
	loop, done := g.label("times"), g.label("timesDone")
	g.Label(loop)
	g.TESTQ(n, n)
	g.JZ(operand.LabelRef(done))
	body()
	g.DECQ(n)
	g.JMP(operand.LabelRef(loop))
	g.Label(done)
}

// runs takes the largest of the counts from n while there are so many left, then the
// next smaller one: body emits the code for a count. It uses n up if the last is 1.
func (g *gen) runs(n reg.GPVirtual, counts []int, body func(count int)) {
	for _, count := range counts {
		loop, done := g.label("run"), g.label("runDone")
		g.Label(loop)
		g.CMPQ(n, operand.Imm(uint64(count)))
		g.JL(operand.LabelRef(done))
		body(count)
		g.SUBQ(operand.Imm(uint64(count)), n)
		g.JMP(operand.LabelRef(loop))
		g.Label(done)
	}
}

// pastTail moves pointers to floats past the last of n elements, where blocks leave
// them at the beginning of a tail. It uses n up.
func (g *gen) pastTail(n reg.GPVirtual, pointers ...reg.GPVirtual) {
	g.ANDQ(operand.Imm(15), n)
	for _, p := range pointers {
		g.LEAQ(operand.Mem{Base: p, Index: n, Scale: 4}, p)
	}
}

// function begins a function of the tier.
func (g *gen) function(name, signature string) {
	g.Function(name + g.name)
	g.Pragma("noescape")
	g.SignatureExpr(signature)
}

// pointer loads a slice parameter's base, length its length.
func (g *gen) pointer(name string) reg.GPVirtual {
	r := g.GP64()
	g.Load(g.Param(name).Base(), r)
	return r
}

func (g *gen) length(name string) reg.GPVirtual {
	r := g.GP64()
	g.Load(g.Param(name).Len(), r)
	return r
}

func (g *gen) word(name string) reg.GPVirtual {
	r := g.GP64()
	g.Load(g.Param(name), r)
	return r
}

// scalar broadcasts a float parameter.
func (g *gen) scalar(name string) vec {
	x := g.XMM()
	g.Load(g.Param(name), x)
	v := g.vec()
	for _, r := range v {
		g.VBROADCASTSS(x, r)
	}
	return v
}

// finish ends a function; the upper halves of registers are cleared, or code
// that uses the old encodings would be slow.
func (g *gen) finish() {
	g.VZEROUPPER()
	g.RET()
}
