package engine

import (
	"math"
	"strconv"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// The values of Response.Type.
const (
	TypeCall    = "call"    // a list of calls was written, the empty one included
	TypeRespond = "respond" // no list was written
)

// Response is the answer to one turn. Strings that are empty are null in JSON.
type Response struct {
	Type      string // TypeCall or TypeRespond
	Success   bool   // false exactly when ErrorCode is set
	Error     string // one sentence
	ErrorCode string // the CodeName of a Code: truncated, malformed, overflow, cancelled
	Reason    string // "runtime_failure" when not successful

	FunctionCalls   []Call // under the caller's names
	SuppressedCalls []Call // withheld; beside FunctionCalls those that the request leaves out or forbids
	Reasoning       string // the thought without surrounding blanks; prose when there was neither thought nor call

	Confidence float64 // 0 to 1
	PrefillTPS float64 // tokens of the turn per second of prefill
	DecodeTPS  float64 // tokens of the answer per second of decoding
	PeakRAMMB  float64 // the process's peak resident memory in MiB, 0 where the system doesn't tell

	// Validation is about a list that is not empty, delivered or withheld. Otherwise it is nil, and its key
	// is missing in JSON.
	Validation *Validation
	Warnings   []string // the key is missing in JSON when there are none

	// What follows is not part of the JSON.

	Text      string  // the answer in prose, without surrounding blanks
	Tokens    int     // appended by the answer, forced and closing ones included; 0 when nothing was kept
	PromptIDs []int32 // of the turn's input
	OutputIDs []int32 // of the answer; len is Tokens
	// Retrieved names the tools that the turn could call, in the order of declaration; nil where none were retrieved.
	Retrieved []string
	// Speculated counts the tokens that were fed to choose values and taken back.
	Speculated int
	Trace      []Finding // what the rules did to the calls, in their order
}

// Validation says what about the calls does not follow from the conversation.
type Validation struct {
	Ungrounded []string // tool.path of each value that does not occur in it
	Negation   bool     // the request is negated
}

// JSON returns the response as one compact object with a fixed order of keys. It is always valid UTF-8 and
// does not depend on any locale.
func (r *Response) JSON() []byte {
	b := make([]byte, 0, 512)
	b = appendString(append(b, `{"type":`...), r.Type)
	b = strconv.AppendBool(append(b, `,"success":`...), r.Success)
	b = appendString(append(b, `,"error":`...), r.Error)
	b = appendString(append(b, `,"error_code":`...), r.ErrorCode)
	b = appendString(append(b, `,"reason":`...), r.Reason)
	b = appendCalls(append(b, `,"function_calls":`...), r.FunctionCalls)
	b = appendCalls(append(b, `,"suppressed_calls":`...), r.SuppressedCalls)
	b = appendString(append(b, `,"reasoning":`...), r.Reasoning)
	b = appendNumber(append(b, `,"confidence":`...), r.Confidence, 4)
	b = appendNumber(append(b, `,"prefill_tps":`...), r.PrefillTPS, 1)
	b = appendNumber(append(b, `,"decode_tps":`...), r.DecodeTPS, 1)
	b = appendNumber(append(b, `,"peak_ram_mb":`...), r.PeakRAMMB, 1)
	if v := r.Validation; v != nil {
		b = appendStrings(append(b, `,"validation":{"ungrounded":`...), v.Ungrounded)
		b = strconv.AppendBool(append(b, `,"negation":`...), v.Negation)
		b = append(b, '}')
	}
	if len(r.Warnings) > 0 {
		b = appendStrings(append(b, `,"warnings":`...), r.Warnings)
	}
	return append(b, '}')
}

// appendString writes a string, null when it is empty.
func appendString(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return jsontext.AppendString(b, s)
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontext.AppendString(b, s)
	}
	return append(b, ']')
}

// appendNumber writes a number with a fixed count of decimals, 0 for what JSON can't hold.
func appendNumber(b []byte, x float64, decimals int) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		x = 0
	}
	return strconv.AppendFloat(b, x, 'f', decimals, 64)
}
