package quant

import (
	"math"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/simd"
)

// Product is a matrix [Rows, Cols] to be multiplied with activations.
type Product interface {
	Rows() int
	// Mul writes, for each activation t, rows [lo, hi) of the product to
	// ys[t][lo:hi]. Calls for disjoint row ranges may run at the same time.
	Mul(ys [][]float32, xs []*Activation, lo, hi int)
	// Slice returns rows [lo, hi) as a matrix of its own, sharing memory.
	Slice(lo, hi int) Product
}

// New returns the product form of a CQ record: the integer form, or the exact
// one, which allocates 4 bytes per weight. The record's codes are read in
// place by the integer form and must stay mapped.
func New(cq cact.CQ, codebook []float32, exact bool) Product {
	if exact {
		return newExact(cq, codebook)
	}
	return newMatrix(cq, codebook)
}

// Matrix is the integer form: packed codes in the file's own layout, norms in
// float32. It is read-only and safe for concurrent use.
type Matrix struct {
	rows, groups int
	groupBytes   int
	codes        []byte
	norms        []float32 // [rows][groups]
	decode       *decoder
}

// decoder holds what all rows of a width share.
type decoder struct {
	bits int
	centroids
	quads   [256][4]int16 // widths 2 and ternary
	pairs   [256][2]int16 // width 4
	byCode  [16]int16
	inverse float32 // scale / sqrt(128)
}

func newMatrix(cq cact.CQ, codebook []float32) *Matrix {
	groups := cq.PaddedCols / simd.Group
	return &Matrix{
		rows:       cq.Rows,
		groups:     groups,
		groupBytes: simd.Group * cact.StoredBits(cq.Bits) / 8,
		codes:      cq.Codes,
		norms:      decodeNorms(cq.Norms),
		decode:     newDecoder(cq.Bits, codebook),
	}
}

// codeOf lists, for each point of the codebook, the code that stands for it.
func codeOf(bits int, points int) []int {
	if bits == cact.TernaryBits {
		return []int{3, 0, 1}
	}
	codes := make([]int, points)
	for k := range codes {
		codes[k] = k
	}
	return codes
}

func newDecoder(bits int, codebook []float32) *decoder {
	d := &decoder{bits: cact.StoredBits(bits), centroids: fitCentroids(codebook)}
	for point, code := range codeOf(bits, len(codebook)) {
		d.byCode[code] = d.level[point]
	}
	for b := range 256 {
		for q := range 4 {
			d.quads[b][q] = d.byCode[b>>(2*q)&3]
		}
		d.pairs[b] = [2]int16{d.byCode[b&15], d.byCode[b>>4]}
	}
	d.inverse = d.scale / float32(math.Sqrt(simd.Group))
	return d
}

func decodeNorms(norms []byte) []float32 {
	out := make([]float32, len(norms)/2)
	for i := range out {
		out[i] = cact.HalfToFloat(uint16(norms[2*i]) | uint16(norms[2*i+1])<<8)
	}
	return out
}

// Rows is the number of output values.
func (m *Matrix) Rows() int { return m.rows }

// Slice returns rows [lo, hi) of m.
func (m *Matrix) Slice(lo, hi int) Product {
	part := *m
	part.rows = hi - lo
	part.codes = m.codes[lo*m.groups*m.groupBytes : hi*m.groups*m.groupBytes]
	part.norms = m.norms[lo*m.groups : hi*m.groups]
	return &part
}

// Mul is documented at Product. One row's value is
//
//	inverse*scale * sum over groups of norm * (dot + sum*offset)
//
// with dot the exact integer product and the sum in ascending order.
func (m *Matrix) Mul(ys [][]float32, xs []*Activation, lo, hi int) {
	if m.decode.bits%2 == 1 {
		m.mulUnpacked(ys, xs, lo, hi)
		return
	}
	for t, x := range xs {
		m.mulPacked(ys[t], x, lo, hi)
	}
}

// mulPacked serves widths 2 and 4, whose codes do not cross bytes.
func (m *Matrix) mulPacked(y []float32, x *Activation, lo, hi int) {
	d := m.decode
	for row := lo; row < hi; row++ {
		var sum float32
		for g := range m.groups {
			packed := m.group(row, g)
			h := (*[simd.Group]int16)(x.rotated[g*simd.Group:])
			var dot int32
			if d.bits == 2 {
				dot = simd.CQDot2((*[simd.Group / 4]byte)(packed), h, &d.quads)
			} else {
				dot = simd.CQDot4((*[simd.Group / 2]byte)(packed), h, &d.pairs)
			}
			sum = m.accumulate(sum, dot, x.sums[g], row, g)
		}
		y[row] = m.finish(sum, x)
	}
}

// mulUnpacked serves widths 1 and 3; it unpacks each group once for all
// activations.
func (m *Matrix) mulUnpacked(ys [][]float32, xs []*Activation, lo, hi int) {
	var codes [simd.Group]uint8
	var level [simd.Group]int16
	for row := lo; row < hi; row++ {
		for t := range xs {
			ys[t][row] = 0
		}
		for g := range m.groups {
			simd.UnpackCodes(&codes, m.group(row, g), m.decode.bits)
			for k, c := range codes {
				level[k] = m.decode.byCode[c&15]
			}
			for t, x := range xs {
				dot := simd.DotInt16(level[:], x.rotated[g*simd.Group:(g+1)*simd.Group])
				ys[t][row] = m.accumulate(ys[t][row], dot, x.sums[g], row, g)
			}
		}
		for t, x := range xs {
			ys[t][row] = m.finish(ys[t][row], x)
		}
	}
}

func (m *Matrix) group(row, g int) []byte {
	at := (row*m.groups + g) * m.groupBytes
	return m.codes[at : at+m.groupBytes]
}

func (m *Matrix) accumulate(sum float32, dot int32, rotatedSum float32, row, g int) float32 {
	return sum + float32((float32(dot)+float32(rotatedSum*m.decode.offset))*m.norms[row*m.groups+g])
}

func (m *Matrix) finish(sum float32, x *Activation) float32 {
	return sum * float32(m.decode.inverse*x.Scale)
}
