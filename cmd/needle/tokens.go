package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/libneedle/libneedle/tokenizer"
)

// tokensCommand prints what the model is fed, without running it.
type tokensCommand struct {
	modelFlags
	promptFlags
	Request []string `arg:"" optional:"" help:"The request of the first turn."`
	JSON    bool     `help:"One JSON object instead of a table."`
}

func (t *tokensCommand) Run(c console) error {
	o, err := t.session(c)
	if err != nil {
		return err
	}
	e, err := t.open(c)
	if err != nil {
		return err
	}
	defer e.Close()
	prefix, turn, err := e.PromptIDs(o, strings.Join(t.Request, " "))
	if err != nil {
		return err
	}
	if t.JSON {
		return printJSON(c.out, map[string][]int32{"prefix_ids": prefix, "turn_ids": turn})
	}
	printPieces(c.out, "prefix", e.Tokenizer(), prefix)
	printPieces(c.out, "turn", e.Tokenizer(), turn)
	return nil
}

func printPieces(w io.Writer, name string, t *tokenizer.Tokenizer, ids []int32) {
	fmt.Fprintf(w, "%s: %d tokens\n", name, len(ids))
	for i, id := range ids {
		fmt.Fprintf(w, "%6d %6d  %s\n", i, id, strconv.Quote(t.Piece(int(id)).Text))
	}
}
