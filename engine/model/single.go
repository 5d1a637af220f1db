package model

import "github.com/libneedle/libneedle/simd"

// A single token's steps are short: most take less than two microseconds, of which a core that is told of work
// needs a fifth to notice. Two goroutines share those that are worth it, and otherwise do two different things at once
// where neither needs the other's result.

// singleSteps are what a layer has to do with a single token.
type singleSteps struct {
	enter     pair   // from the lanes to the attention's input; beside it, a part of what a later site recalls
	site      int    // the later one
	toMLP     []step // from the heads' outputs to the MLP's input; shared
	mlpIn     pair   // beside it, the conditions, which mlp needs
	mlp       pair   // beside it, all that the lanes need of their maps, and what they keep of themselves
	addChange []step // adds the layer's change to what the lanes keep
}

// pair is two lists of steps of which neither needs the other.
type pair struct{ main, beside []step }

func tilesOf(rows int) int { return roundUp(rows, simd.TileRows) / simd.TileRows }

// cut is a step's products for the tiles lo to hi, taken together.
func (p step) cut(lo, hi int) step {
	jobs := p.jobs
	p.jobs = nil
	for _, j := range jobs {
		n := j.hi - j.lo
		if from, to := max(lo, 0), min(hi, n); from < to {
			part := j
			part.lo, part.hi = j.lo+from, j.lo+to
			p.jobs = append(p.jobs, part)
		}
		lo, hi = lo-n, hi-n
	}
	return p
}

// bindRecalls divides what a site recalls, which depends on the tokens alone, among the layers between the site before
// and the site's own: it is done while these are entered.
func (s *Session) bindRecalls() {
	free := 0
	for site, at := range s.m.g.EngramSites {
		row, products := s.recalls[site][0], s.recalls[site][1]
		pieces, tiles := at-free, jobTiles(products.jobs)
		for i := range pieces {
			one := &s.layers[free+i].single
			one.site, one.enter.beside = site, []step{products.cut(tiles*i/pieces, tiles*(i+1)/pieces)}
			if i == 0 {
				one.enter.beside = append([]step{row}, one.enter.beside...)
			}
		}
		free = at + 1
	}
}

// walkSingle is walk for a block of one token.
func (s *Session) walkSingle() {
	s.tokens[0].row = 0
	for s.layer = range s.layers {
		l := &s.layers[s.layer]
		one := &l.single
		recalling := len(one.enter.beside) > 0
		if recalling {
			s.site = one.site
		}
		s.sideBySide(one.enter)
		s.attention(l.project)
		s.runSteps(one.toMLP)
		s.sideBySide(one.mlpIn)
		s.sideBySide(one.mlp)
		s.takeThrough(0, one.addChange, 0, 1, 0)
		if !recalling {
			s.recallFor(s.layer + 1)
		} else if s.nextSite(s.layer + 1) {
			s.remembered()
		}
	}
}

// sideBySide takes the single token through both lists at once, however short they are.
func (s *Session) sideBySide(p pair) {
	if len(p.beside) == 0 {
		s.takeThrough(0, p.main, 0, 1, 0)
		return
	}
	s.sides = [2][]step{p.main, p.beside}
	s.pool.run(2, s.pool.least, s.region.sides)
}

func (s *Session) takeSides(worker, lo, hi int) {
	for ; lo < hi; lo++ {
		s.takeThrough(worker, s.sides[lo], 0, 1, 0)
	}
}

// keepLanes begins the lanes behind the layer with what they take from one another.
func (s *Session) keepLanes(t *token, _ *scratch) {
	n := s.m.g.Lanes
	s.k.Combine(s.scratch[0].nextLanes, t.lanes, t.res, n, n, n, 1)
}

// addChange adds the layer's change to what the lanes keep, and leaves the layer. The order of the sums is layerOut's,
// whose bits these have to be.
func (s *Session) addChange(t *token, _ *scratch) {
	d, w := s.m.g.Width, &s.scratch[0]
	s.k.Sub(t.x, t.x, t.u)
	for i, post := range t.post {
		s.k.Axpy(w.nextLanes[i*d:(i+1)*d], post, t.x)
	}
	s.leaveLayer(t, w)
}
