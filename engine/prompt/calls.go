package prompt

import (
	"encoding/json"
	"fmt"
)

// Call is a call as the model wrote it, under the names of the wire. Arguments is a compact JSON object.
type Call struct {
	Name      string
	Arguments json.RawMessage
}

// ParseCalls reads a call region: an array of {"name":"...","arguments":{...}}, with nothing else in it.
// Anything else gives an error that wraps a *SyntaxError.
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
	s := scanner{text: text}
	calls := []Call{}
	if s.blanks(); s.peek() != '[' {
		return nil, s.expected("a list of calls")
	}
	err := s.array(func() error {
		call, err := s.call()
		if call.Name != "" && call.Arguments != nil {
			calls = append(calls, call)
		}
		return err
	})
	if err == nil {
		err = s.end()
	}
	return calls, err
}

// call reads one call; what it has read when an error occurs is returned with it.
func (s *scanner) call() (Call, error) {
	var call Call
	s.blanks()
	start := s.pos
	if s.peek() != '{' {
		return call, s.expected("a call")
	}
	err := s.object(func(key string) error {
		at := s.pos
		v, err := s.value()
		switch {
		case err != nil:
		case key == "name" && call.Name == "" && v.kind == kindString && v.text != "":
			call.Name = v.text
		case key == "arguments" && call.Arguments == nil && v.kind == kindObject:
			call.Arguments = appendValue(nil, v)
		default:
			err = &SyntaxError{at, fmt.Sprintf("found %s under %q, expected a name and an object of arguments, once each", v.kind, key)}
		}
		return err
	})
	if err == nil && (call.Name == "" || call.Arguments == nil) {
		err = &SyntaxError{start, "found a call without name or arguments, expected both"}
	}
	return call, err
}
