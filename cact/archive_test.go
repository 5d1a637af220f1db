package cact

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const oracle = "../testdata/oracle"

func readCase(t testing.TB, name, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(oracle, name, file))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func openCase(t testing.TB, name string) *Archive {
	t.Helper()
	a, err := OpenBytes(readCase(t, name, "model.cact"))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestGeometryIsTheCasesConfig compares with the configuration that the oracle
// built each archive from.
func TestGeometryIsTheCasesConfig(t *testing.T) {
	for _, name := range []string{"tiny", "odd", "cq4", "mixed"} {
		var golden struct {
			Config struct {
				VocabSize    int   `json:"vocab_size"`
				Width        int   `json:"d_model"`
				Heads        int   `json:"num_heads"`
				KVHeads      int   `json:"num_kv_heads"`
				Layers       int   `json:"num_layers"`
				QKDim        int   `json:"qk_head_dim"`
				VDim         int   `json:"v_head_dim"`
				MaxSeqLen    int   `json:"max_seq_len"`
				Slots        int   `json:"engram_slots"`
				Sites        []int `json:"engram_layers"`
				Globals      []int `json:"global_layers"`
				Sliding      int   `json:"sliding_window"`
				Taps         int   `json:"qkv_conv_taps"`
				Lanes        int   `json:"mhc_lanes"`
				KVWindow     int   `json:"kv_window"`
				EmbeddingDim int   `json:"embedding_dim"`
			}
		}
		if err := json.Unmarshal(readCase(t, name, "golden.json"), &golden); err != nil {
			t.Fatal(err)
		}
		c, a := golden.Config, openCase(t, name)
		g := a.Geometry()
		var globals []int
		for l := range g.Layers {
			if g.IsGlobal(l) {
				globals = append(globals, l)
			}
		}
		got := []any{g.VocabSize, g.Width, g.Heads, g.KVHeads, g.Layers, g.QKDim, g.VDim, g.MaxSeqLen, g.EngramSlots,
			g.EngramSites, globals, g.SlidingWindow, g.ConvTaps, g.Lanes, g.KVWindow, g.LogitCount()}
		want := []any{c.VocabSize, c.Width, c.Heads, c.KVHeads, c.Layers, c.QKDim, c.VDim, c.MaxSeqLen, c.Slots,
			c.Sites, c.Globals, c.Sliding, c.Taps, c.Lanes, c.KVWindow, c.VocabSize}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if c.EmbeddingDim > 0 && a.Lookup("heads.embedding.bias").Shape[0] != c.EmbeddingDim {
			t.Errorf("%s: the embedding head has %v outputs, want %d", name, a.Lookup("heads.embedding.bias").Shape, c.EmbeddingDim)
		}
	}
}

func TestIsGlobal(t *testing.T) {
	g := Geometry{Layers: 3, SlidingWindow: 8, GlobalMask: 1 << 1}
	if g.IsGlobal(0) || !g.IsGlobal(1) || g.IsGlobal(2) {
		t.Error("the mask is not followed")
	}
	if g.SlidingWindow = 0; !g.IsGlobal(0) {
		t.Error("without a sliding window a layer is local")
	}
	if g.VocabSize, g.OutVocab = 512, 0; g.LogitCount() != 512 {
		t.Error("out_vocab 0 is not the whole vocabulary")
	}
	if g.OutVocab = 300; g.LogitCount() != 300 {
		t.Error("out_vocab is not followed")
	}
}

func TestHeads(t *testing.T) {
	for name, want := range map[string][]HeadCode{"cq4": nil, "tiny": {ConfidenceHead}, "mixed": {EmbeddingHead, ConfidenceHead, RouterHead}} {
		if got := openCase(t, name).Heads(); !slices.Equal(got, want) {
			t.Errorf("%s has heads %v, want %v", name, got, want)
		}
	}
}

// TestSliceIsTheExporters compares with the files that the public exporter
// wrote from sliced parameters.
func TestSliceIsTheExporters(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(oracle, "*", "slice-*.cact"))
	if len(files) < 8 {
		t.Fatalf("want the stored slices, found %v", files)
	}
	for _, file := range files {
		var depth int
		fmt.Sscanf(filepath.Base(file), "slice-%d.cact", &depth)
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := openCase(t, filepath.Base(filepath.Dir(file))).Slice(&got, depth); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: the slice differs from the exporter's", file)
		}
	}
}

// TestSliceToFullDepthCopies also covers what no exporter slice does: three
// heads and mixed widths.
func TestSliceToFullDepthCopies(t *testing.T) {
	for _, name := range []string{"tiny", "odd", "cq4", "mixed"} {
		a := openCase(t, name)
		var out bytes.Buffer
		if err := a.Slice(&out, a.Geometry().Layers); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), a.data) {
			t.Errorf("%s: the slice to full depth is not the file", name)
		}
		out.Reset()
		if err := a.Slice(&out, 3); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenBytes(out.Bytes()); err != nil {
			t.Errorf("%s: the slice to 3 blocks does not open: %v", name, err)
		}
		for _, depth := range []int{-1, 0, 1, a.Geometry().Layers + 1} {
			if err := a.Slice(&out, depth); err == nil {
				t.Errorf("%s: slice to %d blocks succeeds", name, depth)
			}
		}
	}
}

