package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/demo"
	"github.com/libneedle/libneedle/engine"
	"github.com/libneedle/libneedle/engine/grammar"
)

// homeTools is the tool set used without --tools: what the demo model knows.
//
//go:embed home_tools.json
var homeTools string

// modelFlags choose the model.
type modelFlags struct {
	Model   string `help:"Archive to run; without it the built-in demo model." placeholder:"FILE"`
	Depth   int    `help:"Number of blocks to run, by the ladder rule; 0 means all." placeholder:"N"`
	Threads int    `help:"Threads; 0 means one for each core, at most 4." placeholder:"N"`
}

// open opens the chosen model. The demo says on standard error that it is one.
func (m *modelFlags) open(c console) (*engine.Engine, error) {
	o := engine.Options{Depth: m.Depth, Threads: m.Threads}
	if o.Threads == 0 {
		o.Threads = engine.DefaultThreads()
	}
	if m.Model == "" {
		fmt.Fprintln(c.errOut, "needle: this is the small built-in demo model; scripts/fetch-model gets the real one, --model runs it")
		return engine.OpenBytes(demo.Archive, o)
	}
	return engine.Open(m.Model, o)
}

// promptFlags choose what stands before the request.
type promptFlags struct {
	Tools   *string `help:"Tools: a JSON file, a JSON array, or - for standard input; without it a few tools of a home." placeholder:"FILE"`
	System  string  `help:"System text, or @FILE." placeholder:"TEXT"`
	Lenient bool    `help:"Accept tools whose schemas can't be enforced in full; what is not enforced is in the answer's warnings."`
}

func (p *promptFlags) session(c console) (engine.SessionOptions, error) {
	tools, err := readTools(c, p.Tools)
	if err != nil {
		return engine.SessionOptions{}, err
	}
	system, err := readText(p.System)
	return engine.SessionOptions{System: system, Tools: tools, Lenient: p.Lenient}, err
}

// readTools reads the tools that a flag names; without the flag they are those of a home.
func readTools(c console, flag *string) (string, error) {
	if flag == nil {
		return homeTools, nil
	}
	value := *flag
	switch trimmed := strings.TrimSpace(value); {
	case value == "":
		return "", errors.New("--tools is empty: a file, a JSON array, or -; without --tools a few tools of a home are offered")
	case value == "-":
		return readAll("standard input", c.in)
	case strings.HasPrefix(trimmed, "[") || strings.HasPrefix(trimmed, "{") || trimmed == "null":
		return value, nil
	}
	return readFile(value)
}

// readText gives a text itself, or the contents of @FILE.
func readText(value string) (string, error) {
	if name, isFile := strings.CutPrefix(value, "@"); isFile {
		return readFile(name)
	}
	return value, nil
}

// maxTextFile bounds tools, system texts and request files.
const maxTextFile = 64 << 20

func readFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readAll(name, f)
}

func readAll(name string, r io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxTextFile+1))
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxTextFile {
		return "", fmt.Errorf("%s: more than %d MB of text", name, maxTextFile>>20)
	}
	return string(data), nil
}

// hintFor suggests the next step after an error, or nothing.
func hintFor(err error) string {
	var parse *kong.ParseError
	var unsupported *grammar.Error
	switch {
	case errors.As(err, &parse):
		if command := parse.Context.Command(); command != "" {
			return fmt.Sprintf("needle %s --help lists its flags", strings.Fields(command)[0])
		}
		return "needle --help lists commands and flags"
	case errors.Is(err, grammar.ErrNoTool):
		return "--tool-choice takes auto, none, required, or the name of one of the tools, as --tools spells it"
	case errors.Is(err, cact.ErrNeedle2):
		return "get the Needle 3 archive with scripts/fetch-model"
	case errors.Is(err, cact.ErrNotArchive):
		return "an archive is a .cact file; scripts/fetch-model downloads needle3.cact"
	case errors.As(err, &unsupported) && unsupported.Invalid():
		return "correct the tool's parameters: a JSON Schema"
	case errors.As(err, &unsupported):
		return "--lenient accepts such tools; what is not enforced is then in the answer's warnings"
	case errors.Is(err, engine.ErrTools):
		return `--tools takes a JSON array of {"name":...,"description":...,"parameters":{...}}, a file of it, or -`
	case errors.Is(err, engine.ErrPrefix):
		return "offer fewer tools: shortlist them by needle embed, or by any other retriever"
	case errors.Is(err, engine.ErrNoHead):
		return "needle inspect FILE lists an archive's heads"
	case errors.Is(err, fs.ErrNotExist):
		return "check the path"
	}
	return damagedHint(err)
}

// hintForCode suggests what to do about an answer that failed.
func hintForCode(code string) string {
	switch code {
	case engine.CodeName(engine.CodeTruncated):
		return "--max allows the answer more tokens"
	case engine.CodeName(engine.CodeOverflow):
		return "offer fewer tools, shorten the request, or lower --max, whose tokens are reserved"
	}
	return ""
}

func damagedHint(err error) string {
	var header *cact.HeaderError
	var record *cact.RecordError
	if errors.As(err, &header) || errors.As(err, &record) {
		return "the file is damaged or was written by another exporter: compare its SHA-256, fetch it again with scripts/fetch-model"
	}
	return ""
}

// printJSON writes v as one indented JSON document.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
