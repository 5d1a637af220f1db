package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/libneedle/libneedle/internal/bench"
)

// table writes Markdown; the first row is the heading.
func table(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return b.String()
}

// heading is the first cells and a column for each archive.
func heading(columns []column, first ...string) []string {
	for _, c := range columns {
		first = append(first, c.name)
	}
	return first
}

func machineTable(columns []column) string {
	m := columns[0].Machine
	rows := [][]string{{"", ""},
		{"CPU", fmt.Sprintf("%s, %d cores; level 2: %d KB a core, level 3: %d KB", m.CPU, m.Cores, m.CacheL2>>10, m.CacheL3>>10)},
		{"system", fmt.Sprintf("%s/%s, %s", m.OS, m.Arch, m.Go)},
		{"kernels", strings.Join(m.Tiers, ", ")},
	}
	for _, c := range columns {
		a := c.Archive
		rows = append(rows, []string{c.name, fmt.Sprintf("%.1f MB, %d blocks, width %d, SHA-256 `%s...`", float64(a.Bytes)/1e6,
			a.Geometry.Layers, a.Geometry.Width, a.SHA256[:16])})
	}
	if slices.ContainsFunc(columns, func(c column) bool { return c.Quick }) {
		rows = append(rows, []string{"note", "a quick run: too short to be relied on"})
	}
	return table(rows)
}

// boundTable is the way from the counted work and the measured machine to the
// bounds.
func boundTable(columns []column) string {
	rows := [][]string{heading(columns, "")}
	add := func(name string, text func(column) string) { rows = append(rows, row(columns, text, name)) }
	at := columns[0].Token
	add(fmt.Sprintf("multiply-adds of a token at %d tokens of context", at.Context), func(c column) string {
		m := c.Token.Work.MulAdds
		return fmt.Sprintf("%.1f M: %.1f at 2 bits, %.1f at 4 bits, head %.1f, lane maps %.1f, Monarch %.1f, attention %.1f", millions(m.Total()),
			millions(m.Narrow), millions(m.Wide), millions(m.Head), millions(m.LaneMaps), millions(m.Monarch), millions(m.Attention))
	})
	add("bytes it reads", func(c column) string {
		return fmt.Sprintf("%.1f MB of weights, %.2f MB of keys and values", millions(c.Token.Work.Weights), millions(c.Token.Work.KV))
	})
	add(fmt.Sprintf("multiply-adds of a token in a prefill of %d", columns[0].Prefill.Tokens), func(c column) string {
		return fmt.Sprintf("%.1f M", millions(c.Prefill.Total)/float64(c.Prefill.Tokens))
	})
	for _, ceiling := range columns[0].Ceilings {
		threads := ceiling.Threads
		add(fmt.Sprintf("%s: reads, multiply-adds", plural(threads)), func(c column) string {
			l := c.ceiling(threads)
			return fmt.Sprintf("%.1f GB/s from a buffer of the weights' size, %.1f GB/s from a large one, %.0f G/s", l.Cached, l.DRAM, l.Peak)
		})
		add(plural(threads)+": bound of decode", func(c column) string {
			f := c.figure("decode", "", threads, 0)
			if f == nil || f.Bound == nil {
				return "-"
			}
			n := float64(f.Tokens)
			return fmt.Sprintf("%.0f tok/s cached, %.0f tok/s memory", n/f.Bound.Cached, n/f.Bound.DRAM)
		})
		add(plural(threads)+": bound of prefill", func(c column) string {
			f := c.prefill("", threads, 0)
			if f == nil || f.Bound == nil {
				return "-"
			}
			return fmt.Sprintf("%.0f tok/s", float64(f.Tokens)/f.Bound.Cached)
		})
	}
	return table(rows)
}

func row(columns []column, text func(column) string, first ...string) []string {
	for _, c := range columns {
		first = append(first, text(c))
	}
	return first
}

func millions(n int64) float64 { return float64(n) / 1e6 }

func plural(threads int) string {
	if threads == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", threads)
}

func (c column) ceiling(threads int) bench.Ceiling {
	for _, l := range c.Ceilings {
		if l.Threads == threads {
			return l
		}
	}
	return bench.Ceiling{}
}

// best is the fastest tier that was measured.
func (c column) best() string {
	if len(c.Rooflines) == 0 {
		return ""
	}
	return c.Rooflines[len(c.Rooflines)-1].Tier
}

