package model

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/libneedle/libneedle/cact"
)

// A trace holds the NumPy reference's result of every operation for a few
// tokens (scripts/oracle/reference.py). The pass runs under a hook that compares
// each of its own results and then goes on from the reference's, so that every
// operation is tested on the traced input, inside the real pass.
type trace struct {
	Archive string
	IDs     []int32 `json:"ids"`
	Entries []*traceEntry
}

type traceEntry struct {
	Pos    int
	Layer  int
	Name   string
	DType  string `json:"dtype"`
	Shape  []int
	Offset int
	Scale  float32
	Scales []float32
	Terms  float64 // size of the products that a short result was summed from

	floats []float32
	ints   []int8
	seen   bool
}

type traceKey struct {
	name       string
	layer, pos int
}

func readTrace(t *testing.T, folder string) *trace {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "trace.json"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(folder, "trace.bin"))
	if err != nil {
		t.Fatal(err)
	}
	tr := &trace{}
	if err := json.Unmarshal(text, tr); err != nil {
		t.Fatal(err)
	}
	for _, e := range tr.Entries {
		n := 1
		for _, s := range e.Shape {
			n *= s
		}
		switch e.DType {
		case "f32":
			for i := range n {
				e.floats = append(e.floats, math.Float32frombits(binary.LittleEndian.Uint32(data[e.Offset+4*i:])))
			}
		case "i8":
			for i := range n {
				e.ints = append(e.ints, int8(data[e.Offset+i]))
			}
			if e.Scales == nil {
				e.Scales = []float32{e.Scale}
			}
		default:
			t.Fatalf("trace entry of type %q", e.DType)
		}
	}
	return tr
}

// tracer is the comparing hook.
type tracer struct {
	entries  map[traceKey]*traceEntry
	failures []string
	compared map[string]int
}

func newTracer(tr *trace) *tracer {
	h := &tracer{map[traceKey]*traceEntry{}, nil, map[string]int{}}
	for _, e := range tr.Entries {
		h.entries[traceKey{e.Name, e.Layer, e.Pos}] = e
	}
	return h
}

func (h *tracer) fail(name string, layer, pos int, format string, args ...any) {
	h.failures = append(h.failures, fmt.Sprintf("%s layer %d position %d: ", name, layer, pos)+fmt.Sprintf(format, args...))
}

func (h *tracer) find(name string, layer, pos int) *traceEntry {
	e := h.entries[traceKey{name, layer, pos}]
	if e == nil {
		h.fail(name, layer, pos, "not in the trace")
		return nil
	}
	e.seen = true
	h.compared[name]++
	return e
}

func (h *tracer) floats(name string, layer, pos int, x []float32) {
	e := h.find(name, layer, pos)
	if e == nil {
		return
	}
	if len(e.floats) != len(x) {
		h.fail(name, layer, pos, "%d values, the trace has %d of type %s", len(x), len(e.floats), e.DType)
		return
	}
	h.compareSummed(name, layer, pos, x, e.floats, e.Terms)
	copy(x, e.floats)
}

// compare allows 1e-5 relative; elements far below the vector's own size are
// held to 1e-5 of that size.
func (h *tracer) compare(name string, layer, pos int, got, want []float32) {
	h.compareSummed(name, layer, pos, got, want, 0)
}

// compareSummed also allows for terms that cancel: their last bits stay.
func (h *tracer) compareSummed(name string, layer, pos int, got, want []float32, terms float64) {
	var squares float64
	for _, v := range want {
		squares += float64(v) * float64(v)
	}
	rms := math.Sqrt(squares / float64(len(want)))
	for i := range got {
		if e := math.Abs(float64(got[i]) - float64(want[i])); !(e <= 1e-5*max(rms, terms, math.Abs(float64(want[i])))) {
			h.fail(name, layer, pos, "element %d is %g, the reference has %g", i, got[i], want[i])
			return
		}
	}
}

func (h *tracer) part(name string, layer, pos, head int, x []float32) {
	e := h.find(name, layer, pos)
	if e == nil {
		return
	}
	at := head * len(x)
	if at+len(x) > len(e.floats) {
		h.fail(name, layer, pos, "head %d has %d values, the trace %d in all", head, len(x), len(e.floats))
		return
	}
	h.compareSummed(name, layer, pos, x, e.floats[at:at+len(x)], e.Terms)
	copy(x, e.floats[at:])
}

func (h *tracer) ints(name string, layer, pos int, q []int8, scales []float32) {
	e := h.find(name, layer, pos)
	if e == nil {
		return
	}
	if e.DType == "f32" { // the reference without this rounding
		got := make([]float32, len(e.floats))
		for i := range got {
			got[i] = float32(q[i]) * scales[i/(len(got)/len(scales))]
		}
		h.compare(name, layer, pos, got, e.floats)
		return
	}
	n := len(e.ints)
	if n > len(q) || len(scales) != len(e.Scales) || slices.ContainsFunc(q[n:], func(v int8) bool { return v != 0 }) {
		h.fail(name, layer, pos, "%d values with %d scales, the trace has %d with %d", len(q), len(scales), n, len(e.Scales))
		return
	}
	for i, s := range scales {
		if math.Float32bits(s) != math.Float32bits(e.Scales[i]) {
			h.fail(name, layer, pos, "scale %d is %g, the reference has %g", i, s, e.Scales[i])
			break
		}
	}
	for i, v := range e.ints {
		if q[i] != v {
			h.fail(name, layer, pos, "value %d is %d, the reference has %d", i, q[i], v)
			break
		}
	}
	copy(q, e.ints)
	copy(scales, e.Scales)
}

