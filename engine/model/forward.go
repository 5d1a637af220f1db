package model

import (
	"github.com/libneedle/libneedle/quant"
	"github.com/libneedle/libneedle/simd"
)

// token is one position's working values during a block. Shapes: d the width,
// n the lanes, H and K the query and key-value heads.
type token struct {
	id  int32
	pos int

	lanes, nextLanes []float32         // [n][d]
	unit             []float32         // [n*d]
	z                *quant.Activation // n*d
	preRaw, postRaw  []float32         // [n]
	resRaw           []float32         // [n*n]
	pre, post, res   []float32

	u, x, norm []float32 // [d]
	h          *quant.Activation
	raw        rawRow
	gate       []float32 // [H*v]
	q, k, v    []float32
	q8         []int8
	qScale     []float32
	cos, sin   []float32 // [qk/2]
	o          []float32 // [H*v]
	o8         *quant.Activation
	r          []float32 // [d]

	cond               []float32 // [rank], then [hada_n] as condN
	condN, z1, z2, tmp []float32 // [hada_n]

	cells []float32 // [layers+1][d] or nil

	rowIn  []float32 // [tables*sub]
	row8   *quant.Activation
	keys   [][]float32 // per site [d]
	values [][]float32 // per site [d], after the taps
	recall [1]float32  // the engram gate

	oneY [1][]float32
	oneX [1]*quant.Activation
}

func newToken(m *Model, keepCells bool) token {
	g := m.g
	d, n := g.Width, g.Lanes
	f := func(n int) []float32 { return make([]float32, n) }
	t := token{
		lanes: f(n * d), nextLanes: f(n * d), unit: f(n * d), z: quant.NewActivation(n*d, m.exact),
		preRaw: f(n), postRaw: f(n), resRaw: f(n * n), pre: f(n), post: f(n), res: f(n * n),
		u: f(d), x: f(d), norm: f(d), h: quant.NewActivation(d, m.exact),
		gate: f(g.Heads * g.VDim), q: f(g.Heads * g.QKDim), k: f(g.KVHeads * g.QKDim), v: f(g.KVHeads * g.VDim),
		q8: make([]int8, g.Heads*g.QKDim), qScale: f(g.Heads),
		cos: f(g.QKDim / 2), sin: f(g.QKDim / 2),
		o: f(g.Heads * g.VDim), o8: quant.NewActivation(g.Heads*g.VDim, m.exact), r: f(d),
		cond: f(len(m.blocks[0].condV)), condN: f(g.HadaSize), z1: f(g.HadaSize), z2: f(g.HadaSize), tmp: f(g.HadaSize),
	}
	if keepCells {
		t.cells = f((len(m.blocks) + 1) * d)
	}
	if len(m.sites) > 0 {
		t.rowIn = f(g.EngramTables * g.EngramSubDim)
		t.row8 = quant.NewActivation(len(t.rowIn), m.exact)
		for range m.sites {
			t.keys, t.values = append(t.keys, f(d)), append(t.values, f(d))
		}
	}
	return t
}

// stages are the regions of the pass as function values, bound once so that a
// call allocates nothing.
type stages struct {
	begin, engramRow, engramTaps       func(worker, lo, hi int)
	blockIn, keysValues, attend        func(worker, lo, hi int)
	attendOut, blockOut, multiply, end func(worker, lo, hi int)
}

func (s *Session) bindStages() stages {
	each := func(f func(t *token)) func(worker, lo, hi int) {
		return func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				f(&s.tokens[i])
			}
		}
	}
	return stages{
		begin: each(s.begin), engramRow: each(s.engramRow), engramTaps: each(s.engramTaps),
		blockIn: each(s.blockIn), keysValues: each(s.keysValues), attend: s.attend,
		attendOut: each(s.attendOut), blockOut: each(s.blockOut),
		multiply: s.multiply, end: s.updatePools,
	}
}

// forward feeds one block of at most blockTokens ids. Nothing that an earlier
// state needs is overwritten before the last line, so a fault leaves the
// session where it was.
func (s *Session) forward(ids []int32) {
	s.n = len(ids)
	for i, id := range ids {
		s.tokens[i].id, s.tokens[i].pos = id, s.pos+i
	}
	s.kv.reserve(s.pos+s.n, s.sink)
	s.layer = -1
	s.eachToken(s.m.g.Width, s.stage.begin)
	s.engrams()
	for s.layer = range s.m.blocks {
		s.runBlock(&s.m.blocks[s.layer])
	}
	s.layer = -1
	s.finish(&s.tokens[s.n-1])
	s.commit(ids)
}

