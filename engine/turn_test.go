package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/demo"
	"github.com/libneedle/libneedle/engine/grammar"
	"github.com/libneedle/libneedle/tokenizer"
)

const (
	eos     = tokenizer.EOS
	imEnd   = tokenizer.IMEnd
	think   = tokenizer.Think
	endThnk = tokenizer.EndThink
	call    = tokenizer.ToolCall
	endCall = tokenizer.EndToolCall
)

// scripted is a decoder whose logits follow a script: at each product with the head the next wanted id
// leads by a known distance. Ids in tempting lead even more, so that a legal place for them is noticed.
type scripted struct {
	size     int
	wanted   []int32
	tempting []int32
	lead     float32 // of the wanted id's logit over the rest; 0 means 8
	head     float32 // raw output of the confidence head

	fed      []int32
	seen     int // of fed, at the last product
	at       int // in wanted
	products int
	headAt   int // tokens fed when the head was read, -1 when it was not
}

func (s *scripted) Append(ctx context.Context, ids []int32) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.fed = append(s.fed, ids...)
	return nil
}

func (s *scripted) Fork(int) error { return errors.New("a script has no forks") }

func (s *scripted) Grow(context.Context, [][]int32, bool, func(fork, i int, logits []float32)) error {
	return errors.New("a script has no forks")
}

func (s *scripted) Logits() ([]float32, error) {
	x := make([]float32, s.size)
	for _, id := range s.tempting {
		x[id] = 20
	}
	for i, id := range s.fed[s.seen:] { // after the chosen one, those that were forced
		if i > 0 && s.at < len(s.wanted) && s.wanted[s.at] == id {
			s.at++
		}
	}
	want := int32(imEnd)
	if s.at < len(s.wanted) {
		want = s.wanted[s.at]
	}
	s.seen, s.at = len(s.fed), s.at+1
	s.products++
	if x[want] = 8; s.lead > 0 {
		x[want] = s.lead
	}
	return x, nil
}

func (s *scripted) Head(code cact.HeadCode) (pool, output []float32, err error) {
	if code != cact.ConfidenceHead {
		return nil, nil, errors.New("another head")
	}
	s.headAt = len(s.fed)
	return nil, []float32{s.head}, nil
}

// demoLexicon is the lexicon of the demo, whose tokenizer has "[]" as one piece and a newline as a byte.
func demoLexicon(t testing.TB) *lexicon {
	t.Helper()
	a, err := cact.OpenBytes(demo.Archive)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.New(a.Lookup("tokenizer").Bytes())
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLexicon(tok, a.Geometry())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// fixture is a turn over a script.
type fixture struct {
	*turn
	script *scripted
}

func newFixture(l *lexicon, user bool, limit int, wanted ...int32) fixture {
	s := &scripted{size: l.tok.Len(), wanted: wanted, headAt: -1}
	t := &turn{lex: l, model: s, choose: newChooser(0, 0), limit: limit, user: user, list: newStrand(lightCalls(l)), values: valueRules{repeats: true}, callable: true}
	return fixture{t, s}
}

// lightCalls follows a list of calls of one tool, with any arguments.
func lightCalls(l *lexicon) *grammar.Matcher {
	g, err := grammar.CompileTools([]grammar.Tool{{Name: "set_lights"}}, grammar.Options{Mode: grammar.ModeTool})
	if err != nil {
		panic(err)
	}
	w := weights{tok: l.tok}
	return g.Start(w.vocabulary(l))
}

// chosen counts the tokens of a list at whose place others are legal too.
func chosen(l *lexicon, list []int32) int {
	n, m := 0, lightCalls(l)
	for _, id := range list {
		if _, forced := m.Mask().Only(); !forced {
			n++
		}
		m.Accept(id)
	}
	return n
}

func (f fixture) mustRun(t *testing.T) {
	t.Helper()
	if err := f.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.out, f.script.fed) {
		t.Fatalf("wrote %v but fed %v", f.out, f.script.fed)
	}
}

func (f fixture) text(ids []int32) string { return f.lex.tok.Decode(ids) }

// join concatenates token lists.
func join(parts ...[]int32) []int32 { return slices.Concat(parts...) }

func ids(x ...int32) []int32 { return x }

const oneCall = `[{"name":"set_lights","arguments":{"on":true}}]`

