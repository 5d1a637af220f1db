package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/libneedle/libneedle/engine"
	"github.com/libneedle/libneedle/tokenizer"
)

// Service measures what a caller of package engine sees.
type Service struct {
	Path    string
	Tools   string
	Options engine.Options
}

// session accepts tools whose schemas can't be enforced in full: their speed is
// asked for, not their answers.
func (s *Service) session() engine.SessionOptions {
	return engine.SessionOptions{Tools: s.Tools, Lenient: true}
}

const (
	requestIn  = 12 // tokens of the request's text
	requestOut = 45 // tokens of the answer
)

// requestText is where a request of so many tokens is cut from.
const requestText = "find me a flight from paris to rome for two people on the first of may and buy the tickets"

// Load opens the archive by its path: when it returns, the engine takes
// sessions.
func (s *Service) Load(context.Context) (time.Duration, error) {
	begin := time.Now()
	e, err := engine.Open(s.Path, s.Options)
	took := time.Since(begin)
	if err != nil {
		return 0, err
	}
	return took, e.Close()
}

// Init begins a session with the tools on an engine that has not seen them.
func (s *Service) Init(ctx context.Context) (time.Duration, error) {
	e, err := engine.Open(s.Path, s.Options)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	begin := time.Now()
	session, err := e.NewSession(ctx, s.session())
	took := time.Since(begin)
	if err != nil {
		return 0, err
	}
	return took, session.Close()
}

// Cold is the way from a path to the first answer: nothing is loaded before.
func (s *Service) Cold(ctx context.Context, r *Request) (time.Duration, error) {
	begin := time.Now()
	e, err := engine.Open(s.Path, s.Options)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	session, err := e.NewSession(ctx, s.session())
	if err != nil {
		return 0, err
	}
	defer session.Close()
	if _, err := session.Complete(ctx, r.text, r.options); err != nil {
		return 0, err
	}
	return time.Since(begin), nil
}

// Request is one turn of known lengths, to be repeated on one session.
type Request struct {
	session *engine.Session
	engine  *engine.Engine
	text    string
	options engine.CompleteOptions

	Prefix int // tokens of the tools
	In     int // tokens of the text
	Fed    int // with the marks around it
	Out    int // tokens of the answer
}

// NewRequest begins a session and looks for a text and options that make the
// lengths. A model that ends its answers by itself may write fewer tokens.
func (s *Service) NewRequest(ctx context.Context) (r *Request, err error) {
	e, err := engine.Open(s.Path, s.Options)
	if err != nil {
		return nil, err
	}
	r = &Request{engine: e}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	r.text, r.In = cutText(e.Tokenizer())
	if r.session, err = e.NewSession(ctx, s.session()); err != nil {
		return r, err
	}
	r.Prefix = r.session.PrefixTokens()
	return r, r.findOptions(ctx)
}

// cutText is the beginning of requestText that has requestIn tokens, or the
// most below.
func cutText(t *tokenizer.Tokenizer) (text string, tokens int) {
	for n := 1; n <= len(requestText); n++ {
		if k := len(t.EncodePlain(requestText[:n])); k <= requestIn && k >= tokens {
			text, tokens = requestText[:n], k
		}
	}
	return text, tokens
}

// findOptions looks for options that make the answer as long as wanted. With
// random weights the model does not end the thought, nor as a rule the list of
// calls, so both run to their limits: but a list that can be closed is closed a
// few tokens before, so some limits are tried.
func (r *Request) findOptions(ctx context.Context) error {
	const tries = 6
	var best engine.CompleteOptions
	for i := range tries {
		r.options = engine.CompleteOptions{MaxNewTokens: requestOut + i, ToolChoice: engine.ToolChoice{Required: true}, Plain: true}
		answer, err := r.complete(ctx)
		if err != nil {
			return err
		}
		if answer.ErrorCode == engine.CodeName(engine.CodeOverflow) {
			return fmt.Errorf("%w: %s", errContext, answer.Error)
		}
		r.Fed = len(answer.PromptIDs)
		if answer.Tokens <= requestOut && answer.Tokens > r.Out {
			best, r.Out = r.options, answer.Tokens
		}
		if r.Out == requestOut {
			break
		}
	}
	r.options = best
	return nil
}

func (r *Request) complete(ctx context.Context) (*engine.Response, error) {
	r.session.Reset()
	answer, err := r.session.Complete(ctx, r.text, r.options)
	if err == nil && answer.ErrorCode == engine.CodeName(engine.CodeCancelled) {
		err = context.Canceled
	}
	return answer, err
}

// Repeat takes the session back to its cached prefix and answers the request.
func (r *Request) Repeat(ctx context.Context) (time.Duration, error) {
	begin := time.Now()
	answer, err := r.complete(ctx)
	took := time.Since(begin)
	if err == nil && answer.Tokens != r.Out {
		err = fmt.Errorf("the request was answered with %d tokens, then with %d", r.Out, answer.Tokens)
	}
	return took, err
}

// Close ends session and engine.
func (r *Request) Close() {
	if r.session != nil {
		r.session.Close()
	}
	r.engine.Close()
}

// Embedder embeds the request's text.
type Embedder struct {
	engine *engine.Engine
	text   string
	Tokens int
}

// NewEmbedder opens the archive; it fails with engine.ErrNoHead.
func (s *Service) NewEmbedder() (*Embedder, error) {
	e, err := engine.Open(s.Path, s.Options)
	if err != nil {
		return nil, err
	}
	if _, err := e.EmbedDim(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	text, tokens := cutText(e.Tokenizer())
	return &Embedder{e, text, tokens + 1}, nil // with the beginning mark
}

// Repeat embeds once.
func (e *Embedder) Repeat(ctx context.Context) (time.Duration, error) {
	begin := time.Now()
	_, err := e.engine.Embed(ctx, e.text)
	return time.Since(begin), err
}

// Close ends the engine.
func (e *Embedder) Close() { e.engine.Close() }

// Memory opens the archive and begins a session. It wants a fresh process.
func (s *Service) Memory(ctx context.Context) (*Memory, error) {
	m := &Memory{Empty: settled()}
	e, err := engine.Open(s.Path, s.Options)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	m.Loaded, _, _ = anonymous()
	session, err := e.NewSession(ctx, s.session())
	if err != nil {
		return nil, err
	}
	defer session.Close()
	m.PrefixTokens = session.PrefixTokens()
	m.Ready, m.Resident, m.Source = anonymous()
	m.Settled = settled()
	return m, nil
}
