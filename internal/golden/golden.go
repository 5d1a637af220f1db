// Package golden reads the golden values that scripts/oracle/oracle.py writes
// (what the public float32 reference computes from an archive) and compares a
// model with them.
package golden

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// Case is one folder: an archive, or the name of one, and its golden values.
type Case struct {
	Name      string    `json:"case"`
	Archive   string    `json:"archive"` // relative to Folder
	Tokenizer []Text    `json:"tokenizer"`
	Prompts   []*Prompt `json:"prompts"`
	Depths    []*Prompt `json:"depths"`
	Windows   []*Prompt `json:"windows"`
	Folder    string    `json:"-"`
}

// Text is a string and its token ids.
type Text struct {
	Text string  `json:"text"`
	IDs  []int32 `json:"ids"`
}

// Prompt is a token sequence and what the reference computes for it.
type Prompt struct {
	Text      *string         `json:"text"` // nil: ids of no text
	IDs       []int32         `json:"ids"`
	Positions []int           `json:"positions"` // those whose logits are stored
	Std       float64         `json:"std"`       // of all logits
	Floor     [2]float64      `json:"floor"`     // worst and median cosine of the reference with itself, nudged; 0 where not measured
	Heads     map[string]Head `json:"heads"`
	HeadFloor float64         `json:"-"` // largest head floor of the case

	Depth   int    `json:"depth"`   // of Case.Depths
	Archive string `json:"archive"` // the sliced file, or empty
	Window  int    `json:"window"`  // of Case.Windows
	Sink    int    `json:"sink"`

	LogitsFile string `json:"logits"`
	CellsFile  string `json:"cells"`

	logits []float32 // [len(Positions)][vocab]
	cells  []float32 // [len(IDs)][layers+1][d], for short prompts
}

// Head is a probe head's values over a prompt.
type Head struct {
	PoolFile string    `json:"pool"`
	Output   []float64 `json:"output"`

	// Floor is how far the reference is from itself, nudged: the pool's cosine
	// and the largest difference of an output. Empty where not measured.
	Floor []float64 `json:"floor"`

	pool []float32
}

// Read reads a folder and all arrays it names.
func Read(folder string) (*Case, error) {
	path := filepath.Join(folder, "golden.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s is no folder of golden values: %w", folder, err)
	}
	c := &Case{Folder: folder}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, list := range [][]*Prompt{c.Prompts, c.Depths, c.Windows} {
		for i, p := range list {
			if p == nil {
				return nil, fmt.Errorf("%s: entry %d is null", path, i)
			}
			if err := p.read(folder); err != nil {
				return nil, fmt.Errorf("%s: entry %d: %w", path, i, err)
			}
		}
	}
	c.spreadHeadFloor()
	if len(c.Prompts) == 0 {
		return nil, fmt.Errorf("%s: no prompts", path)
	}
	return c, nil
}

// spreadHeadFloor gives every entry the case's largest head floor: a single
// nudge moves one prompt's outputs by ten times as much as another's.
func (c *Case) spreadHeadFloor() {
	largest := 0.0
	lists := [][]*Prompt{c.Prompts, c.Depths, c.Windows}
	for _, p := range slices.Concat(lists...) {
		for _, h := range p.Heads {
			if len(h.Floor) == 2 {
				largest = max(largest, h.Floor[1])
			}
		}
	}
	for _, p := range slices.Concat(lists...) {
		p.HeadFloor = largest
	}
}

func (p *Prompt) read(folder string) (err error) {
	if len(p.IDs) == 0 || len(p.Positions) == 0 {
		return fmt.Errorf("%d ids and %d positions, expected some of each", len(p.IDs), len(p.Positions))
	}
	for i, at := range p.Positions {
		if at < 0 || at >= len(p.IDs) || i > 0 && at <= p.Positions[i-1] {
			return fmt.Errorf("positions are not ascending within the %d ids", len(p.IDs))
		}
	}
	if p.logits, err = readFloats(folder, p.LogitsFile); err != nil {
		return err
	}
	if len(p.logits) == 0 || len(p.logits)%len(p.Positions) != 0 {
		return fmt.Errorf("%s: %d values for %d positions", p.LogitsFile, len(p.logits), len(p.Positions))
	}
	if p.CellsFile != "" {
		if p.cells, err = readFloats(folder, p.CellsFile); err != nil {
			return err
		}
	}
	for name, h := range p.Heads {
		if h.pool, err = readFloats(folder, h.PoolFile); err != nil {
			return err
		}
		p.Heads[name] = h
	}
	return nil
}

func readFloats(folder, name string) ([]float32, error) {
	raw, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return nil, err
	}
	if len(raw)%4 != 0 {
		return nil, fmt.Errorf("%s: %d bytes are no float32 array", name, len(raw))
	}
	x := make([]float32, len(raw)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		if f := float64(x[i]); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("%s: value %d is %g, expected a finite number", name, i, f)
		}
	}
	return x, nil
}

// WorstFloor is the lowest noise floor of the case's prompts.
func (c *Case) WorstFloor() [2]float64 {
	floor := [2]float64{1, 1}
	for _, p := range c.Prompts {
		floor[0], floor[1] = min(floor[0], p.Floor[0]), min(floor[1], p.Floor[1])
	}
	return floor
}