func TestUserTurnForcesItsMarks(t *testing.T) {
	l := demoLexicon(t)
	thought, list := l.tok.EncodePlain("\n'on' -> on\n"), l.tok.EncodePlain(oneCall)
	f := newFixture(l, true, 200, join(thought, ids(endThnk), list)...)
	f.head, f.script.head, f.script.lead = true, 1, 20
	f.mustRun(t)
	want := join(ids(think), thought, ids(endThnk), l.newline, ids(call), list, ids(endCall, imEnd))
	if !slices.Equal(f.out, want) {
		t.Fatalf("wrote\n%v, expected\n%v", f.out, want)
	}
	// <think>, newline, <tool_call>, </tool_call> and <|im_end|> cost no product with the head, and in the list
	// no token that is the only legal one.
	if got, want := f.script.products, len(thought)+1+chosen(l, list); got != want {
		t.Errorf("%d products with the head, expected %d", got, want)
	}
	if !f.called || f.cut || f.text(f.list.tokens) != oneCall || strings.TrimSpace(f.text(f.thought)) != "'on' -> on" {
		t.Errorf("called %v, cut %v, call %q, thought %q", f.called, f.cut, f.text(f.list.tokens), f.text(f.thought))
	}
	if got, want := f.script.headAt, len(f.out)-2; got != want {
		t.Errorf("the head was read after %d tokens, expected %d: at the list's end", got, want)
	}
	if want := 1 / (1 + math.Exp(-1)); math.Abs(f.sure.confidence(ConfidenceMin)-want) > 1e-6 {
		t.Errorf("confidence %v, expected the head's %v", f.sure.confidence(ConfidenceMin), want)
	}
}

func TestMasks(t *testing.T) {
	l := demoLexicon(t)
	never := []int32{0, 2, 3, 4, 8, 9, 12, 13, 14, 15}
	for _, c := range []struct {
		name     string
		user     bool
		wanted   []int32 // leads to the place; the last one is what is chosen there
		tempting []int32 // beside those that are never sampled
		legal    tokenSet
	}{
		{"thought", true, ids(300), ids(6, 10, 11), l.thought},
		{"opening", false, ids(300), ids(7, 11), l.opening},
		{"answer", false, ids(300), ids(6, 7, 11), l.answer},
		{"prose", false, ids(300), ids(6, 7, 10, 11), l.prose},
	} {
		masked := join(never, c.tempting)
		for id := range int32(16) {
			if got, want := c.legal.has(id), !slices.Contains(masked, id); got != want {
				t.Errorf("%s: id %d legal: %v, expected %v", c.name, id, got, want)
			}
		}
		if !c.legal.has(16) || !c.legal.has(int32(l.tok.Len()-1)) || c.legal.has(int32(l.tok.Len())) {
			t.Errorf("%s: ordinary ids are not legal, or ids beyond the vocabulary are", c.name)
		}
	}
}

// The masks hold at their places, not only in the tables: what tempts is written nowhere.
func TestMasksAreUsed(t *testing.T) {
	l := demoLexicon(t)
	space := l.tok.EncodePlain(" ")
	for _, c := range []struct {
		name     string
		user     bool
		wanted   []int32
		tempting []int32
	}{
		{"user turn", true, join(ids(300, endThnk), l.tok.EncodePlain("[]")), ids(0, 2, 3, 4, 6, 8, 9, 10, 12, 13, 14, 15)},
		{"prose", false, ids(300, 301, imEnd), ids(0, 2, 3, 4, 7, 8, 9, 11, 12, 13, 14, 15)},
		{"thought after a tool", false, ids(think, 300, endThnk, 301, imEnd), ids(0, 2, 3, 4, 8, 9, 11, 12, 13, 14, 15)},
		{"blank, then call", false, join(space, ids(call), l.tok.EncodePlain("[]")), ids(0, 2, 3, 4, 7, 8, 9, 12, 13, 14, 15)},
	} {
		f := newFixture(l, c.user, 200, c.wanted...)
		f.script.tempting = c.tempting
		f.mustRun(t)
		written := f.out
		if c.user {
			written = slices.DeleteFunc(slices.Clone(written), func(id int32) bool { return id == think || id == call })
			if f.out[0] != think {
				t.Errorf("%s: begins with %d", c.name, f.out[0])
			}
		}
		for _, id := range c.tempting {
			if slices.Contains(written, id) {
				t.Errorf("%s: wrote %d, which is masked: %v", c.name, id, f.out)
			}
		}
	}
	// The control: where they are legal, they are written.
	f := newFixture(l, false, 10, 300)
	f.script.tempting = ids(call)
	f.mustRun(t)
	if f.out[0] != call {
		t.Errorf("wrote %v, expected <tool_call> where it is legal", f.out)
	}
}

