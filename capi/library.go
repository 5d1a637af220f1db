//go:build cgo

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine"
	"github.com/libneedle/libneedle/engine/jsontext"
)

// errNoSession is the text that hosts of the official engine look for.
var errNoSession = errors.New("needle_init not called")

var errNotLoaded = errors.New("no archive is loaded: call needle_load or needle_load_file first")

// library is an archive at one depth and one session over it. Calls queue on
// mu; cancelRunning alone does not.
type library struct {
	mu      sync.Mutex
	engine  *engine.Engine
	session *engine.Session
	threads int // 0: the default
	kept    *envelope

	cancelMu sync.Mutex
	cancel   context.CancelFunc // of the call that runs, or nil
}

// envelope is a finished answer that did not fit the caller's buffer.
type envelope struct {
	json   []byte
	tokens int
}

func newLibrary() *library { return &library{} }

// begin takes the queue and gives the call a context that cancelRunning ends.
// The function it returns gives both back.
func (l *library) begin() (context.Context, func()) {
	l.mu.Lock()
	ctx, cancel := context.WithCancel(context.Background())
	l.setCancel(cancel)
	return ctx, func() {
		l.setCancel(nil)
		cancel()
		l.mu.Unlock()
	}
}

func (l *library) setCancel(cancel context.CancelFunc) {
	l.cancelMu.Lock()
	l.cancel = cancel
	l.cancelMu.Unlock()
}

func (l *library) cancelRunning() {
	l.cancelMu.Lock()
	defer l.cancelMu.Unlock()
	if l.cancel != nil {
		l.cancel()
	}
}

// abandon ends the session after a fault; its state is not known.
func (l *library) abandon() {
	_, end := l.begin()
	defer end()
	l.endSession()
}

func (l *library) endSession() {
	if l.session != nil {
		l.session.Close()
	}
	l.session, l.kept = nil, nil
}

func (l *library) threadCount() int {
	if l.threads == 0 {
		return engine.DefaultThreads()
	}
	return l.threads
}

// load checks the caller's bytes where they are, so that a wrong length is
// found before anything is allocated for it, and then copies them.
func (l *library) load(data []byte) error {
	_, end := l.begin()
	defer end()
	checked, err := cact.OpenBytes(data)
	if err != nil {
		return err
	}
	checked.Close()
	e, err := engine.OpenBytes(bytes.Clone(data), engine.Options{Threads: l.threadCount()})
	return l.replace(e, err)
}

func (l *library) loadFile(path string) error {
	_, end := l.begin()
	defer end()
	e, err := engine.Open(path, engine.Options{Threads: l.threadCount()})
	return l.replace(e, err)
}

// replace makes e the library's engine, unless making it failed.
func (l *library) replace(e *engine.Engine, err error) error {
	if err != nil {
		return err
	}
	l.endSession()
	if l.engine != nil {
		l.engine.Close()
	}
	l.engine = e
	return nil
}

func (l *library) setDepth(depth int) error {
	_, end := l.begin()
	defer end()
	if l.engine == nil {
		return errNotLoaded
	}
	e, err := l.engine.AtDepth(depth)
	return l.replace(e, err)
}

func (l *library) depth() (int, error) {
	_, end := l.begin()
	defer end()
	if l.engine == nil {
		return 0, errNotLoaded
	}
	return l.engine.Depth(), nil
}

func (l *library) setThreads(n int) error {
	_, end := l.begin()
	defer end()
	if n < 0 || n > engine.MaxThreads {
		return fmt.Errorf("needle_set_threads: %d threads, expected 0 to %d", n, engine.MaxThreads)
	}
	l.threads = n
	if l.engine != nil {
		l.engine.SetThreads(l.threadCount())
	}
	return nil
}

