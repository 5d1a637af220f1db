package bench

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine"
	"github.com/libneedle/libneedle/simd"
	"github.com/libneedle/libneedle/tokenizer"
)

// Plan says what to measure.
type Plan struct {
	Version string
	Path    string // of the archive
	Name    string // what the report calls it
	Tools   string
	Quick   bool
	Repeats int      // most repeats of a figure
	Threads []int    // numbers of threads, ascending
	Depths  []int    // besides the full one
	Tiers   []string // the last one is used where tiers are not compared
	// Worker is the command line of a process that runs Serve on Path.
	Worker   []string
	Progress func(format string, args ...any)
}

// scale is how long things take, and how far they go.
type scale struct {
	rooflineRepeats int
	rooflineTime    time.Duration // of a repeat
	dram            int           // bytes
	budget          time.Duration // of a figure
	least           int           // repeats beyond the budget
	prefills        []int
	context, steps  int // of decoding
	points          []int
	growthSteps     int
	growthPasses    int
}

func (p *Plan) scale() scale {
	if p.Quick {
		return scale{2, 10 * time.Millisecond, 64 << 20, 100 * time.Millisecond, 1, []int{128}, 300, 8, []int{64, 256}, 4, 1}
	}
	return scale{5, 100 * time.Millisecond, 256 << 20, 5 * time.Second, 3, []int{128, 512}, 300, 32,
		[]int{64, 128, 256, 512, 1024, 2048, 4096, 8000}, 16, 3}
}

// run is one run of a plan.
type run struct {
	Plan
	scale
	ctx     context.Context
	archive *cact.Archive
	pieces  int
	counts  map[int]*Counts // by depth
	report  *Report
}

// tier is where tiers are not compared; most is the largest number of threads.
func (r *run) tier() string { return r.Tiers[len(r.Tiers)-1] }
func (r *run) most() int    { return r.Threads[len(r.Threads)-1] }

