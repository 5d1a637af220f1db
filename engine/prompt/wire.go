package prompt

import (
	"strings"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// The markers, each of which is one token.
const (
	imStart       = "<|im_start|>"
	imEnd         = "<|im_end|>"
	toolsStart    = "<tools>"
	toolsEnd      = "</tools>"
	resultStart   = "<tool_result>"
	resultEnd     = "</tool_result>"
	openAssistant = "assistant\n"
)

// Segment is a stretch of a piece of the prompt: a marker, or all the text between two of them. Merges may
// cross whatever the text was put together from, so the ids of a piece, encoded segment by segment, are
// those of the whole, except that a marker spelt in a text stays text.
type Segment struct {
	Text string
	// Literal text may give no control and no user-defined piece; otherwise Text is one marker.
	Literal bool
}

// piece makes segments of a marker, a text, a marker, a text, ... and leaves the empty ones out.
func piece(alternating ...string) []Segment {
	segments := make([]Segment, 0, len(alternating))
	for i, text := range alternating {
		if text != "" {
			segments = append(segments, Segment{text, i%2 == 1})
		}
	}
	return segments
}

// Join returns the text of a piece as it stands on the wire.
func Join(segments []Segment) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString(s.Text)
	}
	return b.String()
}

// SystemTurn is the turn that precedes all others; nothing when SystemText makes nothing of system.
func SystemTurn(system string) []Segment {
	s := SystemText(system)
	if s == "" {
		return nil
	}
	return piece(imStart, "system\n"+s, imEnd, "\n")
}

// Prefix is what a session begins with, after BOS: the system turn and the opening of the first user turn
// with the tools.
func Prefix(system string, t *Toolset) []Segment {
	segments := SystemTurn(system)
	if !t.Present() {
		return append(segments, piece(imStart, "user")...)
	}
	return append(segments, piece(imStart, "user\n", toolsStart, t.Text(), toolsEnd)...)
}

// FirstTurn goes on in the user turn that the prefix has opened.
func FirstTurn(text string) []Segment {
	return piece("", "\n"+jsontext.Valid(text), imEnd, "\n", imStart, openAssistant)
}

// LaterTurn is a user turn after an answer.
func LaterTurn(text string) []Segment {
	return piece("", "\n", imStart, "user\n"+jsontext.Valid(text), imEnd, "\n", imStart, openAssistant)
}

// ToolTurn carries the result R of calls, which ToolResult makes.
func ToolTurn(result string) []Segment {
	return piece("", "\n", imStart, "tool\n", resultStart, jsontext.Valid(result), resultEnd, "", imEnd, "\n",
		imStart, openAssistant)
}

// ToolResult returns R, and whether text is the result of calls at all: JSON that begins with a bracket or a
// brace. R is compact, strings staying as they are written, and a lone object is put into a list.
func ToolResult(text string) (string, bool) {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' {
		return "", false
	}
	result, err := jsontext.Compact(trimmed)
	if err != nil {
		return "", false
	}
	if result[0] == '{' {
		result = "[" + result + "]"
	}
	return result, true
}
