package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/libneedle/libneedle/engine"
)

// rulesCommand lists the rules.
type rulesCommand struct{}

func (rulesCommand) Run(c console) error {
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, g := range engine.RuleGroups() {
		for _, r := range g.Rules {
			language := ""
			if r.English {
				language = " (English only)"
			}
			fmt.Fprintf(w, "%s\t%s\t%s%s\n", g.Name, r.Name, r.What, language)
		}
	}
	return w.Flush()
}
