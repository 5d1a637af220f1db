// Command answers lets tests in other languages ask the Go API: it opens the archive named on the command line, reads
// one {"system": "...", "tools": "...", "input": "..."} per line from standard input, and answers each, in a session
// of its own, with the response's JSON on one line of standard output.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/libneedle/libneedle/engine"
)

type request struct {
	System string `json:"system"`
	Tools  string `json:"tools"`
	Input  string `json:"input"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: answers ARCHIVE")
		os.Exit(2)
	}
	if err := serve(os.Args[1], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(archive string, in io.Reader, out io.Writer) error {
	e, err := engine.Open(archive, engine.Options{})
	if err != nil {
		return err
	}
	defer e.Close()
	requests := json.NewDecoder(bufio.NewReader(in))
	for {
		var r request
		if err := requests.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("answers: request: %w", err)
		}
		text, err := answer(e, r)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n", text)
	}
}

func answer(e *engine.Engine, r request) ([]byte, error) {
	ctx := context.Background()
	s, err := e.NewSession(ctx, engine.SessionOptions{System: r.System, Tools: r.Tools})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	response, err := s.Complete(ctx, r.Input, engine.CompleteOptions{})
	if err != nil {
		return nil, err
	}
	return response.JSON(), nil
}
