package model

import (
	"context"
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

// goldenCase is a folder that scripts/oracle/oracle.py wrote: an archive and
// what the public float32 reference computes from it.
type goldenCase struct {
	Case, Archive string
	Prompts       []goldenPrompt
	Depths        []goldenPrompt
	Windows       []goldenPrompt
	folder        string
}

type goldenPrompt struct {
	IDs       []int32 `json:"ids"`
	Logits    string
	Cells     string
	Positions []int
	Top1      []int
	Margin    []float64 `json:"top1_margin"`
	Std       float64
	Floor     [2]float64
	Heads     map[string]struct {
		Pool   string
		Output []float64
	}
	Depth        int
	Archive      string
	Window, Sink int
}

// goldenFolders are the stored cases and those of NEEDLE_ORACLE_DIR, which the
// test script fills with a case of a fresh random seed.
func goldenFolders(t *testing.T) []string {
	t.Helper()
	folders, err := filepath.Glob("../../testdata/oracle/*/golden.json")
	if err != nil || len(folders) < 4 {
		t.Fatalf("want the four stored oracle cases, found %v (%v)", folders, err)
	}
	if extra := os.Getenv("NEEDLE_ORACLE_DIR"); extra != "" {
		more, _ := filepath.Glob(filepath.Join(extra, "*", "golden.json"))
		if len(more) == 0 {
			t.Fatalf("NEEDLE_ORACLE_DIR=%s holds no case", extra)
		}
		folders = append(folders, more...)
	}
	return folders
}

func readGolden(t *testing.T, path string) *goldenCase {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g := &goldenCase{folder: filepath.Dir(path)}
	if err := json.Unmarshal(text, g); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *goldenCase) open(t *testing.T, name string) *cact.Archive {
	t.Helper()
	a, err := cact.Open(filepath.Join(g.folder, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func (g *goldenCase) floats(t *testing.T, name string) []float32 {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(g.folder, name))
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float32, len(raw)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return x
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

func median(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	if n := len(x); n%2 == 0 {
		return (x[n/2-1] + x[n/2]) / 2
	}
	return x[len(x)/2]
}

func argmax(x []float32) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

// result is how one prompt compared.
type result struct {
	cosines     []float64 // per stored position
	cells       []float64 // per position and row
	wrongTop    int       // other top choice where the margin is above 0.2 std
	pools       []float64
	outputError float64
}

func newModel(t *testing.T, a *cact.Archive, o Options) *Model {
	t.Helper()
	m, err := New(a, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func feed(t *testing.T, s *Session, ids ...int32) {
	t.Helper()
	if err := s.Append(context.Background(), ids); err != nil {
		t.Fatal(err)
	}
}

func logitsOf(t *testing.T, s *Session) []float32 {
	t.Helper()
	x, err := s.Logits()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func compare(t *testing.T, g *goldenCase, m *Model, p *goldenPrompt) result {
	t.Helper()
	s := m.NewSession(SessionOptions{Window: p.Window, Threads: 2, KeepCells: true})
	defer s.Close()
	if err := s.SetSink(p.Sink); err != nil {
		t.Fatal(err)
	}
	want := g.floats(t, p.Logits)
	width := len(want) / len(p.Positions)
	var cells []float32
	if p.Cells != "" {
		cells = g.floats(t, p.Cells)
	}
	var r result
	for pos, id := range p.IDs {
		feed(t, s, id)
		d := m.Geometry().Width
		for row := 0; cells != nil && row <= m.Depth(); row++ {
			at := (pos*(m.Depth()+1) + row) * d
			r.cells = append(r.cells, cosine(s.Cells()[row*d:(row+1)*d], cells[at:at+d]))
		}
		at := slices.Index(p.Positions, pos)
		if at < 0 {
			continue
		}
		got := logitsOf(t, s)
		r.cosines = append(r.cosines, cosine(got, want[at*width:(at+1)*width]))
		if p.Margin != nil && argmax(got) != p.Top1[pos] && p.Margin[pos] > 0.2*p.Std {
			r.wrongTop++
		}
	}
	for name, head := range p.Heads {
		code := slices.IndexFunc(m.Heads(), func(c cact.HeadCode) bool { return c.String() == name })
		pool, output, err := s.Head(m.Heads()[code])
		if err != nil {
			t.Fatal(err)
		}
		r.pools = append(r.pools, cosine(pool, g.floats(t, head.Pool)))
		want, got := delivered(name, head.Output), delivered(name, widen(output))
		for i := range want {
			r.outputError = max(r.outputError, math.Abs(want[i]-got[i]))
		}
	}
	return r
}

func widen(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// delivered is what a head's raw output means: the confidence's sigmoid, the
// embedding's unit vector, the router's softmax. Raw outputs of random weights
// are several units large; the NumPy reference itself differs by up to 0.006.
func delivered(name string, raw []float64) []float64 {
	out := slices.Clone(raw)
	sum := 0.0
	for i, v := range raw {
		switch name {
		case "confidence":
			out[i], sum = 1/(1+math.Exp(-v)), 1
		case "embedding":
			sum += v * v
		default:
			out[i] = math.Exp(v)
			sum += out[i]
		}
	}
	if name == "embedding" {
		sum = math.Sqrt(sum)
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

func worst(x []float64) float64 {
	if len(x) == 0 {
		return 1
	}
	return slices.Min(x)
}

// allow is how far 1 - cosine may be: the reference's own distance from itself
// under a nudge of 1e-6, doubled, or 5e-4.
func allow(floor float64) float64 { return max(2*(1-floor), 5e-4) }

func TestExactFormAgainstOracle(t *testing.T) {
	precise, cases := 0, 0
	for _, path := range goldenFolders(t) {
		g := readGolden(t, path)
		var short []float64
		t.Run(g.Case, func(t *testing.T) {
			m := newModel(t, g.open(t, g.Archive), Options{Exact: true})
			for i := range g.Prompts {
				p := &g.Prompts[i]
				r := compare(t, g, m, p)
				checkExact(t, fmt.Sprintf("prompt %d", i), p, r)
				if len(p.IDs) <= 8 {
					short = append(append(short, r.cosines...), r.cells...)
				}
			}
			if m := median(short); m <= 0.9999 {
				t.Errorf("short prompts: median cosine %.7f of logits and cells, want above 0.9999", m)
			}
			for i := range g.Windows {
				r := compare(t, g, m, &g.Windows[i])
				checkWindow(t, g, i, r)
			}
			for i := range g.Depths {
				p := &g.Depths[i]
				m := newModel(t, g.open(t, g.Archive), Options{Exact: true, Depth: p.Depth})
				checkExact(t, fmt.Sprintf("depth %d", p.Depth), p, compare(t, g, m, p))
			}
		})
		cases++
		if median(short) > 0.99999 {
			precise++
		}
		t.Logf("%s: short prompts' median cosine %.8f", g.Case, median(short))
	}
	t.Logf("%d of %d cases above 0.99999 on short prompts", precise, cases)
}

func checkExact(t *testing.T, name string, p *goldenPrompt, r result) {
	t.Helper()
	low, mid := worst(r.cosines), median(r.cosines)
	t.Logf("%s: cosine worst %.6f median %.6f (floor %.6f %.6f), cells %.6f, pools %.6f, outputs off by %.5f",
		name, low, mid, p.Floor[0], p.Floor[1], worst(r.cells), worst(r.pools), r.outputError)
	if 1-low > allow(p.Floor[0]) || 1-mid > allow(p.Floor[1]) {
		t.Errorf("%s: cosine worst %.6f median %.6f, the floor is %.6f %.6f", name, low, mid, p.Floor[0], p.Floor[1])
	}
	if r.wrongTop > 0 {
		t.Errorf("%s: %d other top choices at clear margins", name, r.wrongTop)
	}
	if worst(r.pools) <= 0.9999 || r.outputError > 0.002 {
		t.Errorf("%s: pools' cosine %.6f, outputs off by %.5f, want above 0.9999 and at most 0.002", name, worst(r.pools), r.outputError)
	}
}

// checkWindow holds windowed runs, which carry no floor of their own, to the
// worst one of the case's prompts.
func checkWindow(t *testing.T, g *goldenCase, i int, r result) {
	t.Helper()
	floor := [2]float64{1, 1}
	for _, p := range g.Prompts {
		floor[0], floor[1] = min(floor[0], p.Floor[0]), min(floor[1], p.Floor[1])
	}
	low, mid := worst(r.cosines), median(r.cosines)
	t.Logf("window %d sink %d: cosine worst %.6f median %.6f", g.Windows[i].Window, g.Windows[i].Sink, low, mid)
	if 1-low > allow(floor[0]) || 1-mid > allow(floor[1]) {
		t.Errorf("window %d sink %d: cosine worst %.6f median %.6f, the case's floor is %.6f %.6f",
			g.Windows[i].Window, g.Windows[i].Sink, low, mid, floor[0], floor[1])
	}
}

func TestShippedFormAgainstOracle(t *testing.T) {
	for _, path := range goldenFolders(t) {
		g := readGolden(t, path)
		t.Run(g.Case, func(t *testing.T) {
			full := newModel(t, g.open(t, g.Archive), Options{})
			for i := range g.Prompts {
				checkShipped(t, fmt.Sprintf("prompt %d", i), &g.Prompts[i], compare(t, g, full, &g.Prompts[i]))
			}
			for i := range g.Windows {
				checkShipped(t, fmt.Sprintf("window %d", i), &g.Windows[i], compare(t, g, full, &g.Windows[i]))
			}
			for i := range g.Depths {
				p := &g.Depths[i]
				m := newModel(t, g.open(t, g.Archive), Options{Depth: p.Depth})
				checkShipped(t, fmt.Sprintf("depth %d", p.Depth), p, compare(t, g, m, p))
			}
		})
	}
}

func checkShipped(t *testing.T, name string, p *goldenPrompt, r result) {
	t.Helper()
	low, mid, last := worst(r.cosines), median(r.cosines), r.cosines[len(r.cosines)-1]
	note := ""
	if p.Floor[0] != 0 && (1-low > 2*(1-p.Floor[0]) || 1-mid > 2*(1-p.Floor[1])) {
		note = " (beyond twice the floor)"
	}
	t.Logf("%s: cosine worst %.6f median %.6f last %.6f (floor %.6f %.6f)%s, pools %.6f, outputs off by %.5f",
		name, low, mid, last, p.Floor[0], p.Floor[1], note, worst(r.pools), r.outputError)
	if mid < 0.9993 || low < 0.998 || last < 0.999 {
		t.Errorf("%s: cosine worst %.6f median %.6f last %.6f, want at least 0.998, 0.9993, 0.999", name, low, mid, last)
	}
	if r.wrongTop > 0 {
		t.Errorf("%s: %d other top choices at clear margins", name, r.wrongTop)
	}
}
