package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libneedle/libneedle/engine/prompt"
)

// toolWith is a tool that has triggers; without parameters any arguments are accepted.
func toolWith(name, triggers string) string {
	return fmt.Sprintf(`{"name":%q,"triggers":%s,"parameters":{"type":"object","properties":{"x":{"type":"string"}}}}`, name, triggers)
}

func readTriggers(t testing.TB, tools ...string) *triggers {
	t.Helper()
	set, err := prompt.ParseTools("[" + strings.Join(tools, ",") + "]")
	if err != nil {
		t.Fatal(err)
	}
	return newTriggers(set)
}

func expressions(texts ...string) string {
	b, _ := json.Marshal(texts)
	return string(b)
}

func TestTriggersMatch(t *testing.T) {
	for _, c := range []struct {
		expression, request string
		want                bool
	}{
		{`lights?`, "turn on the lights", true},
		{`lights?`, "TURN ON THE LIGHT", true},
		{`LIGHTS`, "lights", true},
		{`lights`, "light", false},
		{`^turn`, "turn it on", true},
		{`^turn`, "please turn it on", false},
		{`on$`, "turn it on", true},
		{`on$`, "turn it on now", false},
		{`(?m)^now`, "turn it on\nnow", true},
		{`^now`, "turn it on\nnow", false},
		{`lamp|light`, "a lamp", true},
		{`^lamp|light$`, "a light", true},
		{`^lamp|light$`, "the lamp is", false},
		{`\bart\b`, "start", false},
		{`\bart\b`, "modern art.", true},
		{`straße`, "DIE STRASSE", false},
		{`ÜBER`, "über alles", true},
		{`світло`, "увімкни СВІТЛО", true},
		{`开灯`, "请开灯", true},
		{`\p{Han}{2}`, "打开", true},
		{`[é]t[é]`, "L'ÉTÉ", true},
		{`(?-i:SOS)`, "sos", false},
		{`(?-i:SOS)`, "SOS", true},
		{`a.c`, "a\nc", false},
		{`(?s)a.c`, "a\nc", true},
		{`\d{3}`, "room 101", true},
		{``, "anything", true},
		{`k`, "\u212a", true}, // the Kelvin sign folds to k
	} {
		tr := readTriggers(t, toolWith("f", expressions(c.expression)))
		if got := len(tr.match(c.request)) > 0; got != c.want || len(tr.warnings) > 0 {
			t.Errorf("%q on %q: %v, %v", c.expression, c.request, got, tr.warnings)
		}
	}
}

// What can't be a trigger is a warning that names the tool and the place; the others work.
func TestTriggersThatAreWrong(t *testing.T) {
	for _, c := range []struct{ triggers, warning string }{
		{`["(","lights"]`, `tool "f": triggers[0] is ignored`},
		{`["lights","[a"]`, "triggers[1]"},
		{`["a)(b","lights"]`, "triggers[0]"},
		{`["a)|(?:b","lights"]`, "triggers[0]"},
		{`["*a","lights"]`, "triggers[0]"},
		{`["(?=a)","lights"]`, "triggers[0]"},
		{`["(?!a)b","lights"]`, "triggers[0]"},
		{`["(?<=a)b","lights"]`, "triggers[0]"},
		{`["(a)\\1","lights"]`, "triggers[0]"},
		{`["(?>a)","lights"]`, "triggers[0]"},
		{`["a{1001}","lights"]`, "triggers[0]"},
		{`["(a{1000}){1000}","lights"]`, "triggers[0]"},
		{`["` + strings.Repeat("[^x]{1000}", 400) + `","lights"]`, "triggers[0]"},
		{`["` + strings.Repeat("[ab]{1000}", 6) + `","lights"]`, "triggers[0]"},
		{`["` + strings.Repeat("a", longestTrigger+1) + `","lights"]`, "triggers[0]"},
		{`["` + strings.Repeat("(", 1500) + strings.Repeat(")", 1500) + `","lights"]`, "triggers[0]"},
		{`[1,"lights"]`, "triggers[0]"},
		{`["lights",null]`, "triggers[1]"},
		{`[["a"],"lights"]`, "triggers[0]"},
		{`[{"a":1},"lights"]`, "triggers[0]"},
		{`"lights"`, "triggers are ignored"},
		{`{"a":"lights"}`, "triggers are ignored"},
		{`7`, "triggers are ignored"},
	} {
		tr := readTriggers(t, toolWith("f", c.triggers), toolWith("g", `["lamps"]`))
		short := c.triggers[:min(len(c.triggers), 30)]
		if len(tr.warnings) != 1 || !strings.Contains(tr.warnings[0], c.warning) {
			t.Errorf("%s: warned %v, expected %s", short, tr.warnings, c.warning)
		}
		if want := strings.HasPrefix(c.triggers, "["); slices.Equal(tr.match("the lights"), named("f")) != want {
			t.Errorf("%s: the other expression: matched %v, expected %v", short, tr.match("the lights"), want)
		}
		if !slices.Equal(tr.match("lamps"), named("g")) {
			t.Errorf("%s: the other tool's trigger does not work", short)
		}
	}
	if tr := readTriggers(t, toolWith("f", `[]`)); len(tr.match("lights")) > 0 || len(tr.warnings) > 0 {
		t.Errorf("no expressions: %v", tr.warnings)
	}
}

