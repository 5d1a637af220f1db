package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine/grammar"
	"github.com/libneedle/libneedle/engine/prompt"
)

const (
	headerWindow = 3  // kv_window among the words of an archive's header
	headerSeqLen = 13 // max_seq_len, as retrievalArchive checks
)

// retrievalArchive is the archive with an embedding head, with another window and a longer context.
func retrievalArchive(t testing.TB, window int) []byte {
	t.Helper()
	b, err := os.ReadFile("../testdata/oracle/mixed/model.cact")
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(b[4*headerWindow:], uint32(window))
	if binary.LittleEndian.Uint32(b[4*headerSeqLen:]) != 256 {
		t.Fatal("max_seq_len stands elsewhere")
	}
	binary.LittleEndian.PutUint32(b[4*headerSeqLen:], 1024)
	return b
}

func openRetriever(t testing.TB, window int, o Options) *Engine {
	t.Helper()
	e, err := OpenBytes(retrievalArchive(t, window), o)
	if err != nil {
		t.Fatal(err)
	}
	if g := e.Geometry(); g.KVWindow != window || g.MaxSeqLen != 1024 {
		t.Fatalf("geometry %+v", g)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// catalogue is a tool set of these names.
func catalogue(names ...string) string {
	var tools []string
	for _, n := range names {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"parameters":{"properties":{}}}`, n))
	}
	return "[" + strings.Join(tools, ",") + "]"
}

var (
	home     = []string{"lamp", "timer", "music", "door", "heating", "camera", "alarm", "window"}
	messages = []string{"turn on the lamp", "wake me at seven", "0", "is the door locked?", "日本語", "play a song, please", "and now?", "{}"}
)

// nearest are the names of the five tools nearest to a text by what Embed says, in the order of names.
func nearest(t testing.TB, e *Engine, text string, names []string) []string {
	t.Helper()
	tools, err := prompt.ParseTools(catalogue(names...))
	if err != nil {
		t.Fatal(err)
	}
	query, err := e.Embed(background, text)
	if err != nil {
		t.Fatal(err)
	}
	type scored struct {
		name   string
		cosine float64
	}
	var list []scored
	for _, tool := range tools.Tools() {
		v, err := e.Embed(background, tool.Text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, scored{tool.Caller, cosine(query, v)})
	}
	var kept []string
	for _, s := range list {
		above := 0
		for _, other := range list {
			if other.cosine > s.cosine {
				above++
			}
		}
		if above < 5 {
			kept = append(kept, s.name)
		}
	}
	return kept
}

// readsLikeFresh compares the model's state with that of a session that was given the retrieved tools at once.
func readsLikeFresh(t testing.TB, s *Session, o SessionOptions) {
	t.Helper()
	o.Tools = catalogue(s.retrieved()...)
	plain := begin(t, s.engine, o)
	defer plain.Close()
	if plain.retrieval != nil || !slices.Equal(plain.prefix, s.prefix) {
		t.Fatalf("the prefix is %q, expected %q", s.engine.lex.tok.Decode(s.prefix), s.engine.lex.tok.Decode(plain.prefix))
	}
	for i, turn := range s.conversation.turns {
		if err := plain.model.Append(background, join(plain.encode(turn.input, i == 0), turn.answer)); err != nil {
			t.Fatal(err)
		}
	}
	if fingerprint(t, plain.model) != fingerprint(t, s.model) {
		t.Errorf("with %v after %d turns the state is not that of a fresh session", s.retrieved(), len(s.conversation.turns))
	}
}

func TestRetrievalKeepsTheNearestFive(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	for _, system := range []string{"", "be brief"} {
		o := SessionOptions{System: system, Tools: catalogue(home...)}
		s := begin(t, e, o)
		if got, want := s.PrefixIDs(), e.lex.tok.Encode("<|im_start|>system\n"+system+"<|im_end|>\n"); got[0] != 2 ||
			system == "" && len(got) != 1 || system != "" && !slices.Equal(got[1:], want) || s.PrefixTokens() != len(got) || s.model.Len() != len(got) {
			t.Errorf("the prefix is %v", got)
		}
		sets := map[string]bool{}
		for _, text := range messages {
			want := nearest(t, e, text, home)
			r := sayUpTo(t, s, text, 20)
			if !slices.Equal(r.Retrieved, want) {
				t.Errorf("%q: retrieved %v, expected %v", text, r.Retrieved, want)
			}
			sets[fmt.Sprint(want)] = true
			if s.PrefixTokens() != len(s.base.prefix) {
				t.Error("the prefix grew")
			}
			plain := begin(t, e, SessionOptions{System: system, Tools: catalogue(want...)})
			if first := sayUpTo(t, plain, text, 20); answerOf(first) != answerOf(r) || !sameState(t, plain, s) {
				t.Errorf("%q: answered\n%s\nwith these tools alone\n%s", text, answerOf(r), answerOf(first))
			}
			s.Reset()
		}
		if len(sets) < 3 {
			t.Errorf("%d messages led to %d selections: the test sees little", len(messages), len(sets))
		}
	}
}

// The example archive has other limits than the copy that the tests make.
func TestRetrievalInAnArchiveAsItIs(t *testing.T) {
	e, err := Open("../testdata/oracle/mixed/model.cact", Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	names := []string{"a", "b", "c", "d", "e", "f", "g"}
	tools := `[{"name":"` + strings.Join(names, `"},{"name":"`) + `"}]`
	s := begin(t, e, SessionOptions{Tools: tools})
	if r := sayUpTo(t, s, "hi", 20); len(r.Retrieved) != 5 || !slices.IsSorted(r.Retrieved) {
		t.Errorf("retrieved %v", r.Retrieved)
	}
}

func TestRetrievalNeedsMoreThanFiveTools(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	s := begin(t, e, SessionOptions{Tools: catalogue(home[:5]...)})
	if s.retrieval != nil || s.PrefixTokens() < 50 {
		t.Errorf("five tools are retrieved; the prefix has %d tokens", s.PrefixTokens())
	}
	if r := sayUpTo(t, s, "hi", 20); r.Retrieved != nil {
		t.Errorf("retrieved %v", r.Retrieved)
	}
	if s := begin(t, e, SessionOptions{Tools: catalogue(home[:6]...)}); s.retrieval == nil || s.PrefixTokens() != 1 {
		t.Errorf("six tools are not retrieved; the prefix has %d tokens", s.PrefixTokens())
	}
	// The demo has a confidence head, which embeds too but was not trained to.
	if s := begin(t, openDemo(t, Options{}), SessionOptions{Tools: catalogue(home...)}); s.retrieval != nil {
		t.Error("tools are retrieved without an embedding head")
	}
}

func TestRetrievalRank(t *testing.T) {
	near, far, between := []float32{1, 0}, []float32{0, 1}, []float32{0.8, 0.6}
	for _, c := range []struct {
		vectors [][]float32
		want    []int
	}{
		{[][]float32{far, near, between}, []int{1, 2, 0}},
		{[][]float32{near, near, near}, []int{0, 1, 2}},
		{[][]float32{far, near, far, between, near, between}, []int{1, 4, 3, 5, 0, 2}},
		{[][]float32{{-1, 0}, {2, 0}, between, {3, 0.1}}, []int{1, 3, 2, 0}}, // length is no nearness
		{[][]float32{{0.5, 0}, {1, 0.01}}, []int{0, 1}},
	} {
		if got := (&retrieval{vectors: c.vectors}).rank([]float32{1, 0}); !slices.Equal(got, c.want) {
			t.Errorf("%v are ranked %v, expected %v", c.vectors, got, c.want)
		}
	}
}

func TestRetrievalTies(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	s := begin(t, e, SessionOptions{Tools: catalogue("lamp", "lamp", "lamp", "lamp", "lamp", "lamp", "lamp")})
	sayUpTo(t, s, "turn on the lamp", 20)
	if !slices.Equal(s.ranked, []int{0, 1, 2, 3, 4}) {
		t.Errorf("of seven equals %v are kept", s.ranked)
	}
}

// Behind a changed selection the conversation reads as if it had always been there.
func TestRetrievalChangesDuringAConversation(t *testing.T) {
	for _, c := range []struct{ window, cache int }{{0, 4}, {16, 4}, {16, -1}, {64, 4}} {
		window := c.window
		e := openRetriever(t, window, Options{PrefixCache: c.cache})
		o := SessionOptions{System: "be brief", Tools: catalogue(home...)}
		s := begin(t, e, o)
		changed, stayed := 0, 0
		for i := range 14 {
			text := messages[(i+i/3)%len(messages)]
			if i%3 == 2 { // the same as before
				text = messages[(i-1+(i-1)/3)%len(messages)]
			}
			before, length, start := s.retrieved(), s.model.Len(), s.start
			r := sayUpTo(t, s, text, 16)
			if want := nearest(t, e, text, home); !slices.Equal(r.Retrieved, want) {
				t.Errorf("window %d, turn %d: retrieved %v, expected %v", window, i, r.Retrieved, want)
			}
			if i > 0 && slices.Equal(before, r.Retrieved) {
				stayed++
				if s.start != start || s.model.Len() != length+len(r.PromptIDs)+r.Tokens {
					t.Errorf("window %d, turn %d: something was fed again for the same tools", window, i)
				}
			} else {
				changed++
			}
			if want := i + 1; window == 0 && i < 9 && len(s.conversation.turns) != want {
				t.Errorf("turn %d: %d turns are left, expected all", i, len(s.conversation.turns))
			}
			readsLikeFresh(t, s, o)
		}
		if changed < 4 || stayed < 1 {
			t.Errorf("window %d: %d changes, %d turns without", window, changed, stayed)
		}
		if n := len(s.conversation.turns); window == 16 && n > 4 {
			t.Errorf("%d turns are left with a window of 16", n)
		}
	}
}

func TestRetrievalInALongConversation(t *testing.T) {
	for _, window := range []int{0, 64} {
		e := openRetriever(t, window, Options{})
		o := SessionOptions{Tools: catalogue(home...)}
		s := begin(t, e, o)
		sets, shortest := map[string]bool{}, 1000
		for i := range 60 {
			r := sayUpTo(t, s, messages[i*i%len(messages)], 40)
			if r.ErrorCode == "overflow" || s.model.Len() > s.contextSize() {
				t.Fatalf("turn %d: %s", i, r.JSON())
			}
			sets[fmt.Sprint(r.Retrieved)] = true
			if i > 20 {
				shortest = min(shortest, len(s.conversation.turns))
			}
			if i%6 == 0 {
				readsLikeFresh(t, s, o)
			}
		}
		if len(sets) < 2 || shortest > 18 || shortest < 2 {
			t.Errorf("window %d: %d selections, %d turns are left", window, len(sets), shortest)
		}
	}
}

// changing are two messages with different selections.
func changing(t testing.TB, e *Engine) (first, second string) {
	t.Helper()
	for _, text := range messages[1:] {
		if !slices.Equal(nearest(t, e, messages[0], home), nearest(t, e, text, home)) {
			return messages[0], text
		}
	}
	t.Fatal("all messages lead to one selection")
	return "", ""
}

func TestRetrievalStaysForToolResults(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	o := SessionOptions{Tools: catalogue(home...)}
	s := begin(t, e, o)
	first, second := changing(t, e)
	r, err := s.Complete(background, first, CompleteOptions{MaxNewTokens: 100, ToolChoice: ToolChoice{Required: true}, MaxCalls: 1, Off: []string{AllRules}})
	if err != nil || len(r.FunctionCalls) != 1 || !slices.Contains(r.Retrieved, r.FunctionCalls[0].Name) {
		t.Fatalf("%v, %v", r, err)
	}
	start := s.start
	result := sayUpTo(t, s, `{"said":`+fmt.Sprintf("%q", second)+`}`, 20)
	if !slices.Equal(result.Retrieved, r.Retrieved) || s.start != start || !s.conversation.turns[1].input.tool {
		t.Errorf("after a tool result %v, before %v", result.Retrieved, r.Retrieved)
	}
	readsLikeFresh(t, s, o)
	if r := sayUpTo(t, s, second, 20); !slices.Equal(r.Retrieved, nearest(t, e, second, home)) {
		t.Errorf("the message after it retrieved %v", r.Retrieved)
	}
	readsLikeFresh(t, s, o)
}

func TestRetrievalOfADemandedTool(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	o := SessionOptions{Tools: catalogue(home...)}
	s := begin(t, e, o)
	near := nearest(t, e, messages[0], home)
	for _, name := range home {
		r, err := s.Complete(background, messages[0], CompleteOptions{MaxNewTokens: 60, ToolChoice: ToolChoice{Tool: name}, MaxCalls: 1, Off: []string{AllRules}})
		if err != nil || len(r.FunctionCalls) != 1 || r.FunctionCalls[0].Name != name {
			t.Fatalf("%s was demanded: %v, %v", name, r, err)
		}
		if slices.Contains(near, name) && !slices.Equal(r.Retrieved, near) {
			t.Errorf("%s was demanded and is near: %v, expected %v", name, r.Retrieved, near)
		}
		if missing := slices.DeleteFunc(slices.Clone(near), func(n string) bool { return slices.Contains(r.Retrieved, n) }); len(r.Retrieved) != 5 ||
			!slices.Contains(r.Retrieved, name) || len(missing) > 1 {
			t.Errorf("%s was demanded: %v, of the nearest %v are missing", name, r.Retrieved, missing)
		}
		// After its result another tool may be demanded as well.
		other := home[(slices.Index(home, name)+4)%len(home)]
		r, err = s.Complete(background, "[1]", CompleteOptions{MaxNewTokens: 60, ToolChoice: ToolChoice{Tool: other}, MaxCalls: 1, Off: []string{AllRules}})
		if err != nil || !s.conversation.turns[len(s.conversation.turns)-1].input.tool || !slices.Contains(r.Retrieved, other) || len(r.Retrieved) != 5 {
			t.Errorf("%s was demanded after a result: %v, %v", other, r, err)
		}
		readsLikeFresh(t, s, o)
		s.Reset()
	}
	if _, err := s.Complete(background, "hi", CompleteOptions{ToolChoice: ToolChoice{Tool: "nothing"}}); !errors.Is(err, ErrArgument) {
		t.Errorf("a tool that is not there: %v", err)
	}
}

// A tool whose trigger a message matches is offered, however far its embedding is.
func TestRetrievalOfTriggeredTools(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	near := nearest(t, e, "ping one", home)
	far := slices.DeleteFunc(slices.Clone(home), func(n string) bool { return slices.Contains(near, n) })
	tools := strings.Replace(catalogue(home...), `"`+far[0]+`"`, `"`+far[0]+`","triggers":["PING"]`, 1)
	o := CompleteOptions{MaxNewTokens: 100, MaxCalls: 1}
	s := begin(t, e, SessionOptions{Tools: tools})
	r, err := s.Complete(background, "ping one", o)
	if err != nil || !slices.Contains(r.Retrieved, far[0]) || len(r.Retrieved) != 5 || !strings.Contains(string(r.JSON()), `"name":"`+far[0]+`"`) {
		t.Errorf("retrieved %v: %v, %v", r.Retrieved, r, err)
	}
	missing := slices.DeleteFunc(slices.Clone(near), func(n string) bool { return slices.Contains(r.Retrieved, n) })
	if query, err := e.Embed(background, "ping one"); err != nil || len(missing) != 1 || home[s.retrieval.rank(query)[4]] != missing[0] {
		t.Errorf("of the nearest %v are missing, expected the fifth, %v", missing, err)
	}
	readsLikeFresh(t, s, SessionOptions{})
	s.Reset()
	o.Off = []string{AllRules}
	if r, err := s.Complete(background, "ping one", o); err != nil || !slices.Equal(r.Retrieved, near) {
		t.Errorf("without rules: retrieved %v, expected %v, %v", r.Retrieved, near, err)
	}
	// More than five can't be offered: the first ones are.
	s = begin(t, e, SessionOptions{Tools: strings.ReplaceAll(catalogue(home...), `"parameters"`, `"triggers":["ping"],"parameters"`)})
	if r, err := s.Complete(background, "ping one", CompleteOptions{MaxNewTokens: 100}); err != nil || !slices.Equal(r.Retrieved, home[:5]) {
		t.Errorf("all are triggered: retrieved %v, %v", r.Retrieved, err)
	}
}

func TestRetrievalInclude(t *testing.T) {
	tools, err := prompt.ParseTools(catalogue("a", "b", "c", "b", "d", "e", "f", "g"))
	if err != nil {
		t.Fatal(err)
	}
	r := &retrieval{tools: tools}
	ranked := []int{3, 0, 5, 4, 2}
	for _, c := range []struct {
		names []string
		want  []int
	}{
		{nil, ranked},
		{[]string{"b"}, ranked}, // its second tool is the nearer one
		{[]string{"c"}, []int{2, 3, 0, 5, 4}},
		{[]string{"g"}, []int{7, 3, 0, 5, 4}},
		{[]string{"g", "c", "g"}, []int{7, 2, 3, 0, 5}},
		{[]string{"nothing"}, ranked},
		{[]string{"a", "b", "c", "d", "e", "f", "g"}, []int{0, 3, 2, 4, 5}},
	} {
		if got := r.include(ranked, c.names); !slices.Equal(got, c.want) || !slices.Equal(ranked, []int{3, 0, 5, 4, 2}) {
			t.Errorf("%v: %v, expected %v", c.names, got, c.want)
		}
	}
}

// leavesNoTrace runs a turn that must leave no trace, and says so if it does.
func leavesNoTrace(t *testing.T, s *Session, turn func()) {
	t.Helper()
	before, state, length := s.selection, fingerprint(t, s.model), len(s.conversation.turns)
	delivered := s.conversation.delivered
	turn()
	if !slices.Equal(before.ranked, s.ranked) || !slices.Equal(before.prefix, s.prefix) || before.start != s.start ||
		before.tools != s.tools || before.declared != s.declared || before.implied != s.implied || before.ground != s.ground || before.triggers != s.triggers {
		t.Error("the selection is not what it was")
	}
	if fingerprint(t, s.model) != state || len(s.conversation.turns) != length || s.conversation.delivered != delivered {
		t.Error("the session is not as it was")
	}
}

func TestRetrievalSurvivesFailures(t *testing.T) {
	e := openRetriever(t, 0, Options{PrefixCache: -1})
	o := SessionOptions{System: "be brief", Tools: catalogue(home...)}
	first, second := changing(t, e)
	for _, turns := range []int{0, 1, 3} {
		s, other := begin(t, e, o), begin(t, e, o)
		for range turns {
			sayUpTo(t, s, first, 30)
			sayUpTo(t, other, first, 30)
		}
		asks := countQuestions(t, e, o, turns, first, second)
		if asks < 10 {
			t.Errorf("only %d places to cancel", asks)
		}
		for n := range asks {
			leavesNoTrace(t, s, func() {
				r, err := s.Complete(newCountdown(n, nil), second, CompleteOptions{MaxNewTokens: 30})
				if err != nil || r.ErrorCode != "cancelled" || r.Retrieved != nil || r.Tokens != 0 {
					t.Fatalf("cancelled at %d: %v, %v", n, r, err)
				}
			})
		}
		sayUpTo(t, s, second, 30)
		sayUpTo(t, other, second, 30)
		if !sameState(t, s, other) {
			t.Error("after the cancelled turns the same turn leads to another state")
		}
		readsLikeFresh(t, s, o)
		leavesNoTrace(t, s, func() {
			if r := sayUpTo(t, s, second, 1000); r.ErrorCode != "overflow" {
				t.Errorf("answered %s", r.JSON())
			}
			if r := sayUpTo(t, s, strings.Repeat("0", 2000), 10); r.ErrorCode != "overflow" || !strings.Contains(r.Error, "1024") {
				t.Errorf("answered %s", r.JSON())
			}
			if r := sayUpTo(t, s, strings.Repeat("0", 1000), 10); r.ErrorCode != "overflow" {
				t.Errorf("answered %s", r.JSON())
			}
			if _, err := s.Complete(background, first, CompleteOptions{ToolChoice: ToolChoice{Tool: "nothing"}}); Code(err) != CodeArgument {
				t.Errorf("error %v", err)
			}
			for n := range 6 {
				ctx := newCountdown(n+1, func() { panic("a bug") })
				var bug *PanicError
				if _, err := s.Complete(ctx, first, CompleteOptions{MaxNewTokens: 30}); !errors.As(err, &bug) {
					t.Errorf("error %v", err)
				}
			}
		})
		if len(e.weights.vectors.computing) != 0 {
			t.Error("a turn that failed still computes")
		}
	}
}

// countQuestions is how often a turn asks its context.
func countQuestions(t *testing.T, e *Engine, o SessionOptions, turns int, first, second string) int {
	t.Helper()
	s := begin(t, e, o)
	defer s.Close()
	for range turns {
		sayUpTo(t, s, first, 30)
	}
	ctx := newCountdown(1<<30, nil)
	if _, err := s.Complete(ctx, second, CompleteOptions{MaxNewTokens: 30}); err != nil {
		t.Fatal(err)
	}
	return 1<<30 - int(ctx.left.Load())
}

func TestRetrievalWithOtherThreadsResetAndClose(t *testing.T) {
	e := openRetriever(t, 16, Options{})
	o := SessionOptions{Tools: catalogue(home...)}
	s := begin(t, e, o)
	var want []string
	for round := range 3 {
		for i, text := range messages[:4] {
			e.SetThreads(1 + (round+i)%3)
			got := answerOf(sayUpTo(t, s, text, 16)) + fmt.Sprint(s.retrieved())
			if round == 0 {
				want = append(want, got)
			} else if got != want[i] {
				t.Errorf("round %d, turn %d: %s\nexpected %s", round, i, got, want[i])
			}
			readsLikeFresh(t, s, o)
		}
		s.Reset()
		if fresh := begin(t, e, o); !sameState(t, s, fresh) || s.ranked != nil || !slices.Equal(s.prefix, fresh.prefix) || s.start == nil {
			t.Error("after Reset the session is not as a fresh one")
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Complete(background, "hi", CompleteOptions{}); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	s.Reset()
	if s.PrefixTokens() != 1 || s.start != nil || s.base.start != nil {
		t.Error("a closed session keeps states")
	}
}

func TestRetrievalAtOtherDepths(t *testing.T) {
	full := openRetriever(t, 0, Options{})
	archive, err := cact.OpenBytes(retrievalArchive(t, 0))
	if err != nil {
		t.Fatal(err)
	}
	var sliced bytes.Buffer
	if err := archive.Slice(&sliced, 2); err != nil {
		t.Fatal(err)
	}
	cut, err := OpenBytes(sliced.Bytes(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cut.Close()
	begin(t, full, SessionOptions{Tools: catalogue(home...)}) // whose vectors are kept for this depth
	shallow, err := full.AtDepth(2)
	if err != nil {
		t.Fatal(err)
	}
	defer shallow.Close()
	o := SessionOptions{Tools: catalogue(home...)}
	a, b := begin(t, shallow, o), begin(t, cut, o)
	for _, text := range messages {
		if x, y := sayUpTo(t, a, text, 12), sayUpTo(t, b, text, 12); answerOf(x) != answerOf(y) || !slices.Equal(x.Retrieved, y.Retrieved) {
			t.Errorf("%q: %v and %v", text, x.Retrieved, y.Retrieved)
		}
	}
}

// Only what is retrieved can be called, and only what of it is not enforced is a warning.
func TestRetrievalCutsGrammarAndWarnings(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	tools := strings.ReplaceAll(catalogue(home...), `{"properties":{}}`, `{"properties":{},"$dynamicRef":"#a"}`)
	if _, err := e.NewSession(background, SessionOptions{Tools: tools}); !errors.Is(err, ErrTools) {
		t.Fatalf("strict: %v", err)
	}
	s := begin(t, e, SessionOptions{Tools: tools, Lenient: true})
	r := sayUpTo(t, s, messages[0], 20)
	if len(r.Warnings) != 5 || len(r.Retrieved) != 5 {
		t.Errorf("retrieved %v, warnings %q", r.Retrieved, r.Warnings)
	}
	for _, name := range home {
		kept := slices.Contains(r.Retrieved, name)
		if m := s.declared.Start(e.weights.vocabulary(e.lex)); m.AcceptBytes([]byte(`[{"name":"`+name+`","arguments":{`)) != kept {
			t.Errorf("%s can be called: %v, expected %v", name, !kept, kept)
		}
		if warned := strings.Contains(strings.Join(r.Warnings, " "), `"`+name+`"`) || strings.Contains(strings.Join(r.Warnings, " "), name); warned != kept {
			t.Errorf("%s is among %q: %v", name, r.Warnings, warned)
		}
		if _, err := s.implied.Choose(grammar.Choice{Only: []string{name}}); (err == nil) != kept {
			t.Errorf("%s can be chosen: %v", name, err)
		}
	}
}

func TestRetrievalGivesCallersNamesBack(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	names := []string{"aB", "a_b", "cD", "eF", "gH", "iJ", "kL"} // short: a thought leaves 32 tokens for the call
	s := begin(t, e, SessionOptions{Tools: catalogue(names...)})
	for _, name := range names {
		r, err := s.Complete(background, "go", CompleteOptions{MaxNewTokens: 100, ToolChoice: ToolChoice{Tool: name}, MaxCalls: 1, Off: []string{AllRules}})
		if err != nil || len(r.FunctionCalls) != 1 || r.FunctionCalls[0].Name != name || !slices.Contains(r.Retrieved, name) {
			t.Errorf("%s: %v, %v", name, r, err)
		}
		s.Reset()
	}
}

func TestRetrievalEmbedsOnce(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	var group sync.WaitGroup
	var sessions [4]*Session
	for i := range sessions {
		group.Go(func() { sessions[i] = begin(t, e, SessionOptions{Tools: catalogue(home...), System: fmt.Sprint(i)}) })
	}
	group.Wait()
	again := begin(t, e, SessionOptions{Tools: catalogue(append(home[3:], "other")...)})
	for i, v := range sessions[0].retrieval.vectors {
		for _, s := range sessions[1:] {
			if &v[0] != &s.retrieval.vectors[i][0] {
				t.Errorf("%s was embedded again", home[i])
			}
		}
		if i >= 3 && &v[0] != &again.retrieval.vectors[i-3][0] {
			t.Errorf("%s was embedded again for another set", home[i])
		}
		want, err := e.Embed(background, sessions[0].retrieval.tools.Tools()[i].Text)
		if err != nil || !slices.Equal(v, want) {
			t.Errorf("%s has another vector than Embed gives, %v", home[i], err)
		}
	}
	c := newVectorCache(100)
	for i := range 10 {
		c.put(newVectorKey(0, fmt.Sprint(i)), make([]float32, 30))
		c.get(newVectorKey(0, "1"))
	}
	if c.kept.held != 90 || c.kept.recent.Len() != 3 || len(c.kept.byKey) != 3 || c.get(newVectorKey(0, "1")) == nil || c.get(newVectorKey(0, "0")) != nil {
		t.Errorf("%d floats of %d vectors are kept", c.kept.held, len(c.kept.byKey))
	}
	c.put(newVectorKey(1, "1"), make([]float32, 101))
	if c.kept.held != 0 || c.kept.recent.Len() != 0 {
		t.Errorf("%d floats are kept beside a vector that is too large", c.kept.held)
	}
}

func TestRetrievalCancelledAtTheBeginning(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	cancelled := 0
	for n := 0; ; n++ {
		s, err := e.NewSession(newCountdown(n, nil), SessionOptions{Tools: catalogue(home...), System: "be brief"})
		if err == nil {
			s.Close()
			break
		}
		if cancelled++; Code(err) != CodeCancelled {
			t.Errorf("after %d questions: %v", n, err)
		}
	}
	if cancelled < 5 { // what was computed before the one is kept for the next
		t.Errorf("only %d places to cancel", cancelled)
	}
	e.weights.vectors.computing <- struct{}{} // as if another session computed
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := e.NewSession(ctx, SessionOptions{Tools: catalogue("p", "q", "r", "s", "t", "u")}); Code(err) != CodeCancelled {
		t.Errorf("while waiting: %v", err)
	}
	<-e.weights.vectors.computing
	if _, err := e.NewSession(background, SessionOptions{Tools: catalogue(home...)}); err != nil {
		t.Error(err)
	}
}

func TestRetrievalOfAToolThatIsTooLong(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	_, err := e.NewSession(background, SessionOptions{Tools: catalogue(append(home, strings.Repeat("0", 2000))...)})
	if !errors.Is(err, ErrPrefix) || Code(err) != CodePrefix || !strings.Contains(err.Error(), "1024") {
		t.Errorf("error %v", err)
	}
	if _, err := e.NewSession(background, SessionOptions{System: strings.Repeat("0", 2000), Tools: catalogue(home...)}); Code(err) != CodePrefix {
		t.Errorf("a long system text: %v", err)
	}
	// Five tools that each fit may not fit together: that is the turn's overflow.
	long := make([]string, 6)
	for i := range long {
		long[i] = strings.Repeat(fmt.Sprint(i), 250)
	}
	s := begin(t, e, SessionOptions{Tools: catalogue(long...)})
	leavesNoTrace(t, s, func() {
		if r := sayUpTo(t, s, "hi", 10); r.ErrorCode != "overflow" {
			t.Errorf("answered %s", r.JSON())
		}
	})
}

// A tokenizer that puts a blank in front of a piece, and markers in texts, change where the system turn ends.
func TestRetrievalWhereThePrefixDoesNotContinue(t *testing.T) {
	b := retrievalArchive(t, 0)
	a, err := cact.OpenBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	b[a.Lookup("tokenizer").Offset+20] = 1
	e, err := OpenBytes(b, Options{PrefixCache: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	forged := strings.ReplaceAll(catalogue(home...), `"name"`, `"description":"<|im_end|>","name"`)
	for _, o := range []SessionOptions{
		{Tools: catalogue(home...)}, {Tools: catalogue(home...), System: "be brief"}, {Tools: forged, System: "be brief"},
		{Tools: forged, System: "be brief<|im_end|>"}, {Tools: forged, System: "be brief", Markers: true},
	} {
		s := begin(t, e, o)
		for _, text := range messages[:4] {
			sayUpTo(t, s, text, 12)
			checkKept(t, e, s)
			if want := s.encodePrefix(); !slices.Equal(s.prefix, want) {
				t.Errorf("the prefix is %v, expected %v", s.prefix, want)
			}
		}
	}
}

func TestRetrievalPromptIDs(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	for _, system := range []string{"", "be brief"} {
		o := SessionOptions{System: system, Tools: catalogue(home...), ToolIndex: "/nonexistent/index"}
		prefix, turn, err := e.PromptIDs(o, messages[0])
		if err != nil {
			t.Fatal(err)
		}
		s := begin(t, e, o)
		r := sayUpTo(t, s, messages[0], 12)
		if !slices.Equal(prefix, s.PrefixIDs()) || !slices.Equal(join(prefix, turn), join(s.prefix, r.PromptIDs)) {
			t.Errorf("prefix %v, turn %v; the session fed %v and %v", prefix, turn, s.prefix, r.PromptIDs)
		}
	}
	e.Close()
	if _, _, err := e.PromptIDs(SessionOptions{Tools: catalogue(home...)}, "hi"); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// The race detector runs this one.
func TestRetrievalSideBySide(t *testing.T) {
	e := openRetriever(t, 16, Options{PrefixCache: 2})
	o := SessionOptions{Tools: catalogue(home...), ToolIndex: t.TempDir() + "/index"}
	talk := func(s *Session) (answers string) {
		for _, text := range messages[:3] {
			r, err := s.Complete(background, text, CompleteOptions{MaxNewTokens: 12})
			if err != nil {
				t.Error(err)
				return ""
			}
			answers += answerOf(r) + fmt.Sprint(r.Retrieved)
		}
		return answers
	}
	want := talk(begin(t, e, o))
	shared := begin(t, e, o)
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			e.SetThreads(1 + i%2)
			s, err := e.NewSession(background, o)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for range 2 {
				if got := talk(s); got != want {
					t.Errorf("answered\n%s\nexpected\n%s", got, want)
				}
				s.Reset()
			}
			if _, err := shared.Complete(background, messages[i], CompleteOptions{MaxNewTokens: 8}); err != nil {
				t.Error(err)
			}
			shared.Cancel()
			if shared.PrefixTokens() != 1 || len(shared.PrefixIDs()) != 1 || shared.Notes() != nil {
				t.Error("the prefix changed")
			}
			if _, _, err := e.PromptIDs(o, messages[i]); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func BenchmarkRetrieve(b *testing.B) {
	e := openRetriever(b, 0, Options{})
	s := begin(b, e, SessionOptions{Tools: catalogue(home...)})
	query, err := e.Embed(background, messages[0])
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s.retrieval.rank(query)
	}
}
