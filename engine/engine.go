package engine

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine/grammar"
	"github.com/libneedle/libneedle/engine/model"
	"github.com/libneedle/libneedle/simd"
	"github.com/libneedle/libneedle/tokenizer"
)

// defaultPrefixes is how many prefix states an engine keeps when it is not told.
const defaultPrefixes = 4

// Options describe how an archive is run.
type Options struct {
	// Depth is the number of blocks to run, 2 to the archive's own, chosen by the ladder rule; 0 means all.
	Depth int
	// Threads is how many goroutines one call may use; 0 and 1 mean the caller's alone. Answers don't
	// depend on it.
	Threads int
	// PrefixCache is how many prefixes (system text and tools) are kept computed; 0 means 4, a negative
	// number none. One takes about 250 bytes per token and block on the shipped geometry.
	PrefixCache int
	// Exact multiplies dequantised float32 weights: slow and large, for tests.
	Exact bool
	// SIMD names the kernels to run on: generic, avx2, avxvnni or avx512. Empty means what NEEDLE_SIMD names
	// in the environment or else the fastest that the CPU has. Answers don't depend on it; a name that the
	// CPU cannot run is refused.
	SIMD string
}

// Engine is an archive at one depth, ready to answer. All its methods may be called from any goroutine at
// any time.
type Engine struct {
	weights *weights
	model   *model.Model
	lex     *lexicon
	threads atomic.Int64
	gate    gate
}

// weights are what the engines over one archive share.
type weights struct {
	archive  *cact.Archive
	tok      *tokenizer.Tokenizer
	prefixes *lru[prefixKey, *model.Snapshot]
	vectors  *vectorCache // of tools that are retrieved
	exact    bool
	simd     string
	layers   int

	grammars       grammarCache
	vocabularyOnce sync.Once
	pieces         *grammar.Vocabulary

	mu      sync.Mutex
	engines int // that are not closed
}

// Open maps the archive at path and builds an engine. Errors are those of cact.Open and model.New; Code tells
// them apart.
func Open(path string, o Options) (*Engine, error) {
	return open(o, func() (*cact.Archive, error) { return cact.Open(path) })
}

// OpenBytes builds an engine from an archive in memory. The bytes are kept, not copied, and must not
// change until every engine over them is closed.
func OpenBytes(b []byte, o Options) (*Engine, error) {
	return open(o, func() (*cact.Archive, error) { return cact.OpenBytes(b) })
}

// OpenFD maps length bytes at offset of an open file, such as an asset inside an application package. The
// descriptor may be closed afterwards.
func OpenFD(fd uintptr, offset, length int64, o Options) (*Engine, error) {
	return open(o, func() (*cact.Archive, error) { return cact.OpenFD(fd, offset, length) })
}

func open(o Options, archive func() (*cact.Archive, error)) (e *Engine, err error) {
	err = guard(func() error {
		a, err := archive()
		if err != nil {
			return openError(err)
		}
		defer func() {
			if e == nil {
				a.Close()
			}
		}()
		e, err = build(a, o)
		return err
	})
	return e, err
}

func build(a *cact.Archive, o Options) (*Engine, error) {
	record := a.Lookup("tokenizer")
	tok, err := tokenizer.New(record.Bytes())
	if err != nil {
		return nil, fmt.Errorf("engine: %w: record %d, %s: %w", errArchive, record.Index, record.Role, err)
	}
	if o.PrefixCache == 0 {
		o.PrefixCache = defaultPrefixes
	}
	w := &weights{
		archive: a, tok: tok, prefixes: newLRU[prefixKey, *model.Snapshot](o.PrefixCache), vectors: newVectorCache(mostVectorFloats), grammars: newGrammarCache(),
		exact: o.Exact, simd: o.SIMD, layers: a.Geometry().Layers, engines: 1,
	}
	return w.at(o.Depth, o.Threads)
}

// at builds an engine of a depth, 0 for all blocks.
func (w *weights) at(depth, threads int) (*Engine, error) {
	if threads < 0 || threads > MaxThreads {
		return nil, fmt.Errorf("engine: %w: %d threads, expected 0 to %d", ErrArgument, threads, MaxThreads)
	}
	if depth < 0 || depth > w.layers || depth == 1 && w.layers > 1 {
		return nil, fmt.Errorf("engine: %w: depth %d: the archive has %d blocks, depths 2 to %d can run, 0 means all", ErrArgument, depth, w.layers, w.layers)
	}
	if _, err := simd.Choose(w.simd); err != nil {
		return nil, fmt.Errorf("engine: %w: %w", ErrArgument, err)
	}
	m, err := model.New(w.archive, model.Options{Depth: depth, Exact: w.exact, SIMD: w.simd})
	if err != nil {
		return nil, fmt.Errorf("engine: %w: %w", errArchive, err)
	}
	lex, err := newLexicon(w.tok, m.Geometry())
	if err != nil {
		return nil, err
	}
	e := &Engine{weights: w, model: m, lex: lex}
	e.SetThreads(threads)
	return e, nil
}

// AtDepth returns another engine over the same mapping that runs depth blocks, 0 for all. Each is closed on
// its own; the mapping goes with the last.
func (e *Engine) AtDepth(depth int) (other *Engine, err error) {
	if err := e.gate.enter(); err != nil {
		return nil, err
	}
	defer e.gate.leave()
	err = guard(func() error {
		other, err = e.weights.at(depth, int(e.threads.Load()))
		return err
	})
	if err != nil {
		return nil, err
	}
	e.weights.mu.Lock()
	defer e.weights.mu.Unlock()
	e.weights.engines++
	return other, nil
}

// SetThreads changes how many goroutines one call may use; 0 and 1 mean the caller's alone, and
// MaxThreads is the most. Calls in flight keep theirs.
func (e *Engine) SetThreads(n int) { e.threads.Store(int64(min(max(n, 1), MaxThreads))) }

// Close ends the engine: calls in flight finish first, later ones, on its sessions too, return ErrClosed.
// Closing again does nothing. Sessions keep their memory until they are closed themselves.
func (e *Engine) Close() error {
	if !e.gate.close() {
		return nil
	}
	w := e.weights
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.engines--; w.engines > 0 {
		return nil
	}
	return w.archive.Close()
}

// Geometry describes the model at the running depth.
func (e *Engine) Geometry() cact.Geometry { return e.model.Geometry() }

// Depth is the number of blocks that run.
func (e *Engine) Depth() int { return e.model.Depth() }

// MaxDepth is the number of blocks of the archive.
func (e *Engine) MaxDepth() int { return e.weights.layers }

// Tokenizer is the archive's tokenizer. It stays usable after Close.
func (e *Engine) Tokenizer() *tokenizer.Tokenizer { return e.weights.tok }

// has reports whether the archive has a head.
func (e *Engine) has(code cact.HeadCode) bool {
	for _, c := range e.model.Heads() {
		if c == code {
			return true
		}
	}
	return false
}
