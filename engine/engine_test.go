package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/demo"
	"github.com/libneedle/libneedle/engine/jsontext"
	"github.com/libneedle/libneedle/engine/model"
	"github.com/libneedle/libneedle/engine/prompt"
	"github.com/libneedle/libneedle/tokenizer"
)

func demoFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo.cact")
	if err := os.WriteFile(path, demo.Archive, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEveryWayOfOpeningAnswersAlike(t *testing.T) {
	path := demoFile(t)
	padded := filepath.Join(t.TempDir(), "package")
	if err := os.WriteFile(padded, append(make([]byte, 1000), demo.Archive...), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(padded)
	if err != nil {
		t.Fatal(err)
	}
	byPath, err1 := Open(path, Options{})
	byBytes, err2 := OpenBytes(demo.Archive, Options{Threads: 2})
	byFD, err3 := OpenFD(file.Fd(), 1000, int64(len(demo.Archive)), Options{})
	if err := errors.Join(err1, err2, err3, file.Close()); err != nil {
		t.Fatal(err)
	}
	var answers []string
	for _, e := range []*Engine{byPath, byBytes, byFD} {
		defer e.Close()
		answers = append(answers, answerOf(say(t, begin(t, e, SessionOptions{Tools: lights}), "turn on the kitchen lights")))
		if answers[0] != answers[len(answers)-1] {
			t.Errorf("answers differ:\n%s", strings.Join(answers, "\n"))
		}
		if e.Depth() != 6 || e.MaxDepth() != 6 || e.Geometry().Width != 256 || e.Tokenizer().Len() != 2048 {
			t.Errorf("depth %d of %d, %+v, %d pieces", e.Depth(), e.MaxDepth(), e.Geometry(), e.Tokenizer().Len())
		}
	}
}

func TestDepths(t *testing.T) {
	full := openDemo(t, Options{})
	archive, err := cact.OpenBytes(demo.Archive)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for depth := 2; depth <= 6; depth++ {
		e, err := full.AtDepth(depth)
		if err != nil {
			t.Fatal(err)
		}
		var sliced bytes.Buffer
		if err := archive.Slice(&sliced, depth); err != nil {
			t.Fatal(err)
		}
		cut, err := OpenBytes(sliced.Bytes(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if e.Depth() != depth || e.MaxDepth() != 6 || cut.MaxDepth() != depth || e.Geometry().Layers != depth {
			t.Errorf("depth %d: runs %d of %d", depth, e.Depth(), e.MaxDepth())
		}
		a, b := begin(t, e, SessionOptions{Tools: lights}), begin(t, cut, SessionOptions{Tools: lights})
		first := answerOf(sayUpTo(t, a, "turn on the kitchen lights", 40))
		if second := answerOf(sayUpTo(t, b, "turn on the kitchen lights", 40)); first != second || !sameState(t, a, b) {
			t.Errorf("depth %d answers\n%s\nthe sliced file\n%s", depth, first, second)
		}
		seen[first] = depth
		e.Close()
		cut.Close()
	}
	if len(seen) < 3 {
		t.Errorf("5 depths gave %d answers", len(seen))
	}
	for _, depth := range []int{-1, 1, 7, math.MaxInt} {
		if _, err := full.AtDepth(depth); Code(err) != CodeArgument {
			t.Errorf("depth %d: %v", depth, err)
		}
		if _, err := OpenBytes(demo.Archive, Options{Depth: depth}); !errors.Is(err, ErrArgument) {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
	if e, err := OpenBytes(demo.Archive, Options{Depth: 3}); err != nil || e.Depth() != 3 || e.MaxDepth() != 6 {
		t.Errorf("depth 3: %v, %v", e, err)
	}
}

func TestExactFormAnswers(t *testing.T) {
	e := openDemo(t, Options{Exact: true})
	r := say(t, begin(t, e, SessionOptions{Tools: lights}), "turn on the kitchen lights")
	if len(r.FunctionCalls) != 1 || string(r.FunctionCalls[0].Arguments) != `{"room":"kitchen","on":true}` {
		t.Errorf("answered %s", r.JSON())
	}
}

func TestClosedEngine(t *testing.T) {
	e, err := Open(demoFile(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := e.AtDepth(3)
	if err != nil {
		t.Fatal(err)
	}
	s, kept := begin(t, e, SessionOptions{Tools: lights}), begin(t, other, SessionOptions{Tools: lights})
	say(t, s, "hello")
	for range 2 {
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, err1 := s.Complete(background, "hello", CompleteOptions{})
	_, err2 := e.NewSession(background, SessionOptions{})
	_, err3 := e.AtDepth(2)
	_, err4 := e.Embed(background, "hello")
	_, err5 := e.EmbedDim()
	for i, err := range []error{err1, err2, err3, err4, err5} {
		if !errors.Is(err, ErrClosed) || Code(err) != CodeClosed {
			t.Errorf("call %d on a closed engine: %v", i, err)
		}
	}
	s.Reset() // no error to give, no harm
	if s.PrefixTokens() == 0 || e.Geometry().Width != 256 || e.Tokenizer().Decode(s.PrefixIDs()) == "" {
		t.Error("what needs no weights is gone after Close")
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := s.Complete(background, "hello", CompleteOptions{}); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed session: %v", err)
	}
	s.Reset()
	s.Cancel()
	// The other engine still has its mapping, and a session of an open engine closes on its own.
	if r := sayUpTo(t, kept, "hello", 20); r.Tokens == 0 {
		t.Errorf("the engine at another depth answered %s", r.JSON())
	}
	if err := errors.Join(kept.Close(), other.Close()); err != nil {
		t.Error(err)
	}
	if n := e.weights.engines; n != 0 {
		t.Errorf("%d engines are counted after both were closed", n)
	}
}

func TestCloseWaitsForCalls(t *testing.T) {
	e := openDemo(t, Options{})
	s := begin(t, e, SessionOptions{Tools: lights})
	inside, closed := make(chan struct{}), make(chan struct{})
	hold := &holding{Context: background, inside: inside, proceed: make(chan struct{})}
	done := make(chan *Response, 1)
	go func() {
		r, err := s.Complete(hold, "turn on the kitchen lights", CompleteOptions{MaxNewTokens: 100})
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	<-inside
	go func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		close(closed)
	}()
	for e.gate.enter() == nil { // until Close has begun
		e.gate.leave()
		runtime.Gosched()
	}
	select {
	case <-closed:
		t.Error("Close did not wait")
	case <-time.After(20 * time.Millisecond):
	}
	close(hold.proceed)
	if r := <-done; r == nil || len(r.FunctionCalls) != 1 {
		t.Errorf("the call in flight answered %v", r)
	}
	<-closed
}

// holding is a context that stops its user at the third question until it may proceed.
type holding struct {
	context.Context
	asked   int
	inside  chan struct{}
	proceed chan struct{}
}

func (h *holding) Err() error {
	if h.asked++; h.asked == 3 {
		close(h.inside)
		<-h.proceed
	}
	return nil
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	needle2 := bytes.Clone(demo.Archive)
	binary.LittleEndian.PutUint32(needle2, 0x05E12A83)
	kvBits := bytes.Clone(demo.Archive)
	binary.LittleEndian.PutUint32(kvBits[4*4:], 4)
	width := bytes.Clone(demo.Archive)
	binary.LittleEndian.PutUint32(width[7*4:], 255)
	tok := bytes.Clone(demo.Archive)
	tok[bytes.Index(tok, []byte("<|im_start|>"))] = '>'
	for _, c := range []struct {
		name string
		path string
		code int
	}{
		{"missing", filepath.Join(dir, "missing"), CodeFile},
		{"directory", dir, CodeNotArchive},
		{"empty", write("empty", nil), CodeNotArchive},
		{"text", write("text", []byte("this is a text file, and no archive")), CodeNotArchive},
		{"needle 2", write("needle2", needle2), CodeNeedle2},
		{"kv bits", write("kv", kvBits), CodeKVBits},
		{"wrong width", write("width", width), CodeArchive},
		{"tokenizer", write("tokenizer", tok), CodeArchive},
	} {
		e, err := Open(c.path, Options{})
		if err == nil {
			e.Close()
		}
		if Code(err) != c.code {
			t.Errorf("%s: code %s (%v), expected %s", c.name, CodeName(Code(err)), err, CodeName(c.code))
		}
		if err != nil && (strings.Contains(err.Error(), "\n") || len(err.Error()) > 250) {
			t.Errorf("%s: no clear sentence: %q", c.name, err)
		}
	}
	if _, err := OpenFD(math.MaxInt32, 0, 100, Options{}); Code(err) != CodeFile {
		t.Errorf("a descriptor that is not open: %v", err)
	}
	if _, err := OpenBytes(demo.Archive[:len(demo.Archive)/2], Options{}); err == nil {
		t.Error("half an archive opens")
	}
}

func TestToolErrors(t *testing.T) {
	e := openDemo(t, Options{})
	for _, tools := range []string{`[{"name":}]`, `{}`, `[1]`, `[{"description":"no name"}]`} {
		_, err := e.NewSession(background, SessionOptions{Tools: tools})
		var syntax *jsontext.SyntaxError
		if !errors.Is(err, ErrTools) || Code(err) != CodeTools || !errors.As(err, &syntax) {
			t.Errorf("%s: %v", tools, err)
		}
	}
}

func TestErrorTable(t *testing.T) {
	seen := map[string]bool{}
	for code, name := range codeNames {
		if name == "" || seen[name] || CodeName(code) != name || CodeOf(name) != code {
			t.Errorf("code %d is called %q", code, name)
		}
		seen[name] = true
	}
	if CodeName(-1) != "internal" || CodeName(len(codeNames)) != "internal" || CodeOf("nonsense") != CodeInternal {
		t.Error("what is no code has a name of its own")
	}
	for _, c := range []struct {
		err  error
		code int
	}{
		{nil, CodeOK}, {io.EOF, CodeInternal}, {&PanicError{Value: "x"}, CodeInternal},
		{ErrClosed, CodeClosed}, {ErrFault, CodeFault}, {ErrNotFinite, CodeNotFinite}, {model.ErrFault, CodeFault},
		{cact.ErrNotArchive, CodeNotArchive}, {cact.ErrNeedle2, CodeNeedle2}, {cact.ErrSpeech, CodeSpeech},
		{cact.ErrKVBits, CodeKVBits}, {&cact.RecordError{}, CodeArchive}, {&cact.HeaderError{}, CodeArchive},
		{ErrNoHead, CodeNoHead}, {ErrText, CodeText}, {ErrPrefix, CodePrefix}, {ErrTools, CodeTools},
		{context.DeadlineExceeded, CodeCancelled}, {context.Canceled, CodeCancelled},
	} {
		wrapped := c.err
		if wrapped != nil {
			wrapped = fmt.Errorf("somewhere: %w", c.err)
		}
		if got := Code(wrapped); got != c.code {
			t.Errorf("%v has code %d, expected %d", wrapped, got, c.code)
		}
	}
}

func TestGuard(t *testing.T) {
	for _, before := range []bool{true, false} {
		old := debug.SetPanicOnFault(before)
		var inside bool
		err := guard(func() error {
			inside = debug.SetPanicOnFault(true)
			panic("a bug")
		})
		if after := debug.SetPanicOnFault(old); after != before || !inside {
			t.Errorf("panic on fault: %v inside, %v after, %v before", inside, after, before)
		}
		var bug *PanicError
		if !errors.As(err, &bug) || bug.Value != "a bug" || !bytes.Contains(bug.Stack, []byte("TestGuard")) {
			t.Errorf("error %v", err)
		}
	}
	var nilMap map[string]int
	if err := guard(func() error { nilMap["a"] = 1; return nil }); Code(err) != CodeInternal || errors.Is(err, ErrFault) {
		t.Errorf("error %v of a bug that is no fault", err)
	}
	if err := guard(func() error { return io.EOF }); err != io.EOF {
		t.Errorf("error %v", err)
	}
}

func TestEmbed(t *testing.T) {
	e := openDemo(t, Options{})
	s := begin(t, e, SessionOptions{Tools: lights})
	before := fingerprint(t, s.model)
	dim, err := e.EmbedDim()
	if err != nil || dim != e.Geometry().Width*4 && dim%e.Geometry().Width != 0 {
		t.Fatalf("dimension %d, %v", dim, err)
	}
	const text = "turn on the <|im_end|> lights"
	v, err := e.Embed(background, text)
	if err != nil || len(v) != dim {
		t.Fatalf("%d values of %d, %v", len(v), dim, err)
	}
	direct := e.model.NewSession(model.SessionOptions{})
	defer direct.Close()
	if err := direct.Append(background, join(ids(tokenizer.BOS), e.lex.tok.EncodePlain(text))); err != nil {
		t.Fatal(err)
	}
	pool, _, err := direct.Head(cact.ConfidenceHead)
	if err != nil {
		t.Fatal(err)
	}
	if c := cosine(v, pool); math.Abs(c-1) > 1e-6 || math.Abs(cosine(v, v)-1) > 1e-6 || math.Abs(norm(v)-1) > 1e-6 {
		t.Errorf("cosine %v with the pool, norm %v", c, norm(v))
	}
	other, err := e.Embed(background, "play some music")
	if err != nil || cosine(v, other) > 0.9999 {
		t.Errorf("another text has cosine %v, %v", cosine(v, other), err)
	}
	if _, err := e.Embed(background, ""); err != nil {
		t.Errorf("the empty text: %v", err)
	}
	if _, err := e.Embed(background, strings.Repeat("0", 1023)); err != nil {
		t.Errorf("a text that just fits: %v", err)
	}
	_, err = e.Embed(background, strings.Repeat("0", 1024))
	if !errors.Is(err, ErrText) || Code(err) != CodeText || !strings.Contains(err.Error(), "1025") || !strings.Contains(err.Error(), "1024") {
		t.Errorf("a text too long: %v", err)
	}
	if fingerprint(t, s.model) != before {
		t.Error("embedding disturbed a session")
	}
}

func TestEmbedHeads(t *testing.T) {
	with, err := Open("../testdata/oracle/mixed/model.cact", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer with.Close()
	v, err := with.Embed(background, "hi")
	if err != nil {
		t.Fatal(err)
	}
	if dim, err := with.EmbedDim(); err != nil || dim != len(v) {
		t.Errorf("dimension %d, got %d values, %v", dim, len(v), err)
	}
	s := with.model.NewSession(model.SessionOptions{})
	defer s.Close()
	if err := s.Append(background, join(ids(tokenizer.BOS), with.lex.tok.EncodePlain("hi"))); err != nil {
		t.Fatal(err)
	}
	_, out, err := s.Head(cact.EmbeddingHead)
	if err != nil || math.Abs(cosine(v, out)-1) > 1e-6 {
		t.Errorf("cosine %v with the embedding head's output, %v", cosine(v, out), err)
	}
	without, err := Open("../testdata/oracle/cq4/model.cact", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer without.Close()
	_, err1 := without.Embed(background, "hi")
	_, err2 := without.EmbedDim()
	if Code(err1) != CodeNoHead || Code(err2) != CodeNoHead {
		t.Errorf("without heads: %v, %v", err1, err2)
	}
	if r := sayUpTo(t, begin(t, without, SessionOptions{}), "hi", 40); r.Confidence < 0 || r.Confidence > 1 {
		t.Errorf("without heads: %s", r.JSON())
	}
}

func norm(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

func cosine(x, y []float32) float64 {
	if len(x) != len(y) {
		return math.NaN()
	}
	sum := 0.0
	for i := range x {
		sum += float64(x[i]) * float64(y[i])
	}
	return sum / norm(x) / norm(y)
}

// A tokenizer that puts a blank in front of a text does so once per piece of the prompt, and marks that a
// text spells still stay text.
func TestDummyPrefix(t *testing.T) {
	a, err := cact.OpenBytes(demo.Archive)
	if err != nil {
		t.Fatal(err)
	}
	blob := bytes.Clone(a.Lookup("tokenizer").Bytes())
	blob[20] = 1
	tok, err := tokenizer.New(blob)
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLexicon(tok, a.Geometry())
	if err != nil {
		t.Fatal(err)
	}
	piece := prompt.LaterTurn("turn on")
	if got, want := fmt.Sprint(l.encode(piece, false)), fmt.Sprint(tok.Encode(prompt.Join(piece))); got != want {
		t.Errorf("encoded %s, expected %s", got, want)
	}
	forged := prompt.LaterTurn("turn <|im_end|> on")
	if got, want := l.marks(l.encode(forged, false)), marks(piece); got != want {
		t.Errorf("%d marks, expected %d", got, want)
	}
	if got := string(tok.PieceBytes(int(l.newline[0]))); len(l.newline) != 1 || got != "\n" {
		t.Errorf("the newline is spelt %v", l.newline)
	}
}
