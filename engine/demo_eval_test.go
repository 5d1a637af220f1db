package engine_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/demo"
	"github.com/libneedle/libneedle/engine/model"
	"github.com/libneedle/libneedle/simd"
	"github.com/libneedle/libneedle/tokenizer"
)

// settledMargin is the lead, in standard deviations of a position's logits, below which two honest
// computations of the same weights may choose differently.
const settledMargin = 0.2

// confidenceTolerance is how far a confidence may be from the reference's, whose head reads the same cells
// but for the int8 roundings that fall the other way.
const confidenceTolerance = 0.02

// evalRow is what the comparison needs of a row of testdata/demo/eval.jsonl.
type evalRow struct {
	Prompt     string    `json:"prompt"`
	PromptIDs  []int32   `json:"prompt_ids"`
	OutputIDs  []int32   `json:"output_ids"`
	Margins    []float64 `json:"margins"`
	Complete   bool      `json:"complete"`
	Confidence float64   `json:"confidence"`
}

func evalRows(t *testing.T) []evalRow {
	t.Helper()
	f, err := os.Open("../testdata/demo/eval.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []evalRow
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var row evalRow
		if err := json.Unmarshal(in.Bytes(), &row); err != nil {
			t.Fatalf("row %d: %v", len(rows), err)
		}
		rows = append(rows, row)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 240 {
		t.Fatalf("%d rows, expected 240", len(rows))
	}
	return rows
}

// demoModel builds the demo's model; damage may change the archive's bytes first.
func demoModel(t *testing.T, exact bool, damage func([]byte)) *model.Model {
	t.Helper()
	b := demo.Archive
	if damage != nil {
		b = append([]byte(nil), b...)
		damage(b)
	}
	a, err := cact.OpenBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(a, model.Options{Exact: exact})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// greedy continues a row's prompt without masks until <|im_end|> or as long as the reference went on.
func greedy(m *model.Model, row evalRow) (ids []int32, confidence float64, err error) {
	s := m.NewSession(model.SessionOptions{})
	defer s.Close()
	ctx := context.Background()
	feed := row.PromptIDs
	for {
		if err := s.Append(ctx, feed); err != nil {
			return nil, 0, err
		}
		if n := len(ids); n == len(row.OutputIDs) || n > 0 && ids[n-1] == tokenizer.IMEnd {
			break
		}
		logits, err := s.Logits()
		if err != nil {
			return nil, 0, err
		}
		best := 0
		for id, v := range logits {
			if v > logits[best] {
				best = id
			}
		}
		feed = []int32{int32(best)}
		ids = append(ids, int32(best))
	}
	_, out, err := s.Head(cact.ConfidenceHead)
	if err != nil {
		return nil, 0, err
	}
	return ids, float64(simd.Sigmoid(out[0])), nil
}

// evalCount is the outcome of a comparison with the reference.
type evalCount struct {
	rows, equal, close, wrong int
	first                     int     // difference of a single row, -1 for none
	worstConfidence           float64 // difference from the reference's, over equal complete rows
}

// compareGreedy runs rows and sorts them: the reference's ids; different first where the reference itself
// was nearly undecided; different where it was not.
func compareGreedy(t *testing.T, m *model.Model, rows []evalRow) evalCount {
	t.Helper()
	counts := make([]evalCount, len(rows))
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(rows); i = next.Add(1) - 1 {
				ids, confidence, err := greedy(m, rows[i])
				if err != nil {
					t.Error(err)
					return
				}
				counts[i] = rows[i].judge(ids, confidence)
			}
		})
	}
	group.Wait()
	var total evalCount
	for i, c := range counts {
		total.add(c)
		if c.equal == 0 {
			at := c.first
			t.Logf("row %d differs at output %d of %d, margin %.3f", i, at, len(rows[i].OutputIDs), rows[i].Margins[min(at, len(rows[i].Margins)-1)])
		}
	}
	return total
}

