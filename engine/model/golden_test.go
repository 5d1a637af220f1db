package model_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine/model"
	"github.com/libneedle/libneedle/internal/golden"
	"github.com/libneedle/libneedle/simd"
)

// goldenCases are the stored cases and those of NEEDLE_ORACLE_DIR, which the
// test script fills with a case of a fresh random seed.
func goldenCases(t *testing.T) []*golden.Case {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/oracle/*/golden.json")
	if err != nil || len(paths) < 4 {
		t.Fatalf("want the four stored oracle cases, found %v (%v)", paths, err)
	}
	if extra := os.Getenv("NEEDLE_ORACLE_DIR"); extra != "" {
		more, _ := filepath.Glob(filepath.Join(extra, "*", "golden.json"))
		if len(more) == 0 {
			t.Fatalf("NEEDLE_ORACLE_DIR=%s holds no case", extra)
		}
		paths = append(paths, more...)
	}
	var cases []*golden.Case
	for _, path := range paths {
		c, err := golden.Read(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	return cases
}

func build(t *testing.T, c *golden.Case, archive string, o model.Options) *model.Model {
	t.Helper()
	a, err := cact.Open(filepath.Join(c.Folder, archive))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	m, err := model.New(a, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// judge runs one prompt and reports what breaks the rules.
func judge(t *testing.T, m *model.Model, name string, p *golden.Prompt, exact bool) golden.Result {
	t.Helper()
	r, err := golden.Compare(context.Background(), m, p, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: cosine worst %.6f median %.6f last %.6f (floor %.6f %.6f), within twice the floor %v, other top %d of %d, pools %.6f, outputs off by %.5f",
		name, r.Worst, r.Median, r.Last, r.Floor[0], r.Floor[1], r.WithinFloor(), r.OtherTop, r.Positions, r.Pool, r.HeadError)
	for _, miss := range r.Misses(exact) {
		t.Errorf("%s: %s", name, miss)
	}
	return r
}

// judgeCase runs all of a case in one form and returns the short prompts'
// cosines of logits and cells, and how many runs are within twice the floor.
func judgeCase(t *testing.T, c *golden.Case, tier string, exact bool) (short []float64, within, runs int) {
	t.Helper()
	count := func(r golden.Result) {
		short = append(short, r.ShortCells...)
		runs++
		if r.WithinFloor() {
			within++
		}
	}
	m := build(t, c, c.Archive, model.Options{Exact: exact, SIMD: tier})
	for i, p := range c.Prompts {
		count(judge(t, m, fmt.Sprintf("prompt %d", i), p, exact))
	}
	for _, p := range c.Windows { // they carry no floor of their own
		p.Floor = c.WorstFloor()
		count(judge(t, m, fmt.Sprintf("window %d sink %d", p.Window, p.Sink), p, exact))
	}
	for _, p := range c.Depths {
		m := build(t, c, c.Archive, model.Options{Exact: exact, Depth: p.Depth, SIMD: tier})
		count(judge(t, m, fmt.Sprintf("depth %d", p.Depth), p, exact))
	}
	return short, within, runs
}

func TestExactFormAgainstOracle(t *testing.T) {
	precise, cases := 0, 0
	eachTier(t, func(t *testing.T, c *golden.Case, tier string) {
		cases++
		short, _, _ := judgeCase(t, c, tier, true)
		m := golden.Median(short)
		t.Logf("short prompts: median cosine %.8f of logits and cells", m)
		if m <= 0.9999 {
			t.Errorf("short prompts: median cosine %.7f, want above 0.9999", m)
		}
		if m > 0.99999 {
			precise++
		}
	})
	if precise*3 < cases*2 {
		t.Errorf("%d of %d cases above 0.99999 on short prompts, want two thirds", precise, cases)
	}
}

func TestShippedFormAgainstOracle(t *testing.T) {
	eachTier(t, func(t *testing.T, c *golden.Case, tier string) {
		_, within, runs := judgeCase(t, c, tier, false)
		t.Logf("%d of %d runs within twice the floor", within, runs)
	})
}

// eachTier runs every oracle case on every implementation of the kernels that
// this CPU has.
func eachTier(t *testing.T, run func(t *testing.T, c *golden.Case, tier string)) {
	for _, c := range goldenCases(t) {
		for _, k := range simd.All() {
			if k.Supported() {
				t.Run(c.Name+"/"+k.Name, func(t *testing.T) { run(t, c, k.Name) })
			}
		}
	}
}

// TestJudgeSeesOtherWeights is the negative control: another archive of the
// same geometry, and results just beyond each rule, must be reported.
func TestJudgeSeesOtherWeights(t *testing.T) {
	good := golden.Result{Worst: 1, Median: 1, Last: 1, Pool: 1, Positions: 9, Floor: [2]float64{0.9999, 0.9999}}
	if m := append(good.Misses(true), good.Misses(false)...); len(m) > 0 {
		t.Errorf("a perfect result has misses %v", m)
	}
	for name, spoil := range map[string]func(r *golden.Result){
		"worst": func(r *golden.Result) { r.Worst = 0.997 }, "median": func(r *golden.Result) { r.Median = 0.999 },
		"pool": func(r *golden.Result) { r.Pool = 0.999 }, "head": func(r *golden.Result) { r.HeadError = 0.03 },
		"top": func(r *golden.Result) { r.WrongTop = 1 },
	} {
		r := good
		spoil(&r)
		for _, exact := range []bool{true, false} {
			if len(r.Misses(exact)) != 1 {
				t.Errorf("%s, exact %v: misses %v, want one", name, exact, r.Misses(exact))
			}
		}
	}
	c := goldenCases(t)[0]
	data, err := os.ReadFile(filepath.Join(c.Folder, c.Archive))
	if err != nil {
		t.Fatal(err)
	}
	a, err := cact.OpenBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Lookup("layers.1.out_proj").CQ().Codes {
		data[a.Lookup("layers.1.out_proj").Offset+int64(i)] ^= 0xff
	}
	m, err := model.New(a, model.Options{Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := golden.Compare(context.Background(), m, c.Prompts[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Misses(true)) == 0 || len(r.Misses(false)) == 0 {
		t.Errorf("a model with one matrix turned around passes: %+v", r)
	}
}