func named(names ...string) []string { return names }

// No expression that is accepted takes long, not on a long request either.
func TestTriggersInTime(t *testing.T) {
	texts := []string{strings.Repeat("a", 1<<14), strings.Repeat("a b ", 1<<12), strings.Repeat("é中", 1<<13)}
	for _, expression := range []string{
		`(a*)*x`, `((a|aa)+)+$x`, `(.*.*.*.*x){20}`, `(a?){30}a{30}x`, `.{0,1000}x`, `(a|b| ){0,900}x`, strings.Repeat("(a|b)?", 600) + "x", strings.Repeat(".*x|", 900),
	} {
		begin := time.Now()
		tr := readTriggers(t, toolWith("f", expressions(expression)))
		for _, text := range texts {
			tr.match(text)
		}
		if d := time.Since(begin); d > 20*time.Second {
			t.Errorf("%.20s: %v", expression, d)
		}
	}
}

// A request that matches leaves only the triggered tools, and a call has to be made; unless somebody chose.
func TestTriggeredTools(t *testing.T) {
	l := demoLexicon(t)
	tools := "[" + strings.Join([]string{toolWith("set_lights", `["lights?","glow"]`), toolWith("startTimer", `["timer","glow"]`), toolWith("other", `["("]`),
		`{"name":"never","triggers":["never mind","glow"],"parameters":{"type":"object","properties":{"x":{"enum":[]}},"required":["x"]}}`}, ",") + "]"
	for _, c := range []struct {
		request string
		o       CompleteOptions
		tool    bool
		want    []string // nil: not triggered
	}{
		{"turn on the light", CompleteOptions{}, false, named("set_lights")},
		{"LIGHTS!", CompleteOptions{}, false, named("set_lights")},
		{"a timer please", CompleteOptions{}, false, named("start_timer")},
		{"lights and a timer", CompleteOptions{}, false, named("set_lights", "start_timer")},
		{"glow", CompleteOptions{}, false, named("set_lights", "start_timer")},
		{"nothing", CompleteOptions{}, false, nil},
		{"don't turn on the lights", CompleteOptions{}, false, nil},
		{"do not touch the light", CompleteOptions{}, false, nil},
		{"never start the timer", CompleteOptions{}, false, nil},
		{"don't forget the lights", CompleteOptions{}, false, named("set_lights")},
		{"don't hesitate to start a timer", CompleteOptions{}, false, named("start_timer")},
		{"why don't you turn on the lights", CompleteOptions{}, false, named("set_lights")},
		{"lights", CompleteOptions{ToolChoice: ToolChoice{None: true}}, false, nil},
		{"lights", CompleteOptions{ToolChoice: ToolChoice{Tool: "other"}}, false, nil},
		{"lights", CompleteOptions{ToolChoice: ToolChoice{Tool: "startTimer"}}, false, nil},
		{"lights", CompleteOptions{ToolChoice: ToolChoice{Required: true}}, false, named("set_lights")},
		{"lights", CompleteOptions{Off: []string{"triggers"}}, false, nil},
		{"lights", CompleteOptions{Off: []string{AllRules}}, false, nil},
		{"lights", CompleteOptions{Off: []string{"values", "gates", "repairs"}}, false, named("set_lights")},
		{"lights", CompleteOptions{Plain: true, MaxCalls: 1}, false, named("set_lights")},
		{`[{"lights":1}]`, CompleteOptions{}, true, nil},
		{`[{"lights":1}]`, CompleteOptions{}, false, named("set_lights")},
	} {
		s := taskSession(t, l, tools)
		if s == nil {
			return
		}
		k, err := s.newTask(background, input{text: c.request, tool: c.tool}, c.o)
		if err != nil {
			t.Errorf("%q: %v", c.request, err)
			continue
		}
		if k.triggered != (c.want != nil) {
			t.Errorf("%q %+v: triggered %v", c.request, c.o.ToolChoice, k.triggered)
		}
		if c.want == nil {
			continue
		}
		if !k.required() || k.calls.Start(s.engine.weights.vocabulary(l)).AcceptBytes([]byte("[]")) {
			t.Errorf("%q: no call is accepted", c.request)
		}
		for _, name := range []string{"set_lights", "start_timer", "other"} {
			m := k.calls.Start(s.engine.weights.vocabulary(l))
			if got := m.AcceptBytes([]byte(`[{"name":"` + name + `","arguments":{}}]`)); got != slices.Contains(c.want, name) {
				t.Errorf("%q: %s can be called: %v", c.request, name, got)
			}
		}
	}
}

