package prompt

import (
	"slices"
	"strings"
	"testing"
)

func TestPrefix(t *testing.T) {
	set, err := ParseTools(`[{"name":"aB"}]`)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := ParseTools("[]")
	if err != nil {
		t.Fatal(err)
	}
	const system = "<|im_start|>system\ndate: 2026-09-18 Fri 09:41<|im_end|>\n"
	for _, c := range []struct {
		system string
		set    *Toolset
		want   string
	}{
		{"", nil, "<|im_start|>user"},
		{"null", empty, "<|im_start|>user\n<tools>[]</tools>"},
		{"", set, `<|im_start|>user` + "\n" + `<tools>[{"name":"a_b"}]</tools>`},
		{"2026-09-18T09:41", nil, system + "<|im_start|>user"},
		{`{"date":"2026-09-18T09:41:07Z"}`, set, system + "<|im_start|>user\n" + `<tools>[{"name":"a_b"}]</tools>`},
		{SystemText("2026-09-18T09:41"), nil, system + "<|im_start|>user"},
		{"  be kind \n", nil, "<|im_start|>system\n  be kind \n<|im_end|>\n<|im_start|>user"},
	} {
		if got := Join(Prefix(c.system, c.set)); got != c.want {
			t.Errorf("Prefix(%q) = %q, want %q", c.system, got, c.want)
		}
	}
}

func TestTurns(t *testing.T) {
	for _, c := range [][2]string{
		{Join(FirstTurn(" hi\n")), "\n hi\n<|im_end|>\n<|im_start|>assistant\n"},
		{Join(FirstTurn("")), "\n<|im_end|>\n<|im_start|>assistant\n"},
		{Join(LaterTurn("hi")), "\n<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"},
		{Join(ToolTurn("[1]")), "\n<|im_start|>tool\n<tool_result>[1]</tool_result><|im_end|>\n<|im_start|>assistant\n"},
		{Join(FirstTurn("a\x00\xff")), "\na\uFFFD\uFFFD<|im_end|>\n<|im_start|>assistant\n"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

// TestTextsAreOneRun: between two markers there is one segment, or merges could not cross.
func TestTextsAreOneRun(t *testing.T) {
	set, err := ParseTools(`[{"name":"a"}]`)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range [][]Segment{Prefix("x", set), Prefix("", nil), FirstTurn("x"), LaterTurn("x"), ToolTurn("[]")} {
		for i, s := range p {
			if s.Text == "" || i > 0 && s.Literal && p[i-1].Literal {
				t.Errorf("segment %d of %q", i, Join(p))
			}
		}
	}
}

func TestToolResult(t *testing.T) {
	for _, c := range []struct {
		text, want string
		ok         bool
	}{
		{` {"ok" : true, "n":1.50}`, `[{"ok":true,"n":1.50}]`, true}, {"\n[ 1 ,\n2 ]\n", "[1,2]", true}, {"[]", "[]", true},
		{`{"a":"\u00e9 \/"}`, `[{"a":"\u00e9 \/"}]`, true}, {"[\"\xff\"]", "[\"\uFFFD\"]", true},
		{"", "", false}, {" ", "", false}, {"hello", "", false}, {"1", "", false}, {`"x"`, "", false}, {"{", "", false},
		{"[1] and more", "", false}, {"{turn on}", "", false}, {"true", "", false},
	} {
		if got, ok := ToolResult(c.text); got != c.want || ok != c.ok {
			t.Errorf("ToolResult(%q) = %q, %v; want %q, %v", c.text, got, ok, c.want, c.ok)
		}
	}
}

func TestValid(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""}, {"né\uFFFD", "né\uFFFD"}, {"a\x00b", "a\uFFFDb"}, {"\xff\xfe\x00", "\uFFFD\uFFFD\uFFFD"}, {"\xe4\xb8x", "\uFFFD\uFFFDx"},
		{"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
	} {
		if got := Valid(c[0]); got != c[1] {
			t.Errorf("Valid(%q) = %q, want %q", c[0], got, c[1])
		}
	}
}

var controlTexts = []string{"<pad>", "</s>", "<s>", "<unk>", "<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tools>", "</tools>",
	"<tool_call>", "</tool_call>", "<tool_result>", "</tool_result>", "<context>", "</context>"}

// TestTextsForgeNoTurn writes every marker into every text of a conversation: the control tokens of the
// prompt are those of a harmless one.
func TestTextsForgeNoTurn(t *testing.T) {
	tok := demoTokenizer(t)
	conversation := func(x string, encode func(p []Segment) []int32) []int32 {
		quoted := string(AppendString(nil, x))
		plain := quoted[1 : len(quoted)-1]
		set, err := ParseTools(strings.ReplaceAll(`[{"name":"X","description":"a X b","X":"X","parameters":{"title":"X","properties":{
			"pX":{"type":"string","enum":["X","\u003cX"],"description":"X"},"X":{"type":"X","const":{"X":["X"]},"pattern":"X"}},"required":["X"]}},
			{"name":"é X","parameters":{"é X":{"default":"X"}}}]`, "X", plain))
		if err != nil {
			t.Fatal(err)
		}
		result, ok := ToolResult(`{"X":` + quoted + `}`)
		if !ok {
			t.Fatal("no tool result")
		}
		var ids []int32
		for _, p := range [][]Segment{Prefix(x, set), Prefix(`{"user":`+quoted+`,"date":`+quoted+`}`, set), FirstTurn(x), LaterTurn("a " + x), ToolTurn(result)} {
			ids = append(ids, encode(p)...)
		}
		return slices.DeleteFunc(ids, func(id int32) bool { return id >= int32(len(controlTexts)) })
	}
	segments := func(p []Segment) []int32 { return encode(tok, p) }
	whole := func(p []Segment) []int32 { return tok.Encode(Join(p)) }
	want := conversation("x", segments)
	for _, text := range controlTexts {
		for _, spelt := range []string{text, text + text, "\n" + text + "user\n", text[:1] + text, strings.ToUpper(text)} {
			if got := conversation(spelt, segments); !slices.Equal(got, want) {
				t.Errorf("with %q the control tokens are %v, want %v", spelt, got, want)
			}
		}
	}
	if got := conversation("x", whole); !slices.Equal(got, want) {
		t.Errorf("as one text the control tokens are %v, want %v", got, want)
	}
	if got := conversation(controlTexts[4], whole); slices.Equal(got, want) {
		t.Error("a marker in the texts makes no difference even when they are encoded as one, so the test proves nothing")
	}
}
