package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine/model"
	"github.com/libneedle/libneedle/engine/prompt"
)

// defaultNewTokens is CompleteOptions.MaxNewTokens when it is 0.
const defaultNewTokens = 512

// leastTemperature is below what any two logits of a float32 model differ by in effect; less means greedy.
const leastTemperature = 1e-4

// SessionOptions say what a conversation is about.
type SessionOptions struct {
	// System is the text of the system turn: empty for none, a JSON object of facts, or any other text.
	System string
	// Tools is a JSON array of tools; empty or null for none. Only "[]" can answer an empty array.
	Tools string
	// Markers lets the spellings of control tokens inside System, Tools and inputs become control tokens.
	// Without it, which is safe, they stay text.
	Markers bool
	// Lenient accepts tools with JSON Schema keywords that restrict values and are not supported: values are
	// then not constrained by them, and every response lists them in Warnings. Without it such tools fail with
	// ErrTools.
	Lenient bool
	// ToolIndex names a file that keeps the tools' vectors where tools are retrieved (see NewSession), so that later
	// processes need not compute them. It is written when it is missing, of other tools or damaged; what keeps it
	// from use is in Session.Notes and no error.
	ToolIndex string
}

// CompleteOptions say how one answer is decoded. The zero value is greedy.
type CompleteOptions struct {
	// MaxNewTokens is how many tokens the answer may append, forced and closing ones included; 0 means 512.
	// So much of the context is reserved.
	MaxNewTokens int
	// Temperature, when not 0, draws tokens instead of taking the likeliest.
	Temperature float32
	// Seed makes draws repeatable.
	Seed uint64
	// ToolChoice says which calls the answer may have.
	ToolChoice ToolChoice
	// MaxCalls is how many calls the answer may have at most; 0 means no limit.
	MaxCalls int
	// Confidence says what the response's confidence is made of.
	Confidence ConfidenceMode
	// Plain chooses values token by token, as the grammar allows: the rules for choosing values are off.
	Plain bool
	// Off names rules, or groups of them, that are not applied; RuleGroups lists them. AllRules stands for all:
	// the response then has what the model wrote.
	Off []string
}

func (o CompleteOptions) validate() (CompleteOptions, error) {
	if o.MaxNewTokens < 0 {
		return o, fmt.Errorf("engine: %w: at most %d new tokens, expected 0 (which means %d) or more", ErrArgument, o.MaxNewTokens, defaultNewTokens)
	}
	if o.MaxCalls < 0 {
		return o, fmt.Errorf("engine: %w: at most %d calls, expected 0 (which means no limit) or more", ErrArgument, o.MaxCalls)
	}
	if err := checkRules(o.Off); err != nil {
		return o, err
	}
	if o.Confidence > ConfidenceHead {
		return o, fmt.Errorf("engine: %w: confidence mode %d, expected 0 to %d", ErrArgument, o.Confidence, ConfidenceHead)
	}
	if c := o.ToolChoice; c.None && (c.Required || c.Tool != "") {
		return o, fmt.Errorf("engine: %w: tool choice: no call and a call at once", ErrArgument)
	}
	if t := float64(o.Temperature); !(t >= 0) || math.IsInf(t, 0) {
		return o, fmt.Errorf("engine: %w: temperature %v, expected 0 or more", ErrArgument, t)
	}
	if o.MaxNewTokens == 0 {
		o.MaxNewTokens = defaultNewTokens
	}
	if o.Temperature < leastTemperature {
		o.Temperature = 0
	}
	return o, nil
}

// Session is one conversation: a prefix of system text and tools, and the turns after it. Its methods may
// be called from any goroutine; calls on one session queue and run one after the other, while different
// sessions run side by side.
type Session struct {
	engine    *Engine
	system    string // as the model reads it
	markers   bool
	base      selection  // before the first turn
	retrieval *retrieval // nil where every tool is offered
	notes     []string

	turn chan struct{} // holds a value while a call runs

	// The running call's.
	selection    // what is offered
	model        *model.Session
	threads      int
	conversation conversation
	closed       bool

	running atomic.Pointer[stoppable] // the context of the Complete that runs, else nil
}

// stoppable is a context that Cancel can end. It has no channel of its own: who uses it asks for Err
// between tokens, which must see a stop at once.
type stoppable struct {
	context.Context
	stopped atomic.Bool
}

func (c *stoppable) Err() error {
	if c.stopped.Load() {
		return context.Canceled
	}
	return c.Context.Err()
}

// NewSession begins a conversation: it computes the prefix, or takes it from the cache. It fails with
// ErrTools when the tools are no array of tools, and with ErrPrefix, naming both counts, when the prefix
// fills the context.
//
// When the archive has an embedding head, more than 5 tools are retrieved: the prefix is the system turn alone,
// and each user's message may call the 5 tools whose embedding is nearest to its own (a tool is embedded as the
// JSON that the model reads; tools that ToolChoice names or the message triggers are always among them). They stand
// between system turn and conversation. When they change, the newest turns are read again behind them and older
// ones forgotten: two windows' worth stays, as when the context is full, or without a window all that fits.
func (e *Engine) NewSession(ctx context.Context, o SessionOptions) (s *Session, err error) {
	ctx = orBackground(ctx)
	if err := e.gate.enter(); err != nil {
		return nil, err
	}
	defer e.gate.leave()
	err = guard(func() error {
		s, err = e.newSession(ctx, o)
		return err
	})
	return s, err
}

