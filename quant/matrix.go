package quant

import (
	"encoding/binary"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/simd"
)

// Product is a matrix [Rows, Cols] to be multiplied with activations.
type Product interface {
	// Tiles is the number of units that the rows are computed in: a tile is
	// simd.TileRows rows, the last one may have fewer.
	Tiles() int
	// Mul writes tiles [lo, hi) of the product of activations t to t+n-1: the
	// values of activation t+i go to y[i*stride:], each at its row's place.
	// Calls for disjoint ranges may run at the same time.
	Mul(y []float32, stride int, x *Activations, t, n, lo, hi int)
	// Form says how it reads its activations.
	Form() Form
}

// Rows are the rows [Lo, Hi) of a CQ record.
type Rows struct {
	cact.CQ
	Lo, Hi int
}

// AllRows are all rows of a record.
func AllRows(cq cact.CQ) Rows { return Rows{cq, 0, cq.Rows} }

// New returns the product form of the parts' rows below one another; the parts
// have one width and number of columns. The integer form copies the codes into
// tiles; the exact one takes 4 bytes per weight.
func New(k *simd.Kernels, book *Codebook, exact bool, parts ...Rows) Product {
	if exact {
		return newExact(book, parts)
	}
	return newMatrix(k, book, parts)
}

// Matrix is the integer form: codes in tiles, norms in half precision. It is
// read-only and safe for concurrent use.
type Matrix struct {
	kernels *simd.Kernels
	levels  *simd.Levels
	wide    bool
	rows    int
	groups  int
	codes   []byte
	norms   []uint16
}

// newMatrix copies rows into tiles. Widths 1 and 2 (ternary is stored with 2
// bits) become narrow tiles, 3 and 4 wide ones.
func newMatrix(k *simd.Kernels, book *Codebook, parts []Rows) *Matrix {
	cq := parts[0].CQ
	m := &Matrix{kernels: k, levels: book.levels, wide: cact.StoredBits(cq.Bits) > 2, groups: cq.PaddedCols / simd.Group}
	for _, p := range parts {
		m.rows += p.Hi - p.Lo
	}
	m.codes = make([]byte, m.Tiles()*m.groups*m.tileBytes())
	m.norms = make([]uint16, m.Tiles()*m.groups*simd.TileRows)
	row := 0
	for _, p := range parts {
		for source := p.Lo; source < p.Hi; source++ {
			m.placeRow(p.CQ, source, row)
			row++
		}
	}
	return m
}

// placeRow copies a record's row into its place among the tiles.
func (m *Matrix) placeRow(cq cact.CQ, source, row int) {
	bits := cact.StoredBits(cq.Bits)
	size := simd.Group * bits / 8
	var repacked [simd.Group / 2]byte
	for g := range m.groups {
		from := source*m.groups + g
		packed := cq.Codes[from*size : (from+1)*size]
		if bits == 1 || bits == 3 {
			packed = repack(&repacked, packed, bits)
		}
		tile := row/simd.TileRows*m.groups + g
		at := tile*m.tileBytes() + row%simd.TileRows*4
		for i := 0; i < len(packed); i += 4 {
			copy(m.codes[at+16*i:at+16*i+4], packed[i:i+4])
		}
		m.norms[tile*simd.TileRows+row%simd.TileRows] = binary.LittleEndian.Uint16(cq.Norms[2*from:])
	}
}

// repack gives the codes of a group of width 1 or 3 one bit more.
func repack(dst *[simd.Group / 2]byte, packed []byte, bits int) []byte {
	var codes [simd.Group]uint8
	UnpackCodes(&codes, packed, bits)
	bits++
	out := dst[:simd.Group*bits/8]
	clear(out)
	for i, c := range codes {
		out[i*bits/8] |= c << (i * bits % 8)
	}
	return out
}

// UnpackCodes writes the indices of a group, width bits each (1 to 4), to dst.
// packed holds simd.Group*bits/8 bytes: one LSB-first bit stream, code k being
// bits [k*bits, (k+1)*bits).
func UnpackCodes(dst *[simd.Group]uint8, packed []byte, bits int) {
	mask := uint32(1)<<bits - 1
	var window uint32
	have, at := 0, 0
	for i := range dst {
		if have < bits {
			window |= uint32(packed[at]) << have
			have, at = have+8, at+1
		}
		dst[i] = uint8(window & mask)
		window >>= bits
		have -= bits
	}
}

func (m *Matrix) tileBytes() int {
	if m.wide {
		return simd.WideTile
	}
	return simd.NarrowTile
}

// Tiles is documented at Product.
func (m *Matrix) Tiles() int { return tilesOf(m.rows) }

func tilesOf(rows int) int { return (rows + simd.TileRows - 1) / simd.TileRows }

// Form is documented at Product.
func (m *Matrix) Form() Form {
	if m.wide {
		return Wide
	}
	return Narrow
}

// Mul is documented at Product.
func (m *Matrix) Mul(y []float32, stride int, x *Activations, t, n, lo, hi int) {
	tiles := simd.Tiles{
		Rows: min(hi*simd.TileRows, m.rows) - lo*simd.TileRows, Groups: m.groups,
		Codes: m.codes[lo*m.groups*m.tileBytes() : hi*m.groups*m.tileBytes()],
		Norms: m.norms[lo*m.groups*simd.TileRows : hi*m.groups*simd.TileRows],
	}
	if y = y[lo*simd.TileRows:]; m.wide {
		m.kernels.MulWide(y, stride, tiles, m.levels, x.inputs(x.wide, t, n))
	} else {
		m.kernels.MulNarrow(y, stride, tiles, m.levels, x.inputs(x.narrow, t, n))
	}
}