// runTrace feeds the traced ids in exact form and returns what differed.
func runTrace(t *testing.T, tr *trace, a *cact.Archive, tier string) *tracer {
	t.Helper()
	h := newTracer(tr)
	s := newModel(t, a, Options{Exact: true, SIMD: tier}).NewSession(SessionOptions{KeepCells: true})
	defer s.Close()
	s.hook = h
	for _, id := range tr.IDs {
		feed(t, s, id)
		logitsOf(t, s)
	}
	for _, code := range s.m.Heads() {
		if _, _, err := s.Head(code); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range tr.Entries {
		if !e.seen {
			h.fail(e.Name, e.Layer, e.Pos, "in the trace, but not computed")
		}
	}
	return h
}

func traceFolders(t *testing.T) []string {
	t.Helper()
	folders, _ := filepath.Glob("../../testdata/trace/*/trace.json")
	if len(folders) < 3 {
		t.Fatalf("want the stored traces, found %v", folders)
	}
	if extra := os.Getenv("NEEDLE_ORACLE_DIR"); extra != "" {
		more, _ := filepath.Glob(filepath.Join(extra, "*", "trace", "trace.json"))
		if len(more) == 0 {
			t.Fatalf("NEEDLE_ORACLE_DIR=%s holds no trace", extra)
		}
		folders = append(folders, more...)
	}
	for i := range folders {
		folders[i] = filepath.Dir(folders[i])
	}
	return folders
}

// tracedArchive is the archive a trace was made from.
func tracedArchive(t *testing.T, folder string) []byte {
	t.Helper()
	for _, path := range []string{
		filepath.Join("../../testdata/oracle", filepath.Base(folder), "model.cact"),
		filepath.Join(folder, "..", "model.cact"),
	} {
		if data, err := os.ReadFile(path); err == nil {
			return data
		}
	}
	t.Fatalf("no archive for the trace %s", folder)
	return nil
}

func TestEveryOperationAgainstTrace(t *testing.T) {
	for _, folder := range traceFolders(t) {
		for _, tier := range supportedTiers() {
			t.Run(filepath.Base(folder)+"/"+tier, func(t *testing.T) {
				h := runTrace(t, readTrace(t, folder), openBytes(t, tracedArchive(t, folder)), tier)
				for i, f := range h.failures {
					if i == 20 {
						t.Errorf("and %d more", len(h.failures)-i)
						break
					}
					t.Error(f)
				}
				t.Logf("%d operations compared: %v", len(h.compared), h.compared)
			})
		}
	}
}

// TestTraceSeesEachMissingRounding gives the comparison a reference without one
// int8 rounding at a time, and expects it to object at that place.
func TestTraceSeesEachMissingRounding(t *testing.T) {
	folder := "../../testdata/trace/tiny"
	archive := openBytes(t, tracedArchive(t, folder))
	for rounded, before := range map[string]string{
		"engram.row8": "engram.row", "lanes.z8": "lanes.unit", "attn.h8": "attn.norm",
		"attn.q8": "attn.q_rope", "attn.k8": "attn.k_rope", "attn.v8": "attn.v_taps",
		"attn.o8": "attn.gated", "final.x8": "final.norm",
	} {
		tr := readTrace(t, folder)
		inputs := newTracer(tr).entries
		for _, e := range tr.Entries {
			if e.Name == rounded {
				e.DType, e.floats = "f32", inputs[traceKey{before, e.Layer, e.Pos}].floats
			}
		}
		h := runTrace(t, tr, archive, "")
		if !slices.ContainsFunc(h.failures, func(f string) bool { return len(f) > len(rounded) && f[:len(rounded)] == rounded }) {
			t.Errorf("a reference without the rounding %s passes", rounded)
		}
	}
}

// TestTraceSeesDamagedWeights changes one thing in the archive at a time.
func TestTraceSeesDamagedWeights(t *testing.T) {
	folder := "../../testdata/trace/tiny"
	whole := tracedArchive(t, folder)
	record := func(role string) *cact.Record { return openBytes(t, whole).Lookup(role) }
	for name, damage := range map[string]func(data []byte){
		"one flipped weight bit": func(data []byte) { data[record("layers.3.out_proj").Offset+100] ^= 4 },
		"one flipped bit of an engram value": func(data []byte) {
			data[record("engrams.1.value_proj").Offset+7] ^= 1
		},
		"one flipped norm bit": func(data []byte) {
			r := record("layers.1.q_proj")
			data[r.Offset+r.Size-1] ^= 1
		},
		"two swapped permutation entries": func(data []byte) {
			at := record("hada_p2").Offset
			for i := range int64(4) {
				data[at+i], data[at+4+i] = data[at+4+i], data[at+i]
			}
		},
		"one dropped q tap": func(data []byte) {
			r := record("layers.2.q_taps")
			clear(data[r.Offset+r.Size/3*2 : r.Offset+r.Size])
		},
		"one dropped engram tap": func(data []byte) {
			r := record("engrams.0.taps")
			clear(data[r.Offset+r.Size/4 : r.Offset+r.Size/2])
		},
	} {
		data := slices.Clone(whole)
		damage(data)
		if h := runTrace(t, readTrace(t, folder), openBytes(t, data), ""); len(h.failures) == 0 {
			t.Errorf("%s: the trace comparison passes", name)
		}
	}
}
