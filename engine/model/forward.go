package model

import (
	"unsafe"

	"github.com/libneedle/libneedle/quant"
	"github.com/libneedle/libneedle/simd"
)

// token is one position's values that outlive a stage of a block. Shapes: d the
// width, n the lanes, H and K the query and key-value heads. What products write
// lies in the session's rows; the token holds its own.
type token struct {
	index int // in the block
	id    int32
	pos   int

	lanes                   []float32 // [n][d], with room for one more
	preRaw, postRaw, resRaw []float32 // [n], [n], [n*n] of the lane maps' row
	post, res               []float32
	u, x                    []float32 // [d]
	gate                    []float32 // [H*v]
	q8                      heads8
	cos, sin                []float32 // [qk/2]
	ranges                  [3]slots  // room for seen
	seen                    []slots   // of the layer, by this token
	o                       []float32 // [H*v]
	r                       []float32 // [d], the output projection
	cells                   []float32 // [layers+1][d] or nil
	slots                   []int     // per engram table, -1 for none
	touched                 byte
}

func (s *Session) newToken(index int) token {
	m, g := s.m, s.m.g
	d, n := g.Width, g.Lanes
	f := func(n int) []float32 { return make([]float32, n) }
	maps := s.maps.at(index)
	t := token{
		index: index, lanes: make([]float32, n*d, (n+1)*d),
		preRaw: maps[:n], postRaw: maps[n : 2*n], resRaw: maps[2*n:], post: f(n), res: f(n * n),
		u: f(d), x: f(d), gate: s.gates.at(index), q8: newHeads8(g.Heads, keyDim(m)),
		cos: f(g.QKDim / 2), sin: f(g.QKDim / 2), o: f(g.Heads * g.VDim), r: s.outs.at(index),
	}
	if s.keepCells() {
		t.cells = f((len(m.blocks) + 1) * d)
	}
	if len(m.sites) > 0 {
		t.slots = make([]int, g.EngramTables)
	}
	return t
}

// scratch is a worker's values within a stage.
type scratch struct {
	unit, nextLanes    []float32 // [n*d]
	pre                []float32 // [n]
	mix                []float32 // [n][n+1], weights of the lanes and of the block's change
	norm               []float32 // [d]
	tapped             []float32 // q, k and v after the taps
	k8, v8             heads8
	cond               []float32 // [rank]
	condN, z1, z2, tmp []float32 // [hada_n]
	rowIn              []float32 // [tables*sub]
	recall             [1]float32
	group              [simd.Group]float32
	_                  [2 * cacheLine]byte
}

// cacheLine is what cores send each other, in bytes; some send two at a time.
const cacheLine = 64

// apart allocates n values that share no cache line with anything else: two
// workers that write to one line wait for each other.
func apart[T int8 | int32 | float32](n int) []T {
	var one T
	line := cacheLine / int(unsafe.Sizeof(one))
	return make([]T, roundUp(n, line)+line)[:n]
}

func newScratch(m *Model) scratch {
	g, f := m.g, apart[float32]
	_, _, raw := m.rawWidths()
	return scratch{
		unit: f(g.Lanes * g.Width), nextLanes: make([]float32, g.Lanes*g.Width, (g.Lanes+1)*g.Width), pre: f(g.Lanes),
		mix: f(g.Lanes * (g.Lanes + 1)), norm: f(g.Width),
		tapped: f(raw),
		k8:     newHeads8(g.KVHeads, g.QKDim), v8: newHeads8(g.KVHeads, g.VDim),
		cond: f(m.blocks[0].rank), condN: f(g.HadaSize), z1: f(g.HadaSize), z2: f(g.HadaSize), tmp: f(g.HadaSize),
		rowIn: f(g.EngramTables * g.EngramSubDim),
	}
}

// stages are the regions of the pass as function values, bound once so that a
// call allocates nothing.
type stages struct {
	begin, engramRow, engramTaps       func(worker, lo, hi int)
	lanes, mixIn, keysValues, attend   func(worker, lo, hi int)
	attendHeads, gate                  func(worker, lo, hi int)
	attendOut, blockOut, multiply, end func(worker, lo, hi int)
}