// Run measures everything in the plan.
func Run(ctx context.Context, p Plan) (*Report, error) {
	a, err := cact.Open(p.Path)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	t, err := tokenizer.New(a.Lookup("tokenizer").Bytes())
	if err != nil {
		return nil, err
	}
	r := &run{Plan: p, scale: p.scale(), ctx: ctx, archive: a, pieces: t.Len(), counts: map[int]*Counts{}}
	r.describe()
	lines := r.rooflines()
	parts := []func() error{lines}
	for _, part := range []func() error{r.services, r.loads, r.memory, r.others, r.depths, r.growth} {
		parts = append(parts, r.fastest, part)
	}
	for _, part := range append(parts, r.fastest, lines) {
		if err := part(); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	r.sort()
	r.report.Ceilings = ceilings(r.report.Rooflines)
	for _, f := range r.report.Figures {
		f.finish(r.report.Ceilings)
	}
	return r.report, nil
}

// sort brings the figures from the order in which they are measured (services early,
// because tools that can't be used should not be found out after minutes) to the one
// in which they are read.
func (r *run) sort() {
	shallow := func(f *Figure) int {
		if f.Depth < r.archive.Geometry().Layers {
			return 1
		}
		return 0
	}
	slower := func(a, b string) int { return cmp.Compare(slices.Index(r.Tiers, a), slices.Index(r.Tiers, b)) }
	slices.SortStableFunc(r.report.Figures, func(a, b *Figure) int {
		return cmp.Or(strings.Compare(b.Unit, a.Unit), cmp.Compare(shallow(a), shallow(b)), slower(a.Tier, b.Tier))
	})
	slices.SortStableFunc(r.report.Allocations, func(a, b Allocation) int { return slower(a.Tier, b.Tier) })
}

func (r *run) describe() {
	hash, g := r.archive.Hash(), r.archive.Geometry()
	heads := []string{}
	for _, code := range r.archive.Heads() {
		heads = append(heads, code.String())
	}
	r.report = &Report{
		Version: r.Version, Quick: r.Quick, Machine: machine(), Skipped: []Skip{},
		Archive: Archive{File: r.Name, Bytes: r.archive.Size(), SHA256: hex.EncodeToString(hash[:]), Geometry: g,
			Window: g.Window(), Pieces: r.pieces, Heads: heads},
	}
	context, tokens := min(r.context, g.MaxSeqLen), min(512, g.MaxSeqLen)
	token, prefill := r.count(0).Decode(context, context), r.count(0).Prefill(0, tokens, blockTokens)
	r.report.Token = TokenWork{1, context, token, token.MulAdds.Total()}
	r.report.Prefill = TokenWork{tokens, 0, prefill, prefill.MulAdds.Total()}
}

func machine() Machine {
	m := Machine{CPU: cpuid.CPU.BrandName, OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Go: runtime.Version(),
		MaxProcs: runtime.GOMAXPROCS(0), CacheL2: cpuid.CPU.Cache.L2, CacheL3: cpuid.CPU.Cache.L3, TiersNot: []string{}}
	for _, k := range simd.All() {
		if k.Supported() {
			m.Tiers = append(m.Tiers, k.Name)
		} else {
			m.TiersNot = append(m.TiersNot, k.Name)
		}
	}
	return m
}

// count returns the costs at a depth.
func (r *run) count(depth int) *Counts {
	if depth == 0 {
		depth = r.archive.Geometry().Layers
	}
	if r.counts[depth] == nil {
		r.counts[depth] = Count(r.archive.Geometry(), depth, r.archive.Lookup)
	}
	return r.counts[depth]
}

// rooflines returns the part that measures them. It runs at the beginning and
// at the end: a machine that others use has better and worse moments, and the
// bounds are to be from its best.
func (r *run) rooflines() func() error {
	var lines *Rooflines
	return func() error {
		if lines == nil {
			lines = NewRooflines(int(r.report.Token.Work.Weights), r.dram, r.rooflineTime)
			for _, tier := range r.Tiers {
				for _, threads := range r.Threads {
					r.report.Rooflines = append(r.report.Rooflines, &Roofline{Tier: tier, Threads: threads})
				}
			}
		}
		for _, line := range r.report.Rooflines {
			r.Progress("roofline: %s, %s", line.Tier, plural(line.Threads, "thread"))
			if err := lines.Measure(r.ctx, line, r.rooflineRepeats); err != nil {
				return err
			}
		}
		return nil
	}
}

// measure repeats a figure, after a first time that is not counted unless it
// alone uses up the budget.
func (r *run) measure(f *Figure, repeat func() (time.Duration, error)) error {
	r.Progress("%s: %s, %s, depth %d", f.Name, f.Tier, plural(f.Threads, "thread"), f.Depth)
	begin := time.Now()
	for first := true; len(f.Seconds) < r.Repeats; first = false {
		if len(f.Seconds) >= min(r.least, r.Repeats) && time.Since(begin) > r.budget {
			break
		}
		took, err := repeat()
		if err != nil {
			return err
		}
		if !first || time.Since(begin) > r.budget {
			f.Seconds = append(f.Seconds, max(took, 1).Seconds())
		}
	}
	for _, old := range r.report.Figures {
		if old.Name == f.Name && old.Tier == f.Tier && old.Threads == f.Threads && old.Depth == f.Depth {
			old.Seconds = append(old.Seconds, f.Seconds...)
			return nil
		}
	}
	r.report.Figures = append(r.report.Figures, f)
	return nil
}

// skip notes what an archive can't do; other errors stay errors.
func (r *run) skip(name string, err error) error {
	if errors.Is(err, errContext) || errors.Is(err, engine.ErrPrefix) || errors.Is(err, engine.ErrNoHead) {
		r.report.Skipped = append(r.report.Skipped, Skip{name, err.Error()})
		return nil
	}
	return err
}

// fastest measures the model alone, at full depth, with the kernels that it ships
// with. It runs between all other parts: a figure by itself takes a tenth of a second,
// and a machine that others use is slower for minutes at a time.
func (r *run) fastest() error { return r.whole(r.Tiers[len(r.Tiers)-1:]) }

// others does it with the other kernels.
func (r *run) others() error { return r.whole(r.Tiers[:len(r.Tiers)-1]) }

func (r *run) whole(tiers []string) error {
	for _, tier := range tiers {
		for _, threads := range r.Threads {
			if err := r.model(tier, threads, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// depths does it at the other depths.
func (r *run) depths() error {
	for _, depth := range r.Depths {
		for _, threads := range r.Threads {
			if err := r.model(r.tier(), threads, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// model measures prefill and decode of a configuration and, at full depth, what
// they allocate.
func (r *run) model(tier string, threads, depth int) error {
	rig, err := NewRig(r.archive, tier, threads, depth, r.pieces)
	if err != nil {
		return err
	}
	for _, n := range r.prefills {
		name := fmt.Sprintf("prefill %d", n)
		f := &Figure{Name: name, Unit: unitRate, Tier: tier, Threads: threads, Depth: rig.m.Depth(), Tokens: n}
		work := r.count(depth).Prefill(0, n, blockTokens)
		f.Work = &work
		repeat, end, err := rig.Prefill(r.ctx, n)
		if err := r.with(name, f, repeat, end, err); err != nil {
			return err
		}
	}
	if err := r.decode(rig, tier, threads, depth); err != nil || depth != 0 {
		return err
	}
	if err := r.ways(rig, tier, threads); err != nil {
		return err
	}
	token, block, err := rig.Allocations(r.ctx)
	if err != nil {
		return r.skip("allocations", err)
	}
	for i, old := range r.report.Allocations {
		if old.Tier == tier && old.Threads == threads {
			r.report.Allocations[i].PerToken, r.report.Allocations[i].PerBlock = max(old.PerToken, token), max(old.PerBlock, block)
			return nil
		}
	}
	r.report.Allocations = append(r.report.Allocations, Allocation{tier, threads, token, block})
	return nil
}

// decode measures tokens around the context that it is to be known at.
func (r *run) decode(rig *Rig, tier string, threads, depth int) error {
	start := min(r.context, rig.Room()-r.steps/2) - r.steps/2
	if start < 1 {
		return r.skip("decode", rig.tooLong(r.steps))
	}
	f := &Figure{Name: "decode", Unit: unitRate, Tier: tier, Threads: threads, Depth: rig.m.Depth(), Tokens: r.steps, Context: start}
	f.Work = r.decodeWork(depth, start, r.steps)
	repeat, end, err := rig.Decode(r.ctx, start, r.steps)
	return r.with("decode", f, repeat, end, err)
}

// tried are the ways that a lookahead tries side by side.
const tried = 4

// ways measures tokens of several ways side by side, from where decode begins.
func (r *run) ways(rig *Rig, tier string, threads int) error {
	name, each := fmt.Sprintf("try %d ways", tried), r.steps/tried
	start := min(r.context, rig.Room()-r.steps/2) - r.steps/2
	if start < 1 {
		return r.skip(name, rig.tooLong(r.steps))
	}
	f := &Figure{Name: name, Unit: unitRate, Tier: tier, Threads: threads, Depth: rig.m.Depth(), Tokens: each * tried, Context: start}
	var work Work // each step reads the weights once, for as many tokens as there are ways
	for i := range each {
		work = work.Add(r.count(0).Prefill(start+i, tried, tried))
	}
	f.Work = &work
	repeat, end, err := rig.Ways(r.ctx, start, tried, each)
	return r.with(name, f, repeat, end, err)
}

// decodeWork is the work of tokens one by one after others that are pinned.
func (r *run) decodeWork(depth, start, steps int) *Work {
	var w Work
	for i := range steps {
		w = w.Add(r.count(depth).Decode(start+i+1, start))
	}
	return &w
}

func (r *run) with(name string, f *Figure, repeat func() (time.Duration, error), end func(), err error) error {
	if err != nil {
		return r.skip(name, err)
	}
	defer end()
	return r.measure(f, repeat)
}

// services measures what a caller sees, for each number of threads.
func (r *run) services() error {
	numbers := r.Threads
	if r.Quick {
		numbers = numbers[len(numbers)-1:]
	}
	for _, threads := range numbers {
		s := &Service{r.Path, r.Tools, engine.Options{SIMD: r.tier(), Threads: threads}}
		for _, part := range []struct {
			name string
			run  func(*Service, *Figure) error
		}{{"init", r.init}, {"request", r.request}, {"embed", r.embed}} {
			f := &Figure{Name: part.name, Unit: unitTime, Tier: r.tier(), Threads: threads, Depth: r.archive.Geometry().Layers}
			if err := part.run(s, f); err != nil {
				if err = r.skip(part.name, err); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (r *run) init(s *Service, f *Figure) error {
	e, err := engine.Open(s.Path, s.Options)
	if err != nil {
		return err
	}
	prefix, _, err := e.PromptIDs(engine.SessionOptions{Tools: s.Tools}, "")
	if err := errors.Join(err, e.Close()); err != nil {
		return err
	}
	f.Tokens = len(prefix)
	work := r.count(0).Prefill(0, f.Tokens, blockTokens)
	f.Work = &work
	return r.measure(f, func() (time.Duration, error) { return s.Init(r.ctx) })
}

// request measures the request with its prefix cached, and the whole way from
// the path to the first answer.
func (r *run) request(s *Service, f *Figure) error {
	r.Progress("request: choosing")
	q, err := s.NewRequest(r.ctx)
	if err != nil {
		return err
	}
	defer q.Close()
	f.Tokens, f.Context = q.Out, q.Prefix
	f.Note = fmt.Sprintf("%d tokens in (%d with their marks), %d out", q.In, q.Fed, q.Out)
	work := r.count(0).Prefill(q.Prefix, q.Fed, blockTokens).Add(*r.decodeWork(0, q.Prefix+q.Fed, q.Out))
	f.Work = &work
	if err := r.measure(f, func() (time.Duration, error) { return q.Repeat(r.ctx) }); err != nil || r.Quick {
		return err
	}
	cold := &Figure{Name: "cold start", Unit: unitTime, Tier: f.Tier, Threads: f.Threads, Depth: f.Depth, Tokens: q.Out,
		Context: q.Prefix, Note: "load, init and the same request"}
	return r.measure(cold, func() (time.Duration, error) { return s.Cold(r.ctx, q) })
}

func (r *run) embed(s *Service, f *Figure) error {
	e, err := s.NewEmbedder()
	if err != nil {
		return err
	}
	defer e.Close()
	f.Tokens = e.Tokens
	work := r.count(0).Prefill(0, e.Tokens, blockTokens)
	work.Bytes -= r.count(0).headRead // an embedding doesn't meet the output head
	work.Weights -= r.count(0).headRead
	work.MulAdds.Head = 0
	f.Work = &work
	return r.measure(f, func() (time.Duration, error) { return e.Repeat(r.ctx) })
}

// loads measures loading, which one thread does.
func (r *run) loads() error {
	s := &Service{r.Path, r.Tools, engine.Options{SIMD: r.tier(), Threads: r.most()}}
	f := &Figure{Name: "load", Unit: unitTime, Tier: r.tier(), Threads: r.most(), Depth: r.archive.Geometry().Layers, Note: "from a path, file in page cache"}
	return r.measure(f, func() (time.Duration, error) { return s.Load(r.ctx) })
}

// memory asks a process of its own, because this one has other things in its
// memory.
func (r *run) memory() error {
	r.Progress("memory")
	answer, err := ask(r.ctx, r.Worker, Job{Op: "memory", Tier: r.tier(), Threads: r.most(), Tools: r.Tools})
	if err != nil {
		return r.skip("memory", err)
	}
	r.report.Memory = answer.Memory
	return nil
}

func (r *run) growth() error {
	r.Progress("growth")
	answer, err := ask(r.ctx, r.Worker, Job{Op: "growth", Tier: r.tier(), Threads: r.most(), Tokens: r.growthSteps,
		Points: r.points, Passes: r.growthPasses, Budget: int((2 * r.budget).Milliseconds())})
	if err != nil {
		return r.skip("growth", err)
	}
	r.report.Growth = answer.Growth
	r.report.Growth.Tier = r.tier()
	return nil
}

func plural(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}

// Tiers checks the names of tiers, or lists those that this CPU runs: the one
// of NEEDLE_SIMD alone if that is set.
func Tiers(names []string) ([]string, error) {
	if len(names) == 0 && os.Getenv("NEEDLE_SIMD") != "" {
		names = []string{os.Getenv("NEEDLE_SIMD")}
	}
	if len(names) == 0 {
		return machine().Tiers, nil
	}
	var out []string
	for _, k := range simd.All() { // in their order, so that the last is the fastest
		if slices.Contains(names, k.Name) {
			out = append(out, k.Name)
		}
	}
	for _, name := range names {
		if _, err := simd.Choose(name); err != nil {
			return nil, err
		}
	}
	return out, nil
}
