package cact

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
)

// part is a record to be written: its directory entry and its bytes.
type part struct {
	record Record
	blob   []byte
}

// Slice writes an archive that holds only the blocks Ladder keeps at the given
// depth, 2 to the archive's own: byte for byte what the exporter writes from
// sliced parameters. Codes are copied, not quantised anew; the tokenizer and
// kv_window stay. The rule bisects this archive's own stack: a slice of a slice
// is in general no rung of the original.
func (a *Archive) Slice(w io.Writer, depth int) error {
	g := a.geometry
	if depth < 2 || depth > g.Layers {
		return fmt.Errorf("cact: slice to %d blocks: expected 2 to the %d of the archive", depth, g.Layers)
	}
	kept := Ladder(g.Layers, depth)
	var parts []part
	for _, r := range a.records {
		if p, keep := a.slicePart(r, kept); keep {
			parts = append(parts, p)
		}
	}
	if err := a.write(w, a.sliceHeader(kept, len(parts)), parts); err != nil {
		return fmt.Errorf("cact: slice to %d blocks: %w", depth, err)
	}
	return nil
}

// sliceHeader copies the header and changes what depends on the blocks.
func (a *Archive) sliceHeader(kept []int, records int) []byte {
	header := bytes.Clone(a.data[:headerSize+4*codebookLen])
	put := func(field int, v uint32) { binary.LittleEndian.PutUint32(header[4*field:], v) }
	var mask uint64
	var sites []int
	for layer, old := range kept {
		mask |= a.geometry.GlobalMask >> old & 1 << layer
		for _, site := range a.geometry.EngramSites {
			if site == old {
				sites = append(sites, layer)
			}
		}
	}
	put(fieldRecords, uint32(records))
	put(fieldLayers, uint32(len(kept)))
	put(fieldMaskLow, uint32(mask))
	put(fieldMaskHigh, uint32(mask>>32))
	put(fieldSiteCount, uint32(len(sites)))
	for i := range sitePlaces {
		site := 0
		if i < len(sites) {
			site = sites[i]
		}
		put(fieldSites+i, uint32(site))
	}
	return header
}

// slicePart is the kept share of a record; keep is false for records of blocks
// and engram sites that go.
func (a *Archive) slicePart(r *Record, kept []int) (p part, keep bool) {
	n := a.geometry.Lanes
	kind, rest, _ := strings.Cut(r.Role, ".")
	switch kind {
	case "layers":
		var layer int
		fmt.Sscanf(rest, "%d", &layer)
		return part{*r, r.blob}, slices.Contains(kept, layer)
	case "engrams":
		var site int
		fmt.Sscanf(rest, "%d", &site)
		return part{*r, r.blob}, slices.Contains(kept, a.geometry.EngramSites[site])
	case "lanes":
		switch rest {
		case "phi_pre", "phi_post":
			return r.rows(kept, n), true
		case "phi_res":
			return r.rows(kept, n*n), true
		}
		return r.planes(kept, 0), true
	case "heads":
		rows := []int{0}
		for _, b := range kept {
			rows = append(rows, b+1)
		}
		switch rest[strings.IndexByte(rest, '.')+1:] {
		case "probes":
			if r.DType == CQRecord {
				return r.rows(rows, r.Shape[0]/(a.geometry.Layers+1)), true
			}
			return r.planes(rows, 0), true
		case "gain":
			return r.planes(rows, 0), true
		case "row_bias":
			return r.planes(rows, 1), true
		}
	}
	return part{*r, r.blob}, true
}

// rows keeps, of a CQ matrix, the given runs of run rows each.
func (r *Record) rows(kept []int, run int) part {
	cq := r.CQ()
	codes, norms := len(cq.Codes)/cq.Rows*run, len(cq.Norms)/cq.Rows*run
	var blob []byte
	for _, k := range kept {
		blob = append(blob, cq.Codes[k*codes:(k+1)*codes]...)
	}
	for _, k := range kept {
		blob = append(blob, cq.Norms[k*norms:(k+1)*norms]...)
	}
	p := part{*r, blob}
	p.record.Shape = []int{len(kept) * run, r.Shape[1]}
	return p
}

// planes keeps, of an FP16 array, the given indices along an axis.
func (r *Record) planes(kept []int, axis int) part {
	outer, inner := 1, 2
	for i, s := range r.Shape {
		if i < axis {
			outer *= s
		} else if i > axis {
			inner *= s
		}
	}
	var blob []byte
	for o := range outer {
		for _, k := range kept {
			at := (o*r.Shape[axis] + k) * inner
			blob = append(blob, r.blob[at:at+inner]...)
		}
	}
	p := part{*r, blob}
	p.record.Shape = append([]int(nil), r.Shape...)
	p.record.Shape[axis] = len(kept)
	return p
}

// write lays out header, directory and blobs, each blob at a multiple of 64.
func (a *Archive) write(w io.Writer, header []byte, parts []part) error {
	at := int64(len(header) + recordSize*len(parts))
	directory := header
	for i := range parts {
		at = (at + alignment - 1) / alignment * alignment
		parts[i].record.Offset, parts[i].record.Size = at, int64(len(parts[i].blob))
		directory = parts[i].record.appendEntry(directory)
		at += parts[i].record.Size
	}
	if _, err := w.Write(directory); err != nil {
		return err
	}
	end := int64(len(directory))
	var zeros [alignment]byte
	for _, p := range parts {
		if _, err := w.Write(zeros[:p.record.Offset-end]); err != nil {
			return err
		}
		if _, err := w.Write(p.blob); err != nil {
			return err
		}
		end = p.record.Offset + p.record.Size
	}
	return nil
}

func (r *Record) appendEntry(b []byte) []byte {
	b = append(b, byte(r.DType), byte(len(r.Shape)), 0, 0)
	for i := range 4 {
		size := 0
		if i < len(r.Shape) {
			size = r.Shape[i]
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(size))
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(r.Offset))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.Size))
	b = binary.LittleEndian.AppendUint32(b, uint32(r.Group))
	return binary.LittleEndian.AppendUint32(b, uint32(r.Bits))
}
