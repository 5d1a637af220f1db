package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/internal/bench"
	"github.com/libneedle/libneedle/simd"
)

// quickBench measures as little as there is to measure.
func quickBench(t *testing.T, args ...string) *bench.Report {
	t.Helper()
	o := needle(t, "", append([]string{"bench", "--quick", "--json", "--threads", "1"}, args...)...)
	if o.code != exitDone {
		t.Fatalf("exit %d: %s", o.code, o.errOut)
	}
	var r bench.Report
	d := json.NewDecoder(strings.NewReader(o.out))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatalf("%v\n%s", err, o.out)
	}
	if d.More() {
		t.Error("there is more than one JSON object")
	}
	return &r
}

// fastest are the kernels to test with: the generic ones would take half a minute.
func fastest(t *testing.T) string {
	t.Helper()
	k, err := simd.Choose("")
	if err != nil {
		t.Fatal(err)
	}
	return k.Name
}

func names(r *bench.Report) (list []string) {
	for _, f := range r.Figures {
		list = append(list, f.Name)
	}
	return list
}

func TestBenchMeasuresTheDemo(t *testing.T) {
	r := quickBench(t, "--depths", "2,full", "--simd", fastest(t))
	want := []string{"prefill 128", "decode", "try 4 ways", "prefill 128", "decode", "init", "request", "embed", "load"}
	if got := names(r); !slices.Equal(got, want) {
		t.Errorf("figures %v, want %v", got, want)
	}
	for _, f := range r.Figures {
		if len(f.Seconds) == 0 || !(f.Low > 0) || f.Median < f.Low || f.Median > f.High || f.Tier != fastest(t) || f.Threads != 1 {
			t.Errorf("%+v", f)
		}
		if bounded := f.Name != "load"; bounded != (f.Bound != nil) || bounded != (f.ShareCached > 0) || bounded != (f.ShareDRAM > 0) {
			t.Errorf("%s: bound %v, shares %g and %g", f.Name, f.Bound, f.ShareCached, f.ShareDRAM)
		}
		if f.Name == "request" && (f.Tokens != 45 || !strings.HasPrefix(f.Note, "12 tokens in")) {
			t.Errorf("the request was %s", f.Note)
		}
	}
	if r.Figures[0].Depth != 6 || r.Figures[3].Depth != 2 {
		t.Errorf("depths %d and %d, want 6 and 2", r.Figures[0].Depth, r.Figures[3].Depth)
	}
	if a := r.Allocations; len(a) != 1 || a[0].PerToken != 0 || a[0].PerBlock != 0 {
		t.Errorf("allocations: %+v, want none", a)
	}
	if m := r.Memory; m == nil || m.PrefixTokens < 850 || m.PrefixTokens > 950 || !(m.Loaded > m.Empty) || !(m.Ready > m.Loaded) {
		t.Errorf("memory: %+v", m)
	}
	if g := r.Growth; g == nil || len(g.Points) != 2 || len(g.Points[0].Decode) == 0 || len(g.Points[1].Prefill) == 0 || !(g.Points[1].Memory > 0) {
		t.Errorf("growth: %+v", g)
	}
	if len(r.Rooflines) != 1 || len(r.Ceilings) != 1 || !(r.Ceilings[0].Peak > 0) || len(r.Skipped) != 0 {
		t.Errorf("rooflines %v, ceilings %v, skipped %v", r.Rooflines, r.Ceilings, r.Skipped)
	}
	if r.Archive.Pieces != 2048 || len(r.Archive.SHA256) != 64 || len(r.Machine.Tiers) == 0 || r.Machine.Go == "" {
		t.Errorf("archive %+v, machine %+v", r.Archive, r.Machine)
	}
}

// TestBenchLeavesOut: what an archive can't do is named, the rest is measured.
func TestBenchLeavesOut(t *testing.T) {
	r := quickBench(t, "--depths", "full", "--simd", fastest(t), filepath.Join(oracle, "cq4", "model.cact"))
	var left []string
	for _, s := range r.Skipped {
		left = append(left, s.Name)
	}
	if want := []string{"init", "request", "embed", "memory"}; !slices.Equal(left, want) {
		t.Errorf("left out %v, want %v", r.Skipped, want)
	}
	if got := names(r); !slices.Equal(got, []string{"prefill 128", "decode", "try 4 ways", "load"}) {
		t.Errorf("figures %v", got)
	}
}

func TestBenchTable(t *testing.T) {
	tools := `[{"name":"say","parameters":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]`
	o := needle(t, "", "bench", "--quick", "--threads", "1", "--depths", "full", "--simd", fastest(t), "--tools", tools)
	if o.code != exitDone {
		t.Fatalf("exit %d: %s", o.code, o.errOut)
	}
	for _, want := range []string{"machine ", "roofline ", "bound ", "prefill 128 ", "decode ", "request ", "load ", "allocations ", "memory ", "growth "} {
		if !strings.Contains("\n"+o.out, "\n"+want) {
			t.Errorf("no line %q in\n%s", want, o.out)
		}
	}
}

func TestBenchBadInput(t *testing.T) {
	damaged := writeFile(t, "damaged.cact", []byte("no archive"))
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no such kernels":   {[]string{"--simd", "mmx"}, "generic"},
		"no threads":        {[]string{"--threads", "0"}, "1 to 256"},
		"depth 1":           {[]string{"--depths", "1"}, "depths 2 to 6"},
		"depth beyond":      {[]string{"--depths", "2,7"}, "depths 2 to 6"},
		"no depth":          {[]string{"--depths", "all"}, "full can run"},
		"no repeats":        {[]string{"--repeats", "0"}, "1 or more"},
		"no file":           {[]string{"nowhere.cact"}, "check the path"},
		"no archive":        {[]string{damaged}, "scripts/fetch-model"},
		"tools that aren't": {[]string{"--simd", "generic", "--threads", "1", "--depths", "full", "--tools", "{}"}, "--tools takes"},
	} {
		t.Run(name, func(t *testing.T) {
			o := needle(t, "", append([]string{"bench", "--quick"}, c.args...)...)
			if o.code != exitBad || o.out != "" || !strings.Contains(o.errOut, c.says) {
				t.Errorf("exit %d, output %q, error %q", o.code, o.out, o.errOut)
			}
		})
	}
}

// TestBenchWorker: jobs that fail are answered, and the next one is done.
func TestBenchWorker(t *testing.T) {
	jobs := `{"op":"prefill","tokens":64,"threads":1,"tier":"generic"}
{"op":"prefill","tokens":100000,"threads":1}
{"op":"dance"}
{
{"op":"decode","tokens":2,"context":20,"threads":2,"tier":"generic"}
`
	o := needle(t, jobs, "bench-worker", filepath.Join(oracle, "tiny", "model.cact"))
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	if o.code != exitDone || len(lines) != 5 {
		t.Fatalf("exit %d: %s%s", o.code, o.out, o.errOut)
	}
	for i, fails := range []bool{false, true, true, true, false} {
		var a bench.Answer
		if err := json.Unmarshal([]byte(lines[i]), &a); err != nil {
			t.Fatal(err)
		}
		if fails != (a.Error != "") || fails == (a.Seconds > 0) {
			t.Errorf("job %d: %s", i, lines[i])
		}
	}
}
