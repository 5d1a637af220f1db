package engine

import (
	"encoding/json"
	"strings"

	"github.com/libneedle/libneedle/engine/jsontext"
	"github.com/libneedle/libneedle/engine/prompt"
	"github.com/libneedle/libneedle/tokenizer"
)

// Call is one call of a tool, under the caller's names.
type Call struct {
	Name string
	// Arguments is a compact JSON object. Keys stand in the order, and numbers in the spelling, that the
	// model wrote.
	Arguments json.RawMessage
}

// input is what a turn begins with.
type input struct {
	tool bool   // text is a tool's result, compacted to a list
	text string // valid UTF-8
}

// read decides whether an input is a tool's result.
func (s *Session) read(text string) input {
	text = jsontext.Valid(text)
	if s.conversation.delivered {
		if result, ok := prompt.ToolResult(text); ok {
			return input{tool: true, text: result}
		}
	}
	return input{text: text}
}

// encodePrefix returns the tokens before the first turn.
func (s *Session) encodePrefix() []int32 {
	return append([]int32{tokenizer.BOS}, s.engine.lex.encode(prompt.Prefix(s.system, s.tools), s.markers)...)
}

// encode returns the tokens of a turn's input, as the conversation's first turn or as a later one.
func (s *Session) encode(in input, first bool) []int32 {
	piece := prompt.LaterTurn
	switch {
	case in.tool:
		piece = prompt.ToolTurn
	case first:
		piece = prompt.FirstTurn
	}
	return s.engine.lex.encode(piece(in.text), s.markers)
}

// failure is the response for a turn that left no trace.
func failure(code int, text string) *Response {
	r := &Response{Type: TypeRespond, PeakRAMMB: peakRAM()}
	r.fail(code, text)
	return r
}

// peakRAM is the process's peak memory in MiB.
func peakRAM() float64 { return float64(peakMemory()) / (1 << 20) }

// reasonFailure is the reason of every response without success.
const reasonFailure = "runtime_failure"

// fail marks a response that stays part of the conversation.
func (r *Response) fail(code int, text string) {
	r.Success, r.Error, r.ErrorCode, r.Reason = false, text, CodeName(code), reasonFailure
}

// respond makes the response of a finished turn.
func (s *Session) respond(t *turn, k *task) *Response {
	tok := s.engine.lex.tok
	r := &Response{Type: TypeRespond, Success: true, Confidence: t.sure.confidence(k.options.Confidence)}
	r.Text = strings.TrimSpace(tok.Decode(t.prose))
	r.Reasoning = strings.TrimSpace(tok.Decode(t.thought))
	r.Warnings = s.warnings()
	if k.triggered {
		r.Trace = append(r.Trace, Finding{Rule: ruleTriggers, Why: "the request matches a trigger of a tool, and one has to be called"})
	}
	for _, f := range t.trace {
		r.Trace = append(r.Trace, s.finding(f))
	}
	switch {
	case t.called:
		s.readCalls(r, t, tok.Decode(t.list.tokens), k)
	case t.cut:
		r.fail(CodeTruncated, "answer truncated: token budget exhausted")
	}
	if r.Reasoning == "" && !t.called {
		r.Reasoning = r.Text
	}
	return r
}

// readCalls reads the text of the call region into a response.
func (s *Session) readCalls(r *Response, t *turn, text string, k *task) {
	r.Type = TypeCall
	if t.stuck {
		r.fail(CodeMalformed, "the vocabulary has no token that can follow in function_calls: "+text)
		return
	}
	calls, err := prompt.ParseCalls(text)
	if err != nil && t.cut {
		if calls = prompt.PartialCalls(text); len(calls) == 0 {
			r.fail(CodeTruncated, "tool call truncated: token budget exhausted")
			return
		}
		err = nil
	}
	if err == nil {
		err = s.judge(r, calls, k)
	}
	if err != nil {
		r.fail(CodeMalformed, "malformed function_calls JSON: "+text)
	}
}

// appendCalls writes a list of calls; arguments are JSON already.
func appendCalls(b []byte, calls []Call) []byte {
	b = append(b, '[')
	for i, c := range calls {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontext.AppendString(append(b, `{"name":`...), c.Name)
		b = append(append(append(b, `,"arguments":`...), c.Arguments...), '}')
	}
	return append(b, ']')
}
