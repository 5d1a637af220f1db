package model

import (
	"slices"
	"unsafe"

	"github.com/libneedle/libneedle/quant"
	"github.com/libneedle/libneedle/simd"
)

// token is one position's values that outlive a step. Shapes: d the width, n the
// lanes, H the query heads, qk and v the lengths of a head's key and value. What
// products write lies in the session's rows; the token holds its own.
type token struct {
	index int // in the block
	row   int // in buffers that last from one step to the next
	id    int32
	pos   int
	layer int // that it is in; -1 before and after them
	line  *line

	lanes          []float32 // [n][d], with room for one more
	pre, post, res []float32 // [n], [n], [n*n]: the lanes' gates, and how they mix
	u, x           []float32 // [d]: the layer's input, and what becomes of it
	gate           []float32 // [H*v]
	q8             heads8
	cos, sin       []float32 // [qk/2]
	ranges         [4]slots  // room for seen
	seen           []slots   // of the layer, by this token
	slots          []int     // per engram table, -1 for none
	touched        byte
}

func (s *Session) newToken(index int) token {
	m, g := s.m, s.m.g
	d, n := g.Width, g.Lanes
	f := func(n int) []float32 { return make([]float32, n) }
	t := token{
		index: index, lanes: make([]float32, n*d, (n+1)*d),
		pre: s.pres.at(index), post: s.posts.at(index), res: s.mixes.at(index),
		u: f(d), x: f(d), gate: s.gates.at(index), q8: newHeads8(g.Heads, keyDim(m)),
		cos: f(g.QKDim / 2), sin: f(g.QKDim / 2),
	}
	if len(m.sites) > 0 {
		t.slots = make([]int, g.EngramTables)
	}
	return t
}

// scratch is a worker's values within a step.
type scratch struct {
	nextLanes []float32 // [n*d]
	mix       []float32 // [n][n+1], weights of the lanes and of the layer's change
	norm      []float32 // [d]
	tapped    []float32 // q, k and v after the taps
	k8, v8    heads8
	z, tmp    []float32 // [hada_n]
	rowIn     []float32 // [tables*sub]
	recalled  []float32 // [d], a site's value
	recall    [1]float32
	group     [simd.Group]float32
	_         [2 * cacheLine]byte
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
		nextLanes: make([]float32, g.Lanes*g.Width, (g.Lanes+1)*g.Width),
		mix:       f(g.Lanes * (g.Lanes + 1)), norm: f(g.Width),
		tapped: f(raw),
		k8:     newHeads8(g.KVHeads, g.QKDim), v8: newHeads8(g.KVHeads, g.VDim),
		z: f(g.HadaSize), tmp: f(g.HadaSize),
		rowIn: f(g.EngramTables * g.EngramSubDim), recalled: f(g.Width),
	}
}

// step is a piece of the pass that treats each token by itself. It is either a
// function of some tokens or products of their activations: run or jobs are set.
type step struct {
	run  func(worker, lo, hi int) // for tokens lo to hi
	work int                      // of a token, in about the multiply-adds that take as long

	x    *quant.Activations // what the products read
	jobs []job
	// Whether x, and the jobs' y, have a row for each token that goes through the
	// steps together (token.row), not one for each token of the block.
	fromRow, toRow bool
}

// job is one product, or some tiles of one: what is made of row i of the activations goes to row i of y.
type job struct {
	m      quant.Product
	y      rows
	lo, hi int // tiles
}

func whole(m quant.Product, y rows) job { return job{m, y, 0, m.Tiles()} }

// layerSteps are what a layer has to do with each token.
type layerSteps struct {
	enter   []step // from the lanes to the attention's input
	project []step // the products of q, k, v and gate
	leave   []step // from the heads' outputs back to the lanes
	// whole is all between this layer's keys and values and the next one's: its
	// attention, leave, and the next layer's enter and project.
	whole  []step
	single singleSteps
}