func (s *Session) bindStages() stages {
	each := func(f func(t *token, w *scratch)) func(worker, lo, hi int) {
		return func(worker, lo, hi int) {
			for i := lo; i < hi; i++ {
				f(&s.tokens[i], &s.scratch[worker])
			}
		}
	}
	return stages{
		begin: each(s.begin), engramRow: each(s.engramRow), engramTaps: each(s.engramTaps),
		lanes: each(s.quantizeLanes), mixIn: each(s.mixIn), keysValues: each(s.keysValues), attend: s.attend, attendHeads: s.attendHeads, gate: each(s.gate),
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
	s.overflow.Store(false)
	s.layer = -1
	s.eachToken(s.m.g.Width, s.stage.begin)
	s.rawTrail.plan(s.n)
	s.siteTrail.plan(s.n)
	for s.layer = range s.m.blocks {
		s.runBlock(&s.m.blocks[s.layer])
	}
	s.layer = -1
	s.finish(&s.tokens[s.n-1])
	s.commit(ids)
}

func (s *Session) runBlock(b *block) {
	if b.site >= 0 {
		s.engram(b.site)
	}
	s.eachToken(s.m.laneWork, s.stage.lanes)
	s.x, s.jobs = s.z, s.jobs[:0]
	for _, p := range b.maps {
		s.jobs = append(s.jobs, job{p.m, s.maps.from(p.at)})
	}
	s.products()
	s.eachToken(s.m.laneWork, s.stage.mixIn)
	qEnd, kEnd, _ := s.m.rawWidths()
	s.x = s.h
	s.jobs = append(s.jobs[:0], job{b.q, s.raw}, job{b.k, s.raw.from(qEnd)}, job{b.v, s.raw.from(kEnd)}, job{b.gate, s.gates})
	s.attention()
	s.x, s.jobs = s.o8, append(s.jobs[:0], job{b.out, s.outs})
	s.products()
	s.eachToken(s.m.mlpWork, s.stage.blockOut)
}

// job is one product of a region: the block's token i goes to row i of y.
type job struct {
	m quant.Product
	y rows
}

// products runs s.jobs, all of which read s.x, over their tiles taken together.
func (s *Session) products() { s.pool.run(s.jobTiles(), s.productWork(), s.stage.multiply) }

func (s *Session) jobTiles() (tiles int) {
	for i := range s.jobs {
		tiles += s.jobs[i].m.Tiles()
	}
	return tiles
}

// productWork is the multiply-adds of s.jobs.
func (s *Session) productWork() int { return s.n * s.jobTiles() * simd.TileRows * s.x.Stride }

func (s *Session) multiply(_, lo, hi int) {
	before := 0
	for i := range s.jobs {
		j := &s.jobs[i]
		tiles := j.m.Tiles()
		if from, to := max(lo-before, 0), min(hi-before, tiles); from < to {
			j.m.Mul(j.y.data, j.y.width, s.x, 0, s.n, from, to)
		}
		before += tiles
	}
}

// eachToken runs a stage over the block's tokens; work is that of one token.
func (s *Session) eachToken(work int, stage func(worker, lo, hi int)) {
	s.pool.run(s.n, s.n*work, stage)
}

// begin embeds the token and computes its rotary angles.
func (s *Session) begin(t *token, w *scratch) {
	g := &s.m.g
	s.findSlots(t)
	x0 := t.lanes[:g.Width]
	s.m.embed.Row(x0, int(t.id), &w.group)
	s.k.Scale(x0, sqrtOf(g.Width), x0)
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
	w := &s.scratch[0]
	s.meanLanes(t, w.norm)
	s.normalize(w.norm, s.m.finalNorm, w.norm)
	s.see("final.norm", t, w.norm)
	s.inputsAt("final.x8", t.pos, s.last, 0, w.norm)
}

// commit makes the block part of the sequence.
func (s *Session) commit(ids []int32) {
	if s.pools != nil {
		s.pool.run(len(s.m.probeRows), s.n*len(s.pools)*2*s.m.g.Width, s.stage.end)
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
	s.broken = s.broken || s.overflow.Load()
	s.rawTrail.commit()
	s.siteTrail.commit()
	s.pos += s.n
	s.fresh = false
}

// inverseRMS is 1/sqrt(mean(x^2) + 1e-6). Every vector of the pass comes by here
// before int8 rounding could make something finite of it: what is not finite, or
// too large to be squared, is remembered.
func (s *Session) inverseRMS(x []float32) float32 {
	inverse := 1 / simd.Sqrt(s.k.Dot(x, x)/float32(len(x))+1e-6)
	if !(inverse > 0) {
		s.overflow.Store(true)
	}
	return inverse
}

// normalize writes gain*x/rms(x) to dst; dst may be x.
func (s *Session) normalize(dst, gain, x []float32) {
	s.k.ScaleMul(dst, gain, x, s.inverseRMS(x))
}
