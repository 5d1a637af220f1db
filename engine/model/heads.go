package model

import (
	"fmt"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/simd"
)

// head is a probe head: k probes over each of layers+1 cell rows, q queries
// that mix the probes' pools, and a projection of the mixture.
type head struct {
	code    cact.HeadCode
	probes  []float32 // [rows][k][d]
	gain    []float32 // [rows*k]
	k       int
	query   [][]float32 // [q][d]
	rowBias [][]float32 // [q][rows*k]
	proj    [][]float32 // [out][q*d]
	bias    []float32
}

// head loads the probes of the embedding row and of the kept blocks' rows.
func (l *loader) head(code cact.HeadCode, g cact.Geometry, kept []int) *head {
	role := func(name string) string { return fmt.Sprintf("heads.%s.%s", code, name) }
	gain := l.a.Lookup(role("gain"))
	k := gain.Shape[1]
	h := &head{code: code, k: k, query: l.matrix(role("query"), g.Width), bias: l.floats(role("bias"))}
	probes, gains := l.matrix(role("probes"), g.Width), gain.Float32s()
	bias := splitRows(l.floats(role("row_bias")), (g.Layers+1)*k)
	h.rowBias = make([][]float32, len(bias))
	for _, row := range append([]int{0}, increment(kept)...) {
		for _, probe := range probes[row*k : (row+1)*k] {
			h.probes = append(h.probes, probe...)
		}
		h.gain = append(h.gain, gains[row*k:(row+1)*k]...)
		for q := range bias {
			h.rowBias[q] = append(h.rowBias[q], bias[q][row*k:(row+1)*k]...)
		}
	}
	h.proj = l.matrix(role("proj"), len(h.query)*g.Width)
	return h
}

func increment(x []int) []int {
	out := make([]int, len(x))
	for i, v := range x {
		out[i] = v + 1
	}
	return out
}

// matrix reads a record of either head layout, CQ or FP16, as rows of width
// float32 values.
func (l *loader) matrix(role string, width int) [][]float32 {
	if l.a.Lookup(role).DType != cact.CQRecord {
		return splitRows(l.floats(role), width)
	}
	table := l.table(role)
	var scratch [simd.Group]float32
	rows := make([][]float32, l.a.Lookup(role).CQ().Rows)
	for i := range rows {
		rows[i] = make([]float32, width)
		table.Row(rows[i], i, &scratch)
	}
	return rows
}

// poolState is one probe's running softmax average over the cells it reads.
type poolState struct {
	top    float32
	weight float32   // 0: nothing seen
	mean   []float32 // weighted sum
}

func (m *Model) newPoolStates() []poolState {
	var states []poolState
	for _, h := range m.heads {
		for range h.gain {
			states = append(states, poolState{mean: make([]float32, m.g.Width)})
		}
	}
	return states
}

// probeRow is the probes of one head that read the same cell.
type probeRow struct {
	cell   int
	first  int       // of the pools
	probes []float32 // [k][d]
	k      int
}

func (m *Model) newProbeRows() []probeRow {
	var rows []probeRow
	first := 0
	for _, h := range m.heads {
		for cell := range len(m.layers) + 1 {
			size := h.k * m.g.Width
			rows = append(rows, probeRow{cell, first, h.probes[cell*size : (cell+1)*size], h.k})
			first += h.k
		}
	}
	return rows
}

// updatePools lets the rows lo to hi of probes see the block's cells. Padding
// is not seen.
func (s *Session) updatePools(_, lo, hi int) {
	root := sqrtOf(s.m.g.Width)
	for _, r := range s.m.probeRows[lo:hi] {
		scores := s.probeScores[r.first : r.first+r.k]
		for j := range s.n {
			t := &s.tokens[j]
			if t.id == 0 {
				continue
			}
			cell := s.cells[r.cell].at(j)
			s.k.DotRows(scores, r.probes, cell)
			for i, score := range scores {
				s.pools[r.first+i].see(s.k, score/root, cell)
			}
		}
	}
}

// see takes one more cell into the average; the running maximum keeps the
// exponentials in range.
func (p *poolState) see(k *simd.Kernels, score float32, cell []float32) {
	switch {
	case p.weight == 0:
		p.top, p.weight = score, 1
		copy(p.mean, cell)
	case score > p.top:
		fade := simd.Exp(p.top - score)
		p.top = score
		p.weight = float32(p.weight*fade) + 1
		k.Scale(p.mean, fade, p.mean)
		k.Add(p.mean, cell)
	default:
		w := simd.Exp(score - p.top)
		p.weight += w
		k.Axpy(p.mean, w, cell)
	}
}

// Head returns a probe head's pool [q*d] and its raw output over everything
// fed so far. The confidence is the sigmoid of the one output; the embedding
// is the output divided by its L2 norm.
func (s *Session) Head(code cact.HeadCode) (pool, output []float32, err error) {
	first := 0
	for _, h := range s.m.heads {
		if h.code != code {
			first += len(h.gain)
			continue
		}
		if s.pools == nil {
			return nil, nil, fmt.Errorf("model: the session keeps no pools for the %s head", code)
		}
		states := s.pools[first : first+len(h.gain)]
		if states[0].weight == 0 {
			return nil, nil, fmt.Errorf("model: the %s head has seen no token", code)
		}
		s.overflow.Store(false) // of what was forgotten since, or of another head
		if pool, output = s.readHead(h, states); s.broken || s.overflow.Load() {
			return nil, nil, ErrNotFinite
		}
		return pool, output, nil
	}
	return nil, nil, fmt.Errorf("model: the archive has no %s head", code)
}

func (s *Session) readHead(h *head, states []poolState) (pool, output []float32) {
	d := s.m.g.Width
	pooled := make([]float32, len(states)*d)
	rows := splitRows(pooled, d)
	for i := range states {
		s.k.Scale(rows[i], 1/states[i].weight, states[i].mean)
		s.k.Scale(rows[i], s.inverseRMS(rows[i])*h.gain[i], rows[i])
	}
	s.seeHead(h, "pooled", pooled)
	mixes := make([]float32, len(h.query)*len(rows))
	for q, mix := range splitRows(mixes, len(rows)) {
		for i, row := range rows {
			mix[i] = s.k.Dot(row, h.query[q])/sqrtOf(d) + h.rowBias[q][i]
		}
		s.k.Softmax(mix)
	}
	s.seeHead(h, "mix", mixes)
	pool = make([]float32, len(h.query)*d)
	for q, mix := range splitRows(mixes, len(rows)) {
		for i, row := range rows {
			s.k.Axpy(pool[q*d:(q+1)*d], mix[i], row)
		}
	}
	s.seeHead(h, "pool", pool)
	output = make([]float32, len(h.proj))
	for i, row := range h.proj {
		output[i] = s.k.Dot(row, pool) + h.bias[i]
	}
	s.seeHead(h, "output", output)
	return pool, output
}

func (s *Session) seeHead(h *head, name string, x []float32) {
	if s.hook != nil {
		s.hook.floats("head."+h.code.String()+"."+name, -1, s.pos-1, x)
	}
}
