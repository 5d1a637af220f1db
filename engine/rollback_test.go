package engine

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/libneedle/libneedle/engine/grammar"
	"github.com/libneedle/libneedle/engine/ground"
	"github.com/libneedle/libneedle/engine/model"
)

const choosing = `[{"name":"set_lights","description":"Control lights","parameters":{"type":"object","properties":{
	"room":{"enum":["kitchen","living room","bedroom","bathroom"]},"mode":{"type":"string","description":"one of 'warm', 'cold'"},
	"level":{"type":"integer"},"note":{"type":"string"},"device_id":{"type":"string"}},"required":["room","level"]}},
	{"name":"send_message","description":"Send a message","parameters":{"type":"object","properties":{"recipient":{"type":"string"},"text":{"type":"string"}},"required":["recipient","text"]}}]`

var choosingRequests = []string{
	"set the living room or the kitchen lights to 40", "text anna that dinner is ready at the old mill", "bedroom or bathroom to 7, device lamp-3",
}

// bitsAt are the bits of the logits and of the heads where a session stands.
func bitsAt(t testing.TB, s *model.Session, m *model.Model) (list []uint32) {
	t.Helper()
	add := func(x []float32) {
		for _, v := range x {
			list = append(list, math.Float32bits(v))
		}
	}
	x, err := s.Logits()
	if err != nil {
		t.Fatal(err)
	}
	add(x)
	for _, code := range m.Heads() {
		pool, out, err := s.Head(code)
		if err != nil {
			t.Fatal(err)
		}
		add(pool)
		add(out)
	}
	return list
}

// fedAtOnce compares a session with one that was fed the same tokens and nothing else.
func fedAtOnce(t testing.TB, m *model.Model, got *model.Session, o model.SessionOptions, sink int, all []int32) {
	t.Helper()
	fresh := m.NewSession(o)
	defer fresh.Close()
	if err := fresh.SetSink(sink); err != nil {
		t.Fatal(err)
	}
	if err := fresh.Append(background, all); err != nil {
		t.Fatal(err)
	}
	if got.Len() != len(all) || !slices.Equal(bitsAt(t, got, m), bitsAt(t, fresh, m)) {
		t.Fatalf("after %d positions, %d expected: other bits than those of the same tokens fed at once", got.Len(), len(all))
	}
	if fingerprint(t, got) != fingerprint(t, fresh) {
		t.Fatalf("after %d positions: the next tokens have other bits", len(all))
	}
}

// What is tried while values are chosen leaves no trace in the demo's model.
func TestChoosingLeavesNoTrace(t *testing.T) {
	for _, threads := range []int{1, 2} {
		e := openDemo(t, Options{Threads: threads})
		s := begin(t, e, SessionOptions{Tools: choosing, System: "date: 2026-09-18 Fri 09:41"})
		all, tried := s.PrefixIDs(), 0
		for _, text := range choosingRequests {
			before := fingerprint(t, s.model)
			cancelled := 0
			for n := 1; ; n += 7 {
				r, err := s.Complete(newCountdown(n, nil), text, CompleteOptions{MaxNewTokens: 150})
				if err != nil {
					t.Fatal(err)
				}
				if r.ErrorCode != CodeName(CodeCancelled) {
					all = join(all, r.PromptIDs, r.OutputIDs)
					tried += r.Speculated
					break
				}
				if cancelled++; fingerprint(t, s.model) != before {
					t.Fatalf("%q cancelled at %d: the session is not as it was", text, n)
				}
			}
			if cancelled < 3 {
				t.Errorf("cancelled %d times", cancelled)
			}
			fedAtOnce(t, e.model, s.model, model.SessionOptions{Window: e.Geometry().Window(), Threads: 3 - threads}, len(s.prefix), all)
		}
		if tried < 10 {
			t.Errorf("only %d tokens were tried", tried)
		}
	}
}