func TestLadder(t *testing.T) {
	order := []int{0, 19, 9, 14, 4, 6, 11, 16, 2, 7, 12, 17, 1, 3, 5, 8, 10, 13, 15, 18} // the guide's
	for depth := 2; depth <= 20; depth++ {
		want := slices.Sorted(slices.Values(order[:depth]))
		if got := Ladder(20, depth); !slices.Equal(got, want) {
			t.Errorf("Ladder(20, %d) = %v, want %v", depth, got, want)
		}
	}
	if got := Ladder(1, 1); !slices.Equal(got, []int{0}) {
		t.Errorf("Ladder(1, 1) = %v", got)
	}
}

// TestWaysToOpenAgree opens one archive as a path, as bytes, and inside a
// larger file by descriptor, offset and length.
func TestWaysToOpenAgree(t *testing.T) {
	data := readCase(t, "tiny", "model.cact")
	for _, lead := range []int{0, 1, 64, 4096, 70001} {
		path := filepath.Join(t.TempDir(), "bundle")
		whole := slices.Concat(make([]byte, lead), data, []byte("what follows"))
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		a, err := OpenFD(f.Fd(), int64(lead), int64(len(data)))
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.data, data) || a.Hash() != openCase(t, "tiny").Hash() {
			t.Errorf("lead %d: other bytes through the descriptor", lead)
		}
		for range 2 {
			if err := a.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		}
	}
	a, err := Open(filepath.Join(oracle, "tiny", "model.cact"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if !bytes.Equal(a.data, data) || a.Hash() != sha256.Sum256(data) || a.Size() != int64(len(data)) {
		t.Error("other bytes through the path")
	}
	b := openCase(t, "tiny")
	for i := range b.Len() {
		got, want := a.Record(i), b.Record(i)
		if d := cmp.Diff(want, got, cmp.AllowUnexported(Record{})); d != "" {
			t.Errorf("record %d is another through the path: %s", i, d)
		}
	}
}

// TestLookup finds every record under its role, and no other.
func TestLookup(t *testing.T) {
	a := openCase(t, "mixed")
	for i := range a.Len() {
		if r := a.Record(i); r.Index != i || a.Lookup(r.Role) != r {
			t.Errorf("record %d (%s) is found as %v", i, r.Role, a.Lookup(r.Role))
		}
	}
	for _, role := range []string{"", "layers", "layers.4.q_proj", "engrams.2.taps", "Embedding", "tokenizer "} {
		if r := a.Lookup(role); r != nil {
			t.Errorf("role %q is record %d", role, r.Index)
		}
	}
	if r := a.Lookup("embedding"); r.Float32s() != nil {
		t.Error("a CQ record decodes as floats")
	}
	if cq := a.Lookup("final_norm").CQ(); cq.Codes != nil || cq.Rows != 0 {
		t.Errorf("an FP16 record has the parts %v", cq)
	}
}

func TestOpenFDRanges(t *testing.T) {
	f, err := os.Open(filepath.Join(oracle, "tiny", "model.cact"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size := int64(len(readCase(t, "tiny", "model.cact")))
	for _, r := range [][2]int64{{-1, size}, {0, -1}, {0, size + 1}, {1, size}, {size + 1, 0}, {size, 1}, {math.MaxInt64, math.MaxInt64}, {0, 0}} {
		_, err := OpenFD(f.Fd(), r[0], r[1])
		if err == nil || r[1] != 0 && !strings.Contains(err.Error(), fmt.Sprintf("not within the %d bytes", size)) {
			t.Errorf("offset %d, length %d: error %v", r[0], r[1], err)
		}
	}
	if _, err := OpenFD(9999, 0, 1); err == nil {
		t.Error("a closed descriptor opens")
	}
}

func TestNoArchiveFiles(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	needle2 := binary.LittleEndian.AppendUint32(nil, tagNeedle2)
	for name, c := range map[string]struct {
		path string
		want error
	}{
		"missing":   {filepath.Join(folder, "none"), os.ErrNotExist},
		"directory": {folder, ErrNotArchive},
		"empty":     {write("empty", ""), ErrNotArchive},
		"text":      {write("text", "this is no archive at all"), ErrNotArchive},
		"short":     {write("short", "abc"), ErrNotArchive},
		"needle 2":  {write("needle2", string(needle2)), ErrNeedle2},
	} {
		_, err := Open(c.path)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %q", name, err)
		}
	}
}

// TestEveryPrefix cuts the archive at every length.
func TestEveryPrefix(t *testing.T) {
	data := readCase(t, "tiny", "model.cact")
	for n := range data {
		if _, err := OpenBytes(data[:n:n]); !errors.Is(err, ErrNotArchive) {
			t.Fatalf("the first %d of %d bytes: error %v, want %v", n, len(data), err, ErrNotArchive)
		}
	}
}

// BenchmarkOpen opens the demo archive, or the one that NEEDLE_ARCHIVE names.
func BenchmarkOpen(b *testing.B) {
	path := os.Getenv("NEEDLE_ARCHIVE")
	if path == "" {
		path = "../demo/needle3-demo.cact"
	}
	b.ReportAllocs()
	for b.Loop() {
		a, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(a.Size())
		a.Close()
	}
}
