package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine/grammar"
	"github.com/libneedle/libneedle/engine/ground"
	"github.com/libneedle/libneedle/engine/model"
	"github.com/libneedle/libneedle/engine/prompt"
	"github.com/libneedle/libneedle/tokenizer"
)

// mostOffered is how many tools a turn can call where they are retrieved; no more than that are offered whole.
const mostOffered = 5

// selection is what a session offers to the model. Where tools are retrieved it changes with the requests; it is
// replaced as a whole, so a copy is a snapshot.
type selection struct {
	ranked []int // places of the retrieved tools in the session's set, the nearest first; nil before the first turn
	prefix []int32
	start  *model.Snapshot // the state at the prefix's end; nil until the model has read it
	tools  *prompt.Toolset
	ground *ground.Tools
	// Grammars of the calls of all these tools: as they are declared, and with what their texts imply.
	declared, implied *grammar.Grammar
	options           *ground.Tools // with what their texts imply
	triggers          *triggers
}

// offering is the selection of these tools, without its prefix.
func (e *Engine) offering(tools *prompt.Toolset, lenient bool) (selection, error) {
	cache, list := &e.weights.grammars, declaredTools(tools)
	declared, err := cache.compile(list, lenient)
	if err != nil {
		return selection{}, fmt.Errorf("engine: %w: %w", ErrTools, err)
	}
	ground := groundTools(tools)
	return selection{
		tools: tools, ground: ground, options: impliedTools(tools, ground), declared: declared, implied: cache.compileImplied(list, ground, declared, lenient),
		triggers: newTriggers(tools),
	}, nil
}

// retrieval is what a session needs to choose among its tools. It is read-only.
type retrieval struct {
	tools    *prompt.Toolset // all of them
	triggers *triggers
	vectors  [][]float32 // of the tools' texts
	lenient  bool
}

// retrieves says whether tools are so many that they are retrieved.
func (e *Engine) retrieves(tools *prompt.Toolset) bool {
	return tools.Len() > mostOffered && e.has(cact.EmbeddingHead)
}

// openRetrieval embeds the session's tools if they are retrieved.
func (s *Session) openRetrieval(ctx context.Context, o SessionOptions) error {
	if !s.engine.retrieves(s.tools) {
		if o.ToolIndex != "" {
			s.note("the tool index is ignored: " + s.whyAllAreOffered())
		}
		return nil
	}
	vectors, err := s.toolVectors(ctx, o.ToolIndex)
	if err != nil {
		return err
	}
	s.retrieval = &retrieval{s.tools, s.triggers, vectors, o.Lenient}
	return nil
}

func (s *Session) note(text string) { s.notes = append(s.notes, text) }

func (s *Session) whyAllAreOffered() string {
	if !s.engine.has(cact.EmbeddingHead) {
		return "the archive has no embedding head to retrieve tools with, so all of them are in the prefix"
	}
	return fmt.Sprintf("tools are retrieved from %d on, and there are %d, so all of them are in the prefix", mostOffered+1, s.tools.Len())
}

// Notes says which of the session's options had no effect and why, in one sentence each: about a tool index that is
// of no use, or that could not be read or written. They don't change.
func (s *Session) Notes() []string { return slices.Clone(s.notes) }

// encodeSystem returns the tokens before the first turn where tools are retrieved.
func (s *Session) encodeSystem() []int32 {
	return append([]int32{tokenizer.BOS}, s.engine.lex.encode(prompt.SystemTurn(s.system), s.markers)...)
}

