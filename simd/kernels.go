package simd

import (
	"fmt"
	"os"
	"strings"
)

// Kernels is one implementation of the kernels that a pass is made of: the
// functions of this package, or assembly that gives the same bits. Each field
// does what the function of its name documents. All are safe for concurrent
// use on disjoint destinations.
type Kernels struct {
	// Name is generic, avx2, avxvnni or avx512: the tier.
	Name string
	// lacks names what this CPU, or the build, is short of; empty if it runs.
	lacks string

	Rotate func(h []int16, q []int8)
	// ArrangeNarrow and ArrangeWide turn Rotate's values into what MulNarrow and
	// MulWide of the same Kernels read (Inputs.Values). Each implementation has an
	// arrangement of its own; the lengths are equal multiples of Group.
	ArrangeNarrow func(dst, h []int16)
	ArrangeWide   func(dst, h []int16)
	MulNarrow     func(y []float32, stride int, m Tiles, l *Levels, x Inputs)
	MulWide       func(y []float32, stride int, m Tiles, l *Levels, x Inputs)
	Dequantize    func(dst *[Group]float32, packed []byte, points *[16]float32, norm float32)

	ScoreKeys    func(dst []float32, stride int, q []int8, scale []float32, keys []int8, keyScale []float32)
	Weigh        func(w []float32, stride int, valueScale, total, largest []float32)
	SplitWeights func(high, low []uint8, w []float32, stride, n int, factor []float32)
	SumValues    func(sums []int32, high, low []uint8, stride, dim int, values []int8)
	JoinSums     func(dst []float32, n int, sums []int32, dim int, unit []float32)
	Rotary       func(x, cos, sin []float32)

	Dot        func(x, y []float32) float32
	DotRows    func(dst, rows, x []float32)
	Sum        func(x []float32) float32
	Max        func(x []float32) float32
	Normalize  func(dst, gain, x []float32) float32
	Quantize   func(q []int8, room int, scale, x []float32, n int, factor float32)
	Axpy       func(dst []float32, a float32, x []float32)
	Scale      func(dst []float32, a float32, x []float32)
	Add        func(dst, x []float32)
	Sub        func(dst, x, y []float32)
	Mul        func(dst, x, y []float32)
	MulAdd     func(dst, x, y []float32)
	Convolve   func(dst, tap0, x0, tap1, x1, tap2, x2 []float32)
	AddMul     func(dst, scale, gain, x, shift []float32)
	Combine    func(out, rows, coef []float32, m, n, stride, step int)
	Gather     func(dst, src []float32, index []int32)
	Sinkhorn   func(m []float32, n, rounds int)
	ExpInto    func(dst, x []float32, shift float32)
	Silu       func(dst, x []float32)
	MulSigmoid func(dst, gate []float32)

	ReadAll func(p []byte) byte
	Peak    func(rounds int) int
}

// generic is the definition: plain Go, on every architecture.
func generic() Kernels {
	return Kernels{
		Name:   "generic",
		Rotate: Rotate, ArrangeNarrow: copyWords, ArrangeWide: copyWords,
		MulNarrow: MulNarrow, MulWide: MulWide, Dequantize: Dequantize,
		ScoreKeys: ScoreKeys, Weigh: Weigh, SplitWeights: SplitWeights, SumValues: SumValues, JoinSums: JoinSums, Rotary: Rotary,
		Dot: Dot, DotRows: DotRows, Sum: Sum, Max: Max, Normalize: Normalize, Quantize: Quantize,
		Axpy: Axpy, Scale: Scale, Add: Add, Sub: Sub, Mul: Mul, MulAdd: MulAdd, Convolve: Convolve, AddMul: AddMul,
		Combine: Combine, Gather: Gather, Sinkhorn: Sinkhorn, ExpInto: ExpInto, Silu: Silu, MulSigmoid: MulSigmoid,
		ReadAll: ReadAll, Peak: Peak,
	}
}

// The generic products read rotated values in their natural order.
func copyWords(dst, h []int16) { copy(dst, h) }

// All lists the implementations of this build, the slowest first, whether or
// not this CPU can run them.
func All() []Kernels { return append([]Kernels{generic()}, archKernels()...) }

// Supported says whether this CPU can run the implementation.
func (k *Kernels) Supported() bool { return k.lacks == "" }

// Choose returns the implementation of a name. An empty name means the one
// that the environment variable NEEDLE_SIMD names or, without it, the fastest
// that this CPU runs. The error of a name that cannot be served says what the
// CPU lacks, or which names there are.
func Choose(name string) (*Kernels, error) {
	wish := fmt.Sprintf("%q", name)
	if name == "" {
		name = os.Getenv("NEEDLE_SIMD")
		wish = fmt.Sprintf("%q, which NEEDLE_SIMD names", name)
	}
	name = strings.ToLower(name)
	all := All()
	var names []string
	for i := len(all) - 1; i >= 0; i-- {
		k := &all[i]
		switch {
		case name != "" && name != k.Name:
		case k.Supported():
			return k, nil
		case name != "":
			return nil, fmt.Errorf("simd: kernels %s: this CPU lacks %s", wish, k.lacks)
		}
		names = append(names, k.Name)
	}
	return nil, fmt.Errorf("simd: kernels %s: this build has %s", wish, strings.Join(names, ", "))
}

// Softmax replaces x, which is not empty, by its softmax.
func (k *Kernels) Softmax(x []float32) {
	k.ExpInto(x, x, k.Max(x))
	k.Scale(x, 1/k.Sum(x), x)
}
