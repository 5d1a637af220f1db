// Command bench-report writes what needle bench and scripts/bench-peers measured into a document, and draws it:
//
//	bench-report --doc FILE --charts DIR [--peers FILE] REPORT...
//
// Each REPORT is a file that needle bench --json wrote; the first is the main one, each gets a column. The document's
// parts between "<!-- begin NAME -->" and "<!-- end NAME -->" are replaced. scripts/bench runs it.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/libneedle/libneedle/internal/bench"
)

// column is one archive's report.
type column struct {
	name string
	*bench.Report
}

// peers is what scripts/bench-peers keeps.
type peers struct {
	Result map[string]peerRates `json:"result"`
}

type peerRates struct {
	Decode  *float64 `json:"decode_tps"` // nil: it can't
	Prefill *float64 `json:"prefill_tps"`
}

func main() {
	doc := flag.String("doc", "", "document to update")
	charts := flag.String("charts", "", "folder for the charts")
	peersFile := flag.String("peers", "", "what scripts/bench-peers kept")
	flag.Parse()
	if *doc == "" || *charts == "" || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: bench-report --doc FILE --charts DIR [--peers FILE] REPORT...")
		os.Exit(2)
	}
	if err := write(*doc, *charts, *peersFile, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench-report:", err)
		os.Exit(1)
	}
}

func write(doc, charts, peersFile string, files []string) error {
	var columns []column
	for _, file := range files {
		c := column{name: strings.TrimSuffix(filepath.Base(file), ".json"), Report: new(bench.Report)}
		if err := readJSON(file, c.Report); err != nil {
			return err
		}
		columns = append(columns, c)
	}
	p := &peers{}
	if peersFile != "" {
		if err := readJSON(peersFile, p); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(doc)
	if err != nil {
		return err
	}
	parts := map[string]string{
		"machine": machineTable(columns), "bounds": boundTable(columns), "goals": goalTable(columns, p),
		"figures": figureTable(columns), "growth": growthTable(columns), "peers": peerTable(p),
	}
	updated := string(text)
	for _, name := range []string{"machine", "bounds", "goals", "figures", "growth", "peers"} {
		if name == "peers" && peersFile == "" {
			continue
		}
		if updated, err = replacePart(updated, name, parts[name]); err != nil {
			return fmt.Errorf("%s: %w", doc, err)
		}
	}
	if err := os.MkdirAll(charts, 0o755); err != nil {
		return err
	}
	for name, svg := range drawAll(columns) {
		if err := os.WriteFile(filepath.Join(charts, name), []byte(svg), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(doc, []byte(updated), 0o644)
}

func readJSON(file string, v any) error {
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// replacePart puts content between a part's marks.
func replacePart(text, name, content string) (string, error) {
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	before, rest, found := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("it has no part %q between its marks", name)
	}
	return before + begin + content + end + after, nil
}