// most is the largest number of threads.
func (c column) most() int {
	n := 1
	for _, l := range c.Rooflines {
		n = max(n, l.Threads)
	}
	return n
}

// figure finds one; no tier means the fastest, no depth the full one.
func (c column) figure(name, tier string, threads, depth int) *bench.Figure {
	if tier == "" {
		tier = c.best()
	}
	if depth == 0 {
		depth = c.Archive.Geometry.Layers
	}
	for _, f := range c.Figures {
		if f.Name == name && f.Tier == tier && f.Threads == threads && f.Depth == depth {
			return f
		}
	}
	return nil
}

// prefill is the longest that was measured.
func (c column) prefill(tier string, threads, depth int) *bench.Figure {
	if f := c.figure("prefill 512", tier, threads, depth); f != nil {
		return f
	}
	return c.figure("prefill 128", tier, threads, depth)
}

// goal is a line of the table.
type goal struct {
	name, must, target string
	got                func(c column) string
}

func goalTable(columns []column, p *peers) string {
	ratio := func(a, b *bench.Figure) string {
		if a == nil || b == nil {
			return "-"
		}
		return fmt.Sprintf("%.2fx", a.Median/b.Median)
	}
	goals := []goal{
		{"decode at 300 tokens of context, 1 thread, of its bound", "45%", "60%", func(c column) string { return shares(c.figure("decode", "", 1, 0)) }},
		{"the same, 2 threads against 1", "1.4x", "1.7x", func(c column) string {
			return ratio(c.figure("decode", "", 2, 0), c.figure("decode", "", 1, 0))
		}},
		{"prefill of 512 tokens, 2 threads, of the bound of two cores", "30%", "45%", prefillShares},
		{"decode and prefill against needle-rs", "15x, 30x", "25x, 45x", func(c column) string {
			return against(c, columns[0], p, "needle-rs", true)
		}},
		{"prefill against the jitted JAX reference", "3.5x", "6x", func(c column) string { return against(c, columns[0], p, "jax", false) }},
		{"depth 8 and depth 2 decode against full depth", "1.7x, 3x", "1.9x, 3.4x", func(c column) string {
			full := c.figure("decode", "", 1, 0)
			return ratio(c.figure("decode", "", 1, 8), full) + ", " + ratio(c.figure("decode", "", 1, 2), full)
		}},
		{"one request, prefix cached: 12 tokens in, 45 out, grammar on", "50 ms", "40 ms", both("request")},
		{"init of 12 tools, about 900 tokens", "350 ms", "220 ms", both("init")},
		{"load to ready from a path, file in page cache", "60 ms", "30 ms", func(c column) string { return value(c.figure("load", "", c.most(), 0)) }},
		{"heap and anonymous memory, one session, that prefix", "45 MB", "30 MB", func(c column) string {
			if c.Memory == nil {
				return "-"
			}
			return fmt.Sprintf("%.1f MB", c.Memory.Ready)
		}},
		{"AVX2 against AVX-512, decode and prefill, 1 thread", "35%", "45%", func(c column) string {
			return percent(c.figure("decode", "avx2", 1, 0), c.figure("decode", "avx512", 1, 0)) + ", " +
				percent(c.prefill("avx2", 1, 0), c.prefill("avx512", 1, 0))
		}},
		{"allocations per decoded token, per prefilled block", "0", "0", func(c column) string {
			token, block := 0.0, 0.0
			for _, a := range c.Allocations {
				token, block = max(token, a.PerToken), max(block, a.PerBlock)
			}
			return fmt.Sprintf("%g, %g", token, block)
		}},
	}
	rows := [][]string{heading(columns, "", "must", "target")}
	for _, g := range goals {
		rows = append(rows, row(columns, g.got, g.name, g.must, g.target))
	}
	return table(rows)
}

// shares of both bounds.
func shares(f *bench.Figure) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f%% of the cached bound, %.0f%% of the memory bound", 100*f.ShareCached, 100*f.ShareDRAM)
}

