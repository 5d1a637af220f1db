package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/internal/bench"
)

// sample is a report with made-up figures.
func sample() *bench.Report {
	r := &bench.Report{Machine: bench.Machine{CPU: "a <CPU>", Cores: 2}, Archive: bench.Archive{SHA256: strings.Repeat("ab", 32)}}
	r.Archive.Geometry.Layers = 20
	r.Token.Context, r.Prefill.Tokens = 300, 512
	for i, tier := range []string{"generic", "avx512"} {
		for _, threads := range []int{1, 2} {
			r.Rooflines = append(r.Rooflines, &bench.Roofline{Tier: tier, Threads: threads})
			for _, name := range []string{"decode", "prefill 512", "request"} {
				r.Figures = append(r.Figures, &bench.Figure{Name: name, Tier: tier, Threads: threads, Depth: 20, Tokens: 32, Unit: "tok/s",
					Seconds: []float64{1}, Median: float64(100*threads + 1000*i), Low: 1, High: 9, ShareCached: 0.5, ShareDRAM: 0.75,
					Bound: &bench.Bound{Cached: 0.5, DRAM: 0.75}})
			}
		}
	}
	r.Ceilings = []bench.Ceiling{{Threads: 1, Cached: 50, DRAM: 30, Peak: 300}, {Threads: 2, Cached: 90, DRAM: 50, Peak: 600}}
	r.Growth = &bench.Growth{Points: []*bench.Point{
		{Context: 64, Decode: []float64{1}, Prefill: []float64{10}, Memory: 20}, {Context: 8000, Decode: []float64{1.25, 2, 1}, Prefill: []float64{900}, Memory: 21},
	}}
	return r
}

const parts = "machine bounds goals figures growth peers"

func writeInputs(t *testing.T, doc string) (folder string, files []string) {
	t.Helper()
	folder = t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	data, err := json.Marshal(sample())
	if err != nil {
		t.Fatal(err)
	}
	put("doc.md", []byte(doc))
	put("peers.json", []byte(`{"result":{"needle":{"decode_tps":1000,"prefill_tps":4000},"needle-rs":{"decode_tps":50,"prefill_tps":100},
		"jax":{"decode_tps":null,"prefill_tps":800}}}`))
	return folder, []string{put("cq2.json", data), put("cq4.json", data)}
}

func document() string {
	doc := "# Speed\n"
	for _, name := range strings.Fields(parts) {
		doc += "before " + name + "\n<!-- begin " + name + " -->\nold\n<!-- end " + name + " -->\n"
	}
	return doc + "the end\n"
}

func TestWriteReplacesParts(t *testing.T) {
	folder, files := writeInputs(t, document())
	doc, charts := filepath.Join(folder, "doc.md"), filepath.Join(folder, "charts")
	for range 2 { // the second time its own output is replaced
		if err := write(doc, charts, filepath.Join(folder, "peers.json"), files); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"before peers\n", "the end\n", "| 20.0x, 40.0x | - |", "| 5.0x | - |", "| jax | none | - | 800 | 5.0x |",
		"50% of the cached bound, 75% of the memory bound", "| 8000 | 1.25 | 900 | 21.0 |", "| decode | avx512 | 2 | 20 | 1200 tok/s |", "1.09x"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "old") || strings.Count(string(text), "begin figures") != 1 {
		t.Errorf("parts were not replaced:\n%s", text)
	}
	checkCharts(t, charts)
}

// checkCharts wants five well-formed documents without numbers that are none.
func checkCharts(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.svg"))
	if err != nil || len(files) != 5 {
		t.Fatalf("charts %v, %v", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(strings.NewReader(string(data)))
		for err == nil {
			_, err = d.Token()
		}
		if !errors.Is(err, io.EOF) || strings.Contains(string(data), "NaN") || strings.Contains(string(data), "Inf") {
			t.Errorf("%s: %v\n%s", file, err, data)
		}
	}
}

func TestWriteNeedsTheParts(t *testing.T) {
	for _, name := range strings.Fields(parts) {
		doc := strings.Replace(document(), "<!-- end "+name+" -->", "", 1)
		folder, files := writeInputs(t, doc)
		err := write(filepath.Join(folder, "doc.md"), filepath.Join(folder, "charts"), filepath.Join(folder, "peers.json"), files)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without the end of %s: %v", name, err)
		}
		if text, _ := os.ReadFile(filepath.Join(folder, "doc.md")); string(text) != doc {
			t.Errorf("without the end of %s the document was changed", name)
		}
	}
}

func TestStep(t *testing.T) {
	for high, want := range map[float64]float64{1: 0.2, 4.9: 1, 5.1: 2, 900: 200, 1001: 500, 0: 1} {
		if got := step(high); got != want {
			t.Errorf("up to %g: a line every %g, want %g", high, got, want)
		}
	}
}
