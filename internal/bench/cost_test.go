package bench

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/cact"
)

// shipped is the geometry of the released file, written down by hand.
var shipped = cact.Geometry{
	KVWindow: 256, KVBits: 8, VocabSize: 8192, Width: 768, Heads: 12, KVHeads: 2, Layers: 20, QKDim: 48, VDim: 64,
	MaxSeqLen: 8192, HadaSize: 1024, Lanes: 4, SlidingWindow: 1024, GlobalMask: 1<<4 | 1<<9 | 1<<14 | 1<<19, ConvTaps: 3,
	EngramSlots: 18432, EngramSubDim: 128, EngramTables: 6, EngramConvTaps: 4, EngramDilation: 3,
	EngramOrders: []int{2, 3}, EngramSites: []int{3, 7, 11, 15, 19}, RopeTheta: 100000,
}

// shapes are the shipped records by the last part of their role. Matrices have
// 2 bits, those of wide 4.
var (
	shapes = map[string][]int{
		"embedding": {8192, 768}, "q_proj": {576, 768}, "k_proj": {96, 768}, "v_proj": {128, 768}, "gate_proj": {768, 768},
		"out_proj": {768, 768}, "key_proj": {768, 768}, "value_proj": {768, 768}, "tables": {6 * 18432, 128},
		"phi_pre": {80, 3072}, "phi_post": {80, 3072}, "phi_res": {320, 3072},
		"q_taps": {3, 576}, "k_taps": {3, 96}, "v_taps": {3, 128}, "norm_in": {768}, "q_norm": {48}, "k_norm": {48},
		"post_norm": {768}, "attn_gate": {1}, "pre_hada": {768}, "d1": {1024}, "d2": {1024}, "b2": {1024}, "d3": {1024}, "d4": {1024},
		"w1a": {32, 32}, "w1b": {32, 32}, "w2a": {32, 32}, "w2b": {32, 32}, "w3a": {32, 32}, "w3b": {32, 32},
		"cond_v": {768, 8}, "cond_u": {8, 1024}, "a_pre": {20}, "a_post": {20}, "a_res": {20}, "b_pre": {20, 4}, "b_post": {20, 4},
		"b_res": {20, 4, 4}, "hada_p1": {1024}, "hada_p2": {1024}, "taps": {4, 768}, "final_norm": {768},
	}
	wide = "embedding phi_pre phi_post phi_res"
)

func shippedRecord(role string) *cact.Record {
	name := role[strings.LastIndex(role, ".")+1:]
	r := &cact.Record{Role: role, DType: cact.FP16Record, Shape: shapes[name]}
	n := int64(1)
	for _, s := range r.Shape {
		n *= int64(s)
	}
	switch {
	case strings.HasSuffix(name, "_proj") || name == "tables":
		r.DType, r.Bits, r.Size = cact.CQRecord, 2, n/4+n/64
	case strings.Contains(wide, name):
		r.DType, r.Bits, r.Size = cact.CQRecord, 4, n/2+n/64
	case strings.HasPrefix(name, "hada"):
		r.DType, r.Size = cact.FP32Record, 4*n
	default:
		r.Size = 2 * n
	}
	return r
}

func near(t *testing.T, name string, got int64, want, tolerance float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > tolerance*want {
		t.Errorf("%s: %d, want %.4g within %g%%", name, got, want, 100*tolerance)
	}
}

// TestShippedGeometry compares with numbers that were worked out apart from
// this code, at 300 tokens of context.
func TestShippedGeometry(t *testing.T) {
	c := Count(shipped, 0, shippedRecord)
	w := c.Decode(300, 300)
	near(t, "2-bit", w.MulAdds.Narrow, 41.9e6, 0.005)
	near(t, "other 4-bit", w.MulAdds.Wide+1, 1, 0)
	near(t, "head", w.MulAdds.Head, 6.3e6, 0.005)
	near(t, "lane maps", w.MulAdds.LaneMaps, 1.5e6, 0.02)
	near(t, "Monarch", w.MulAdds.Monarch, 4.2e6, 0.01)
	near(t, "attention", w.MulAdds.Attention, 8.1e6, 0.01)
	near(t, "total", w.MulAdds.Total(), 62e6, 0.005)
	near(t, "weights", w.Weights, 16.1e6, 0.02)
	near(t, "KV", w.KV, 1.4e6, 0.03)
	if w.Bytes != w.Weights+w.KV {
		t.Errorf("%d bytes are not %d and %d", w.Bytes, w.Weights, w.KV)
	}
}

