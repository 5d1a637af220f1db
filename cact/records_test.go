package cact

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libneedle/libneedle/simd"
)

// reference is testdata/records.json: what the public exporter's own reader
// finds in the archives (scripts/oracle/records.py).
type reference struct {
	Archives map[string]struct {
		Header  referenceHeader
		Records []referenceRecord
		Slices  map[int]string
	}
	Codebooks map[int][]float64
	Windows   []struct {
		referenceHeader
		Window int
	}
}

type referenceHeader struct {
	Records     int     `json:"num_tensors"`
	KVWindow    int     `json:"kv_window"`
	KVBits      int     `json:"kv_bits"`
	VocabSize   int     `json:"vocab_size"`
	OutVocab    int     `json:"out_vocab"`
	Width       int     `json:"d_model"`
	Heads       int     `json:"num_heads"`
	KVHeads     int     `json:"num_kv_heads"`
	Layers      int     `json:"num_layers"`
	QKDim       int     `json:"qk_head_dim"`
	VDim        int     `json:"v_head_dim"`
	MaxSeqLen   int     `json:"max_seq_len"`
	HadaSize    int     `json:"hada_n"`
	Lanes       int     `json:"mhc_lanes"`
	Sliding     int     `json:"sliding_window"`
	ConvTaps    int     `json:"qkv_conv_taps"`
	Slots       int     `json:"engram_slots"`
	SubDim      int     `json:"engram_sub_dim"`
	Tables      int     `json:"num_engram_tables"`
	EngramTaps  int     `json:"engram_conv_taps"`
	Dilation    int     `json:"engram_conv_dilation"`
	SeedHeads   int     `json:"engram_seed_heads"`
	Globals     []int   `json:"global_layers"`
	Orders      []int   `json:"engram_orders"`
	EngramSites []int   `json:"engram_layers"`
	RopeTheta   float32 `json:"rope_theta"`
}

func (h referenceHeader) geometry() Geometry {
	g := Geometry{KVWindow: h.KVWindow, KVBits: h.KVBits, VocabSize: h.VocabSize, OutVocab: h.OutVocab, Width: h.Width,
		Heads: h.Heads, KVHeads: h.KVHeads, Layers: h.Layers, QKDim: h.QKDim, VDim: h.VDim, MaxSeqLen: h.MaxSeqLen,
		HadaSize: h.HadaSize, Lanes: h.Lanes, SlidingWindow: h.Sliding, ConvTaps: h.ConvTaps, EngramSlots: h.Slots,
		EngramSubDim: h.SubDim, EngramTables: h.Tables, EngramConvTaps: h.EngramTaps, EngramDilation: h.Dilation,
		EngramSeedHeads: h.SeedHeads, EngramOrders: h.Orders, EngramSites: h.EngramSites, RopeTheta: h.RopeTheta}
	for _, l := range h.Globals {
		g.GlobalMask |= 1 << l
	}
	return g
}

type referenceRecord struct {
	Name           string
	DType          DType
	Shape          []int
	Group, Bits    int
	SHA            string
	Codes, Norms   string
	Sum, Abs, Wave float64
	First          []float64
}

func readReference(t testing.TB) *reference {
	t.Helper()
	data, err := os.ReadFile("testdata/records.json")
	if err != nil {
		t.Fatal(err)
	}
	var r reference
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Archives) != 4 || len(r.Windows) < 60 {
		t.Fatalf("%d archives and %d windows in the reference", len(r.Archives), len(r.Windows))
	}
	return &r
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:24]
}