// bindSteps lists every step of the pass once, so that a call allocates nothing.
func (s *Session) bindSteps() {
	m := s.m
	s.begins = []step{{run: s.each(s.begin), work: 4 * m.g.Width}}
	attend := step{run: s.attendTokens, work: m.g.Heads * (m.g.QKDim + m.g.VDim)} // for each position seen, to be exact
	for i := range m.layers {
		s.layers = append(s.layers, s.stepsOf(&m.layers[i]))
	}
	for i := range s.layers {
		l := &s.layers[i]
		l.whole = append([]step{attend}, l.leave...)
		if i+1 == len(s.layers) {
			continue
		}
		// A token's lanes are rounded while they are in the nearest cache.
		next, last := &s.layers[i+1], &l.whole[len(l.whole)-1]
		*last = step{run: s.each(s.layerOut, s.quantizeLanes), work: last.work + next.enter[0].work}
		l.whole = append(append(l.whole, next.enter[1:]...), next.project...)
	}
	s.entersWhole = append(append([]step{}, s.layers[0].enter...), s.layers[0].project...)
	s.logitsOf = []step{{x: s.last, jobs: []job{whole(m.head, rows{len(s.logits), s.logits})}}}
	for i := range m.sites {
		site := &m.sites[i]
		s.recalls = append(s.recalls, []step{
			{run: s.each(s.engramRow), work: 16 * m.g.Width},
			{x: s.row8, jobs: []job{whole(site.key, s.siteKeys), whole(site.value, s.siteRaw)}},
		})
	}
	s.bindRecalls()
	s.region = regions{chunks: s.chunks, multiply: s.multiply, keysValues: s.each(s.keysValues),
		sides: s.takeSides, attend: s.attend, attendHeads: s.attendHeads, pools: s.updatePools}
}

func (s *Session) stepsOf(b *layer) layerSteps {
	m := s.m
	var maps []job
	for _, p := range b.maps {
		maps = append(maps, whole(p.m, s.maps.from(p.at)))
	}
	qEnd, kEnd, _ := m.rawWidths()
	quantizeLanes := step{run: s.each(s.quantizeLanes), work: m.laneWork}
	mapLanes := step{x: s.z, fromRow: true, toRow: true, jobs: maps}
	mixIn := step{run: s.each(s.mixIn), work: m.laneWork}
	toMLP := []step{
		{run: s.each(s.attendOut), work: 6 * m.g.Width},
		{x: s.o8, fromRow: true, toRow: true, jobs: []job{whole(b.out, s.outs)}},
		{run: s.each(s.attended), work: 4 * m.g.Width},
	}
	conditions := step{run: s.conditions, work: b.rank * (m.g.Width + m.g.HadaSize)}
	mlpIn := step{run: s.each(s.mlpIn), work: m.mlpWork}
	mlpThrough := step{run: s.each(s.mlpThrough), work: m.mlpWork}
	tiles := tilesOf(m.g.Lanes)
	return layerSteps{
		enter: []step{quantizeLanes, mapLanes, {run: s.laneGates, work: m.gateWork}, mixIn},
		project: []step{
			{x: s.h, fromRow: true, jobs: []job{whole(b.q, s.raw), whole(b.k, s.raw.from(qEnd)), whole(b.v, s.raw.from(kEnd)), whole(b.gate, s.gates)}},
		},
		leave: append(slices.Clone(toMLP), conditions, mlpIn, mlpThrough, step{run: s.each(s.layerOut), work: m.mlpWork}),
		single: singleSteps{
			enter: pair{main: []step{quantizeLanes, mapLanes.cut(0, tiles), {run: s.gatesIn}, mixIn}},
			toMLP: toMLP,
			mlpIn: pair{[]step{mlpIn}, []step{conditions}},
			mlp: pair{[]step{mlpThrough, {run: s.each(s.mlpOut)}},
				[]step{mapLanes.cut(tiles, jobTiles(maps)), {run: s.gatesOut}, {run: s.each(s.keepLanes)}}},
			addChange: []step{{run: s.each(s.addChange)}},
		},
	}
}

// each makes a step's function of some for a token.
func (s *Session) each(some ...func(t *token, w *scratch)) func(worker, lo, hi int) {
	return func(worker, lo, hi int) {
		for i := lo; i < hi; i++ {
			for _, f := range some {
				f(&s.tokens[i], &s.scratch[worker])
			}
		}
	}
}

// regions are what pools run, as function values bound once.
type regions struct {
	chunks, multiply, keysValues, sides, attend, attendHeads, pools func(worker, lo, hi int)
}