// judge compares a row with the ids that a model gave.
func (row evalRow) judge(ids []int32, confidence float64) evalCount {
	c := evalCount{rows: 1, first: firstDifference(ids, row.OutputIDs)}
	switch {
	case c.first < 0:
		c.equal = 1
		if row.Complete {
			c.worstConfidence = math.Abs(confidence - row.Confidence)
		}
	case c.first < len(row.Margins) && row.Margins[c.first] < settledMargin:
		c.close = 1
	default:
		c.wrong = 1
	}
	return c
}

func (c *evalCount) add(d evalCount) {
	c.rows += d.rows
	c.equal += d.equal
	c.close += d.close
	c.wrong += d.wrong
	c.worstConfidence = max(c.worstConfidence, d.worstConfidence)
}

func (c evalCount) String() string {
	return fmt.Sprintf("%d rows: %d equal, %d differ first under a margin of %v, %d wrong; confidence within %.4f",
		c.rows, c.equal, c.close, settledMargin, c.wrong, c.worstConfidence)
}

// firstDifference is the first index at which two sequences differ, -1 when they are equal.
func firstDifference(a, b []int32) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

// The greedy ids are the reference's, except where it was nearly undecided itself.
func TestDemoGreedyEqualsReference(t *testing.T) {
	rows := evalRows(t)
	exact := rows[:16]
	if testing.Short() {
		rows, exact = rows[:40], rows[:4]
	}
	if os.Getenv("NEEDLE_EVAL") == "all" {
		exact = rows
	}
	for _, form := range []struct {
		name  string
		exact bool
		rows  []evalRow
	}{{"shipped", false, rows}, {"exact", true, exact}} {
		t.Run(form.name, func(t *testing.T) {
			c := compareGreedy(t, demoModel(t, form.exact, nil), form.rows)
			t.Log(c)
			if c.wrong > 0 {
				t.Errorf("%d of %d rows differ from the reference where it was decided", c.wrong, c.rows)
			}
			if c.close > c.rows/20 {
				t.Errorf("%d of %d rows differ, if only where the reference was nearly undecided", c.close, c.rows)
			}
			if c.worstConfidence > confidenceTolerance {
				t.Errorf("a confidence is %.4f off the reference's", c.worstConfidence)
			}
		})
	}
}

// The control of the comparison: small damages to the weights are seen in a few rows.
func TestDemoGreedySeesDamage(t *testing.T) {
	rows := evalRows(t)[:12]
	intact, err := cact.OpenBytes(demo.Archive)
	if err != nil {
		t.Fatal(err)
	}
	bytesOf := func(b []byte, role string) []byte {
		r := intact.Lookup(role)
		return b[r.Offset : r.Offset+r.Size]
	}
	for name, damage := range map[string]func(b []byte){
		"a tap dropped":              func(b []byte) { clear(bytesOf(b, "layers.3.k_taps")[:2*128]) },
		"half a matrix swapped":      func(b []byte) { swapHalves(bytesOf(b, "layers.2.out_proj")[:256*256/4]) },
		"engram taps of a site gone": func(b []byte) { clear(bytesOf(b, "engrams.1.taps")) },
	} {
		if c := compareGreedy(t, demoModel(t, false, damage), rows); c.wrong == 0 && c.worstConfidence <= confidenceTolerance {
			t.Errorf("%s: %v", name, c)
		} else {
			t.Logf("%s: %v", name, c)
		}
	}
	// And of the judgement itself.
	for _, row := range rows {
		for i := range row.OutputIDs {
			ids := slices.Clone(row.OutputIDs)
			ids[i]++
			if c := row.judge(ids, row.Confidence); c.equal != 0 || c.wrong == 1 != (row.Margins[i] >= settledMargin) {
				t.Fatalf("another id at %d, margin %v: %v", i, row.Margins[i], c)
			}
		}
		if c := row.judge(row.OutputIDs[:len(row.OutputIDs)-1], row.Confidence); row.Complete && c.equal != 0 {
			t.Fatalf("a missing id: %v", c)
		}
	}
}

// swapHalves exchanges the halves of a record.
func swapHalves(x []byte) {
	copy(x, slices.Concat(x[len(x)/2:], x[:len(x)/2]))
}