// retrieve makes the selection for a turn the session's; the model reads it when the turn is placed. After a tool's
// result it stays what it was. The tools that the turn has to call are in it.
func (s *Session) retrieve(ctx context.Context, k *task) error {
	r := s.retrieval
	if r == nil {
		return nil
	}
	ranked := s.ranked
	if !k.tool || ranked == nil {
		query, err := s.engine.embed(ctx, k.text)
		if err != nil {
			return fmt.Errorf("engine: retrieval: %w", err)
		}
		ranked = r.rank(query)[:mostOffered]
	}
	ranked = r.include(ranked, r.demanded(k))
	if slices.Equal(slices.Sorted(slices.Values(ranked)), slices.Sorted(slices.Values(s.ranked))) {
		s.ranked = ranked
		return nil
	}
	next, err := s.engine.offering(r.tools.Select(ranked), r.lenient)
	if err != nil {
		return err
	}
	s.selection = next
	s.ranked, s.prefix = ranked, s.encodePrefix()
	return nil
}

// rank orders the places of all tools by the cosine of their vectors with a query's, the nearest first; equals stay
// in the order of declaration.
func (r *retrieval) rank(query []float32) []int {
	places, scores := make([]int, len(r.vectors)), make([]float64, len(r.vectors))
	for i, v := range r.vectors {
		places[i] = i
		scores[i] = dot(query, v) / math.Sqrt(dot(v, v)) // the query's length changes no order
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return places
}

// dot is not fused, so that every CPU ranks alike.
func dot(x, y []float32) float64 {
	sum := 0.0
	for i, v := range x {
		sum += float64(float64(v) * float64(y[i]))
	}
	return sum
}

// demanded names the tools, as the model knows them, that a turn has to call by the caller's choice or by its triggers.
func (r *retrieval) demanded(k *task) []string {
	caller := k.options.ToolChoice.Tool
	if caller == "" {
		return k.triggers(r.triggers)
	}
	for _, t := range r.tools.Tools() {
		if t.Caller == caller {
			return []string{t.Name}
		}
	}
	return nil // choose says that there is no such tool
}

// include puts the tools of these names in front, those that are ranked and those that are not, as far as there is
// room; the farthest ones make way. Of tools of one name the nearest is taken or else the first.
func (r *retrieval) include(ranked []int, names []string) []int {
	if len(names) == 0 {
		return ranked
	}
	tools := r.tools.Tools()
	var included []int
	for _, name := range names {
		place := slices.IndexFunc(tools, func(t prompt.Tool) bool { return t.Name == name })
		if i := slices.IndexFunc(ranked, func(i int) bool { return tools[i].Name == name }); i >= 0 {
			place = ranked[i]
		}
		if place >= 0 && !slices.Contains(included, place) {
			included = append(included, place)
		}
	}
	for _, i := range ranked {
		if !slices.Contains(included, i) {
			included = append(included, i)
		}
	}
	return included[:len(ranked)]
}

// offer brings the model to a selection that it has not read: back to the system turn, through the tools, and
// through the newest turns that leave room for need tokens. Where the model has a window they are those that a full
// context keeps: older ones are out of its sight, and the time that a change costs stays bounded.
func (s *Session) offer(ctx context.Context, need int) error {
	room := s.contextSize() - len(s.prefix) - need
	budget := 2 * s.engine.model.Geometry().KVWindow
	if budget == 0 {
		budget = room
	}
	kept := keepTurns(s.conversation.turns, budget, room)
	if err := s.prefill(ctx); err != nil {
		return err
	}
	return s.feedAgain(ctx, kept)
}

// rewind takes the model back to where the prefix goes on from the system turn, or to the very beginning, and
// returns how many tokens of the prefix it has read there.
func (s *Session) rewind() (int, error) {
	n := len(s.base.prefix)
	if s.base.start != nil && len(s.prefix) >= n && slices.Equal(s.prefix[:n], s.base.prefix) {
		return n, s.model.Restore(s.base.start)
	}
	if s.model.Len() > 0 {
		s.model.Close()
		s.openModel()
	}
	return 0, nil
}

// retrieved names the tools of the selection as their caller does.
func (s *Session) retrieved() []string {
	if s.retrieval == nil {
		return nil
	}
	names := []string{}
	for _, t := range s.tools.Tools() {
		names = append(names, t.Caller)
	}
	return names
}

// toolVectors returns the vectors of the session's tools: those of the index file when it has them, else those that
// are kept in memory or computed now, which the file then gets.
func (s *Session) toolVectors(ctx context.Context, path string) ([][]float32, error) {
	e, tools := s.engine, s.tools.Tools()
	if path == "" {
		return e.embedTools(ctx, tools)
	}
	index := newToolIndex(path, e.indexKey(tools), len(tools), elements(e.weights.archive.Lookup("heads.embedding.bias")))
	vectors, leave := index.read()
	if vectors != nil {
		for i, t := range tools {
			e.weights.vectors.put(newVectorKey(e.Depth(), t.Text), vectors[i])
		}
		return vectors, nil
	}
	vectors, err := e.embedTools(ctx, tools)
	if err != nil {
		return nil, err
	}
	if leave == nil {
		leave = index.write(vectors)
	}
	if leave != nil {
		s.note("the tool index is not kept: " + leave.Error())
	}
	return vectors, nil
}

// indexKey stands for all that the vectors of tools follow from.
func (e *Engine) indexKey(tools []prompt.Tool) [sha256.Size]byte {
	archive := e.weights.archive.Hash()
	b := binary.LittleEndian.AppendUint32(archive[:], uint32(e.Depth()))
	b = fmt.Appendf(b, "%t", e.weights.exact)
	for _, t := range tools {
		b = append(binary.LittleEndian.AppendUint64(b, uint64(len(t.Text))), t.Text...)
	}
	return sha256.Sum256(b)
}

// embedTools returns the vectors of tools.
func (e *Engine) embedTools(ctx context.Context, tools []prompt.Tool) ([][]float32, error) {
	vectors := make([][]float32, len(tools))
	for i, t := range tools {
		var err error
		if vectors[i], err = e.embedTool(ctx, t.Text); errors.Is(err, ErrText) {
			return nil, fmt.Errorf("engine: %w: tool %q: %v; shorten the tool or leave it out", ErrPrefix, t.Caller, err)
		} else if err != nil {
			return nil, fmt.Errorf("engine: tool %q: %w", t.Caller, err)
		}
	}
	return vectors, nil
}

// embedTool returns the vector of a tool's text, which is computed once for all sessions that need it as long as it
// is kept. The vector is shared: nobody writes to it.
func (e *Engine) embedTool(ctx context.Context, text string) ([]float32, error) {
	c, key := e.weights.vectors, newVectorKey(e.Depth(), text)
	if v := c.get(key); v != nil {
		return v, nil
	}
	select {
	case c.computing <- struct{}{}:
		defer func() { <-c.computing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if v := c.get(key); v != nil { // computed while this call waited
		return v, nil
	}
	v, err := e.embed(ctx, text)
	if err == nil {
		c.put(key, v)
	}
	return v, err
}

// mostVectorFloats bounds the vectors that the engines over one archive keep in memory, in floats: 8 MiB.
const mostVectorFloats = 2 << 20

// vectorKey names a vector by its text and the depth that computed it.
type vectorKey [sha256.Size]byte

func newVectorKey(depth int, text string) vectorKey {
	return sha256.Sum256(append(binary.LittleEndian.AppendUint32(nil, uint32(depth)), text...))
}

// vectorCache keeps the vectors of tools that were used last. It is safe for concurrent use.
type vectorCache struct {
	kept      *lru[vectorKey, []float32]
	computing chan struct{} // holds a value while a vector is computed
}

func newVectorCache(most int) *vectorCache {
	return &vectorCache{newLRU[vectorKey, []float32](most), make(chan struct{}, 1)}
}

// get returns a vector, nil when it is not kept.
func (c *vectorCache) get(key vectorKey) []float32 {
	v, _ := c.kept.get(key)
	return v
}

// put keeps a vector and drops those that were not used for longest.
func (c *vectorCache) put(key vectorKey, vector []float32) { c.kept.put(key, vector, len(vector)) }
