package model

import (
	"fmt"
	"slices"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/quant"
	"github.com/libneedle/libneedle/simd"
)

// Options choose how a model is built from an archive.
type Options struct {
	// Depth is the number of blocks to run, 2 to the archive's own, chosen by
	// the ladder rule; 0 means all.
	Depth int
	// Exact computes CQ products from dequantised float32 weights instead of
	// integers: slow and large, for tests.
	Exact bool
	// SIMD names the kernels to run on: generic, avx2, avxvnni, avx512. Empty
	// means the fastest that the CPU has. Results don't depend on it.
	SIMD string
}

// Model is the weights of an archive at one depth. It is read-only and safe for
// concurrent use by any number of sessions; the archive must stay open.
type Model struct {
	source  *cact.Archive
	kernels *simd.Kernels
	g       cact.Geometry
	exact   bool
	forms   inputForms
	layers  []layer
	sites   []site

	embed     *quant.Table
	head      quant.Product
	finalNorm []float32 // 1 + the stored scale, as every norm here

	permute1, permute2 []int32
	mlpA, mlpB         int // factors of hada_n

	// What steps take per token, in multiply-adds of products: float operations count
	// for several.
	laneWork, gateWork, mlpWork int

	laneShare []float32 // 1/lanes for each lane
	frequency []float32 // rotary, per pair of the head vector
	heads     []*head
	probeRows []probeRow
}

// layer is one layer's weights.
type layer struct {
	layer  int // position in the running stack
	site   int // index into Model.sites, or -1
	global bool

	normIn        []float32
	q, k, v, gate quant.Product
	taps          [][]float32 // of q, k and v, one after the other; none when the geometry has no taps
	qNorm, kNorm  []float32
	out           quant.Product
	postNorm      []float32
	attnGate      float32 // sigmoid of the stored gate
	preHada       []float32
	d1, d2, b2    []float32
	d3, d4        []float32
	w1a, w1b      []float32
	w2a, w2b      []float32
	w3a, w3b      []float32
	condV         []float32 // [rank][d], the stored matrix transposed
	rank          int
	condU         []float32 // [rank][hada_n]
	aPre, aPost   float32
	aRes          float32
	bPre, bPost   []float32 // with the layer's own offsets added
	bRes          []float32
	maps          []laneMap
}

// laneMap is a product whose rows are those from at on of the lane maps: n of
// pre, n of post, n*n of res.
type laneMap struct {
	m  quant.Product
	at int
}

// inputForms are the arrangements in which some product of the model reads an
// input.
type inputForms struct{ z, h, o8, row8 quant.Form }

// site is one engram memory.
type site struct {
	tables     *quant.Table
	key, value quant.Product
	taps       [][]float32
}

// New builds a model. The archive has been validated by package cact; what can
// go wrong here is the depth.
func New(a *cact.Archive, o Options) (*Model, error) {
	g := a.Geometry()
	if o.Depth == 0 {
		o.Depth = g.Layers
	}
	if o.Depth != g.Layers && (o.Depth < 2 || o.Depth > g.Layers) {
		return nil, fmt.Errorf("model: depth %d: the archive has %d blocks, depths 2 to %d can run", o.Depth, g.Layers, g.Layers)
	}
	kernels, err := simd.Choose(o.SIMD)
	if err != nil {
		return nil, err
	}
	l := &loader{a: a, kernels: kernels, exact: o.Exact, books: map[int]*quant.Codebook{}}
	kept := cact.Ladder(g.Layers, o.Depth)
	m := &Model{
		source:    a,
		kernels:   kernels,
		g:         g,
		exact:     o.Exact,
		embed:     l.table("embedding"),
		finalNorm: l.norm("final_norm"),
		permute1:  l.permutation("hada_p1"),
		permute2:  l.permutation("hada_p2"),
		frequency: frequencies(g),
	}
	for range g.Lanes {
		m.laneShare = append(m.laneShare, 1/float32(g.Lanes))
	}
	m.head = l.rowsOf("embedding", 0, g.LogitCount())
	m.mlpA = a.Lookup("layers.0.w1a").Shape[0]
	m.mlpB = g.HadaSize / m.mlpA
	lanes := g.Lanes
	m.laneWork = (lanes + 2) * lanes * lanes * g.Width
	m.gateWork = sinkhornRounds * 4 * lanes * lanes
	m.mlpWork = 2 * (m.mlpA + m.mlpB) * g.HadaSize
	m.addLayers(l, kept)
	for _, code := range a.Heads() {
		m.heads = append(m.heads, l.head(code, g, kept))
	}
	m.probeRows = m.newProbeRows()
	return m, nil
}