func (e *Engine) newSession(ctx context.Context, o SessionOptions) (*Session, error) {
	tools, err := prompt.ParseTools(o.Tools)
	if err != nil {
		return nil, fmt.Errorf("engine: %w: %w", ErrTools, err)
	}
	offered, err := e.offering(tools, o.Lenient)
	if err != nil {
		return nil, err
	}
	s := &Session{
		engine: e, system: prompt.SystemText(o.System), selection: offered, markers: o.Markers, turn: make(chan struct{}, 1),
	}
	if e.retrieves(tools) {
		s.prefix = s.encodeSystem()
	} else {
		s.prefix = s.encodePrefix()
	}
	if limit := e.model.Geometry().MaxSeqLen; len(s.prefix) >= limit {
		return nil, fmt.Errorf("engine: %w: system text and tools are %d tokens, the context holds %d with the conversation; shorten or leave out tools", ErrPrefix, len(s.prefix), limit)
	}
	if err := s.openRetrieval(ctx, o); err != nil {
		return nil, err
	}
	s.openModel()
	if err := s.prefill(ctx); err != nil {
		s.model.Close()
		return nil, fmt.Errorf("engine: prefix: %w", err)
	}
	s.base = s.selection
	return s, nil
}

// openModel makes the model's side of the session for the number of threads that is set now.
func (s *Session) openModel() {
	e := s.engine
	s.threads = int(e.threads.Load())
	s.model = e.model.NewSession(model.SessionOptions{
		Window:  e.model.Geometry().Window(),
		Threads: s.threads,
		NoHeads: !e.has(cact.ConfidenceHead),
	})
}

// prefill brings the model to the prefix's end.
func (s *Session) prefill(ctx context.Context) error {
	cache, key := s.engine.weights.prefixes, newPrefixKey(s.engine.Depth(), s.prefix)
	var kept bool
	if s.start, kept = cache.get(key); kept {
		return s.model.Restore(s.start)
	}
	read, err := s.rewind()
	if err != nil {
		return err
	}
	if err := s.model.SetSink(len(s.prefix)); err != nil {
		return err
	}
	if err := s.model.Append(ctx, s.prefix[read:]); err != nil {
		return err
	}
	s.start = s.model.Snapshot()
	cache.put(key, s.start, 1)
	return nil
}

// PrefixTokens is the number of tokens of the prefix, the beginning mark included: of all that is fed before any
// turn. Where tools are retrieved none of them counts.
func (s *Session) PrefixTokens() int { return len(s.base.prefix) }

// PrefixIDs returns the tokens of the prefix: a copy.
func (s *Session) PrefixIDs() []int32 { return append([]int32(nil), s.base.prefix...) }

// acquire waits for the session's turn. release must be called when it returns nil.
func (s *Session) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := ErrClosed
	if !s.closed {
		err = s.engine.gate.enter()
	}
	if err != nil {
		<-s.turn
	}
	return err
}

func (s *Session) release() {
	s.engine.gate.leave()
	<-s.turn
}

// Complete reads an input and writes the answer. After a turn that delivered calls, an input that is a JSON
// object or array is a tool's result; any other is a user's message.
//
// A turn that fails in a way that the conversation survives is a Response without Success: ErrorCode is
// overflow or cancelled when the session is as it was before, truncated or malformed when the turn is part
// of the conversation. Other failures are errors, and leave the session as it was before. ctx and Cancel
// take effect within one token, in the input within a block of 32.
func (s *Session) Complete(ctx context.Context, text string, o CompleteOptions) (r *Response, err error) {
	ctx = orBackground(ctx)
	if o, err = o.validate(); err != nil {
		return nil, err
	}
	if err := s.acquire(ctx); err != nil {
		return cancelledOr(err)
	}
	defer s.release()
	running := &stoppable{Context: ctx}
	s.running.Store(running)
	defer s.running.Store(nil)
	var before moment
	err = guard(func() error {
		r, err = s.attempt(running, text, o, &before)
		return err
	})
	if err != nil {
		if before.state != nil {
			s.restore(before)
		}
		return cancelledOr(fmt.Errorf("engine: turn %d: %w", len(s.conversation.turns)+1, err))
	}
	return r, nil
}

