package model

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"github.com/libneedle/libneedle/quant"
	"github.com/libneedle/libneedle/simd"
)

// blockTokens is how many tokens one walk through the layers carries at most.
// It bounds scratch memory and the time until a cancelled context is noticed.
const blockTokens = 32

// SessionOptions describe one sequence.
type SessionOptions struct {
	// Window, when not 0, lets every layer see only the sink and the last
	// Window positions, the query's own included.
	Window int
	// Threads is the number of goroutines a call may use; 0 and 1 mean the
	// caller's alone.
	Threads int
	// NoHeads leaves the probe pools out; Head then fails.
	NoHeads bool
	// KeepCells makes Cells return the hidden cells of the last position.
	KeepCells bool
}

// ErrFault reports that memory of the mapped archive could not be read: the
// file was truncated underneath.
var ErrFault = errors.New("model: the archive's memory could not be read; was the file truncated?")

// ErrNotFinite reports that logits, or a value on the way to them, are infinite or
// no number: the archive's weights overflow float32. From then on every position
// of the sequence does.
var ErrNotFinite = errors.New("model: logits are not finite")

// Session is the state of one sequence: KV cache, convolution rows, engram
// rows, pools and position. One goroutine may use it at a time.
type Session struct {
	m    *Model
	k    *simd.Kernels
	opt  SessionOptions
	pool *pool
	hook hook

	line  // of what was fed
	sink  int
	kv    kvCache
	pools []poolState
	forks []*line // the first live of them are the session's forks
	live  int

	forkedQ []int8 // room for last.Q while forks grow

	probeScores []float32 // per pool

	last     *quant.Activations // the last position's input to the head
	lastCell []float32          // [layers+1][d]
	cells    []rows             // of the embedding and each layer, a row per token; nil if nobody asks
	logits   []float32
	fresh    bool        // logits belong to the last position
	broken   bool        // something that was fed led to a value that is not finite
	overflow atomic.Bool // the block did, or the head that is read

	// One block's working values; the steps read these fields.
	tokens  []token
	scratch []scratch // per worker
	n       int       // tokens in the block
	lines   []*line   // whose they are
	chunk   int       // of so many; 0 where goroutines share each step
	layer   int       // whose attention runs
	site    int       // at hand
	steps   []step    // of the region
	sides   [2][]step // of a region that does two things at once

	// Rows for all of the block's tokens, by token.index.
	raw, gates         rows               // the products q, k and v before the taps, and gate
	pres, posts, mixes rows               // the lanes' gates, and how they mix
	row8               *quant.Activations // input of the engram maps
	siteKeys, siteRaw  rows               // of the site at hand; siteRaw before the taps

	// Rows for the tokens that go through the steps together, by token.row.
	z, h, o8      *quant.Activations // inputs of the lane maps; of q, k, v and gate; of out
	maps, outs    rows               // what products write
	headOuts      rows               // the attention's outputs
	norms         rows               // the MLP's input
	shares, conds rows               // the softmax over its conditions; their sum
	hidden        rows               // the MLP's own values

	// What there is to do: before the layers, to enter the first, in each, at each
	// site, for the logits.
	begins, entersWhole []step
	layers              []layerSteps
	recalls             [][]step
	logitsOf            []step
	region              regions
}

// NewSession returns an empty sequence. Close stops its goroutines.
func (m *Model) NewSession(o SessionOptions) *Session {
	g := m.g
	s := &Session{
		m: m, k: m.kernels, opt: o, pool: newPool(o.Threads),
		logits: make([]float32, g.LogitCount()),
		tokens: make([]token, blockTokens),
		maps:   newRows(blockTokens, m.mapRows()),
		gates:  newRows(blockTokens, g.Heads*g.VDim),
		pres:   newRows(blockTokens, g.Lanes), posts: newRows(blockTokens, g.Lanes), mixes: newRows(blockTokens, g.Lanes*g.Lanes),
		outs: newRows(blockTokens, g.Width), norms: newRows(blockTokens, g.Width), headOuts: newRows(blockTokens, g.Heads*g.VDim),
		shares: newRows(blockTokens, m.layers[0].rank), conds: newRows(blockTokens, g.HadaSize), hidden: newRows(blockTokens, g.HadaSize),
	}
	_, _, raw := m.rawWidths()
	s.raw, s.line = newRows(blockTokens, raw), newLine(m)
	inputs := func(tokens, n int, forms quant.Form) *quant.Activations {
		return quant.NewActivations(m.kernels, tokens, n, forms)
	}
	s.z = inputs(blockTokens, g.Lanes*g.Width, m.forms.z)
	s.h = inputs(blockTokens, g.Width, m.forms.h)
	s.o8 = inputs(blockTokens, g.Heads*g.VDim, m.forms.o8)
	s.last = inputs(1, g.Width, m.head.Form())
	if len(m.sites) > 0 {
		s.row8 = inputs(blockTokens, g.EngramTables*g.EngramSubDim, m.forms.row8)
		s.siteKeys, s.siteRaw = newRows(blockTokens, g.Width), newRows(blockTokens, g.Width)
	}
	for range s.pool.size {
		s.scratch = append(s.scratch, newScratch(m))
	}
	s.kv = newKVCache(m, o, s.pool.size)
	for i := range s.tokens {
		s.tokens[i] = s.newToken(i)
	}
	if s.keepCells() {
		s.lastCell = make([]float32, (len(m.layers)+1)*g.Width)
		for range len(m.layers) + 1 {
			s.cells = append(s.cells, newRows(blockTokens, g.Width))
		}
	}
	if !o.NoHeads {
		s.pools = m.newPoolStates()
		s.probeScores = make([]float32, len(s.pools))
	}
	s.bindSteps()
	return s
}

