package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/libneedle/libneedle/engine"
	"github.com/libneedle/libneedle/engine/jsontext"
)

// runCommand answers one request. The official runner's flags work too.
type runCommand struct {
	modelFlags
	promptFlags
	Request           []string `arg:"" optional:"" help:"The request; several words are joined by blanks."`
	Prompt            string   `help:"The request, as the official runner spells it." placeholder:"TEXT"`
	Max               int      `help:"Most tokens to append, forced ones included; 0 means 512." default:"512" placeholder:"N"`
	ToolChoice        string   `help:"auto, none (only the empty list), required (the model writes at least one call, which may still be withheld), or the name of the tool to call." default:"auto" placeholder:"CHOICE"`
	MaxCalls          int      `help:"Most calls in the answer; 0 means no limit." placeholder:"N"`
	Temperature       float32  `help:"Draw tokens at this temperature, without trying options and ways; 0 takes the likeliest." placeholder:"T"`
	Seed              uint64   `help:"Seed of the draws." placeholder:"N"`
	Confidence        string   `help:"What the confidence is: decode (the least likely token of the calls), head (the archive's confidence head), or min, the lower one of the two." enum:"min,decode,head" default:"min" placeholder:"MODE"`
	Plain             bool     `help:"Choose values token by token; the rules for choosing values are off."`
	Off               []string `help:"Rules, or groups of them, that are not applied, separated by commas; all for all. needle rules lists them." placeholder:"RULE"`
	Trace             bool     `help:"Say on standard error which rule changed, dropped or withheld what, and why."`
	FailInputOverflow bool     `help:"Accepted for the official runner's sake: input that does not fit is always an error here."`
	ToolIndex         string   `help:"File that keeps the tools' embeddings, for archives with an embedding head; made when it is missing." placeholder:"FILE"`
	Serve             bool     `help:"Not in this version." hidden:""`
	Port              int      `help:"Not in this version." hidden:""`
}

func (r *runCommand) Run(c console) error {
	request := strings.Join(r.Request, " ")
	switch {
	case r.Serve || r.Port != 0:
		return errors.New("--serve and --port are not in this version; run answers one request")
	case request != "" && r.Prompt != "":
		return errors.New("the request is given twice, as an argument and by --prompt")
	case request == "" && r.Prompt == "":
		return errors.New(`no request: needle run "turn on the kitchen lights", or needle --help`)
	}
	response, err := r.answer(c, request+r.Prompt)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s\n", response.JSON())
	if r.Trace {
		writeTrace(c.errOut, response)
	}
	if !response.Success {
		if hint := hintForCode(response.ErrorCode); hint != "" {
			fmt.Fprintln(c.errOut, hint)
		}
		return errMiss
	}
	return nil
}

func (r *runCommand) answer(c console, request string) (*engine.Response, error) {
	o, err := r.session(c)
	if err != nil {
		return nil, err
	}
	o.ToolIndex = r.ToolIndex
	e, err := r.open(c)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	s, err := e.NewSession(c.ctx, o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for _, note := range s.Notes() {
		fmt.Fprintf(c.errOut, "needle: %s\n", jsontext.Valid(note))
	}
	return s.Complete(c.ctx, request, engine.CompleteOptions{
		MaxNewTokens: r.Max, Temperature: r.Temperature, Seed: r.Seed, ToolChoice: toolChoice(r.ToolChoice), MaxCalls: r.MaxCalls,
		Confidence: confidenceModes[r.Confidence], Plain: r.Plain, Off: trimmed(r.Off),
	})
}

// trimmed are names without the blanks behind commas.
func trimmed(names []string) (list []string) {
	for _, n := range names {
		list = append(list, strings.TrimSpace(n))
	}
	return list
}

var confidenceModes = map[string]engine.ConfidenceMode{
	"min": engine.ConfidenceMin, "decode": engine.ConfidenceDecode, "head": engine.ConfidenceHead,
}

// writeTrace writes a line for each thing that a rule did or found.
func writeTrace(w io.Writer, r *engine.Response) {
	for _, f := range r.Trace {
		fmt.Fprintf(w, "%s: %s", f.Rule, cmp.Or(f.Place, "all calls"))
		switch {
		case f.Before != nil && f.After != nil:
			fmt.Fprintf(w, ": %s becomes %s", f.Before, f.After)
		case f.Before != nil:
			fmt.Fprintf(w, ": %s is dropped", f.Before)
		case f.After != nil:
			fmt.Fprintf(w, ": %s is added", f.After)
		}
		fmt.Fprintf(w, "; %s\n", f.Why)
	}
	fmt.Fprintf(w, "%d tokens were tried and taken back to choose values\n", r.Speculated)
}

func toolChoice(text string) engine.ToolChoice {
	switch text {
	case "auto", "":
		return engine.ToolChoice{}
	case "none":
		return engine.ToolChoice{None: true}
	case "required":
		return engine.ToolChoice{Required: true}
	}
	return engine.ToolChoice{Tool: text}
}