func TestTiesGoToTheLowestID(t *testing.T) {
	l := demoLexicon(t)
	c := newChooser(0, 0)
	x := make([]float32, l.tok.Len())
	if id, p := c.choose(x, l.prose); id != eos || math.Abs(math.Exp(float64(p))*float64(l.tok.Len()-14)-1) > 1e-4 {
		t.Errorf("chose %d with log-probability %v among equals", id, p)
	}
	x[700], x[500], x[501] = 3, 3, 3
	if id, _ := c.choose(x, l.prose); id != 500 {
		t.Errorf("chose %d, expected 500", id)
	}
	if id, _ := c.choose(x, make(tokenSet, len(l.prose))); id != -1 {
		t.Errorf("chose %d where nothing is legal", id)
	}
}

func TestStopsEndATurnWithoutCall(t *testing.T) {
	l := demoLexicon(t)
	for _, stop := range ids(eos, imEnd) {
		f := newFixture(l, true, 200, 300, 301, stop)
		f.mustRun(t)
		if !slices.Equal(f.out, ids(think, 300, 301, stop)) || f.called || f.cut {
			t.Errorf("thought: wrote %v, called %v, cut %v", f.out, f.called, f.cut)
		}
		f = newFixture(l, false, 200, 300, 301, stop)
		f.mustRun(t)
		if !slices.Equal(f.out, ids(300, 301, stop)) || f.called || f.cut || !slices.Equal(f.prose, ids(300, 301)) {
			t.Errorf("prose: wrote %v, called %v, cut %v", f.out, f.called, f.cut)
		}
	}
}

func TestThoughtLeavesRoomForTheCall(t *testing.T) {
	l := demoLexicon(t)
	endless := slices.Repeat(ids(300), 100)
	for _, c := range []struct{ limit, thought int }{{33, 0}, {34, 1}, {50, 17}, {10, 0}} {
		f := newFixture(l, true, c.limit, endless...)
		f.mustRun(t)
		if len(f.thought) != c.thought || f.out[1+c.thought] != endThnk {
			t.Errorf("limit %d: %d tokens of thought, expected %d: %v", c.limit, len(f.thought), c.thought, f.out)
		}
	}
	// After a tool result nothing is forced at the start, but a thought ends in time.
	f := newFixture(l, false, 50, join(ids(think), endless[:17], ids(999, 999, imEnd))...)
	f.mustRun(t)
	if !slices.Equal(f.out, join(ids(think), endless[:17], ids(endThnk, 999, 999, imEnd))) {
		t.Errorf("after a tool: %v", f.out)
	}
}

func TestAfterAToolResult(t *testing.T) {
	l := demoLexicon(t)
	list := l.tok.EncodePlain(oneCall)
	for _, c := range []struct {
		name   string
		wanted []int32
		out    []int32
		prose  string
		called bool
	}{
		{"call at once", join(ids(call), list), join(ids(call), list, ids(endCall, imEnd)), "", true},
		{"think, then call", join(ids(think, 300, endThnk), l.newline, ids(call), list),
			join(ids(think, 300, endThnk), l.newline, ids(call), list, ids(endCall, imEnd)), "", true},
		{"prose", join(l.tok.EncodePlain("All done"), ids(imEnd)), join(l.tok.EncodePlain("All done"), ids(imEnd)), "All done", false},
		{"nothing", ids(imEnd), ids(imEnd), "", false},
	} {
		f := newFixture(l, false, 200, c.wanted...)
		f.mustRun(t)
		if !slices.Equal(f.out, c.out) || f.called != c.called || strings.TrimSpace(f.text(f.prose)) != c.prose {
			t.Errorf("%s: wrote %v (%q), expected %v; called %v, prose %q", c.name, f.out, f.text(f.out), c.out, f.called, f.text(f.prose))
		}
	}
}

