package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/demo"
)

const oracle = "../../testdata/oracle"

// outcome is what a command left behind.
type outcome struct {
	code        int
	out, errOut string
}

func needle(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var out, errOut bytes.Buffer
	code := run(console{context.Background(), strings.NewReader(stdin), &out, &errOut}, args)
	return outcome{code, out.String(), errOut.String()}
}

func (o outcome) envelope(t *testing.T) map[string]any {
	t.Helper()
	m, err := comparable(o.out)
	if err != nil {
		t.Fatalf("no envelope: %v\n%s%s", err, o.out, o.errOut)
	}
	checkEnvelope(t, o.out)
	return m
}

// checkEnvelope judges a response by the documented schema.
func checkEnvelope(t *testing.T, response string) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("../../docs/envelope.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(response))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("%v\nin %s", err, response)
	}
}

func writeFile(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRunAnswers(t *testing.T) {
	for request, want := range map[string]string{
		"turn on the kitchen lights":    `[{"arguments":{"room":"kitchen","state":"on"},"name":"control_lights"}]`,
		"set a timer for 10 minutes":    `[{"arguments":{"minutes":10},"name":"set_timer"}]`,
		"what is the capital of France": `[]`,
		"what's the weather in Paris":   `[{"arguments":{"city":"Paris"},"name":"get_weather"}]`,
		"play some jazz":                `[{"arguments":{"query":"jazz"},"name":"play_music"}]`,
	} {
		o := needle(t, "", "run", request)
		got, _ := json.Marshal(o.envelope(t)["function_calls"])
		if o.code != exitDone || string(got) != want {
			t.Errorf("%q: exit %d, calls %s, want %s", request, o.code, got, want)
		}
		if !strings.Contains(o.errOut, "demo model") {
			t.Errorf("%q: standard error does not say that this is the demo: %q", request, o.errOut)
		}
	}
}

func TestRunSpellings(t *testing.T) {
	model := writeFile(t, "demo.cact", demo.Archive)
	tools := writeFile(t, "tools.json", []byte(homeTools))
	system := writeFile(t, "system.txt", []byte("date: 2026-09-18 Fri 09:41"))
	want := needle(t, "", "run", "--system", "date: 2026-09-18 Fri 09:41", "turn", "off", "the", "hall", "lights").envelope(t)
	for _, args := range [][]string{
		{"run", "--model", model, "--tools", tools, "--system", "@" + system, "turn off the hall lights"},
		{"--model", model, "--tools", tools, "--system=@" + system, "--prompt", "turn off the hall lights", "--max", "512", "--threads", "2", "--depth", "6", "--fail-input-overflow", "--tool-index", "x"},
		{"--tools", homeTools, "--system", "date: 2026-09-18 Fri 09:41", "turn off the hall lights"},
		{"run", "--tools", "-", "--system", "date: 2026-09-18 Fri 09:41", "turn off the hall lights"},
	} {
		o := needle(t, homeTools, args...)
		if o.code != exitDone {
			t.Fatalf("%v: exit %d: %s", args, o.code, o.errOut)
		}
		if diff := diffEnvelopes(needleJSON(t, want), needleJSON(t, o.envelope(t))); diff != "" {
			t.Errorf("%v: another answer\n%s", args, diff)
		}
	}
}

func TestRunWithAToolIndex(t *testing.T) {
	tools := `[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"},{"name":"e"},{"name":"f"},{"name":"g"}]`
	path := filepath.Join(t.TempDir(), "index")
	args := []string{"run", "--model", oracle + "/mixed/model.cact", "--tools", tools, "--max", "40", "go"}
	want := needle(t, "", args...)
	for range 2 { // written, then read
		o := needle(t, "", append(args, "--tool-index", path)...)
		if diff := diffEnvelopes(want.out, o.out); diff != "" || o.code != want.code || o.errOut != want.errOut {
			t.Errorf("exit %d, standard error %q\n%s", o.code, o.errOut, diff)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct{ index, tools, model, note string }{
		{filepath.Join(path, "below"), tools, "mixed", "not kept"}, {path, "[]", "mixed", "ignored"}, {path, tools, "cq4", "no embedding head"},
	} {
		o := needle(t, "", "run", "--model", oracle+"/"+c.model+"/model.cact", "--tools", c.tools, "--max", "40", "--tool-index", c.index, "go")
		if o.code == exitBad || !strings.HasPrefix(o.errOut, "needle: the tool index is ") || !strings.Contains(o.errOut, c.note) {
			t.Errorf("%s: exit %d, standard error %q", c.note, o.code, o.errOut)
		}
	}
	tokens := needle(t, "", "tokens", "--json", "--model", oracle+"/mixed/model.cact", "--tools", tools, "go")
	var ids map[string][]int32
	if err := json.Unmarshal([]byte(tokens.out), &ids); err != nil || len(ids["prefix_ids"]) != 1 || len(ids["turn_ids"]) < 30 {
		t.Errorf("tokens: %v, %s%s", err, tokens.out, tokens.errOut)
	}
}

func needleJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRunDepthChangesTheRun runs a shallower stack and wants the sliced file's
// answer.
func TestRunDepthChangesTheRun(t *testing.T) {
	model := writeFile(t, "demo.cact", demo.Archive)
	sliced := filepath.Join(t.TempDir(), "five.cact")
	if o := needle(t, "", "slice", "--layers", "5", model, sliced); o.code != exitDone {
		t.Fatal(o.errOut)
	}
	deep := needle(t, "", "run", "dim the lights").envelope(t)
	cut := needle(t, "", "run", "--depth", "5", "dim the lights").envelope(t)
	file := needle(t, "", "run", "--model", sliced, "dim the lights").envelope(t)
	if diff := diffEnvelopes(needleJSON(t, cut), needleJSON(t, file)); diff != "" {
		t.Errorf("depth 5 and the sliced file differ\n%s", diff)
	}
	if diffEnvelopes(needleJSON(t, cut), needleJSON(t, deep)) == "" {
		t.Error("depth 5 and depth 6 give the same envelope, confidence included")
	}
}

func TestRunErrorEnvelopeExitsWithOne(t *testing.T) {
	o := needle(t, "", "run", "--max", "2000", "turn on the kitchen lights")
	if o.code != exitMiss || o.envelope(t)["error_code"] != "overflow" {
		t.Errorf("exit %d: %s%s", o.code, o.out, o.errOut)
	}
}

func TestTokens(t *testing.T) {
	o := needle(t, "", "tokens", "--json", "hello")
	var ids struct {
		Prefix []int32 `json:"prefix_ids"`
		Turn   []int32 `json:"turn_ids"`
	}
	if err := json.Unmarshal([]byte(o.out), &ids); err != nil || o.code != exitDone {
		t.Fatalf("exit %d, %v: %s", o.code, err, o.errOut)
	}
	if ids.Prefix[0] != 2 || ids.Prefix[1] != 4 || ids.Turn[0] != 26 {
		t.Errorf("prefix starts %v, turn starts %v", ids.Prefix[:2], ids.Turn[:1])
	}
	if o := needle(t, "", "tokens", "hello"); !strings.Contains(o.out, `"<tools>"`) || !strings.Contains(o.out, "turn: ") {
		t.Errorf("table: %s", o.out)
	}
}

// TestTokensAreTheReferences compares with the prompt ids that the demo's
// training code made.
func TestTokensAreTheReferences(t *testing.T) {
	text, err := os.ReadFile("../../testdata/demo/eval.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[:40] {
		var row struct {
			System, Query, Prompt string
			Tools                 json.RawMessage
			PromptIDs             []int32 `json:"prompt_ids"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		o := needle(t, "", "tokens", "--json", "--system", row.System, "--tools", string(row.Tools), row.Query)
		var ids struct {
			Prefix []int32 `json:"prefix_ids"`
			Turn   []int32 `json:"turn_ids"`
		}
		if err := json.Unmarshal([]byte(o.out), &ids); err != nil {
			t.Fatal(err)
		}
		if slices.Equal(append(ids.Prefix, ids.Turn...), row.PromptIDs) {
			compared++
		}
	}
	if compared < 20 { // names that are not snake_case are renamed on purpose
		t.Errorf("%d of 40 prompts have the reference's ids", compared)
	}
}

func TestEmbed(t *testing.T) {
	o := needle(t, "", "embed", "--json", "turn on the lights")
	var v []float64
	if err := json.Unmarshal([]byte(o.out), &v); err != nil || o.code != exitDone {
		t.Fatalf("exit %d, %v: %s", o.code, err, o.errOut)
	}
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	if len(v) != 256 && len(v)%256 != 0 || sum < 0.999 || sum > 1.001 {
		t.Errorf("%d values with a squared sum of %g", len(v), sum)
	}
	if lines := strings.Count(needle(t, "", "embed", "turn on the lights").out, "\n"); lines != len(v) {
		t.Errorf("%d lines, want %d", lines, len(v))
	}
	if o := needle(t, "", "embed", "--model", filepath.Join(oracle, "cq4", "model.cact"), "x"); o.code != exitBad || !strings.Contains(o.errOut, "head") {
		t.Errorf("an archive without heads: exit %d: %s", o.code, o.errOut)
	}
}

func TestInspect(t *testing.T) {
	path := filepath.Join(oracle, "mixed", "model.cact")
	o := needle(t, "", "inspect", "--json", "--records", path)
	var s summary
	if err := json.Unmarshal([]byte(o.out), &s); err != nil || o.code != exitDone {
		t.Fatalf("exit %d, %v: %s", o.code, err, o.errOut)
	}
	if len(s.Records) != s.Count || s.Geometry.Width != 256 || !slices.Equal(s.Heads, []string{"embedding", "confidence", "router"}) {
		t.Errorf("summary %+v", s)
	}
	records, bytes := 0, int64(0)
	for _, w := range s.Widths {
		records, bytes = records+w.Records, bytes+w.Bytes
	}
	if records != s.Count || bytes > s.Bytes || s.Bytes-bytes > 64*int64(s.Count)+308 { // headers, entries and padding
		t.Errorf("the widths hold %d records of %d, %d bytes of %d", records, s.Count, bytes, s.Bytes)
	}
	table := needle(t, "", "inspect", path).out
	if !strings.Contains(table, "full attention at [1]") || !strings.Contains(table, "stored as CQ3") || strings.Contains(table, "layers.0.norm_in") {
		t.Errorf("table: %s", table)
	}
}

func TestSlice(t *testing.T) {
	in, out := filepath.Join(oracle, "tiny", "model.cact"), filepath.Join(t.TempDir(), "out.cact")
	if o := needle(t, "", "slice", "--layers", "3", in, out); o.code != exitDone {
		t.Fatal(o.errOut)
	}
	got, _ := os.ReadFile(out)
	want, _ := os.ReadFile(filepath.Join(oracle, "tiny", "slice-3.cact"))
	if !bytes.Equal(got, want) {
		t.Error("the slice is not the exporter's")
	}
	if o := needle(t, "", "slice", "--layers", "2", in, out); o.code != exitBad || !strings.Contains(o.errOut, "--force") {
		t.Errorf("an existing file: exit %d: %s", o.code, o.errOut)
	}
	if now, _ := os.ReadFile(out); !bytes.Equal(now, want) {
		t.Error("the existing file changed")
	}
	if o := needle(t, "", "slice", "--layers", "2", "--force", in, out); o.code != exitDone {
		t.Error(o.errOut)
	}
	for _, layers := range []string{"1", "7", "-1", "x"} {
		target := filepath.Join(t.TempDir(), "none")
		if o := needle(t, "", "slice", "--layers="+layers, in, target); o.code != exitBad {
			t.Errorf("%s layers: exit %d", layers, o.code)
		}
		if left, _ := os.ReadDir(filepath.Dir(target)); len(left) > 0 {
			t.Errorf("%s layers: left %v behind", layers, left)
		}
	}
}

// TestBadFiles gives each command each kind of bad archive: one sentence, exit
// code 2, nothing written.
func TestBadFiles(t *testing.T) {
	tiny, err := os.ReadFile(filepath.Join(oracle, "tiny", "model.cact"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := cact.OpenBytes(tiny)
	if err != nil {
		t.Fatal(err)
	}
	record := func(role string) int { return int(a.Lookup(role).Offset) }
	entry := func(role string) int { return 196 + 112 + 44*a.Lookup(role).Index }
	change := func(f func(data []byte)) []byte {
		data := slices.Clone(tiny)
		f(data)
		return data
	}
	u32 := binary.LittleEndian.PutUint32
	files := map[string]string{
		"truncated": writeFile(t, "f", tiny[:len(tiny)/2]),
		"needle 2":  writeFile(t, "f", change(func(d []byte) { u32(d, 0x05E12A83) })),
		"counts":    writeFile(t, "f", change(func(d []byte) { u32(d[4:], 17) })),
		"directory": t.TempDir(),
		"empty":     writeFile(t, "f", nil),
		"text":      writeFile(t, "f", []byte("once upon a time there was no archive here")),
		"offset":    writeFile(t, "f", change(func(d []byte) { u32(d[entry("final_norm")+24:], 1) })),
		"NaN":       writeFile(t, "f", change(func(d []byte) { d[record("layers.2.post_norm")+1] = 0x7e })),
		"duplicate": writeFile(t, "f", change(func(d []byte) { copy(d[record("hada_p1"):record("hada_p1")+4], d[record("hada_p1")+4:]) })),
		"tokenizer": writeFile(t, "f", change(func(d []byte) { d[record("tokenizer")+30] ^= 0xff })),
		"missing":   filepath.Join(t.TempDir(), "nothing here"),
	}
	for name, file := range files {
		folder := t.TempDir()
		for _, args := range [][]string{
			{"run", "--model", file, "hello"}, {"tokens", "--model", file, "hello"}, {"embed", "--model", file, "hello"},
			{"inspect", file}, {"slice", "--layers", "3", file, filepath.Join(folder, "out")},
			{"verify", filepath.Join(oracle, "tiny"), "--archive", file},
		} {
			if name == "tokenizer" && args[0] == "slice" {
				continue // slicing copies the tokenizer unread
			}
			o := needle(t, "", args...)
			lines := strings.Split(strings.TrimSpace(o.errOut), "\n")
			if o.code != exitBad || o.out != "" || !strings.HasPrefix(lines[0], "needle: ") || len(lines) > 2 {
				t.Errorf("%s, %s: exit %d, output %q, error %q", name, args[0], o.code, o.out, o.errOut)
			}
		}
		if left, _ := os.ReadDir(folder); len(left) > 0 {
			t.Errorf("%s: left %v behind", name, left)
		}
	}
}

func TestBadArguments(t *testing.T) {
	for _, args := range [][]string{
		{"bogus"}, {"inpsect", "file"}, {"helps"}, {"run"}, {"run", ""}, {"run", "--prompt", "a", "b"}, {"run", "--max", "-5", "x"}, {"run", "--max", "ten", "x"}, {"run", "--nonsense", "x"},
		{"run", "--tools", "no such file", "x"}, {"run", "--tools", "[1]", "x"}, {"run", "--tools", `[{"name":`, "x"}, {"run", "--system", "@no such file", "x"},
		{"run", "--depth", "1", "x"}, {"run", "--depth", "99", "x"}, {"run", "--temperature", "-1", "x"}, {"run", "--serve"}, {"--serve", "--port", "80"},
		{"verify"}, {"verify", "no such folder"}, {"verify", t.TempDir()}, {"verify", oracle + "/tiny", "--official", "x"}, {"verify", "--official", "no such library"},
		{"embed"}, {"inspect"}, {"slice"},
	} {
		o := needle(t, "", args...)
		if o.code != exitBad || o.out != "" || o.errOut == "" {
			t.Errorf("%v: exit %d, output %q, error %q", args, o.code, o.out, o.errOut)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"run", "--help"}, {"slice", "--help"}, {"verify", "--help"}} {
		if o := needle(t, "", args...); o.code != exitDone || !strings.Contains(o.out, "Usage: needle") {
			t.Errorf("%v: exit %d: %s%s", args, o.code, o.out, o.errOut)
		}
	}
	if o := needle(t, "", "slice", "--help"); !strings.Contains(strings.Join(strings.Fields(o.out), " "), "none of the full archive's rungs") {
		t.Errorf("slice --help does not warn of slicing slices: %s", o.out)
	}
}

func TestVerifyPasses(t *testing.T) {
	for _, args := range [][]string{{"verify", oracle + "/tiny"}, {"verify", "--exact", oracle + "/odd"}, {"verify", oracle + "/mixed"}} {
		o := needle(t, "", args...)
		if o.code != exitDone || !strings.Contains(o.out, " 0 missed") {
			t.Errorf("%v: exit %d\n%s%s", args, o.code, o.out, o.errOut)
		}
	}
	o := needle(t, "", "verify", "--json", oracle+"/cq4")
	var report struct {
		Checks []check
		Missed int
	}
	if err := json.Unmarshal([]byte(o.out), &report); err != nil || len(report.Checks) < 15 || report.Missed != 0 {
		t.Errorf("%v, %d checks, %d missed", err, len(report.Checks), report.Missed)
	}
}

// TestVerifySees damages the archive in ways that it must report.
func TestVerifySees(t *testing.T) {
	tiny, err := os.ReadFile(filepath.Join(oracle, "tiny", "model.cact"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := cact.OpenBytes(slices.Clone(tiny))
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(data []byte){
		"one flipped weight bit": func(data []byte) { // the sign of a group of the first tools token's embedding
			r := a.Lookup("embedding")
			data[int(r.Offset)+len(r.CQ().Codes)+2*4+1] ^= 0x80
		},
		"two swapped tokenizer pieces": func(data []byte) { swapPieces(t, data[a.Lookup("tokenizer").Offset:]) },
	} {
		data := slices.Clone(tiny)
		damage(data)
		for _, form := range []string{"--exact", "--no-exact"} {
			args := []string{"verify", oracle + "/tiny", "--archive", writeFile(t, "damaged.cact", data)}
			if form == "--exact" {
				args = append(args, form)
			}
			if o := needle(t, "", args...); o.code != exitMiss || !strings.Contains(o.out, "MISS") {
				t.Errorf("%s, %s: exit %d\n%s%s", name, form, o.code, o.out, o.errOut)
			}
		}
	}
}

// swapPieces exchanges the piece "e" with the next ordinary one-letter piece.
func swapPieces(t *testing.T, blob []byte) {
	t.Helper()
	letter := -1
	at := 24
	for range binary.LittleEndian.Uint32(blob) {
		size := int(binary.LittleEndian.Uint16(blob[at+5:]))
		if ordinary := blob[at+4] == 0; ordinary && size == 1 {
			switch {
			case letter >= 0:
				blob[letter], blob[at+7] = blob[at+7], blob[letter]
				return
			case blob[at+7] == 'e':
				letter = at + 7
			}
		}
		at += 7 + size
	}
	t.Fatal("no two pieces to swap")
}

// failingWriter is a full disk.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestLostOutputIsNoSuccess(t *testing.T) {
	for _, args := range [][]string{{"run", "hello there"}, {"tokens", "x"}, {"embed", "x"}, {"inspect", oracle + "/tiny/model.cact"}, {"verify", oracle + "/cq4"}} {
		var errOut bytes.Buffer
		if code := run(console{context.Background(), strings.NewReader(""), failingWriter{}, &errOut}, args); code != exitBad || !strings.Contains(errOut.String(), "standard output") {
			t.Errorf("%v: exit %d: %s", args, code, errOut.String())
		}
	}
}

func TestThreadsAndTargetsAreChecked(t *testing.T) {
	for _, threads := range []string{"-1", "257", "2147483647"} {
		if o := needle(t, "", "run", "--threads="+threads, "hello there"); o.code != exitBad || !strings.Contains(o.errOut, "256") {
			t.Errorf("%s threads: exit %d: %s", threads, o.code, o.errOut)
		}
	}
	model := filepath.Join(oracle, "tiny", "model.cact")
	folder := t.TempDir()
	link := filepath.Join(folder, "link")
	if err := os.Symlink(filepath.Join(folder, "target"), link); err != nil {
		t.Skip(err)
	}
	for _, out := range []string{folder, link, ""} {
		if o := needle(t, "", "slice", "--layers=2", "--force", model, out); o.code != exitBad {
			t.Errorf("slice to %q: exit %d: %s", out, o.code, o.errOut)
		}
	}
}