// init begins a session and returns the number of prefix tokens.
func (l *library) init(system, tools, index string) (int, string, error) {
	ctx, end := l.begin()
	defer end()
	if l.engine == nil {
		return 0, "", errNotLoaded
	}
	l.endSession()
	s, err := l.engine.NewSession(ctx, engine.SessionOptions{System: system, Tools: tools, Lenient: true, ToolIndex: index})
	if err != nil {
		return 0, "", err
	}
	l.session = s
	return s.PrefixTokens(), indexNote(s.Notes()), nil
}

// indexNote is a session's notes, which are about its tool index, as one sentence; empty when there are none.
func indexNote(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return jsontext.Valid("tool_index_path: " + strings.Join(notes, "; "))
}

// complete runs one turn and delivers its envelope. Failures write an error
// object to out.
func (l *library) complete(input string, maxNewTokens int, out []byte) (int, string, error) {
	ctx, end := l.begin()
	defer end()
	tokens, err := l.turn(ctx, input, maxNewTokens, out)
	return tokens, "", err
}

func (l *library) turn(ctx context.Context, input string, maxNewTokens int, out []byte) (int, error) {
	if l.session == nil {
		return 0, refuse(out, errNoSession)
	}
	if maxNewTokens < 0 {
		return 0, refuse(out, fmt.Errorf("needle_complete: max_new_tokens is %d, expected 0 or more", maxNewTokens))
	}
	l.kept = nil
	r, err := l.session.Complete(ctx, input, engine.CompleteOptions{MaxNewTokens: maxNewTokens})
	if err != nil {
		return 0, refuse(out, err)
	}
	return l.deliver(&envelope{r.JSON(), r.Tokens}, out)
}

// fetch delivers the kept envelope once more.
func (l *library) fetch(maxNewTokens int, out []byte) (int, string, error) {
	_, end := l.begin()
	defer end()
	switch {
	case l.session == nil:
		return 0, "", refuse(out, errNoSession)
	case l.kept == nil || maxNewTokens != 0:
		return 0, "", refuse(out, errors.New("needle_complete: input is NULL, and no envelope is kept"))
	}
	tokens, err := l.deliver(l.kept, out)
	return tokens, "", err
}

// deliver writes an envelope, or as much of it as fits, and keeps what did not.
func (l *library) deliver(e *envelope, out []byte) (int, error) {
	if writeText(out, e.json) {
		return e.tokens, nil
	}
	l.kept = e
	return 0, fmt.Errorf("the envelope needs %d bytes and out has %d: needle_complete(NULL, 0, out, %d) fetches it",
		len(e.json)+1, len(out), len(e.json)+1)
}

// refuse writes an error object to out and returns err.
func refuse(out []byte, err error) error {
	writeText(out, append(jsontext.AppendString([]byte(`{"type":"error","error":`), err.Error()), '}'))
	return err
}

// writeText writes text and a NUL to out, cut between characters where it does
// not fit, and says whether it fitted.
func writeText(out, text []byte) bool {
	if len(out) == 0 {
		return false
	}
	n := min(len(text), len(out)-1)
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	copy(out, text[:n])
	out[n] = 0
	return n == len(text)
}

func (l *library) embedDim() (int, error) {
	_, end := l.begin()
	defer end()
	if l.engine == nil {
		return 0, errNotLoaded
	}
	return l.engine.EmbedDim()
}

func (l *library) embed(text string, out []float32) (int, error) {
	ctx, end := l.begin()
	defer end()
	if l.engine == nil {
		return 0, errNotLoaded
	}
	n, err := l.engine.EmbedDim()
	if err != nil {
		return 0, err
	}
	if len(out) < n {
		return 0, fmt.Errorf("needle_embed: the vector has %d floats and out has room for %d", n, len(out))
	}
	vector, err := l.engine.Embed(ctx, text)
	if err != nil {
		return 0, err
	}
	return copy(out, vector), nil
}

// reset takes the session back to the end of its prefix.
func (l *library) reset() error {
	_, end := l.begin()
	defer end()
	if l.session == nil {
		return errNoSession
	}
	l.kept = nil
	l.session.Reset()
	return nil
}