// attempt takes a turn. It sets before as soon as anything may change; after an error or a panic the session
// has to be brought back to it.
func (s *Session) attempt(ctx context.Context, text string, o CompleteOptions, before *moment) (*Response, error) {
	if err := s.adaptThreads(); err != nil {
		return nil, err
	}
	in := s.read(text)
	ids := s.encode(in, true)
	if r := s.overflow(len(ids), o.MaxNewTokens); r != nil {
		return r, nil
	}
	*before = s.save()
	k, err := s.newTask(ctx, in, o)
	if errors.Is(err, ErrText) { // it is too long to be embedded
		return failure(CodeOverflow, fmt.Sprintf("the turn does not fit: %v", err)), nil
	}
	if err != nil {
		return nil, err
	}
	if r := s.overflow(len(ids), o.MaxNewTokens); r != nil { // beside the tools that were chosen
		s.selection = before.selection // the model has not seen another
		return r, nil
	}
	return s.answer(ctx, k, ids)
}

// overflow is the response to a turn that does not fit beside the prefix, nil for one that does.
func (s *Session) overflow(input, newTokens int) *Response {
	if need, limit := len(s.prefix)+input+newTokens, s.contextSize(); need > limit || need < 0 {
		return failure(CodeOverflow, fmt.Sprintf(
			"the turn does not fit: prefix %d, input %d and max_new_tokens %d are more tokens than the context of %d",
			len(s.prefix), input, newTokens, limit))
	}
	return nil
}

// cancelledOr is the response for an error that the caller's cancelling led to; other errors stay errors.
func cancelledOr(err error) (*Response, error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return failure(CodeCancelled, "cancelled: the session is as it was before the turn"), nil
	}
	return nil, err
}

// adaptThreads moves the model's state to another number of threads when that was changed.
func (s *Session) adaptThreads() error {
	if s.threads == int(s.engine.threads.Load()) {
		return nil
	}
	old := s.model
	defer old.Close()
	s.openModel()
	return s.model.Restore(old.Snapshot())
}

// orBackground is a context, or the one that never ends for none.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// contextSize is the number of positions that a conversation has.
func (s *Session) contextSize() int { return s.engine.model.Geometry().MaxSeqLen }

// place makes room for a turn and returns its tokens at the place where it stands then. first are its
// tokens as the first turn.
func (s *Session) place(ctx context.Context, in input, first []int32, newTokens int) ([]int32, error) {
	ids := first
	if len(s.conversation.turns) > 0 {
		ids = s.encode(in, false)
	}
	var err error
	switch need := len(ids) + newTokens; {
	case s.start == nil:
		err = s.offer(ctx, need)
	case s.model.Len()+need > s.contextSize():
		err = s.makeRoom(ctx, need)
	}
	if err != nil {
		return nil, err
	}
	if len(s.conversation.turns) == 0 {
		return first, nil
	}
	return ids, nil
}

// answer feeds the turn and lets the model answer. After an error the session's state is undefined.
func (s *Session) answer(ctx context.Context, k *task, first []int32) (*Response, error) {
	o := &k.options
	ids, err := s.place(ctx, k.input, first, o.MaxNewTokens)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := s.model.Append(ctx, ids); err != nil {
		return nil, err
	}
	fed := time.Now()
	t := &turn{
		lex: s.engine.lex, model: s.model, choose: newChooser(o.Temperature, o.Seed), limit: o.MaxNewTokens,
		user: !k.tool, head: s.engine.has(cact.ConfidenceHead),
		list: newStrand(k.calls.Start(s.engine.weights.vocabulary(s.engine.lex))), values: s.valueRules(k), callable: k.calls.Callable(),
		required: k.required(),
	}
	if err := t.run(ctx); err != nil {
		return nil, err
	}
	r := s.respond(t, k)
	r.PrefillTPS = perSecond(len(ids), fed.Sub(begin))
	r.DecodeTPS = perSecond(len(t.out), time.Since(fed))
	r.PeakRAMMB = peakRAM()
	r.PromptIDs, r.OutputIDs, r.Tokens, r.Retrieved = ids, t.out, len(t.out), s.retrieved()
	r.Speculated = t.evaluated
	s.conversation.turns = append(s.conversation.turns, turnRecord{k.input, ids, t.out})
	s.conversation.delivered = len(r.FunctionCalls) > 0
	return r, nil
}

func perSecond(n int, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// Reset takes the conversation back to the prefix's end, at the cost of copying its state. It waits for a
// call that runs. On a closed session it does nothing.
func (s *Session) Reset() {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.closed {
		return
	}
	s.conversation, s.selection = conversation{}, s.base
	s.model.Restore(s.start)
}

// Cancel stops the Complete that runs now, if there is one, within one token: it returns a response with
// ErrorCode cancelled, and the session is as before. Calls that wait are not affected.
func (s *Session) Cancel() {
	if running := s.running.Load(); running != nil {
		running.stopped.Store(true)
	}
}

// Close frees the session once a call that runs has finished; later calls return ErrClosed. Closing again
// does nothing. A session is closed on its own, before its engine or after it.
func (s *Session) Close() error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.closed {
		return nil
	}
	s.closed = true
	s.model.Close()
	s.model, s.start, s.base.start, s.conversation = nil, nil, nil, conversation{}
	return nil
}
