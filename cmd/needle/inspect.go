package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/tokenizer"
)

// inspectCommand describes an archive without running it.
type inspectCommand struct {
	File    string `arg:"" help:"The archive."`
	Records bool   `help:"List every record."`
	JSON    bool   `help:"One JSON object instead of a table."`
}

// summary is what inspect prints.
type summary struct {
	File     string        `json:"file"`
	Bytes    int64         `json:"bytes"`
	SHA256   string        `json:"sha256"`
	Geometry cact.Geometry `json:"geometry"`
	Window   int           `json:"window"`
	Weights  int64         `json:"weights"`
	Pieces   int           `json:"pieces"`
	Heads    []string      `json:"heads"`
	Widths   []widthLine   `json:"widths"`
	Records  []recordLine  `json:"records,omitempty"`
	Count    int           `json:"record_count"`
}

type recordLine struct {
	Index  int    `json:"index"`
	Role   string `json:"role"`
	Type   string `json:"type"`
	Bits   int    `json:"bits,omitempty"`
	Shape  []int  `json:"shape"`
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
}

// widthLine sums the records of one stored width.
type widthLine struct {
	Type    string `json:"type"`
	Records int    `json:"records"`
	Weights int64  `json:"weights"` // 0 for the tokenizer
	Bytes   int64  `json:"bytes"`
}

func (i *inspectCommand) Run(c console) error {
	a, err := cact.Open(i.File)
	if err != nil {
		return err
	}
	defer a.Close()
	s, err := summarize(i.File, a)
	if err != nil {
		return err
	}
	if !i.Records {
		s.Records = nil
	}
	if i.JSON {
		return printJSON(c.out, s)
	}
	s.print(c.out)
	return nil
}

func summarize(file string, a *cact.Archive) (*summary, error) {
	t, err := tokenizer.New(a.Lookup("tokenizer").Bytes())
	if err != nil {
		return nil, err
	}
	hash := a.Hash()
	s := &summary{File: file, Bytes: a.Size(), SHA256: hex.EncodeToString(hash[:]), Geometry: a.Geometry(),
		Window: a.Geometry().Window(), Pieces: t.Len(), Heads: []string{}, Count: a.Len()}
	for _, code := range a.Heads() {
		s.Heads = append(s.Heads, code.String())
	}
	for i := range a.Len() {
		r := a.Record(i)
		s.Records = append(s.Records, recordLine{i, r.Role, r.DType.String(), r.Bits, r.Shape, r.Offset, r.Size})
		s.addWidth(r)
	}
	return s, nil
}

func (s *summary) addWidth(r *cact.Record) {
	kind := storedType(r.DType.String(), r.Bits)
	at := slices.IndexFunc(s.Widths, func(w widthLine) bool { return w.Type == kind })
	if at < 0 {
		at = len(s.Widths)
		s.Widths = append(s.Widths, widthLine{Type: kind})
	}
	w := &s.Widths[at]
	w.Records++
	w.Bytes += r.Size
	if r.DType != cact.RawRecord {
		n := int64(1)
		for _, d := range r.Shape {
			n *= int64(d)
		}
		w.Weights += n
		s.Weights += n
	}
}

// storedType names a record's type with its width, as in cq2.
func storedType(dtype string, bits int) string {
	if bits > 0 {
		return fmt.Sprintf("%s%d", dtype, bits)
	}
	return dtype
}

func (s *summary) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	g := s.Geometry
	line := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	line("file", "%s, %d bytes", s.File, s.Bytes)
	line("sha256", "%s", s.SHA256)
	line("weights", "%d in %d records", s.Weights, s.Count)
	line("vocabulary", "%d pieces, %d logits", s.Pieces, g.LogitCount())
	line("width", "%d, %d lanes, Hadamard size %d", g.Width, g.Lanes, g.HadaSize)
	line("blocks", "%d, full attention at %v", g.Layers, globalLayers(g))
	line("heads", "%d query heads of %d over %d key-value heads, values of %d", g.Heads, g.QKDim, g.KVHeads, g.VDim)
	line("context", "%d positions, sliding window %d, key-value window %d", g.MaxSeqLen, g.SlidingWindow, s.Window)
	line("taps", "%d on q, k, v", g.ConvTaps)
	line("engram", "sites %v, orders %v, %d tables of %d slots of %d", g.EngramSites, g.EngramOrders, g.EngramTables, g.EngramSlots, g.EngramSubDim)
	line("rope theta", "%g", g.RopeTheta)
	line("probe heads", "%v", s.Heads)
	for _, v := range s.Widths {
		line("stored as "+v.Type, "%d records, %d weights, %d bytes", v.Records, v.Weights, v.Bytes)
	}
	for _, r := range s.Records {
		fmt.Fprintf(w, "%d\t%s\t%s\t%v\t%d bytes at %d\n", r.Index, r.Role, storedType(r.Type, r.Bits), r.Shape, r.Bytes, r.Offset)
	}
	w.Flush()
}

func globalLayers(g cact.Geometry) []int {
	layers := []int{}
	for l := range g.Layers {
		if g.IsGlobal(l) {
			layers = append(layers, l)
		}
	}
	return layers
}
