package engine

import (
	"context"
	"fmt"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine/jsontext"
	"github.com/libneedle/libneedle/engine/model"
	"github.com/libneedle/libneedle/simd"
	"github.com/libneedle/libneedle/tokenizer"
)

// EmbedDim is the length of the vectors that Embed returns. It fails with ErrNoHead when the archive has
// neither an embedding nor a confidence head.
func (e *Engine) EmbedDim() (n int, err error) {
	if err := e.gate.enter(); err != nil {
		return 0, err
	}
	defer e.gate.leave()
	code, err := e.embedHead()
	if err != nil {
		return 0, err
	}
	if code == cact.EmbeddingHead {
		return elements(e.weights.archive.Lookup("heads.embedding.bias")), nil
	}
	return elements(e.weights.archive.Lookup("heads.confidence.query")), nil
}

// elements is the number of values of a record.
func elements(r *cact.Record) int {
	n := 1
	for _, size := range r.Shape {
		n *= size
	}
	return n
}

// embedHead is the head that embeddings are read from.
func (e *Engine) embedHead() (cact.HeadCode, error) {
	for _, code := range []cact.HeadCode{cact.EmbeddingHead, cact.ConfidenceHead} {
		if e.has(code) {
			return code, nil
		}
	}
	return 0, fmt.Errorf("engine: %w: the archive has neither an embedding nor a confidence head to embed with", ErrNoHead)
}

// Embed returns a vector of unit length for a text: the embedding head's output or, without that head, the
// pool of the confidence head, which is a similarity signal but was not trained as one. The text is
// encoded plainly, after the beginning mark and without a template, and every token sees all before it. A
// text beyond the context is an error (ErrText), never cut. Sessions are not disturbed.
func (e *Engine) Embed(ctx context.Context, text string) (vector []float32, err error) {
	ctx = orBackground(ctx)
	if err := e.gate.enter(); err != nil {
		return nil, err
	}
	defer e.gate.leave()
	err = guard(func() error {
		vector, err = e.embed(ctx, text)
		return err
	})
	return vector, err
}

func (e *Engine) embed(ctx context.Context, text string) ([]float32, error) {
	code, err := e.embedHead()
	if err != nil {
		return nil, err
	}
	ids := append([]int32{tokenizer.BOS}, e.lex.tok.EncodePlain(jsontext.Valid(text))...)
	if limit := e.model.Geometry().MaxSeqLen; len(ids) > limit {
		return nil, fmt.Errorf("engine: %w: it is %d tokens, the context holds %d", ErrText, len(ids), limit)
	}
	s := e.model.NewSession(model.SessionOptions{Threads: int(e.threads.Load())})
	defer s.Close()
	if err := s.Append(ctx, ids); err != nil {
		return nil, fmt.Errorf("engine: embed: %w", err)
	}
	vector, output, err := s.Head(code)
	if err != nil {
		return nil, fmt.Errorf("engine: embed: %w", err)
	}
	if code == cact.EmbeddingHead {
		vector = output
	}
	return vector, normalise(vector)
}

// normalise gives a vector unit length.
func normalise(x []float32) error {
	sum := 0.0
	for _, v := range x {
		sum += float64(float64(v) * float64(v))
	}
	norm := simd.Sqrt(float32(sum))
	if !(norm > 0) || norm-norm != 0 {
		return fmt.Errorf("engine: embed: %w: the vector has norm %v", ErrNotFinite, norm)
	}
	simd.Scale(x, 1/norm, x)
	return nil
}
