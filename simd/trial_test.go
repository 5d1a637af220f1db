package simd

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"unsafe"
)

// A trial is one call of a kernel on buffers of known placement and contents.
type trial struct {
	place placement
	fill  fill
	alias int    // the source that is the destination too, from 1; 0 for none
	data  []byte // what a fuzzer feeds to the fill fuzzed

	seed    rand.PCG
	r       *rand.Rand
	at      int       // in data
	same    float32   // the value of the fill equal
	zeros   []float32 // the values of the fill zeros
	buffers []buffer
}

// placement decides where buffers lie.
type placement interface {
	reset()
	// take returns bytes that belong to nobody else, size of which, starting at
	// from, are the buffer's; an element has elem bytes.
	take(size, elem int) (around []byte, from int)
}

// form says how a buffer is compared.
type form int

const (
	exact  form = iota
	float       // any NaN equals any other
	opaque      // not compared: its contents are the implementation's own affair
)

type buffer struct {
	form             form
	around           []byte
	from, size, elem int
	before, want     []byte // of around
}

// canary fills the bytes next to a buffer: as a float it is huge, as an int8
// large, so that a result which depends on it shows.
const (
	canary = 0x7a
	margin = 64
)

func newTrial(p placement) *trial {
	c := &trial{place: p}
	c.r = rand.New(&c.seed)
	return c
}

// begin forgets the buffers of the trial before.
func (c *trial) begin(seed uint64) {
	c.place.reset()
	c.seed.Seed(seed, 1)
	c.at, c.buffers = 0, c.buffers[:0]
	c.zeros = [...][]float32{{minusZero}, {0, minusZero}, {0, minusZero, -1}}[c.r.IntN(3)]
	c.same = 127
	if c.r.IntN(2) == 0 {
		c.same = extremes[c.r.IntN(len(extremes))]
	}
}

// take returns a new buffer of n elements. Its capacity, which no kernel may
// take for the length, promises more than the placement holds.
func take[T any](c *trial, n int, f form) []T {
	var zero T
	elem := int(unsafe.Sizeof(zero))
	around, from := c.place.take(n*elem, min(elem, 4))
	for i := range around {
		around[i] = canary
	}
	if at := len(c.buffers); at < cap(c.buffers) {
		c.buffers = c.buffers[:at+1] // with the room for copies that it has
	} else {
		c.buffers = append(c.buffers, buffer{})
	}
	b := &c.buffers[len(c.buffers)-1]
	b.form, b.around, b.from, b.size, b.elem = f, around, from, n*elem, elem
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&around[from])), n+margin/4/elem)[:n]
}

// compare runs the definition and an implementation on the same contents and
// says how their results differ, or what else than results was written.
func (c *trial) compare(k *Kernels, run func(*Kernels)) error {
	for i := range c.buffers {
		b := &c.buffers[i]
		b.before = append(b.before[:0], b.around...)
	}
	definition := generic()
	run(&definition)
	for i := range c.buffers {
		b := &c.buffers[i]
		b.want = append(b.want[:0], b.around...)
		copy(b.around, b.before)
	}
	if err := survive(func() { run(k) }); err != nil {
		return err
	}
	for i := range c.buffers {
		if err := c.buffers[i].difference(); err != nil {
			return fmt.Errorf("buffer %d: %w", i, err)
		}
	}
	return nil
}

// survive turns a panic, or an access to a guard page, into an error.
func survive(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	f()
	return nil
}

func (b *buffer) difference() error {
	if bytes.Equal(b.around, b.want) {
		return nil
	}
	for i := range b.around {
		if (i < b.from || i >= b.from+b.size) && b.around[i] != b.want[i] {
			return fmt.Errorf("the byte at %d of %d was written", i-b.from, b.size)
		}
	}
	for i := 0; i < b.size && b.form != opaque; i += b.elem {
		got, want := b.around[b.from+i:][:b.elem], b.want[b.from+i:][:b.elem]
		if !bytes.Equal(got, want) && !(b.form == float && isNaN(got) && isNaN(want)) {
			return fmt.Errorf("element %d of %d is %s, want %s", i/b.elem, b.size/b.elem, b.show(got), b.show(want))
		}
	}
	return nil
}

func (b *buffer) show(p []byte) string {
	if b.form == float {
		v := *(*float32)(unsafe.Pointer(&p[0]))
		return fmt.Sprintf("%g (%#08x)", v, math.Float32bits(v))
	}
	return fmt.Sprintf("bytes % x", p)
}

func isNaN(p []byte) bool {
	v := *(*float32)(unsafe.Pointer(&p[0]))
	return v != v
}

// offsets places buffers align elements after a multiple of 64 bytes, each skew
// elements further than the one before.
type offsets struct {
	align, skew int
	arena       []byte
	used, count int
}