func floatBytes(x []float32) []byte {
	b := make([]byte, 0, 4*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// exporterName is the exporter's name of a role.
func exporterName(role string) string {
	kind, rest, _ := strings.Cut(role, ".")
	switch kind {
	case "layers":
		n, what, _ := strings.Cut(rest, ".")
		return fmt.Sprintf("layer%02s.%s", n, what)
	case "lanes":
		return "mhc_" + rest
	case "engrams":
		return "engram" + rest
	case "heads":
		if head, what, ok := strings.Cut(rest, "."); ok {
			return head + "_head." + what
		}
	}
	return role
}

// unpack gives a CQ matrix' codebook indices, padding columns included, bit by
// bit from the format's description.
func unpack(cq CQ) []byte {
	width := StoredBits(cq.Bits)
	indices := make([]byte, 0, cq.Rows*cq.PaddedCols)
	rowBytes := len(cq.Codes) / cq.Rows
	for r := range cq.Rows {
		row := cq.Codes[r*rowBytes : (r+1)*rowBytes]
		for k := range cq.PaddedCols {
			var v byte
			for b := range width {
				at := k*width + b
				v |= row[at/8] >> (at % 8) & 1 << b
			}
			if cq.Bits == TernaryBits {
				v = (v + 1) % 4 // crumbs 3, 0, 1 are trits 0, 1, 2
			}
			indices = append(indices, v)
		}
	}
	return indices
}

func halves(b []byte) []float32 {
	x := make([]float32, len(b)/2)
	for i := range x {
		x[i] = simd.HalfToFloat(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return x
}

// dequantise computes (codebook[index] * norm) @ H in float64, H by its
// definition, and drops the padding columns.
func dequantise(cq CQ, codebook []float32) []float64 {
	indices, norms := unpack(cq), halves(cq.Norms)
	values := make([]float64, 0, cq.Rows*cq.Cols)
	group := make([]float64, cq.Group)
	for g, norm := range norms {
		for i := range group {
			group[i] = float64(codebook[indices[g*cq.Group+i]]) * float64(norm)
		}
		hadamard(group)
		first := g * cq.Group % cq.PaddedCols
		values = append(values, group[:min(cq.Group, cq.Cols-first)]...)
	}
	return values
}

func hadamard(x []float64) {
	for h := 1; h < len(x); h *= 2 {
		for i := range x {
			if i&h == 0 {
				x[i], x[i+h] = x[i]+x[i+h], x[i]-x[i+h]
			}
		}
	}
	for i := range x {
		x[i] /= math.Sqrt(float64(len(x)))
	}
}

// differs says in what a record is not the reference's, or nothing.
func (want *referenceRecord) differs(a *Archive, r *Record) string {
	if got := exporterName(r.Role); got != want.Name {
		return fmt.Sprintf("it is the exporter's %s", want.Name)
	}
	shape := append([]int{}, r.Shape...)
	if d := cmp.Diff([]any{want.DType, want.Shape, want.Group, want.Bits}, []any{r.DType, shape, r.Group, r.Bits}); d != "" {
		return d
	}
	var x []float64
	switch r.DType {
	case RawRecord:
		if digest(r.Bytes()) != want.SHA {
			return "other bytes"
		}
		return ""
	case CQRecord:
		cq := r.CQ()
		if digest(unpack(cq)) != want.Codes {
			return "other codes"
		}
		if digest(floatBytes(halves(cq.Norms))) != want.Norms {
			return "other norms"
		}
		x = dequantise(cq, a.Codebook(cq.Bits))
	default:
		if digest(floatBytes(r.Float32s())) != want.SHA {
			return "other values"
		}
		for _, v := range r.Float32s() {
			x = append(x, float64(v))
		}
	}
	return want.sumsDiffer(x)
}

func (want *referenceRecord) sumsDiffer(x []float64) string {
	var sum, abs, wave float64
	for i, v := range x {
		sum, abs, wave = sum+v, abs+math.Abs(v), wave+v*math.Cos(float64(i))
	}
	got := append([]float64{sum, abs, wave}, x[:min(4, len(x))]...)
	for i, w := range append([]float64{want.Sum, want.Abs, want.Wave}, want.First...) {
		// The reader dequantises in float32.
		if scale := 2e-7 * want.Abs; math.Abs(got[i]-w) > scale+1e-6*math.Abs(w) {
			return fmt.Sprintf("sums and first values %v, want %v %v %v %v", got, want.Sum, want.Abs, want.Wave, want.First)
		}
	}
	return ""
}

// TestRecordsAreTheExportersReaders holds every record's name, shape and values
// to the public reader's.
func TestRecordsAreTheExportersReaders(t *testing.T) {
	for name, want := range readReference(t).Archives {
		a := openCase(t, name)
		if a.Len() != len(want.Records) || a.Len() != want.Header.Records {
			t.Fatalf("%s: %d records, want %d", name, a.Len(), len(want.Records))
		}
		for i := range want.Records {
			if problem := want.Records[i].differs(a, a.Record(i)); problem != "" {
				t.Errorf("%s: record %d (%s): %s", name, i, a.Record(i).Role, problem)
			}
		}
	}
}

// TestDiffersSees is the negative control: another order, other codes, other
// norms, one other value, and values whose digest alone would tell.
func TestDiffersSees(t *testing.T) {
	want := readReference(t).Archives["mixed"].Records
	seen := func(what string, damage func(e *edit) (record int)) {
		e := newEdit(t, "mixed")
		i := damage(e)
		a, err := OpenBytes(e.data)
		if err != nil {
			t.Fatal(err)
		}
		if want[i].differs(a, a.Record(i)) == "" {
			t.Errorf("%s pass", what)
		}
	}
	seen("other codes", func(e *edit) int { e.data[e.a.Record(0).Offset+99] ^= 1; return 0 })
	seen("other norms", func(e *edit) int { e.data[e.a.Record(0).Offset+e.a.Record(0).Size-2] ^= 1; return 0 })
	seen("other values", func(e *edit) int { e.data[e.a.Record(1).Offset+8] ^= 1; return 1 })
	seen("other text", func(e *edit) int { i := e.a.Len() - 1; e.data[e.a.Record(i).Offset+30] ^= 1; return i })
	a := openCase(t, "mixed")
	if want[8].differs(a, a.Record(9)) == "" {
		t.Error("another record passes")
	}
	x := dequantise(a.Record(0).CQ(), a.Codebook(a.Record(0).Bits))
	if problem := want[0].sumsDiffer(x); problem != "" {
		t.Error(problem)
	}
	slices.Reverse(x)
	if want[0].sumsDiffer(x) == "" {
		t.Error("reversed values pass")
	}
}

// TestHeaderIsTheExportersReaders compares every field.
func TestHeaderIsTheExportersReaders(t *testing.T) {
	for name, want := range readReference(t).Archives {
		if d := cmp.Diff(want.Header.geometry(), openCase(t, name).Geometry()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestCodebooksAreTheReferences(t *testing.T) {
	want := readReference(t).Codebooks
	for bits := 1; bits <= 5; bits++ {
		got := openCase(t, "tiny").Codebook(bits)
		if len(got) != len(want[bits]) || len(got) == 0 {
			t.Fatalf("width %d: %d points, want %d", bits, len(got), len(want[bits]))
		}
		for i, v := range got {
			// The format states the analytic widths to seven digits.
			if math.Abs(float64(v)-want[bits][i]) > 1e-7*math.Abs(want[bits][i]) {
				t.Errorf("width %d, point %d: %g, want %g", bits, i, v, want[bits][i])
			}
		}
	}
	for _, bits := range []int{-1, 0, 6, 8} {
		if book := openCase(t, "tiny").Codebook(bits); book != nil {
			t.Errorf("width %d has the points %v", bits, book)
		}
	}
}

// TestSlicesAreThePackers compares every depth of every case, also of the one
// with three heads and all widths, with what the exporter's packer writes.
func TestSlicesAreThePackers(t *testing.T) {
	for name, want := range readReference(t).Archives {
		a := openCase(t, name)
		if len(want.Slices) != a.Geometry().Layers-2 {
			t.Errorf("%s: %d slices in the reference", name, len(want.Slices))
		}
		for depth, sha := range want.Slices {
			var out bytes.Buffer
			if err := a.Slice(&out, depth); err != nil {
				t.Fatal(err)
			}
			if digest(out.Bytes()) != sha {
				t.Errorf("%s: the slice to %d blocks is another", name, depth)
			}
		}
	}
}

// TestWindowIsTheReferences compares with kv_budget_window.
func TestWindowIsTheReferences(t *testing.T) {
	windows := readReference(t).Windows
	if windows[0].Window != 3456 {
		t.Errorf("the shipped geometry's window is %d in the reference", windows[0].Window)
	}
	for _, w := range windows {
		g := w.geometry()
		if got := g.Window(); got != w.Window {
			t.Errorf("window %d, want %d: %+v", got, w.Window, w.referenceHeader)
		}
		if g.KVWindow = 77; g.Window() != 77 {
			t.Error("a stated window is not taken")
		}
	}
}
