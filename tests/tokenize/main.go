// Command tokenize lets tests in other languages drive package tokenizer: it reads the tokenizer record
// named on the command line, then one JSON request per line from standard input, and answers each with
// one line on standard output.
//
//	{"text": "...", "plain": false}         -> {"ids": [...]}
//	{"base64": "...", "plain": false}       -> {"ids": [...]}    for text that is not valid UTF-8
//	{"decode": [...]}                       -> {"text": "...", "stream": ["...", ...]}
//
// stream is what a Decoder returned for each id, its Flush last.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/libneedle/libneedle/tokenizer"
)

type request struct {
	Text   string  `json:"text"`
	Base64 []byte  `json:"base64"`
	Plain  bool    `json:"plain"`
	Decode []int32 `json:"decode"`
}

type encoded struct {
	IDs []int32 `json:"ids"`
}

type decoded struct {
	Text   string   `json:"text"`
	Stream []string `json:"stream"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: tokenize RECORD")
		os.Exit(2)
	}
	if err := serve(os.Args[1], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(path string, in io.Reader, out io.Writer) error {
	blob, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	t, err := tokenizer.New(blob)
	if err != nil {
		return err
	}
	requests := json.NewDecoder(bufio.NewReader(in))
	w := bufio.NewWriter(out)
	answers := json.NewEncoder(w)
	for {
		var r request
		if err := requests.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("tokenize: request: %w", err)
		}
		if err := answers.Encode(answer(t, r)); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}

func answer(t *tokenizer.Tokenizer, r request) any {
	if r.Decode != nil {
		d, a := t.NewDecoder(), decoded{Text: t.Decode(r.Decode)}
		for _, id := range r.Decode {
			a.Stream = append(a.Stream, d.Write(id))
		}
		a.Stream = append(a.Stream, d.Flush())
		return a
	}
	if r.Base64 != nil {
		r.Text = string(r.Base64)
	}
	encode := t.Encode
	if r.Plain {
		encode = t.EncodePlain
	}
	ids := encode(r.Text)
	if ids == nil {
		ids = []int32{}
	}
	return encoded{ids}
}
