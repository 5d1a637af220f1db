package engine_test

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"os"
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
func greedy(t *testing.T, m *model.Model, row evalRow) (ids []int32, confidence float64) {
	t.Helper()
	s := m.NewSession(model.SessionOptions{})
	defer s.Close()
	ctx := context.Background()
	feed := row.PromptIDs
	for {
		if err := s.Append(ctx, feed); err != nil {
			t.Fatal(err)
		}
		if n := len(ids); n == len(row.OutputIDs) || n > 0 && ids[n-1] == tokenizer.IMEnd {
			break
		}
		logits, err := s.Logits()
		if err != nil {
			t.Fatal(err)
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
		t.Fatal(err)
	}
	return ids, float64(simd.Sigmoid(out[0]))
}

// evalCount is the outcome of a comparison with the reference.
type evalCount struct {
	rows, equal, close, wrong int
	worstConfidence           float64 // difference from the reference's, over equal complete rows
}

// compareGreedy runs rows and sorts them: the reference's ids; different first where the reference itself
// was nearly undecided; different where it was not.
func compareGreedy(t *testing.T, m *model.Model, rows []evalRow) evalCount {
	var c evalCount
	for i, row := range rows {
		ids, confidence := greedy(t, m, row)
		c.rows++
		at := firstDifference(ids, row.OutputIDs)
		switch {
		case at < 0:
			c.equal++
			if row.Complete {
				c.worstConfidence = max(c.worstConfidence, math.Abs(confidence-row.Confidence))
			}
		case at < len(row.Margins) && row.Margins[at] < settledMargin:
			c.close++
			t.Logf("row %d differs at output %d, margin %.3f", i, at, row.Margins[at])
		default:
			c.wrong++
		}
	}
	return c
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

func TestDemoGreedyEqualsReference(t *testing.T) {
	rows := evalRows(t)
	if testing.Short() {
		rows = rows[:40]
	}
	for _, form := range []struct {
		name  string
		exact bool
		rows  []evalRow
	}{{"shipped", false, rows}, {"exact", true, rows[:min(40, len(rows))]}} {
		t.Run(form.name, func(t *testing.T) {
			c := compareGreedy(t, demoModel(t, form.exact, nil), form.rows)
			t.Logf("%d rows: %d equal, %d differ first under a margin of %v, %d wrong; confidence within %.4f",
				c.rows, c.equal, c.close, settledMargin, c.wrong, c.worstConfidence)
			if c.wrong > 0 {
				t.Errorf("%d of %d rows differ from the reference where it was decided", c.wrong, c.rows)
			}
		})
	}
}
