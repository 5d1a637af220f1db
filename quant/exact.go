package quant

import (
	"math"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/simd"
)

// Exact is the product with dequantised float32 weights. Slow and large; it
// exists so that tests can tell rounding in the integer form from mistakes.
type Exact struct {
	rows, cols int
	weights    []float32
}

func newExact(book *Codebook, parts []Rows) *Exact {
	e := &Exact{cols: parts[0].Cols}
	var scratch [simd.Group]float32
	generic, _ := simd.Choose("generic")
	for _, p := range parts {
		table := NewTable(generic, p.CQ, book)
		for row := p.Lo; row < p.Hi; row++ {
			e.weights = append(e.weights, make([]float32, e.cols)...)
			table.Row(e.weights[e.rows*e.cols:], row, &scratch)
			e.rows++
		}
	}
	return e
}

// Tiles is documented at Product.
func (e *Exact) Tiles() int { return tilesOf(e.rows) }

// Form is documented at Product.
func (e *Exact) Form() Form { return Floats }

// Mul is documented at Product.
func (e *Exact) Mul(y []float32, stride int, x *Activations, t, n, lo, hi int) {
	for i := range n {
		values := x.values[(t+i)*x.Stride:][:e.cols]
		for row := lo * simd.TileRows; row < min(hi*simd.TileRows, e.rows); row++ {
			y[i*stride+row] = simd.Dot(e.weights[row*e.cols:(row+1)*e.cols], values)
		}
	}
}

// Table reads single dequantised rows of a CQ record in place: embeddings and
// engram slots. It is read-only and safe for concurrent use.
type Table struct {
	kernels      *simd.Kernels
	cols, groups int
	bits         int
	groupBytes   int
	codes        []byte
	norms        []byte
	point        [16]float32 // codebook value by code, over sqrt(128)
}

// NewTable returns a reader of the record's rows.
func NewTable(k *simd.Kernels, cq cact.CQ, book *Codebook) *Table {
	bits := cact.StoredBits(cq.Bits)
	t := &Table{kernels: k, cols: cq.Cols, groups: cq.PaddedCols / simd.Group, bits: bits,
		groupBytes: simd.Group * bits / 8, codes: cq.Codes, norms: cq.Norms}
	for code, v := range book.byCode {
		t.point[code] = v / float32(math.Sqrt(simd.Group))
	}
	return t
}

// Row writes row number row, Cols values, to the start of dst. scratch serves
// a last group that is not whole.
func (t *Table) Row(dst []float32, row int, scratch *[simd.Group]float32) {
	for g := range t.groups {
		n := row*t.groups + g
		part := dst[g*simd.Group : min((g+1)*simd.Group, t.cols)]
		packed := t.codes[n*t.groupBytes : (n+1)*t.groupBytes]
		norm := simd.HalfToFloat(uint16(t.norms[2*n]) | uint16(t.norms[2*n+1])<<8)
		if len(part) == simd.Group {
			t.group((*[simd.Group]float32)(part), packed, norm)
			continue
		}
		t.group(scratch, packed, norm)
		copy(part, scratch[:])
	}
}

// Touch reads one byte of each of the row's places in the file, so that they are
// on their way when Row comes.
func (t *Table) Touch(row int) byte {
	n := row * t.groups
	return t.codes[n*t.groupBytes] ^ t.norms[2*n]
}

// group writes one group's values.
func (t *Table) group(dst *[simd.Group]float32, packed []byte, norm float32) {
	if t.bits%2 == 0 {
		t.kernels.Dequantize(dst, packed, &t.point, norm)
		return
	}
	var codes [simd.Group]uint8
	UnpackCodes(&codes, packed, t.bits)
	for k, c := range codes {
		dst[k] = t.point[c&15]
	}
	simd.Hadamard(dst)
	simd.Scale(dst[:], norm, dst[:])
}