// What ends a message elsewhere ends no list: it goes on until it is complete or the limit is reached.
func TestCallRegionEnds(t *testing.T) {
	l := demoLexicon(t)
	half := l.tok.EncodePlain(`[{"name":`)
	for _, stop := range ids(endCall, imEnd, eos, think, call) {
		f := newFixture(l, true, 200, join(ids(endThnk), half, ids(stop))...)
		if !l.thought.has(stop) {
			f.script.tempting = ids(stop)
		}
		f.mustRun(t)
		region := f.out[slices.Index(f.out, call)+1 : len(f.out)-2]
		if !slices.Equal(region[:len(half)], half) || slices.Contains(region, stop) || f.list.calls.Complete() == f.cut {
			t.Errorf("stop %d: wrote %v, cut %v", stop, f.out, f.cut)
		}
		if !slices.Equal(f.out[len(f.out)-2:], ids(endCall, imEnd)) {
			t.Errorf("stop %d: the message is not closed: %v", stop, f.out)
		}
	}
}

// One legal token costs no product with the head: after a bracket in a list that must be empty. The control has
// a choice there.
func TestForcedTokensCostNoLogits(t *testing.T) {
	l := demoLexicon(t)
	bracket := l.tok.EncodePlain("[")
	for _, c := range []struct {
		empty    bool
		products int
	}{{true, 2}, {false, 3}} {
		f := newFixture(l, false, 200, join(ids(call), bracket, l.tok.EncodePlain("]"))...)
		if c.empty {
			g, err := emptyCalls(t).Choose(grammar.Choice{Only: []string{}})
			if err != nil {
				t.Fatal(err)
			}
			w := weights{tok: l.tok}
			f.list.calls = g.Start(w.vocabulary(l))
		}
		f.mustRun(t)
		if f.script.products != c.products || f.text(f.list.tokens) != "[]" {
			t.Errorf("empty %v: %d products, expected %d: %q", c.empty, f.script.products, c.products, f.text(f.list.tokens))
		}
	}
}