// addLayers loads the kept blocks and their engram sites, and makes the
// geometry that of the shorter stack.
func (m *Model) addLayers(l *loader, kept []int) {
	lanes := l.lanes()
	g := m.g
	m.g.Layers, m.g.EngramSites, m.g.GlobalMask = len(kept), nil, 0
	for layer, old := range kept {
		b := l.layer(old, g)
		b.layer, b.site, b.global = layer, -1, g.IsGlobal(old)
		if g.GlobalMask>>old&1 == 1 {
			m.g.GlobalMask |= 1 << layer
		}
		for s, at := range g.EngramSites {
			if at == old {
				b.site = len(m.sites)
				m.sites = append(m.sites, l.site(s))
				m.g.EngramSites = append(m.g.EngramSites, layer)
			}
		}
		lanes.fill(&b, old, g.Lanes)
		b.maps = l.laneMaps(old, g.Lanes)
		m.layers = append(m.layers, b)
	}
	m.forms = m.inputForms()
}

func (m *Model) inputForms() (f inputForms) {
	for i := range m.layers {
		b := &m.layers[i]
		for _, p := range b.maps {
			f.z |= p.m.Form()
		}
		f.h |= b.q.Form() | b.k.Form() | b.v.Form() | b.gate.Form()
		f.o8 |= b.out.Form()
	}
	for i := range m.sites {
		f.row8 |= m.sites[i].key.Form() | m.sites[i].value.Form()
	}
	return f
}

// mapRows is the number of rows of the lane maps of one block.
func (m *Model) mapRows() int { return (m.g.Lanes + 2) * m.g.Lanes }

// Geometry describes the running stack: Layers is the depth, sites and global
// layers are those that survive, renumbered.
func (m *Model) Geometry() cact.Geometry { return m.g }

// Depth is the number of blocks that run.
func (m *Model) Depth() int { return len(m.layers) }

// Heads lists the codes of the probe heads present.
func (m *Model) Heads() []cact.HeadCode {
	var codes []cact.HeadCode
	for _, h := range m.heads {
		codes = append(codes, h.code)
	}
	return codes
}

// frequencies are theta^(-2i/qk) as the reference computes them: the power in
// float32, then its reciprocal.
func frequencies(g cact.Geometry) []float32 {
	f := make([]float32, g.QKDim/2)
	for i := range f {
		f[i] = 1 / simd.Pow(g.RopeTheta, float32(2*i)/float32(g.QKDim))
	}
	return f
}

// loader turns records into the forms the pass uses.
type loader struct {
	a       *cact.Archive
	kernels *simd.Kernels
	exact   bool
	books   map[int]*quant.Codebook // by width
}

func (l *loader) floats(role string) []float32 { return l.a.Lookup(role).Float32s() }

func (l *loader) book(bits int) *quant.Codebook {
	if l.books[bits] == nil {
		l.books[bits] = quant.NewCodebook(bits, l.a.Codebook(bits))
	}
	return l.books[bits]
}

func (l *loader) product(role string) quant.Product {
	return l.rowsOf(role, 0, l.a.Lookup(role).CQ().Rows)
}

func (l *loader) rowsOf(role string, lo, hi int) quant.Product {
	cq := l.a.Lookup(role).CQ()
	return quant.New(l.kernels, l.book(cq.Bits), l.exact, quant.Rows{CQ: cq, Lo: lo, Hi: hi})
}

// laneMaps puts a layer's rows of the three lane maps, which all layers share,
// below one another; maps of one width become one product.
func (l *loader) laneMaps(old, lanes int) []laneMap {
	parts := []quant.Rows{
		{CQ: l.a.Lookup("lanes.phi_pre").CQ(), Lo: old * lanes, Hi: (old + 1) * lanes},
		{CQ: l.a.Lookup("lanes.phi_post").CQ(), Lo: old * lanes, Hi: (old + 1) * lanes},
		{CQ: l.a.Lookup("lanes.phi_res").CQ(), Lo: old * lanes * lanes, Hi: (old + 1) * lanes * lanes},
	}
	var maps []laneMap
	at := 0
	for len(parts) > 0 {
		n, rows := 0, 0
		for n < len(parts) && parts[n].Bits == parts[0].Bits {
			rows += parts[n].Hi - parts[n].Lo
			n++
		}
		maps = append(maps, laneMap{quant.New(l.kernels, l.book(parts[0].Bits), l.exact, parts[:n]...), at})
		parts, at = parts[n:], at+rows
	}
	return maps
}

