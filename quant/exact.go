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

func newExact(cq cact.CQ, codebook []float32) *Exact {
	table := NewTable(cq, codebook)
	e := &Exact{cq.Rows, cq.Cols, make([]float32, cq.Rows*cq.Cols)}
	for row := range e.rows {
		table.Row(e.weights[row*e.cols:(row+1)*e.cols], row)
	}
	return e
}

// Rows is the number of output values.
func (e *Exact) Rows() int { return e.rows }

// Slice returns rows [lo, hi) of e.
func (e *Exact) Slice(lo, hi int) Product {
	return &Exact{hi - lo, e.cols, e.weights[lo*e.cols : hi*e.cols]}
}

// Mul is documented at Product.
func (e *Exact) Mul(ys [][]float32, xs []*Activation, lo, hi int) {
	for t, x := range xs {
		for row := lo; row < hi; row++ {
			ys[t][row] = simd.Dot(e.weights[row*e.cols:(row+1)*e.cols], x.values)
		}
	}
}

// Table reads single dequantised rows of a CQ record in place: embeddings and
// engram slots. It is read-only and safe for concurrent use.
type Table struct {
	cols, groups int
	bits         int
	groupBytes   int
	codes        []byte
	norms        []byte
	point        [16]float32 // codebook value by code, over sqrt(128)
}

// NewTable returns a reader of the record's rows.
func NewTable(cq cact.CQ, codebook []float32) *Table {
	bits := cact.StoredBits(cq.Bits)
	t := &Table{cols: cq.Cols, groups: cq.PaddedCols / simd.Group, bits: bits,
		groupBytes: simd.Group * bits / 8, codes: cq.Codes, norms: cq.Norms}
	for point, code := range codeOf(cq.Bits, len(codebook)) {
		t.point[code] = codebook[point] / float32(math.Sqrt(simd.Group))
	}
	return t
}

// Row writes row number row, Cols values, to dst.
func (t *Table) Row(dst []float32, row int) {
	var codes [simd.Group]uint8
	var values [simd.Group]float32
	for g := range t.groups {
		n := row*t.groups + g
		simd.UnpackCodes(&codes, t.codes[n*t.groupBytes:(n+1)*t.groupBytes], t.bits)
		for k, c := range codes {
			values[k] = t.point[c&15]
		}
		simd.Hadamard(&values)
		norm := cact.HalfToFloat(uint16(t.norms[2*n]) | uint16(t.norms[2*n+1])<<8)
		part := dst[g*simd.Group : min((g+1)*simd.Group, t.cols)]
		simd.Scale(part, norm, values[:len(part)])
	}
}