// TestShippedWindow: without a sink a query sees 256 positions, with one more.
func TestShippedWindow(t *testing.T) {
	c := Count(shipped, 0, shippedRecord)
	for _, at := range []struct{ context, sink, local, global int }{
		{1, 0, 1, 1}, {256, 0, 256, 256}, {257, 0, 256, 256}, {8000, 0, 256, 256}, {300, 300, 300, 300}, {900, 60, 316, 316},
		{1000, 900, 1000, 1000}, {1100, 100, 280, 356}, {8000, 900, 256, 1156},
	} {
		want := int64(16*at.local + 4*at.global)
		if got := c.seen(at.context-1, at.sink); got != want {
			t.Errorf("context %d, sink %d: %d positions seen, want %d", at.context, at.sink, got, want)
		}
	}
}

func TestDepths(t *testing.T) {
	full, part := Count(shipped, 0, shippedRecord), Count(shipped, 2, shippedRecord)
	f, p := full.Decode(300, 300).MulAdds, part.Decode(300, 300).MulAdds
	if p.Head != f.Head || p.Monarch*10 != f.Monarch || p.LaneMaps*10 != f.LaneMaps || p.Attention*10 != f.Attention {
		t.Errorf("depth 2 needs %+v, all 20 blocks %+v", p, f)
	}
	// Blocks 0 and 19 are kept, and with the latter one of five engram sites.
	if want := int64(2*1794048 + 2*768*768); p.Narrow != want {
		t.Errorf("depth 2 needs %d 2-bit multiply-adds, want %d", p.Narrow, want)
	}
	if whole := Count(shipped, 20, shippedRecord).Decode(300, 300); whole != full.Decode(300, 300) {
		t.Errorf("depth 20 needs %+v", whole)
	}
}

// TestPrefillIsManyDecodes: block by block the work must add up.
func TestPrefillIsManyDecodes(t *testing.T) {
	c := Count(shipped, 0, shippedRecord)
	one := c.Prefill(0, 512, 1)
	var sum MulAdds
	for i := range 512 {
		m := c.Decode(i+1, i+1).MulAdds
		sum.Narrow, sum.LaneMaps, sum.Monarch, sum.Attention = sum.Narrow+m.Narrow, sum.LaneMaps+m.LaneMaps, sum.Monarch+m.Monarch, sum.Attention+m.Attention
	}
	sum.Head = c.head
	if one.MulAdds != sum {
		t.Errorf("512 blocks of a token need %+v, want %+v", one.MulAdds, sum)
	}
	if blocks := c.Prefill(0, 512, 32); blocks.MulAdds != sum || blocks.Weights*20 > one.Weights {
		t.Errorf("16 blocks need %+v and read %d bytes of weights; single tokens read %d", blocks.MulAdds, blocks.Weights, one.Weights)
	}
	near(t, "prefill of 512", one.MulAdds.Total()/512, 41.8e6+1.5e6+4.2e6+6.9e6, 0.01)
}

// TestCountsOfFiles counts every stored archive, so that other widths, missing
// taps and missing heads are met too.
func TestCountsOfFiles(t *testing.T) {
	for _, name := range []string{"tiny", "odd", "mixed", "cq4"} {
		a, err := cact.Open(filepath.Join("../../testdata/oracle", name, "model.cact"))
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		c := Count(a.Geometry(), 0, a.Lookup)
		w := c.Decode(50, 50)
		var stored int64 // of all records that a token reads whole
		for i := range a.Len() {
			if r := a.Record(i); r.DType != cact.RawRecord && !strings.HasPrefix(r.Role, "heads.") && !strings.HasSuffix(r.Role, ".tables") {
				stored += r.Size
			}
		}
		rows := rowBytes(a.Lookup("embedding"))
		for s := range a.Geometry().EngramSites {
			rows += int64(a.Geometry().EngramTables) * rowBytes(a.Lookup(fmt.Sprintf("engrams.%d.tables", s)))
		}
		if w.Weights != stored+rows {
			t.Errorf("%s: %d bytes of weights, the records have %d and the rows read %d", name, w.Weights, stored, rows)
		}
	}
}
