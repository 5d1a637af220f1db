package cact

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/libneedle/libneedle/simd"
)

// Record is one entry of the directory.
type Record struct {
	Index  int    // place in the directory, from 0
	Role   string // what the place means, e.g. "layers.3.q_proj"
	DType  DType  // how values are stored
	Shape  []int  // of the values, the last dimension contiguous
	Group  int    // 128 for CQ, else 0
	Bits   int    // record width of CQ: 1 to 4, or 5 for ternary; else 0
	Offset int64  // of the blob in the archive
	Size   int64  // of the blob, in bytes

	blob []byte
}

// CQ is a quantised [Rows, Cols] matrix.
type CQ struct {
	Rows, Cols int
	PaddedCols int    // Cols rounded up to whole groups
	Group      int    // columns that share a norm
	Bits       int    // record width, as in Record
	Codes      []byte // row-major; PaddedCols*stored bits/8 bytes a row
	Norms      []byte // FP16 [Rows][PaddedCols/Group], little-endian
}

// TernaryBits is the record width that stands for three levels in 2-bit crumbs.
const TernaryBits = 5

// StoredBits is the number of bits a code of a record width takes in the file.
func StoredBits(bits int) int {
	if bits == TernaryBits {
		return 2
	}
	return bits
}

// Bytes is the record's blob, shared with the archive: not to be written.
func (r *Record) Bytes() []byte { return r.blob }

// Float32s decodes an FP16 or FP32 record into a fresh slice; nil for others.
func (r *Record) Float32s() []float32 {
	switch r.DType {
	case FP16Record:
		x := make([]float32, len(r.blob)/2)
		for i := range x {
			x[i] = simd.HalfToFloat(binary.LittleEndian.Uint16(r.blob[2*i:]))
		}
		return x
	case FP32Record:
		x := make([]float32, len(r.blob)/4)
		for i := range x {
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32(r.blob[4*i:]))
		}
		return x
	}
	return nil
}

// CQ gives the parts of a CQ record, shared with the archive; the zero CQ for
// others.
func (r *Record) CQ() CQ {
	if r.DType != CQRecord {
		return CQ{}
	}
	c := CQ{Rows: r.Shape[0], Cols: r.Shape[1], Group: r.Group, Bits: r.Bits}
	c.PaddedCols = padded(c.Cols)
	codes := int(int64(c.Rows) * int64(c.PaddedCols) * int64(StoredBits(c.Bits)) / 8)
	c.Codes, c.Norms = r.blob[:codes:codes], r.blob[codes:]
	return c
}

// padded rounds up to whole groups. The result is at most maxValues.
func padded(cols int) int { return (cols + groupSize - 1) / groupSize * groupSize }

// values counts a shape of any size, padding columns included.
func (r *Record) values() float64 {
	n := 1.0
	for i, s := range r.Shape {
		if r.DType == CQRecord && i == 1 {
			n *= math.Ceil(float64(s)/groupSize) * groupSize
			continue
		}
		n *= float64(s)
	}
	return n
}

// blobSize is the length that type, shape and width imply; values is at most
// maxValues.
func (r *Record) blobSize() int64 {
	n := int64(1)
	for _, s := range r.Shape {
		n *= int64(s)
	}
	switch r.DType {
	case FP16Record:
		return 2 * n
	case FP32Record:
		return 4 * n
	case CQRecord:
		rows, cols := int64(r.Shape[0]), int64(padded(r.Shape[1]))
		return rows*cols*int64(StoredBits(r.Bits))/8 + 2*rows*cols/groupSize
	}
	return r.Size
}

func (r *Record) fail(expected, format string, args ...any) error {
	return &RecordError{r.Index, r.Role, expected, fmt.Sprintf(format, args...)}
}

// entry is a directory record as stored.
type entry struct {
	dtype, ndim  uint8
	pad          uint16
	shape        [4]uint32
	offset, size uint64
	group, bits  uint32
}