func (o *offsets) reset() { o.used, o.count = 0, 0 }

func (o *offsets) take(size, elem int) ([]byte, int) {
	from := margin + (o.align+o.count*o.skew)*elem%64
	o.count++
	need := from + size + margin + 64
	if o.used+need > len(o.arena) {
		o.arena, o.used = make([]byte, max(need, 1<<18)), 0
	}
	start := o.used + int(-uintptr(unsafe.Pointer(&o.arena[o.used]))%64)
	o.used += need
	return o.arena[start : start+from+size+margin : start+from+size+margin], from
}

// fill says what buffers hold.
type fill int

const (
	ordinary fill = iota
	equal         // one value everywhere
	zeros         // of both signs, negative ones only, or the largest of all
	extreme       // finite, but huge or subnormal; integers at their bounds
	special       // extreme, NaN or infinite
	fuzzed
)

var fillNames = [...]string{"ordinary", "equal", "zeros", "extreme", "special", "fuzzed"}

func (f fill) String() string { return fillNames[f] }

var (
	inf       = float32(math.Inf(1))
	nan       = float32(math.NaN())
	minusZero = float32(math.Copysign(0, -1))
)

var extremes = []float32{
	0, minusZero, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 5e-39, -5e-39, 1.17549435e-38, 3e-20, -3e-20,
	0.5, -0.5, 1, -1, 2.5, -87.336548, -87.33655, -87.4, 88.37626, 88.37627, 104, -104, 1 << 23, 3e9, -3e9, 2e19, -2e19,
	math.MaxFloat32, -math.MaxFloat32,
}

// byte returns the fuzzer's next byte.
func (c *trial) byte() byte {
	if len(c.data) == 0 {
		return 0
	}
	c.at++
	return c.data[(c.at-1)%len(c.data)]
}

func (c *trial) word() uint32 {
	return uint32(c.byte()) | uint32(c.byte())<<8 | uint32(c.byte())<<16 | uint32(c.byte())<<24
}

// float returns a number of the trial's fill.
func (c *trial) float() float32 {
	switch c.fill {
	case equal:
		return c.same
	case zeros:
		return c.zeros[c.r.IntN(len(c.zeros))]
	case fuzzed:
		return math.Float32frombits(c.word())
	case special:
		if n := c.r.IntN(16); n < 3 {
			return [...]float32{nan, inf, -inf}[n]
		}
		fallthrough
	case extreme:
		if c.r.IntN(2) == 0 {
			return extremes[c.r.IntN(len(extremes))]
		}
	}
	return float32(c.r.NormFloat64())
}

// positive returns a number above zero, which may be infinite.
func (c *trial) positive() float32 {
	if v := float32(math.Abs(float64(c.float()))); v > 0 {
		return v
	}
	return 1
}

// floats returns a buffer of n numbers.
func (c *trial) floats(n int) []float32 {
	x := take[float32](c, n, float)
	for i := range x {
		x[i] = c.float()
	}
	return x
}

// integer returns a number between low and high, which are the extremes.
func (c *trial) integer(low, high int) int {
	switch c.fill {
	case equal:
		if c.same == 127 {
			return high
		}
		return low
	case zeros:
		return 0
	case extreme:
		return [...]int{low, high}[c.r.IntN(2)]
	case special:
		return max(low, min(high, [...]int{low, high, 0, 1, -1}[c.r.IntN(5)]))
	case fuzzed:
		if high-low < 256 {
			return low + int(c.byte())%(high-low+1)
		}
		return low + int(c.word()&math.MaxInt32)%(high-low+1)
	}
	return low + c.r.IntN(high-low+1)
}

// integers returns a buffer of n numbers between low and high.
func integers[T int8 | uint8 | int16 | int32](c *trial, n, low, high int) []T {
	x := take[T](c, n, exact)
	for i := range x {
		x[i] = T(c.integer(low, high))
	}
	return x
}

// bytes returns a buffer of n bytes, whatever the fill.
func (c *trial) bytes(n int) []byte {
	x := take[byte](c, n, exact)
	for i := range x {
		if c.fill == fuzzed {
			x[i] = c.byte()
		} else {
			x[i] = byte(c.r.Uint32())
		}
	}
	return x
}

var extremeHalves = []uint16{0, 0x8000, 1, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x7bff, 0xfbff, 0x3c00}

// half returns a norm in half precision.
func (c *trial) half() uint16 {
	switch c.fill {
	case equal:
		return 0x3c01
	case zeros:
		return uint16(c.r.IntN(2)) << 15
	case extreme:
		return extremeHalves[c.r.IntN(len(extremeHalves))]
	case special:
		return uint16(c.r.Uint32())
	case fuzzed:
		return uint16(c.word())
	}
	return uint16(c.r.IntN(2)<<15 | (10+c.r.IntN(10))<<10 | c.r.IntN(1024))
}
