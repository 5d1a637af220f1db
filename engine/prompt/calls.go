package prompt

import (
	"encoding/json"
	"fmt"

	"github.com/libneedle/libneedle/engine/jsontext"
)

// Call is a call as the model wrote it, under the names of the wire. Arguments is a compact JSON object.
type Call struct {
	Name      string
	Arguments json.RawMessage
}

// ParseCalls reads a call region: an array of {"name":"...","arguments":{...}}, with nothing else in it.
// Anything else gives an error that wraps a *jsontext.SyntaxError.
func ParseCalls(text string) ([]Call, error) {
	calls, err := readCalls(text)
	if err != nil {
		return nil, fmt.Errorf("calls: %w", err)
	}
	return calls, nil
}

// PartialCalls returns the calls at the beginning of a region, cut or damaged, whose name is known and whose
// arguments are complete.
func PartialCalls(text string) []Call {
	calls, _ := readCalls(text)
	return calls
}

// readCalls returns the calls that are complete up to the first error.
func readCalls(text string) ([]Call, error) {
	s := jsontext.NewScanner(text)
	calls := []Call{}
	if s.Peek() != '[' {
		return nil, s.Expected("a list of calls")
	}
	err := s.Array(func() error {
		call, err := readCall(s)
		if call.Name != "" && call.Arguments != nil {
			calls = append(calls, call)
		}
		return err
	})
	if err == nil {
		err = s.End()
	}
	return calls, err
}

// readCall reads one call; what it has read when an error occurs is returned with it.
func readCall(s *jsontext.Scanner) (Call, error) {
	var call Call
	if s.Peek() != '{' {
		return call, s.Expected("a call")
	}
	start := s.Offset()
	err := s.Object(func(key string) error {
		at := s.Offset()
		v, err := s.Value()
		switch {
		case err != nil:
		case key == "name" && call.Name == "" && v.Kind == jsontext.String && v.Text != "":
			call.Name = v.Text
		case key == "arguments" && call.Arguments == nil && v.Kind == jsontext.Object:
			call.Arguments = jsontext.AppendValue(nil, v)
		default:
			err = &jsontext.SyntaxError{Offset: at, Msg: fmt.Sprintf("found %s under %q, expected a name and an object of arguments, once each", v.Kind, key)}
		}
		return err
	})
	if err == nil && (call.Name == "" || call.Arguments == nil) {
		err = &jsontext.SyntaxError{Offset: start, Msg: "found a call without name or arguments, expected both"}
	}
	return call, err
}
