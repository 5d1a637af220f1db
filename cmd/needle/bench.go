package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/demo"
	"github.com/libneedle/libneedle/engine"
	"github.com/libneedle/libneedle/internal/bench"
)

// benchTools is a tool set of the size that init is measured with: twelve tools
// of testdata/requests/bfcl.jsonl, about 900 tokens of the demo's vocabulary.
//
//go:embed bench_tools.json
var benchTools string

// benchCommand measures speed and memory.
type benchCommand struct {
	Archive string   `arg:"" optional:"" help:"The archive; without it the built-in demo model."`
	Quick   bool     `help:"Seconds instead of minutes, and rougher."`
	Threads []int    `help:"Numbers of threads; by default 1 and one for each core, at most 4." placeholder:"N,..."`
	Depths  []string `help:"Depths to run besides the full one, numbers or full; by default 2 and 8, as far as the archive has them." placeholder:"N,..."`
	SIMD    []string `name:"simd" help:"Kernels to compare: generic, avx2, avxvnni, avx512; by default what NEEDLE_SIMD names, or all that this CPU runs. The fastest runs what is not compared." placeholder:"NAME,..."`
	Repeats int      `help:"Most repeats of a figure at a time (${default}); a slow one gets fewer." default:"9" placeholder:"N"`
	Tools   *string  `help:"Tools for init and request: a JSON file, a JSON array, or -; without it twelve tools of a public benchmark." placeholder:"FILE"`
	JSON    bool     `help:"One JSON object with all repeats instead of tables."`
}

// Help is the long text of needle bench --help.
func (*benchCommand) Help() string {
	return `Measures prefill and decode for all kernels, numbers of threads and depths; then, with the fastest kernels, init of a
tool set, one request behind it, embedding, loading, memory, and how time and memory grow with the conversation.

Each figure is the median of its repeats and stands beside the bound of this machine: the time that the bytes and
multiply-adds of the archive's geometry take at the read bandwidth and integer peak measured in the same run.

docs/performance.md explains the figures; scripts/bench draws them.`
}

func (b *benchCommand) Run(c console) error {
	defer c.progress("")
	plan, err := b.plan(c)
	if err != nil {
		return err
	}
	if b.Archive == "" {
		fmt.Fprintln(c.errOut, "needle: this is the small built-in demo model; scripts/bench-archives builds one of the real size")
		folder, err := os.MkdirTemp("", "needle-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		plan.Name, plan.Path = "demo", filepath.Join(folder, "demo.cact") // a path, because loading from one is measured
		if err := os.WriteFile(plan.Path, demo.Archive, 0o600); err != nil {
			return err
		}
	}
	if plan.Depths, err = b.depths(plan.Path); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	plan.Worker = []string{self, "bench-worker", "--", plan.Path}
	report, err := bench.Run(c.ctx, plan)
	if err != nil {
		return err
	}
	c.progress("")
	if b.JSON {
		return printJSON(c.out, report)
	}
	report.Print(c.out)
	return nil
}

// plan checks the flags that need no archive.
func (b *benchCommand) plan(c console) (bench.Plan, error) {
	p := bench.Plan{Version: version, Path: b.Archive, Name: filepath.Base(b.Archive), Quick: b.Quick, Repeats: b.Repeats,
		Tools: benchTools, Progress: c.progress}
	if p.Quick {
		p.Repeats = min(p.Repeats, 3)
	}
	if p.Repeats < 1 {
		return p, fmt.Errorf("%d repeats, expected 1 or more", b.Repeats)
	}
	var err error
	if p.Tiers, err = bench.Tiers(b.SIMD); err != nil {
		return p, err
	}
	if p.Threads, err = threadList(b.Threads); err != nil {
		return p, err
	}
	if b.Tools == nil {
		return p, nil
	}
	if p.Tools, err = readTools(c, b.Tools); err != nil {
		return p, err
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(p.Tools), &list) == nil && len(list) == 0 {
		return p, errors.New("--tools: no tool in it; init and request need one at least")
	}
	return p, nil
}

// threadList is ascending and without repeats.
func threadList(given []int) ([]int, error) {
	if len(given) == 0 {
		given = []int{1, engine.DefaultThreads()}
	}
	list := slices.Compact(slices.Sorted(slices.Values(given)))
	if list[0] < 1 || list[len(list)-1] > engine.MaxThreads {
		return nil, fmt.Errorf("--threads %v: each is 1 to %d", given, engine.MaxThreads)
	}
	return list, nil
}

// depths are those besides the full one, which is always measured. The default
// ones are left out where the archive does not have them.
func (b *benchCommand) depths(path string) ([]int, error) {
	a, err := cact.Open(path)
	if err != nil {
		return nil, err
	}
	layers := a.Geometry().Layers
	if err := a.Close(); err != nil {
		return nil, err
	}
	var list []int
	if len(b.Depths) == 0 {
		for _, depth := range []int{2, 8} {
			if depth < layers {
				list = append(list, depth)
			}
		}
		return list, nil
	}
	for _, text := range b.Depths {
		depth, err := strconv.Atoi(text)
		switch {
		case text == "full":
			continue
		case err != nil || depth < 2 || depth > layers:
			return nil, fmt.Errorf("--depths: %q: the archive has %d blocks, depths 2 to %d and full can run", text, layers, layers)
		case depth < layers && !slices.Contains(list, depth):
			list = append(list, depth)
		}
	}
	slices.Sort(list)
	return list, nil
}

// benchWorker measures what needs a process of its own. scripts/bench-peers
// uses it too: a job a line on standard input, an answer a line.
type benchWorker struct {
	Archive string `arg:""`
}

func (w *benchWorker) Run(c console) error {
	if w.Archive == "" {
		return errors.New("no archive")
	}
	return bench.Serve(c.ctx, w.Archive, c.in, c.out, c.progress)
}