// taskSession is a session without a model.
func taskSession(t testing.TB, l *lexicon, tools string) *Session {
	t.Helper()
	set, err := prompt.ParseTools(tools)
	if err != nil {
		t.Fatal(err)
	}
	e := &Engine{weights: &weights{tok: l.tok}, lex: l}
	declared, err := e.weights.grammars.compile(declaredTools(set), true)
	if err != nil {
		t.Fatal(err)
	}
	return &Session{engine: e, selection: selection{tools: set, ground: groundTools(set), declared: declared, implied: declared, triggers: newTriggers(set)}}
}

// An uncallable tool's trigger does nothing, and says so nowhere; the turn is an ordinary one.
func TestTriggerOfAnUncallableTool(t *testing.T) {
	l := demoLexicon(t)
	s := taskSession(t, l, `[`+toolWith("f", `["lights"]`)+`,{"name":"never","triggers":["never"],"parameters":{"type":"object","properties":{"x":false},"required":["x"]}}]`)
	k, err := s.newTask(background, input{text: "nevermore"}, CompleteOptions{})
	if err != nil || k.triggered || k.required() {
		t.Errorf("triggered %v, %v", k != nil && k.triggered, err)
	}
}

// Weak gates and a low confidence don't withhold what was triggered; strong gates do.
func TestTriggeredCallsAreDelivered(t *testing.T) {
	tool := func(triggers string) string {
		return `[{"name":"set_lights"` + triggers + `,"description":"Control lights","parameters":{"type":"object","properties":{"room":{"enum":["kitchen","bedroom"]},"level":{"type":"integer"}},"required":["room","level"]}}]`
	}
	e := openDemo(t, Options{})
	for _, c := range []struct {
		triggers, request string
		delivered         bool
	}{
		{`,"triggers":["glow"]`, "please make it glow", true},
		{``, "please make it glow", false},
		{`,"triggers":["glow"]`, `anna said "make the lights glow"`, false},
		{`,"triggers":["glow"]`, "make everything glow except the kitchen and the bedroom", false},
	} {
		s := begin(t, e, SessionOptions{Tools: tool(c.triggers)})
		r, err := s.Complete(background, c.request, CompleteOptions{ToolChoice: ToolChoice{Required: true}})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(r.FunctionCalls) > 0; got != c.delivered || got == (len(r.SuppressedCalls) > 0) {
			t.Errorf("%s %q: %s %+v", c.triggers, c.request, r.JSON(), r.Trace)
		}
		s.Close()
	}
}

// After a delivered call a tool's result triggers nothing; the next request does. A trigger is matched against the
// request alone.
func TestTriggersInAConversation(t *testing.T) {
	e := openDemo(t, Options{})
	s := begin(t, e, SessionOptions{Tools: "[" + toolWith("set_lights", `["glow"]`) + "," + toolWith("startTimer", `["glow timer"]`) + `,` + toolWith("bad", `["("]`) + "]"})
	r, err := s.Complete(background, "glow please", CompleteOptions{})
	if err != nil || len(r.FunctionCalls) == 0 || r.FunctionCalls[0].Name != "set_lights" {
		t.Fatalf("%v %s", err, r.JSON())
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], `tool "bad": triggers[0]`) {
		t.Errorf("warnings %q", r.Warnings)
	}
	if k, err := s.newTask(background, s.read(`{"state":"glow"}`), CompleteOptions{}); err != nil || k.triggered || !k.tool {
		t.Errorf("a tool's result: triggered %v, %v", k.triggered, err)
	}
	if k, err := s.newTask(background, s.read("thanks"), CompleteOptions{}); err != nil || k.triggered {
		t.Errorf("the next request: triggered by the one before, %v", err)
	}
}