func (s *Session) runBlock(b *block) {
	s.bindRaw()
	s.eachToken(s.m.laneWork, s.stage.blockIn)
	for i := range s.n {
		t := &s.tokens[i]
		s.xs[i] = t.h
		s.ys[0][i], s.ys[1][i], s.ys[2][i], s.ys[3][i] = t.raw.q, t.raw.k, t.raw.v, t.gate
	}
	s.jobs = append(s.jobs[:0], job{b.q, s.ys[0][:s.n]}, job{b.k, s.ys[1][:s.n]},
		job{b.v, s.ys[2][:s.n]}, job{b.gate, s.ys[3][:s.n]})
	s.products()
	s.eachToken(8*s.m.g.Width, s.stage.keysValues)
	s.pool.run(s.n*s.m.g.Heads, s.attendWork(), s.stage.attend)
	s.eachToken(8*s.m.g.Width, s.stage.attendOut)
	for i := range s.n {
		s.xs[i], s.ys[0][i] = s.tokens[i].o8, s.tokens[i].r
	}
	s.jobs = append(s.jobs[:0], job{b.out, s.ys[0][:s.n]})
	s.products()
	s.eachToken(s.m.mlpWork, s.stage.blockOut)
}

// products runs s.jobs, all of which read s.xs, over their rows taken together.
func (s *Session) products() {
	rows := 0
	for _, j := range s.jobs {
		rows += j.m.Rows()
	}
	s.pool.run(rows, s.n*rows*len(s.xs[0].Q), s.stage.multiply)
}

// eachToken runs a stage over the block's tokens; work is that of one token.
func (s *Session) eachToken(work int, stage func(worker, lo, hi int)) {
	s.pool.run(s.n, s.n*work, stage)
}

func (s *Session) multiply(_, lo, hi int) {
	first := 0
	for _, j := range s.jobs {
		rows := j.m.Rows()
		if from, to := max(lo-first, 0), min(hi-first, rows); from < to {
			j.m.Mul(j.ys, s.xs[:s.n], from, to)
		}
		first += rows
	}
}

// begin embeds the token and computes its rotary angles.
func (s *Session) begin(t *token) {
	g := &s.m.g
	x0 := t.lanes[:g.Width]
	s.m.embed.Row(x0, int(t.id))
	simd.Scale(x0, sqrtOf(g.Width), x0)
	s.see("embed", t, x0)
	for lane := 1; lane < g.Lanes; lane++ {
		copy(t.lanes[lane*g.Width:(lane+1)*g.Width], x0)
	}
	s.keepCell(t, 0, x0)
	for i, f := range s.m.frequency {
		t.sin[i], t.cos[i] = simd.SinCos(float32(t.pos) * f)
	}
}

// finish prepares the last position for the output head.
func (s *Session) finish(t *token) {
	s.meanLanes(t, t.norm)
	normalize(t.norm, s.m.finalNorm, t.norm)
	s.see("final.norm", t, t.norm)
	s.last.Quantize(t.norm)
	s.see8("final.x8", t, s.last)
	s.last.Rotate()
}

// commit makes the block part of the sequence.
func (s *Session) commit(ids []int32) {
	if s.pools != nil {
		s.pool.run(len(s.pools), s.n*len(s.pools)*2*s.m.g.Width, s.stage.end)
	}
	if s.lastCell != nil {
		copy(s.lastCell, s.tokens[s.n-1].cells)
	}
	if k := len(s.history); k > 0 {
		if len(ids) < k {
			copy(s.history, s.history[len(ids):])
		}
		copy(s.history[max(k-len(ids), 0):], ids[max(len(ids)-k, 0):])
	}
	s.pos += s.n
	s.fresh = false
}

// inverseRMS is 1/sqrt(mean(x^2) + 1e-6).
func inverseRMS(x []float32) float32 {
	return 1 / simd.Sqrt(simd.Dot(x, x)/float32(len(x))+1e-6)
}

// normalize writes gain*x/rms(x) to dst; dst may be x.
func normalize(dst, gain, x []float32) {
	simd.ScaleMul(dst, gain, x, inverseRMS(x))
}