func readEntry(data []byte) entry {
	e := entry{dtype: data[0], ndim: data[1], pad: binary.LittleEndian.Uint16(data[2:]),
		offset: binary.LittleEndian.Uint64(data[20:]), size: binary.LittleEndian.Uint64(data[28:]),
		group: binary.LittleEndian.Uint32(data[36:]), bits: binary.LittleEndian.Uint32(data[40:])}
	for i := range e.shape {
		e.shape[i] = binary.LittleEndian.Uint32(data[4+4*i:])
	}
	return e
}

// check makes a record of a directory entry that fits the place it is in.
func (w want) check(index int, e entry, end int64, fileSize int64) (*Record, error) {
	r := &Record{Index: index, Role: w.role, DType: DType(e.dtype)}
	if r.DType != w.dtype {
		return nil, r.fail(w.dtype.String(), "%s", r.DType)
	}
	if e.pad != 0 {
		return nil, r.fail("zero padding in the directory", "%#x", e.pad)
	}
	if e.ndim > 4 || w.shape == nil && e.ndim == 0 || w.shape != nil && int(e.ndim) != len(w.shape) {
		return nil, r.fail(w.shapeText(), "%d dimensions", e.ndim)
	}
	for i, s := range e.shape {
		if i >= int(e.ndim) {
			// The exporter writes 0; a writer that fills shapes up with 1 says the same.
			if s > 1 {
				return nil, r.fail("an unused dimension of 0 or 1", "%d", s)
			}
			continue
		}
		r.Shape = append(r.Shape, int(s))
	}
	for i, s := range r.Shape {
		if w.shape != nil && w.shape[i] != anyLength && w.shape[i] != s || s < 1 || s > math.MaxInt32 {
			return nil, r.fail(w.shapeText(), "%v", r.Shape)
		}
	}
	if err := r.place(e, end, fileSize); err != nil {
		return nil, err
	}
	return r, nil
}

func (w want) shapeText() string {
	if w.shape == nil {
		return "1 to 4 dimensions"
	}
	text := "["
	for i, s := range w.shape {
		if i > 0 {
			text += " "
		}
		if s == anyLength {
			text += "any"
		} else {
			text += fmt.Sprint(s)
		}
	}
	return "shape " + text + "]"
}

// place checks width, offset and length. end is where the previous blob ends.
func (r *Record) place(e entry, end, fileSize int64) error {
	switch {
	case r.DType == CQRecord && (len(r.Shape) != 2 || e.group != groupSize):
		return r.fail(fmt.Sprintf("a matrix in groups of %d", groupSize), "%d dimensions in groups of %d", len(r.Shape), e.group)
	case r.DType == CQRecord && (e.bits < 1 || e.bits > TernaryBits):
		return r.fail("a width of 1 to 5 bits", "%d", e.bits)
	case r.DType != CQRecord && (e.group != 0 || e.bits != 0):
		return r.fail("no group and no width", "group %d, width %d", e.group, e.bits)
	case e.offset%alignment != 0:
		return r.fail(fmt.Sprintf("an offset that is a multiple of %d", alignment), "offset %d", e.offset)
	case e.offset > uint64(fileSize) || e.size > uint64(fileSize)-e.offset:
		return r.fail(fmt.Sprintf("a blob inside the %d bytes of the file", fileSize), "%d bytes at offset %d", e.size, e.offset)
	case int64(e.offset) < end || int64(e.offset)-end >= alignment:
		return r.fail(fmt.Sprintf("the blob to follow the previous one, which ends at %d", end), "offset %d", e.offset)
	}
	r.Group, r.Bits, r.Offset, r.Size = int(e.group), int(e.bits), int64(e.offset), int64(e.size)
	if r.DType == RawRecord {
		if e.size == 0 {
			return r.fail("contents", "0 bytes")
		}
		return nil
	}
	if r.values() > maxValues {
		return r.fail(fmt.Sprintf("at most %d values", maxValues), "shape %v", r.Shape)
	}
	if want := r.blobSize(); want != r.Size {
		return r.fail(fmt.Sprintf("%d bytes of %s in shape %v", want, r.widthText(), r.Shape), "%d bytes", e.size)
	}
	return nil
}

func (r *Record) widthText() string {
	if r.DType == CQRecord {
		return fmt.Sprintf("CQ width %d", r.Bits)
	}
	return r.DType.String()
}