// On the stored models, with windows that wrap within a turn, and with heads.
func TestChoosingLeavesNoTraceInStoredModels(t *testing.T) {
	for _, c := range []struct {
		name   string
		window int
	}{{"tiny", 16}, {"tiny", 0}, {"mixed", 20}, {"odd", 24}, {"cq4", 64}} {
		for _, threads := range []int{1, 2} {
			t.Run(fmt.Sprint(c.name, c.window, threads), func(t *testing.T) {
				e, err := Open("../testdata/oracle/"+c.name+"/model.cact", Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close()
				o := model.SessionOptions{Window: c.window, Threads: threads}
				s := e.model.NewSession(o)
				defer s.Close()
				prefix := join(ids(2), e.lex.tok.EncodePlain("a b or c d"))
				if err := s.SetSink(len(prefix)); err != nil {
					t.Fatal(err)
				}
				if err := s.Append(background, prefix); err != nil {
					t.Fatal(err)
				}
				turn := storedTurn(t, e, s)
				for at := step(turn.write); at != nil; {
					if at, err = at(background); err != nil {
						t.Fatal(err)
					}
				}
				if err := turn.flush(background); err != nil {
					t.Fatal(err)
				}
				if turn.evaluated == 0 {
					t.Errorf("nothing was tried: %s", e.lex.tok.Decode(turn.out))
				}
				o.Threads = 3 - threads
				fedAtOnce(t, e.model, s, o, len(prefix), join(prefix, turn.out))
			})
		}
	}
}

// storedTurn is a turn that is at its call's beginning.
func storedTurn(t testing.TB, e *Engine, s *model.Session) *turn {
	t.Helper()
	schema := `{"type":"object","properties":{"a":{"enum":["a b","c d"]},"b":{"type":"integer","minimum":0,"maximum":9999},"c":{"enum":["a","c"]},"d":{"type":"string","maxLength":12}},"required":["a","b","c","d"]}`
	g, err := grammar.CompileTools([]grammar.Tool{{Name: "f", Schema: []byte(schema)}}, grammar.Options{Mode: grammar.ModeTool})
	if err == nil {
		g, err = g.Choose(grammar.Choice{Min: 1, Max: 1})
	}
	if err != nil {
		t.Fatal(err)
	}
	talk := ground.NewTurn("", []string{"a b or c d"}, true)
	return &turn{
		lex: e.lex, model: s, choose: newChooser(0, 0), limit: 140, head: len(e.model.Heads()) > 0, callable: true, required: true,
		list: newStrand(g.Start(e.weights.vocabulary(e.lex))), out: ids(call),
		values: valueRules{options: true, lookahead: true, groundedIDs: true, repeats: true, turn: talk, conversation: inStrings(talk.Texts()),
			tools: ground.NewTools([]ground.Tool{{Name: "f", Schema: []byte(schema)}})},
	}
}

// With a temperature nothing is tried on the model either.
func TestTemperatureTriesNothing(t *testing.T) {
	e := openDemo(t, Options{})
	s := begin(t, e, SessionOptions{Tools: choosing})
	for seed := range uint64(4) {
		s.Reset()
		r, err := s.Complete(background, choosingRequests[0], CompleteOptions{MaxNewTokens: 150, Temperature: .5, Seed: seed})
		if err != nil || r.Speculated != 0 {
			t.Errorf("%d tokens tried, %v", r.Speculated, err)
		}
	}
	s.Reset()
	for _, o := range []CompleteOptions{{Plain: true}, {Off: []string{"values"}}, {Off: []string{ruleOptions, ruleLookahead}}} {
		if r, err := s.Complete(background, choosingRequests[0], o); err != nil || r.Speculated != 0 {
			t.Errorf("%+v: %d tokens tried, %v", o, r.Speculated, err)
		}
		s.Reset()
	}
}

// BenchmarkTurn answers one request of the demo, with the values chosen whole and token by token.
func BenchmarkTurn(b *testing.B) {
	for name, o := range map[string]CompleteOptions{"values": {}, "plain": {Plain: true}} {
		b.Run(name, func(b *testing.B) {
			s := begin(b, openDemo(b, Options{}), SessionOptions{Tools: choosing})
			tokens, n := 0, 0
			for b.Loop() {
				s.Reset()
				r, err := s.Complete(background, choosingRequests[0], o)
				if err != nil || !r.Success {
					b.Fatal(err, string(r.JSON()))
				}
				tokens += r.Tokens + r.Speculated
				n++
			}
			b.ReportMetric(float64(tokens)/float64(n), "tokens/turn")
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(n), "ms/turn")
		})
	}
}