// forward feeds one block of at most blockTokens ids. Nothing that an earlier
// state needs is overwritten before the last line, so a fault leaves the
// session where it was.
func (s *Session) forward(ids []int32) {
	s.clearBlock()
	s.beginLine(&s.line, ids)
	s.pass()
	s.finish(&s.tokens[s.n-1])
	s.commit(ids)
}

// clearBlock makes the block empty.
func (s *Session) clearBlock() { s.n, s.lines = 0, s.lines[:0] }

// pass takes the block's tokens through all layers.
func (s *Session) pass() {
	s.chunk = chunkOf(s.n, s.pool.size)
	s.overflow.Store(false)
	s.runSteps(s.begins)
	s.recallFor(0)
	switch {
	case s.chunk > 0:
		s.walkWhole()
	case s.n == 1 && s.hook == nil: // the hook is shown one thing at a time
		s.walkSingle()
	default:
		s.walk()
	}
}

// walk goes through the layers step by step. A site is asked before the steps that
// lead to its layer: in walkWhole these are one region with what comes before.
func (s *Session) walk() {
	for s.layer = range s.layers {
		l := &s.layers[s.layer]
		s.runSteps(l.enter)
		s.attention(l.project)
		s.recallFor(s.layer + 1)
		s.runSteps(l.leave)
	}
}

// walkWhole goes through the layers in two regions each, three where a site is asked.
// Hardly anything but keys and values goes from core to core.
func (s *Session) walkWhole() {
	s.runSteps(s.entersWhole)
	for s.layer = range s.layers {
		s.keepKeys()
		s.recallFor(s.layer + 1)
		s.runSteps(s.layers[s.layer].whole)
	}
}

// keepKeys makes keys and values of the raw rows.
func (s *Session) keepKeys() {
	s.pool.run(s.n, s.n*8*s.m.g.Width, s.region.keysValues)
	s.keepRaw()
}

// keepRaw keeps the raw rows that later tokens look back at.
func (s *Session) keepRaw() {
	for _, l := range s.lines {
		l.keptRaw[s.layer].keep(&l.rawTrail, &s.raw, l.first, l.n)
	}
}

// mostInChunk is twice as many tokens as products take at a time.
const mostInChunk = 16

// chunkOf is how many tokens of a block of n go through steps together: as many for
// each of several goroutines, or 0 if those would have fewer than products take at a
// time. All chunks at a time have no more tokens than a block, so that each worker has
// rows of its own in buffers of blockTokens.
func chunkOf(n, goroutines int) int {
	switch {
	case goroutines == 1:
		return mostInChunk / 2
	case n < goroutines*mostInChunk/2:
		return 0
	default:
		most := min(mostInChunk, blockTokens/goroutines)
		rounds := (n + goroutines*most - 1) / (goroutines * most)
		return (n + goroutines*rounds - 1) / (goroutines * rounds)
	}
}

// runSteps takes the block through steps: chunk by chunk through all of them, which
// is one region, and what lasts from step to step stays in a core's cache. Where
// there are too few tokens for that, the goroutines share each step instead, and the
// rows of products.
func (s *Session) runSteps(steps []step) {
	s.steps = steps
	if s.chunk > 0 {
		work := 0
		for i := range steps {
			work += s.stepWork(&steps[i])
		}
		s.pool.run((s.n+s.chunk-1)/s.chunk, work, s.region.chunks)
		return
	}
	for i := range s.n {
		s.tokens[i].row = i
	}
	for i := range steps {
		if p := &steps[i]; p.run != nil {
			s.pool.run(s.n, s.stepWork(p), p.run)
		} else {
			s.products(steps[i:])
		}
	}
}

// stepWork is about the multiply-adds of a step for the block.
func (s *Session) stepWork(p *step) int {
	if p.run != nil {
		return s.n * p.work
	}
	return s.n * jobTiles(p.jobs) * simd.TileRows * p.x.Stride
}

func jobTiles(jobs []job) (tiles int) {
	for i := range jobs {
		tiles += jobs[i].hi - jobs[i].lo
	}
	return tiles
}