func (s *Session) keepCells() bool {
	return s.opt.KeepCells || (!s.opt.NoHeads && len(s.m.heads) > 0)
}

func maxOrder(orders []int) int {
	top := 0
	for _, o := range orders {
		top = max(top, o)
	}
	return top
}

// Close stops the session's goroutines; the session must not be used after it.
func (s *Session) Close() { s.pool.close() }

// Len is the number of positions fed.
func (s *Session) Len() int { return s.pos }

// SetSink pins the first n positions: they stay visible however far the window
// moves. It fails once positions beyond the old and the new sink were fed.
func (s *Session) SetSink(n int) error {
	if n < 0 || s.pos > min(n, s.sink) && n != s.sink {
		return fmt.Errorf("model: sink of %d positions: %d positions were already fed with a sink of %d", n, s.pos, s.sink)
	}
	s.sink = n
	return nil
}

// Append feeds tokens. Ids are 0 to the vocabulary's size less one, and the
// sequence holds at most the geometry's MaxSeqLen positions. ctx is looked at
// before each block of up to 32 tokens. After an error the session is as it
// was before the call.
func (s *Session) Append(ctx context.Context, ids []int32) (err error) {
	if err := s.check(ids); err != nil {
		return err
	}
	var before *Snapshot
	if len(ids) > blockTokens {
		before = s.Snapshot()
	}
	defer func() {
		if err != nil && before != nil {
			s.Restore(before)
		}
	}()
	s.live = 0
	s.kv.reserve(s.pos+len(ids), s.sink, 0)
	for len(ids) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(len(ids), blockTokens)
		if err := s.guard(func() { s.forward(ids[:n]) }); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

func (s *Session) checkIDs(ids []int32) error {
	for i, id := range ids {
		if id < 0 || int(id) >= s.m.g.VocabSize {
			return fmt.Errorf("model: token %d of the call is id %d, the vocabulary has ids 0 to %d", i, id, s.m.g.VocabSize-1)
		}
	}
	return nil
}

func (s *Session) check(ids []int32) error {
	if err := s.checkIDs(ids); err != nil {
		return err
	}
	if s.pos+len(ids) > s.m.g.MaxSeqLen {
		return fmt.Errorf("model: %d tokens after %d exceed the context of %d", len(ids), s.pos, s.m.g.MaxSeqLen)
	}
	return nil
}

// guard turns a memory fault into an error. Other panics are bugs and pass.
func (s *Session) guard(f func()) (err error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case fault:
			err = faultError(cause.cause)
		default:
			err = faultError(cause)
		}
	}()
	f()
	return nil
}

// faultError is ErrFault for a memory fault; anything else panics on.
func faultError(cause any) error {
	if IsFault(cause) {
		return ErrFault
	}
	panic(cause)
}

// IsFault says whether what a panic carried is the runtime's error for a memory
// fault, which debug.SetPanicOnFault makes a panic: it knows an address.
func IsFault(cause any) bool {
	e, ok := cause.(runtime.Error)
	if !ok {
		return false
	}
	_, ok = e.(interface{ Addr() uintptr })
	return ok
}

// Logits returns the last position's logits, one per row of the output head.
// They are computed on the first call after Append and stay valid until the
// next one.
func (s *Session) Logits() ([]float32, error) {
	if s.pos == 0 {
		return nil, errors.New("model: no token was fed yet")
	}
	if !s.fresh {
		if err := s.guard(s.project); err != nil {
			return nil, err
		}
		s.fresh = true
	}
	if s.broken || !s.finite(s.logits) {
		return nil, ErrNotFinite
	}
	return s.logits, nil
}

// finite looks at the sum of squares first, which is finite unless something is not,
// or is very large.
func (s *Session) finite(x []float32) bool {
	isFinite := func(v float32) bool { return v-v == 0 }
	return isFinite(s.k.Dot(x, x)) || !slices.ContainsFunc(x, func(v float32) bool { return !isFinite(v) })
}

func (s *Session) project() {
	s.n = 1
	s.products(s.logitsOf)
	s.see("final.logits", &s.tokens[0], s.logits)
}

// Cells returns the last position's hidden cells [layers+1][d]: the embedding,
// then each layer's mean over lanes. nil unless KeepCells was set or heads are
// present.
func (s *Session) Cells() []float32 { return s.lastCell }

// sqrtOf is the square root of a small whole number in float32.
func sqrtOf(n int) float32 { return simd.Sqrt(float32(n)) }
