package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/libneedle/libneedle/internal/bench"
)

// style makes a chart readable on light and on dark pages: the background stays
// the page's.
const style = `<style>
text{font:13px system-ui,sans-serif;fill:#1f2328}
.title{font-size:15px;font-weight:600}
.grid{stroke:#d1d9e0;stroke-width:1}
.line{fill:none;stroke-width:2.5;stroke-linejoin:round}
.s0{stroke:#0969da}.f0{fill:#0969da}.s1{stroke:#bc4c00}.f1{fill:#bc4c00}.s2{stroke:#1a7f37}.f2{fill:#1a7f37}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.grid{stroke:#3d444d}
.s0{stroke:#58a6ff}.f0{fill:#58a6ff}.s1{stroke:#f0883e}.f1{fill:#f0883e}.s2{stroke:#56d364}.f2{fill:#56d364}}
</style>
`

const (
	width, height             = 720, 360
	left, right, top, bottom  = 70, 110, 46, 48
	plotWidth, plotHeight     = width - left - right, height - top - bottom
	mostColours, barGap, tick = 3, 0.25, 5
)

// chart collects an SVG document.
type chart struct{ b strings.Builder }

func newChart(title, x, y string) *chart {
	c := &chart{}
	fmt.Fprintf(&c.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n", width, height, html.EscapeString(title))
	c.b.WriteString(style)
	fmt.Fprintf(&c.b, "<title>%s</title>\n", html.EscapeString(title))
	c.text(left, 20, "start", "title", title)
	c.text(left, 38, "start", "", y)
	c.text(left+plotWidth/2, height-8, "middle", "", x)
	return c
}

func (c *chart) text(x, y float64, anchor, class, text string) {
	fmt.Fprintf(&c.b, `<text x="%.1f" y="%.1f" text-anchor="%s"`, x, y, anchor)
	if class != "" {
		fmt.Fprintf(&c.b, ` class="%s"`, class)
	}
	fmt.Fprintf(&c.b, ">%s</text>\n", html.EscapeString(text))
}

func (c *chart) rule(x1, y1, x2, y2 float64) {
	fmt.Fprintf(&c.b, `<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", x1, y1, x2, y2)
}

func (c *chart) end() string {
	c.b.WriteString("</svg>\n")
	return c.b.String()
}

// step is a round distance of at most tick lines up to high.
func step(high float64) float64 {
	if !(high > 0) || math.IsInf(high, 0) {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(high/tick)))
	for _, n := range []float64{1, 2, 5, 10} {
		if n*unit*tick >= high {
			return n * unit
		}
	}
	return 10 * unit
}

// yAxis draws the rules and returns the place of a value.
func (c *chart) yAxis(high float64) func(float64) float64 {
	d := step(high)
	end := d * math.Ceil(high/d)
	if !(end > 0) {
		end = d
	}
	at := func(v float64) float64 { return top + plotHeight*(1-v/end) }
	for v := 0.0; v <= end+d/2; v += d {
		c.rule(left, at(v), left+plotWidth, at(v))
		c.text(left-8, at(v)+4, "end", "", fmt.Sprintf("%g", math.Round(v/d)*d))
	}
	return at
}

// series is a line.
type series struct {
	name string
	x, y []float64
}

// lineChart draws series over a common x; logarithmic when contexts double.
func lineChart(title, xName, yName string, logarithmic bool, lines []series) string {
	c := newChart(title, xName, yName)
	high, ticks := 0.0, []float64{}
	for _, l := range lines {
		high = max(high, slices.Max(l.y))
		if len(l.x) > len(ticks) {
			ticks = l.x
		}
	}
	y := c.yAxis(high)
	scale := func(v float64) float64 { return v }
	if logarithmic {
		scale = math.Log
	}
	from, to := 0.0, scale(slices.Max(ticks))
	if logarithmic {
		from = scale(slices.Min(ticks))
	}
	x := func(v float64) float64 { return left + plotWidth*(scale(v)-from)/max(to-from, 1e-9) }
	c.xTicks(ticks, x)
	labels := make([]float64, 0, len(lines))
	for i, l := range lines {
		c.line(l, i%mostColours, x, y)
		n := len(l.x) - 1
		labels = append(labels, place(labels, y(l.y[n])))
		c.text(x(l.x[n])+10, labels[i]+4, "start", fmt.Sprintf("f%d", i%mostColours), l.name)
	}
	return c.end()
}

// place keeps a label off the others.
func place(taken []float64, y float64) float64 {
	const apart = 16
	for _, t := range taken {
		if math.Abs(t-y) < apart {
			return place(taken, t-apart)
		}
	}
	return y
}

// xTicks labels those places that don't overlap.
func (c *chart) xTicks(ticks []float64, x func(float64) float64) {
	last := math.Inf(1)
	for _, v := range slices.Backward(ticks) {
		if at := x(v); last-at > 36 {
			c.text(at, top+plotHeight+18, "middle", "", fmt.Sprintf("%g", v))
			last = at
		}
	}
}

func (c *chart) line(l series, colour int, x, y func(float64) float64) {
	var points []string
	for i := range l.x {
		points = append(points, fmt.Sprintf("%.1f,%.1f", x(l.x[i]), y(l.y[i])))
	}
	fmt.Fprintf(&c.b, `<polyline class="line s%d" points="%s"/>`+"\n", colour, strings.Join(points, " "))
	for i := range l.x {
		fmt.Fprintf(&c.b, `<circle class="f%d" cx="%.1f" cy="%.1f" r="3"/>`+"\n", colour, x(l.x[i]), y(l.y[i]))
	}
}

// bars are values of one colour, one for each group.
type bars struct {
	name   string
	values []float64
}

func barChart(title, yName string, groups []string, kinds []bars) string {
	c := newChart(title, "", yName)
	high := 0.0
	for _, k := range kinds {
		high = max(high, slices.Max(k.values))
	}
	y := c.yAxis(high)
	room := float64(plotWidth) / float64(len(groups))
	bar := room * (1 - barGap) / float64(len(kinds))
	for g, name := range groups {
		c.text(left+room*(float64(g)+0.5), top+plotHeight+18, "middle", "", name)
		for k, kind := range kinds {
			x, v := left+room*(float64(g)+barGap/2)+bar*float64(k), kind.values[g]
			fmt.Fprintf(&c.b, `<rect class="f%d" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`+"\n", k%mostColours, x, y(v), bar-3, y(0)-y(v))
			c.text(x+bar/2-1, y(v)-5, "middle", "", number(v))
		}
	}
	for k, kind := range kinds {
		at := float64(top + 12 + 20*k)
		fmt.Fprintf(&c.b, `<rect class="f%d" x="%d" y="%.1f" width="12" height="12"/>`+"\n", k%mostColours, left+plotWidth+12, at-10)
		c.text(left+plotWidth+30, at, "start", "", kind.name)
	}
	return c.end()
}

// drawAll returns the charts by file name.
func drawAll(columns []column) map[string]string {
	charts := map[string]string{}
	for name, unit := range map[string]string{"decode": "tok/s", "prefill": "tok/s"} {
		if svg := kernelChart(columns[0], name, unit); svg != "" {
			charts["kernels-"+name+".svg"] = svg
		}
	}
	growth := func(value func(*bench.Point) float64) (lines []series) {
		for _, c := range columns {
			if c.Growth == nil || len(c.Growth.Points) == 0 {
				continue
			}
			l := series{name: c.name}
			for _, p := range c.Growth.Points {
				l.x, l.y = append(l.x, float64(p.Context)), append(l.y, value(p))
			}
			lines = append(lines, l)
		}
		return lines
	}
	if decode := growth(func(p *bench.Point) float64 { return bench.Median(p.Decode) }); len(decode) > 0 {
		charts["growth-decode.svg"] = lineChart("Time of a decoded token", "tokens of context", "ms", true, decode)
		charts["growth-prefill.svg"] = lineChart("Time to feed a conversation", "tokens", "ms", false,
			growth(func(p *bench.Point) float64 { return bench.Median(p.Prefill) }))
		charts["growth-memory.svg"] = lineChart("Heap and anonymous memory", "tokens of context", "MB", true,
			growth(func(p *bench.Point) float64 { return p.Memory }))
	}
	return charts
}

// kernelChart compares tiers and threads.
func kernelChart(c column, name, unit string) string {
	var tiers []string
	var kinds []bars
	for _, l := range c.Rooflines {
		if !slices.Contains(tiers, l.Tier) {
			tiers = append(tiers, l.Tier)
		}
		if !slices.ContainsFunc(kinds, func(k bars) bool { return k.name == plural(l.Threads) }) {
			k := bars{name: plural(l.Threads)}
			kinds = append(kinds, k)
		}
	}
	for i := range kinds {
		for _, tier := range tiers {
			kinds[i].values = append(kinds[i].values, c.rate(name, tier, kinds[i].name))
		}
	}
	if len(tiers) == 0 {
		return ""
	}
	title := map[string]string{"decode": "Decode at 300 tokens of context", "prefill": "Prefill"}[name]
	return barChart(title+", "+c.name, unit, tiers, kinds)
}

func (c column) rate(name, tier, threads string) float64 {
	for _, l := range c.Rooflines {
		if plural(l.Threads) != threads {
			continue
		}
		f := c.figure(name, tier, l.Threads, 0)
		if name == "prefill" {
			f = c.prefill(tier, l.Threads, 0)
		}
		if f != nil {
			return f.Median
		}
	}
	return 0
}