func (l *loader) table(role string) *quant.Table {
	cq := l.a.Lookup(role).CQ()
	return quant.NewTable(l.kernels, cq, l.book(cq.Bits))
}

// norm adds the 1 of the zero-centred scale.
func (l *loader) norm(role string) []float32 {
	x := l.floats(role)
	for i := range x {
		x[i]++
	}
	return x
}

// rows splits a [n, width] record into its n rows.
func (l *loader) rows(role string) [][]float32 {
	r := l.a.Lookup(role)
	return splitRows(r.Float32s(), r.Shape[len(r.Shape)-1])
}

func splitRows(x []float32, width int) [][]float32 {
	rows := make([][]float32, len(x)/width)
	for i := range rows {
		rows[i] = x[i*width : (i+1)*width]
	}
	return rows
}

// transposed is a [n, width] record as [width, n].
func (l *loader) transposed(role string) []float32 {
	rows := l.rows(role)
	out := make([]float32, 0, len(rows)*len(rows[0]))
	for c := range rows[0] {
		for r := range rows {
			out = append(out, rows[r][c])
		}
	}
	return out
}

func (l *loader) permutation(role string) []int32 {
	x := l.floats(role)
	p := make([]int32, len(x))
	for i, v := range x {
		p[i] = int32(v)
	}
	return p
}

func (l *loader) layer(old int, g cact.Geometry) layer {
	role := func(name string) string { return fmt.Sprintf("layers.%d.%s", old, name) }
	b := layer{
		normIn: l.norm(role("norm_in")),
		q:      l.product(role("q_proj")), k: l.product(role("k_proj")), v: l.product(role("v_proj")),
		qNorm: l.norm(role("q_norm")), kNorm: l.norm(role("k_norm")),
		gate: l.product(role("gate_proj")), out: l.product(role("out_proj")),
		postNorm: l.norm(role("post_norm")),
		attnGate: simd.Sigmoid(l.floats(role("attn_gate"))[0]),
		preHada:  l.norm(role("pre_hada")),
		d1:       l.floats(role("d1")), d2: l.floats(role("d2")), b2: l.floats(role("b2")),
		d3: l.floats(role("d3")), d4: l.floats(role("d4")),
		w1a: l.floats(role("w1a")), w1b: l.floats(role("w1b")),
		w2a: l.floats(role("w2a")), w2b: l.floats(role("w2b")),
		w3a: l.floats(role("w3a")), w3b: l.floats(role("w3b")),
		condV: l.transposed(role("cond_v")), rank: len(l.rows(role("cond_v"))[0]), condU: l.floats(role("cond_u")),
	}
	if g.ConvTaps > 0 {
		k, v := l.rows(role("k_taps")), l.rows(role("v_taps"))
		for j, q := range l.rows(role("q_taps")) {
			b.taps = append(b.taps, slices.Concat(q, k[j], v[j]))
		}
	}
	return b
}

func (l *loader) site(s int) site {
	role := func(name string) string { return fmt.Sprintf("engrams.%d.%s", s, name) }
	return site{l.table(role("tables")), l.product(role("key_proj")), l.product(role("value_proj")), l.rows(role("taps"))}
}

// laneTensors are the float tensors that all layers share.
type laneTensors struct {
	aPre, aPost, aRes, bPre, bPost, bRes []float32
}

func (l *loader) lanes() laneTensors {
	return laneTensors{
		l.floats("lanes.a_pre"), l.floats("lanes.a_post"), l.floats("lanes.a_res"),
		l.floats("lanes.b_pre"), l.floats("lanes.b_post"), l.floats("lanes.b_res"),
	}
}

// fill gives block b, layer old of the archive, its part of the lane tensors.
// A layer favours its own lane, layer mod lanes: the offsets use the number in
// the running stack.
func (t laneTensors) fill(b *layer, old, lanes int) {
	b.aPre, b.aPost, b.aRes = t.aPre[old], t.aPost[old], t.aRes[old]
	b.bPre = append([]float32(nil), t.bPre[old*lanes:(old+1)*lanes]...)
	b.bPost = append([]float32(nil), t.bPost[old*lanes:(old+1)*lanes]...)
	b.bRes = t.bRes[old*lanes*lanes : (old+1)*lanes*lanes]
	for i := range lanes {
		if i == b.layer%lanes {
			b.bPre[i] += 4
		} else {
			b.bPre[i] -= 4
			b.bPost[i] -= 4
		}
	}
}