func emptyCalls(t *testing.T) *grammar.Grammar {
	t.Helper()
	g, err := grammar.CompileTools([]grammar.Tool{{Name: "set_lights"}}, grammar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A vocabulary that can't spell what is allowed ends the list instead of writing something else.
func TestStuckList(t *testing.T) {
	l := demoLexicon(t)
	f := newFixture(l, false, 200, ids(call)...)
	g, err := grammar.CompileTools([]grammar.Tool{{Name: "set_lights"}}, grammar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pieces := make([][]byte, l.tok.Len())
	pieces[300] = []byte("[")
	f.list.calls = g.Start(grammar.NewVocabulary(pieces))
	f.mustRun(t)
	if !f.stuck || !slices.Equal(f.out, ids(call, 300, endCall, imEnd)) {
		t.Errorf("stuck %v: %v", f.stuck, f.out)
	}
}

func TestListIsClosedNearTheLimit(t *testing.T) {
	l := demoLexicon(t)
	element := l.tok.EncodePlain(oneCall[:len(oneCall)-1]) // all but the bracket
	more := l.tok.EncodePlain(`,{"name":"set_lights"`)
	const begin = 1 // <tool_call>, since a user's turn would have to end its thought long before
	for left := 2; left < 12; left++ {
		f := newFixture(l, false, begin+len(element)+left, join(ids(call), element, more, more)...)
		f.mustRun(t)
		closed := left >= 3 && left <= listReserve
		if f.list.calls.Complete() != closed || f.cut == closed {
			t.Errorf("%d left after an element: complete %v, cut %v: %q", left, f.list.calls.Complete(), f.cut, f.text(f.out))
		}
		if closed && f.text(f.list.tokens) != oneCall {
			t.Errorf("%d left: %q", left, f.text(f.list.tokens))
		}
	}
	// A list that has no element yet is not turned into a refusal.
	f := newFixture(l, false, begin+4, join(ids(call), l.tok.EncodePlain("["), l.tok.EncodePlain(`{"name":"set_lights"`))...)
	f.mustRun(t)
	if f.list.calls.Complete() || !f.cut {
		t.Errorf("an empty list was closed: %q", f.text(f.out))
	}
}

func TestLimitHoldsAndMessageIsClosed(t *testing.T) {
	l := demoLexicon(t)
	list := l.tok.EncodePlain(oneCall)
	scripts := map[string][]int32{
		"call":    join(ids(300, 301, endThnk), list),
		"endless": slices.Repeat(ids(300), 200),
		"blanks":  slices.Repeat(l.tok.EncodePlain(" "), 200),
		"think":   join(ids(think), slices.Repeat(ids(300), 200)),
		"tool":    join(l.tok.EncodePlain(" "), ids(call), list),
		"late":    join(slices.Repeat(l.tok.EncodePlain(" "), 20), ids(call), list),
	}
	for name, script := range scripts {
		for limit := 1; limit < 80; limit++ {
			for _, user := range []bool{true, false} {
				f := newFixture(l, user, limit, script...)
				f.mustRun(t)
				n := len(f.out)
				if n > limit || n == 0 || f.out[n-1] != imEnd && f.out[n-1] != eos {
					t.Fatalf("%s, limit %d, user %v: wrote %d tokens: %v", name, limit, user, n, f.out)
				}
				if open, closed := slices.Index(f.out, call), slices.Index(f.out, endCall); (open >= 0) != (closed > open) {
					t.Fatalf("%s, limit %d, user %v: the call region is not closed: %v", name, limit, user, f.out)
				}
				if open := slices.Index(f.out, think); open >= 0 && limit > 2 && f.out[n-1] != eos && slices.Index(f.out, endThnk) < open {
					t.Fatalf("%s, limit %d, user %v: the thought is not closed: %v", name, limit, user, f.out)
				}
			}
		}
	}
}

func TestConfidenceIsTheLowestCallProbability(t *testing.T) {
	l := demoLexicon(t)
	list := l.tok.EncodePlain("[]")
	legal := lightCalls(l).Mask().Count()
	for _, lead := range []float32{2, 5, 9} {
		f := newFixture(l, true, 100, join(ids(300, endThnk), list)...)
		f.script.lead = lead
		f.mustRun(t)
		want := math.Exp(float64(lead)) / (math.Exp(float64(lead)) + float64(legal-1))
		if got := f.sure.confidence(ConfidenceMin); math.Abs(got-want) > 1e-5 {
			t.Errorf("lead %v: confidence %v, expected %v", lead, got, want)
		}
	}
	// Without a call: the geometric mean of what the model chose, thought included.
	f := newFixture(l, true, 100, 300, imEnd)
	f.mustRun(t)
	n := 0
	l.thought.each(func(int32) { n++ })
	want := math.Exp(8) / (math.Exp(8) + float64(n-1))
	if got := f.sure.confidence(ConfidenceMin); math.Abs(got-want) > 1e-5 {
		t.Errorf("without a call: %v, expected %v", got, want)
	}
	var nan score
	nan.head, nan.headRead, nan.freeCount = float32(math.NaN()), true, 1
	if got := nan.confidence(ConfidenceMin); got != 0 {
		t.Errorf("an undefined head gives %v, expected 0", got)
	}
}

func TestTurnStopsWithItsContext(t *testing.T) {
	l := demoLexicon(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := newFixture(l, true, 100, 300)
	if err := f.run(ctx); !errors.Is(err, context.Canceled) || len(f.script.fed) != 0 {
		t.Errorf("error %v after %v", err, f.script.fed)
	}
}

func TestTemperatureFollowsTheLogits(t *testing.T) {
	x := []float32{0, 1, 2, 9, -1}
	legal := newTokenSet(5).without(3)
	const temperature, draws = 0.7, 20000
	count := make([]float64, 5)
	c, again := newChooser(temperature, 7), newChooser(temperature, 7)
	for range draws {
		id, logProb := c.choose(x, legal)
		if other, _ := again.choose(x, legal); other != id {
			t.Fatal("the same seed drew another token")
		}
		total := math.Exp(0) + math.Exp(1) + math.Exp(2) + math.Exp(-1)
		if want := float64(x[id]) - math.Log(total); math.Abs(float64(logProb)-want) > 1e-5 {
			t.Fatalf("log-probability %v of %d, expected %v whatever the temperature", logProb, id, want)
		}
		count[id]++
	}
	total := 0.0
	for _, id := range []int{0, 1, 2, 4} {
		total += math.Exp(float64(x[id]) / temperature)
	}
	for id := range x {
		want := math.Exp(float64(x[id])/temperature) / total
		if id == 3 {
			want = 0
		}
		if got := count[id] / draws; math.Abs(got-want) > 0.015 {
			t.Errorf("id %d was drawn with frequency %.3f, expected %.3f", id, got, want)
		}
	}
	other := newChooser(temperature, 8)
	same := 0
	c = newChooser(temperature, 7)
	for range 100 {
		a, _ := c.choose(x, legal)
		b, _ := other.choose(x, legal)
		if a == b {
			same++
		}
	}
	if same == 100 {
		t.Error("another seed drew the same tokens")
	}
}

// A cycle of tokens stands six times in a row in the list, not seven; elsewhere it may.
func TestCyclesEnd(t *testing.T) {
	l := demoLexicon(t)
	begin := l.tok.EncodePlain(`[{"name":"set_lights","arguments":{"x":"`)
	a, b, c, d, e := l.tok.EncodePlain("a")[0], l.tok.EncodePlain("b")[0], l.tok.EncodePlain("c")[0], l.tok.EncodePlain("d")[0], l.tok.EncodePlain("e")[0]
	for _, x := range []struct {
		cycle []int32
		stops bool
	}{{ids(a), true}, {ids(a, b), true}, {ids(a, b, c, d), true}, {ids(a, b, c, d, e), false}} {
		f := newFixture(l, false, 200, join(ids(call), begin, slices.Repeat(x.cycle, 7))...)
		f.mustRun(t)
		value := f.list.tokens[len(begin):]
		six := slices.Repeat(x.cycle, 6)
		if !slices.Equal(value[:len(six)], six) {
			t.Fatalf("cycle %v: wrote %v", x.cycle, value)
		}
		if stopped := value[len(six)] != x.cycle[0]; stopped != x.stops {
			t.Errorf("cycle %v: stopped %v, expected %v: %v", x.cycle, stopped, x.stops, value)
		}
	}
	one := make(tokenSet, len(l.prose))
	one[a/64] |= 1 << (a % 64)
	f := newFixture(l, false, 200)
	f.list.tokens = slices.Repeat(ids(a), 6)
	if rest := f.list.withoutRepeats(one); !rest.has(a) {
		t.Error("the last legal token was taken out")
	}
}

// A string whose end the model spells in one token with a bracket that is not legal yet ends all the same.
func TestStringEndsWithItsQuote(t *testing.T) {
	l := demoLexicon(t)
	g, err := grammar.CompileTools([]grammar.Tool{{Name: "set_lights", Schema: []byte(
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]}`)}}, grammar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tooEarly := l.tok.EncodePlain(`"}}]`)
	if len(tooEarly) != 1 {
		t.Fatalf("%v: the control needs one token", tooEarly)
	}
	begin := l.tok.EncodePlain(`[{"name":"set_lights","arguments":{"a":"x`)
	f := newFixture(l, false, 200, join(ids(call), begin, tooEarly)...)
	w := weights{tok: l.tok}
	f.list.calls = g.Start(w.vocabulary(l))
	f.mustRun(t)
	if got := f.text(f.list.tokens); !strings.HasPrefix(got, `[{"name":"set_lights","arguments":{"a":"x",`) {
		t.Errorf("wrote %s", got)
	}
	f = newFixture(l, false, 200, join(ids(call), begin, tooEarly)...) // where it is legal, it is written whole
	f.mustRun(t)
	if got := f.text(f.list.tokens); got != `[{"name":"set_lights","arguments":{"a":"x"}}]` {
		t.Errorf("wrote %s", got)
	}
}

// A required call is made on a user's turn and after a tool's result, whatever the model would rather do.
func TestRequiredCall(t *testing.T) {
	l := demoLexicon(t)
	for _, user := range []bool{true, false} {
		for _, wanted := range [][]int32{ids(imEnd), ids(eos), l.tok.EncodePlain("All done"), ids(think, imEnd, endThnk)} {
			for _, required := range []bool{true, false} {
				f := newFixture(l, user, 200, wanted...)
				if f.required = required; required {
					g, err := emptyCalls(t).Choose(grammar.Choice{Min: 1})
					if err != nil {
						t.Fatal(err)
					}
					w := weights{tok: l.tok}
					f.list.calls = g.Start(w.vocabulary(l))
				}
				f.mustRun(t)
				if required && !f.called {
					t.Errorf("user %v, %v: no call: %v", user, wanted, f.out)
				}
				if !required && !user && wanted[0] == imEnd && f.called {
					t.Errorf("the control called: %v", f.out)
				}
			}
		}
	}
}