// prefillShares are the share that the goal means, of the integer peak by the
// multiply-adds of a decoded token, and the one of the bound of a prefill, which
// counts the head for the last token alone.
func prefillShares(c column) string {
	f := c.figure("prefill 512", "", 2, 0)
	peak := c.ceiling(2).Peak * 1e9
	if f == nil || peak == 0 {
		return "-"
	}
	each := float64(c.Token.Work.MulAdds.Total())
	return fmt.Sprintf("%.0f%% with the %.1f M multiply-adds of a decoded token, %.0f%% with a prefill's own", 100*f.Median*each/peak,
		each/1e6, 100*f.ShareCached)
}

// both is a figure with the most threads and with one.
func both(name string) func(c column) string {
	return func(c column) string {
		text := value(c.figure(name, "", c.most(), 0))
		if one := c.figure(name, "", 1, 0); c.most() > 1 && one != nil {
			text += fmt.Sprintf("; 1 thread: %s", value(one))
		}
		return text
	}
}

func percent(part, whole *bench.Figure) string {
	if part == nil || whole == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*part.Median/whole.Median)
}

// against compares with a peer; scripts/bench-peers measures the first column's
// archive alone.
func against(c, first column, p *peers, name string, decode bool) string {
	ours, ok := p.Result["needle"]
	peer, there := p.Result[name]
	if c.name != first.name || !ok || !there {
		return "-"
	}
	var parts []string
	if decode {
		parts = append(parts, times(ours.Decode, peer.Decode))
	}
	return strings.Join(append(parts, times(ours.Prefill, peer.Prefill)), ", ")
}

func times(a, b *float64) string {
	if a == nil || b == nil {
		return "-"
	}
	return fmt.Sprintf("%.1fx", *a / *b)
}

// value is a median in its unit.
func value(f *bench.Figure) string {
	if f == nil {
		return "-"
	}
	return number(f.Median) + " " + f.Unit
}

// number has three digits that count.
func number(x float64) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Sprint(x)
	}
	return fmt.Sprintf("%.*f", max(0, 2-int(math.Floor(math.Log10(math.Abs(x))))), x)
}

// figureTable has all figures, with their spread and shares.
func figureTable(columns []column) string {
	head := []string{"", "kernels", "threads", "depth"}
	for _, c := range columns {
		head = append(head, c.name, "from, to", "cached, memory bound")
	}
	rows := [][]string{head}
	for _, f := range columns[0].Figures {
		r := []string{f.Name, f.Tier, fmt.Sprint(f.Threads), fmt.Sprint(f.Depth)}
		for _, c := range columns {
			r = append(r, cells(c.figure(f.Name, f.Tier, f.Threads, f.Depth))...)
		}
		rows = append(rows, r)
	}
	return table(rows)
}

func cells(f *bench.Figure) []string {
	if f == nil {
		return []string{"-", "-", "-"}
	}
	share := "-"
	if f.Bound != nil {
		share = fmt.Sprintf("%.0f%%, %.0f%%", 100*f.ShareCached, 100*f.ShareDRAM)
	}
	return []string{value(f), number(f.Low) + ", " + number(f.High), share}
}

func growthTable(columns []column) string {
	head := []string{"context"}
	for _, c := range columns {
		head = append(head, c.name+": decode, ms a token", "prefill, ms", "memory, MB")
	}
	rows := [][]string{head}
	if columns[0].Growth == nil {
		return table(rows)
	}
	for i, p := range columns[0].Growth.Points {
		r := []string{fmt.Sprint(p.Context)}
		for _, c := range columns {
			if c.Growth == nil || i >= len(c.Growth.Points) {
				r = append(r, "-", "-", "-")
				continue
			}
			q := c.Growth.Points[i]
			r = append(r, number(bench.Median(q.Decode)), number(bench.Median(q.Prefill)), fmt.Sprintf("%.1f", q.Memory))
		}
		rows = append(rows, r)
	}
	return table(rows)
}

func peerTable(p *peers) string {
	rows := [][]string{{"", "decode, tok/s", "ours", "prefill, tok/s", "ours"}}
	ours := p.Result["needle"]
	rate := func(x *float64) string {
		if x == nil {
			return "none"
		}
		return number(*x)
	}
	for _, name := range []string{"needle", "needle-rs", "jax"} {
		if r, ok := p.Result[name]; ok {
			rows = append(rows, []string{name, rate(r.Decode), times(ours.Decode, r.Decode), rate(r.Prefill), times(ours.Prefill, r.Prefill)})
		}
	}
	return table(rows)
}
