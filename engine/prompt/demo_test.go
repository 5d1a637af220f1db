package prompt

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/engine/jsontext"
	"github.com/libneedle/libneedle/tokenizer"
)

// demoTokenizer is the tokenizer of the demo archive.
func demoTokenizer(t testing.TB) *tokenizer.Tokenizer {
	t.Helper()
	blob, err := os.ReadFile("../../testdata/tokenizer/demo.blob")
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.New(blob)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// encode gives the ids of a piece segment by segment.
func encode(tok *tokenizer.Tokenizer, segments []Segment) []int32 {
	var ids []int32
	for _, s := range segments {
		if s.Literal {
			ids = append(ids, tok.EncodePlain(s.Text)...)
		} else {
			ids = append(ids, tok.Encode(s.Text)...)
		}
	}
	return ids
}

// eachLine calls f for the lines of a file of JSON lines under testdata.
func eachLine(t testing.TB, name string, f func(line []byte)) {
	t.Helper()
	file, err := os.Open(filepath.Join("../../testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

type demoRow struct {
	Kind, System, Query, Prompt string
	Tools                       json.RawMessage
	PromptIDs                   []int32 `json:"prompt_ids"`
}

// pieces puts a row's prompt together. The demo was trained on names as declared, so tools whose names are
// converted are rendered without.
func (r demoRow) pieces(t *testing.T) (pieces [][]Segment, converted bool) {
	t.Helper()
	tools, err := ParseTools(string(r.Tools))
	if err != nil {
		t.Fatal(err)
	}
	asGiven, err := jsontext.Compact(string(r.Tools))
	if err != nil {
		t.Fatal(err)
	}
	prefix := Prefix(r.System, tools)
	if converted = tools.Text() != asGiven; converted {
		for i := range prefix {
			if prefix[i].Text == tools.Text() {
				prefix[i].Text = asGiven
			}
		}
	}
	return [][]Segment{prefix, FirstTurn(r.Query)}, converted
}

// TestDemoPrompts compares with the prompts and ids that the public tokenizer made for the demo's held-out
// rows, tool results among them.
func TestDemoPrompts(t *testing.T) {
	tok := demoTokenizer(t)
	rows, conversions := 0, 0
	eachLine(t, "demo/eval.jsonl", func(line []byte) {
		var row demoRow
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		pieces, converted := row.pieces(t)
		rows++
		if converted {
			conversions++
		}
		prompt, ids := "", []int32{tokenizer.BOS}
		add := func(p []Segment) {
			prompt += Join(p)
			ids = append(ids, encode(tok, p)...)
		}
		for _, p := range pieces {
			add(p)
		}
		if rest, ok := strings.CutPrefix(row.Prompt, prompt); ok && row.Kind == "result" {
			answer, result, _ := strings.Cut(rest, "\n<|im_start|>tool\n<tool_result>")
			result, _, _ = strings.Cut(result, "</tool_result>")
			add([]Segment{{Text: answer}}) // its markers are meant
			r, ok := ToolResult(result)
			if !ok {
				t.Fatalf("%q is no tool result", result)
			}
			add(ToolTurn(r))
		}
		if prompt != row.Prompt {
			t.Errorf("prompt\n%s\nwant\n%s", prompt, row.Prompt)
		} else if !slices.Equal(ids, row.PromptIDs) {
			t.Errorf("ids of %q: %v, want %v", prompt, ids, row.PromptIDs)
		}
	})
	if rows != 240 || conversions != 18 {
		t.Errorf("%d rows, %d of them with converted names; want 240 and 18", rows, conversions)
	}
}

// TestSegmentsAllowMergesAcrossTexts is the negative control of TestDemoPrompts: segments that end where a
// text begins give other ids.
func TestSegmentsAllowMergesAcrossTexts(t *testing.T) {
	tok := demoTokenizer(t)
	differ := 0
	for _, text := range []string{"ion\"", "ion", "ions"} {
		whole := encode(tok, []Segment{{"descript" + text, true}})
		cut := encode(tok, []Segment{{"descript", true}, {text, true}})
		if !slices.Equal(whole, cut) {
			differ++
		}
	}
	if differ == 0 {
		t.Error("no text merges with the one before it, so the comparison of ids proves little")
	}
}
