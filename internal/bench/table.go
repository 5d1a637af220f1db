package bench

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// Print writes the report for people.
func (r *Report) Print(out io.Writer) {
	for i, part := range []func(io.Writer){r.printHead, r.printRooflines, r.printFigures, r.printAllocations, r.printMemory, r.printGrowth, r.printSkipped} {
		if i > 0 {
			fmt.Fprintln(out)
		}
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		part(w)
		w.Flush()
	}
}

func (r *Report) printHead(w io.Writer) {
	line := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	m, a := r.Machine, r.Archive
	g := a.Geometry
	cpu := m.CPU
	if cpu == "" {
		cpu = "unknown CPU"
	}
	line("machine", "%s, %s, %s/%s, %s", cpu, plural(m.Cores, "core"), m.OS, m.Arch, m.Go)
	line("caches", "level 2: %s a core, level 3: %s", size(m.CacheL2), size(m.CacheL3))
	tiers := strings.Join(m.Tiers, ", ")
	if len(m.TiersNot) > 0 {
		tiers += "; not on this CPU: " + strings.Join(m.TiersNot, ", ")
	}
	line("kernels", "%s", tiers)
	line("archive", "%s, %.1f MB, %s...", a.File, float64(a.Bytes)/mb, a.SHA256[:12])
	line("geometry", "width %d, %d blocks, %d+%d heads, %d pieces of %d, context %d, window %d", g.Width, g.Layers, g.Heads, g.KVHeads,
		a.Pieces, g.VocabSize, g.MaxSeqLen, a.Window)
	line("a token", "%s at %d tokens of context", r.Token.Work.text(), r.Token.Context)
	line("prefill", "%s a token, of %d", perToken(r.Prefill), r.Prefill.Tokens)
}

// text says what a token needs.
func (w Work) text() string {
	var kinds []string
	m := w.MulAdds
	for _, k := range []struct {
		n    int64
		name string
	}{{m.Narrow, "2-bit"}, {m.Wide, "4-bit"}, {m.Head, "head"}, {m.LaneMaps, "lane maps"}, {m.Monarch, "Monarch"}, {m.Attention, "attention"}} {
		if k.n > 0 {
			kinds = append(kinds, fmt.Sprintf("%s %s", millions(k.n), k.name))
		}
	}
	return fmt.Sprintf("%s M multiply-adds (%s), %s MB of weights, %s MB of keys and values", millions(m.Total()),
		strings.Join(kinds, ", "), millions(w.Weights), millions(w.KV))
}

func perToken(p TokenWork) string {
	n := int64(p.Tokens)
	return fmt.Sprintf("%s M multiply-adds, %.2f MB read", millions(p.Total/n), float64(p.Work.Bytes)/float64(n)/mb)
}

func millions(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }

func size(bytes int) string {
	switch {
	case bytes <= 0:
		return "unknown"
	case bytes < 1<<20:
		return fmt.Sprintf("%d KB", bytes>>10)
	}
	return fmt.Sprintf("%d MB", bytes>>20)
}

func (r *Report) printRooflines(w io.Writer) {
	fmt.Fprintln(w, "roofline\tthreads\tread, buffer of the weights\tread, buffer beyond the caches\tinteger multiply-adds")
	for _, l := range r.Rooflines {
		fmt.Fprintf(w, "%s\t%d\t%.1f GB/s (%.0f MB)\t%.1f GB/s (%.0f MB)\t%.1f G/s\n", l.Tier, l.Threads, best(0, l.Cached),
			float64(l.CachedBytes)/mb, best(0, l.DRAM), float64(l.DRAMBytes)/mb, best(0, l.Peak))
	}
	for _, c := range r.Ceilings {
		b := c.bound(r.Token.Work)
		p := c.bound(r.Prefill.Work)
		fmt.Fprintf(w, "bound\t%d\tdecode %.0f tok/s\tdecode %.0f tok/s\tprefill of 512 %.0f tok/s\n", c.Threads, 1/b.Cached, 1/b.DRAM,
			float64(r.Prefill.Tokens)/p.Cached)
	}
}

func (r *Report) printFigures(w io.Writer) {
	fmt.Fprintln(w, "figure\tkernels\tthreads\tdepth\tmedian\tfrom\tto\tof cached bound\tof memory bound\t")
	for _, f := range r.Figures {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s %s\t%s\t%s\t%s\t%s\t%s\n", f.Name, f.Tier, f.Threads, f.Depth, three(f.Median), f.Unit,
			three(f.Low), three(f.High), share(f.ShareCached), share(f.ShareDRAM), f.note())
	}
	fmt.Fprintln(w, "cached bound: weights are read at the speed of a buffer of their size, memory bound: at that of one beyond the caches")
}

// note says what was fed and written.
func (f *Figure) note() string {
	switch {
	case f.Note != "":
		return f.Note
	case f.Name == "decode":
		return fmt.Sprintf("%d tokens after %d", f.Tokens, f.Context)
	}
	return plural(f.Tokens, "token")
}

// three writes a number with three digits that count.
func three(x float64) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Sprint(x)
	}
	return fmt.Sprintf("%.*f", max(0, 2-int(math.Floor(math.Log10(math.Abs(x))))), x)
}

func share(x float64) string {
	if x == 0 {
		return "-"
	}
	return three(100*x) + "%"
}

func (r *Report) printAllocations(w io.Writer) {
	fmt.Fprintln(w, "allocations\tthreads\ta decoded token\ta prefilled block")
	for _, a := range r.Allocations {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", a.Tier, a.Threads, three(a.PerToken), three(a.PerBlock))
	}
}

func (r *Report) printMemory(w io.Writer) {
	if m := r.Memory; m != nil {
		fmt.Fprintf(w, "memory\t%.1f MB with one session and a prefix of %d tokens (heap and anonymous, from %s)\n", m.Ready, m.PrefixTokens, m.Source)
		fmt.Fprintf(w, "\t%.1f MB after a garbage collection; %.1f MB after loading, %.1f MB before\n", m.Settled, m.Loaded, m.Empty)
		if m.Resident > 0 {
			fmt.Fprintf(w, "\t%.1f MB resident with the mapped file's pages\n", m.Resident)
		}
	}
}

func (r *Report) printGrowth(w io.Writer) {
	g := r.Growth
	if g == nil {
		return
	}
	fmt.Fprintf(w, "growth\tdecode\tprefill up to here\tmemory\t%s, %s, %d tokens stay visible\n", g.Tier, plural(g.Threads, "thread"), g.Sink)
	for _, p := range g.Points {
		fmt.Fprintf(w, "%d tokens\t%s ms a token\t%s ms\t%.1f MB\t\n", p.Context, three(Median(p.Decode)), three(Median(p.Prefill)), p.Memory)
	}
}

func (r *Report) printSkipped(w io.Writer) {
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "left out\t%s\t%s\n", s.Name, s.Reason)
	}
}
