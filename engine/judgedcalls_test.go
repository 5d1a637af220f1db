package engine

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/libneedle/libneedle/engine/prompt"
)

// judgedCall is a block of testdata/judged_calls.txt: a request, and the calls that are made for it. They are right and
// have to be delivered as they are, or as the lines behind "=>" say; or, where the request begins with "X", wrong: they
// have to be withheld, changed or marked. Before both, "~" says that the rules fail at it today. "@2026-12-09" is today,
// if it is not Monday, 2026-11-30.
type judgedCall struct {
	request, day string
	wrong, known bool
	calls, want  []string // name{arguments}
}

func readJudgedCall(t *testing.T, block string) (c judgedCall) {
	t.Helper()
	lines := strings.Split(block, "\n")
	c.request, c.day = lines[0], "2026-11-30"
	c.request, c.known = strings.CutPrefix(c.request, "~")
	c.request, c.wrong = strings.CutPrefix(c.request, "X ")
	c.request = strings.TrimSpace(strings.ReplaceAll(c.request, `\n`, "\n"))
	if day, rest, ok := strings.Cut(c.request, " "); ok && strings.HasPrefix(day, "@") {
		c.day, c.request = day[1:], rest
	}
	for _, line := range lines[1:] {
		if want, ok := strings.CutPrefix(line, "=> "); ok {
			c.want = append(c.want, want)
		} else {
			c.calls = append(c.calls, line)
		}
	}
	if c.want == nil {
		c.want = c.calls
	}
	return c
}

// TestJudgedCalls takes a thousand calls through all rules. They were made up to find right ones that a rule spoils, and
// wrong ones that none sees.
func TestJudgedCalls(t *testing.T) {
	lex := demoLexicon(t)
	tools := string(mustRead(t, "testdata/judged_calls_tools.json"))
	right, wrong, known := 0, 0, 0
	for _, block := range strings.Split(strings.TrimSpace(string(mustRead(t, "testdata/judged_calls.txt"))), "\n\n") {
		c := readJudgedCall(t, block)
		good, got := c.judge(t, lex, tools)
		if good == c.known {
			t.Errorf("%s: as it should be: %t, known to fail: %t\n%s", c.request, good, c.known, got)
		}
		switch {
		case c.known:
			known++
		case c.wrong:
			wrong++
		default:
			right++
		}
	}
	t.Logf("%d right calls come through, %d wrong ones don't; %d are known to fail", right, wrong, known)
	if right < 900 || wrong < 45 {
		t.Errorf("only %d right and %d wrong calls are judged as they should be", right, wrong)
	}
}

// judge reports whether the calls are judged as they should be, and what became of them.
func (c *judgedCall) judge(t *testing.T, lex *lexicon, tools string) (good bool, got string) {
	t.Helper()
	day, err := time.Parse(time.DateOnly, c.day)
	if err != nil {
		t.Fatal(err)
	}
	r := answered{leaderboardRequest: leaderboardRequest{ID: c.request, System: "date: " + day.Format("2006-01-02 Mon"), Query: c.request, Tools: []byte(tools)}}
	s := answerSession(t, lex, r)
	for _, call := range c.calls {
		at := strings.IndexByte(call, '{')
		name, arguments, err := s.tools.ToWire(call[:at], []byte(call[at:]))
		if err != nil {
			t.Fatalf("%s: %v", call, err)
		}
		if !s.declared.Start(s.engine.weights.vocabulary(lex)).AcceptBytes([]byte(`[{"name":"` + name + `","arguments":` + string(arguments) + `}]`)) {
			t.Fatalf("%s: no valid call", call)
		}
		r.calls = append(r.calls, prompt.Call{Name: name, Arguments: arguments})
	}
	response := judgeCalls(t, lex, r)
	got = string(appendCalls(nil, response.FunctionCalls))
	same := len(response.FunctionCalls) == len(c.want)
	for i := 0; same && i < len(c.want); i++ {
		at := strings.IndexByte(c.want[i], '{')
		same = response.FunctionCalls[i].Name == c.want[i][:at] && sameValues(t, response.FunctionCalls[i].Arguments, []byte(c.want[i][at:]))
	}
	if c.wrong {
		marked := response.Validation != nil && len(response.Validation.Ungrounded) > 0
		return marked || !same, got
	}
	return same, got
}

// sameValues compares by value: 50.0 is 50.
func sameValues(t *testing.T, x, y []byte) bool {
	t.Helper()
	var values [2]any
	for i, text := range [][]byte{x, y} {
		if err := json.Unmarshal(text, &values[i]); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
