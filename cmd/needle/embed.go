package main

import (
	"errors"
	"fmt"
	"strings"
)

// embedCommand prints a unit-norm vector.
type embedCommand struct {
	modelFlags
	Text []string `arg:"" help:"The text; several words are joined by blanks."`
	JSON bool     `help:"One JSON array instead of a value a line."`
}

func (e *embedCommand) Run(c console) error {
	text := strings.Join(e.Text, " ")
	if text == "" {
		return errors.New("no text to embed")
	}
	model, err := e.open(c)
	if err != nil {
		return err
	}
	defer model.Close()
	vector, err := model.Embed(c.ctx, text)
	if err != nil {
		return err
	}
	if e.JSON {
		return printJSON(c.out, vector)
	}
	for _, v := range vector {
		fmt.Fprintln(c.out, v)
	}
	return nil
}