// chunks takes chunks of tokens through s.steps.
func (s *Session) chunks(worker, lo, hi int) {
	for ; lo < hi; lo++ {
		from, to := lo*s.chunk, min((lo+1)*s.chunk, s.n)
		row := worker * s.chunk
		for i := from; i < to; i++ {
			s.tokens[i].row = row + i - from
		}
		s.takeThrough(worker, s.steps, from, to, row)
	}
}

// takeThrough takes the tokens from to to through steps on one goroutine. Their rows in
// buffers that last from one step to the next begin at row.
func (s *Session) takeThrough(worker int, steps []step, from, to, row int) {
	for i := range steps {
		p := &steps[i]
		if p.run != nil {
			p.run(worker, from, to)
		}
		x, y := from, from
		if p.fromRow {
			x = row
		}
		if p.toRow {
			y = row
		}
		for k := range p.jobs {
			j := &p.jobs[k]
			j.m.Mul(j.y.data[y*j.y.width:], j.y.width, p.x, x, to-from, j.lo, j.hi)
		}
	}
}

// products runs the products of steps[0] over their tiles taken together.
func (s *Session) products(steps []step) {
	s.steps = steps[:1]
	p := &steps[0]
	s.pool.run(jobTiles(p.jobs), s.stepWork(p), s.region.multiply)
}

func (s *Session) multiply(_, lo, hi int) {
	p := &s.steps[0]
	before := 0
	for i := range p.jobs {
		j := &p.jobs[i]
		tiles := j.hi - j.lo
		if from, to := max(lo-before, 0), min(hi-before, tiles); from < to {
			j.m.Mul(j.y.data, j.y.width, p.x, 0, s.n, j.lo+from, j.lo+to)
		}
		before += tiles
	}
}

// begin embeds the token and computes its rotary angles.
func (s *Session) begin(t *token, w *scratch) {
	g := &s.m.g
	t.layer = -1
	s.findSlots(t)
	x0 := t.lanes[:g.Width]
	s.m.embed.Row(x0, int(t.id), &w.group)
	s.k.Scale(x0, sqrtOf(g.Width), x0)
	s.see("embed", t, x0)
	for lane := 1; lane < g.Lanes; lane++ {
		copy(t.lanes[lane*g.Width:(lane+1)*g.Width], x0)
	}
	if s.cells != nil {
		copy(s.cells[0].at(t.index), x0)
	}
	for i, f := range s.m.frequency {
		t.sin[i], t.cos[i] = simd.SinCos(float32(t.pos) * f)
	}
	t.layer = 0
}

// finish prepares the last position for the output head.
func (s *Session) finish(t *token) {
	w := &s.scratch[0]
	t.layer = -1
	s.meanLanes(t, w.norm)
	s.normalize(w.norm, s.m.finalNorm, w.norm)
	s.see("final.norm", t, w.norm)
	s.inputs("final.x8", t.layer, t, s.last, 0, w.norm, 1)
}

// commit makes the block part of the sequence.
func (s *Session) commit(ids []int32) {
	if s.pools != nil {
		s.pool.run(len(s.m.probeRows), s.n*len(s.pools)*2*s.m.g.Width, s.region.pools)
	}
	for i := range s.cells {
		copy(s.lastCell[i*s.m.g.Width:], s.cells[i].at(s.n-1))
	}
	s.broken = s.broken || s.overflow.Load()
	s.line.end(ids)
	s.fresh = false
}

// inverseRMS is 1/sqrt(mean(x^2) + 1e-6). Every vector of the pass comes by here, or
// by normalize, before int8 rounding could make something finite of it: what is not
// finite, or too large to be squared, is remembered.
func (s *Session) inverseRMS(x []float32) float32 {
	inverse := 1 / simd.Sqrt(s.k.Dot(x, x)/float32(len(x))+1e-6)
	s.checkFinite(inverse)
	return inverse
}

// normalize writes gain*x/rms(x) to dst, for each row of len(gain) values of x; dst
// may be x.
func (s *Session) normalize(dst, gain, x []float32) {
	s.checkFinite(s.k.Normalize(dst, gain, x))
}

func (s *Session) checkFinite(inverseRMS float32) {
	if !(inverseRMS > 0) {
		s.overflow.Store(true)
	}
}
