package grammar

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// maskbenchMisses are the schemas with verdicts that are not right; docs/grammar.md says why.
var maskbenchMisses = []string{"JsonSchemaStore---aerleon-definitions.schema"}

// TestMaskbench holds the verdicts on real schemas and instances. scripts/maskbench prints them beside other
// engines'.
func TestMaskbench(t *testing.T) {
	f, err := os.Open("../../testdata/schemas/maskbench.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	v := someVocabulary()
	schemas, compiled, right, wrong := 0, 0, 0, 0
	for lines.Scan() {
		var row struct {
			ID     string
			Schema json.RawMessage
			Tests  []struct {
				Valid bool
				Data  json.RawMessage
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		schemas++
		g, err := Compile(row.Schema, Options{})
		if err != nil {
			if !slices.Contains(maskbenchMisses, row.ID) {
				t.Errorf("%s: %v", row.ID, err)
			}
			continue
		}
		compiled++
		for i, test := range row.Tests {
			var text bytes.Buffer
			if err := json.Compact(&text, test.Data); err != nil {
				t.Fatal(err)
			}
			m := g.Start(v)
			if accepted := m.AcceptBytes(text.Bytes()) && m.Complete(); accepted == test.Valid {
				right++
			} else {
				wrong++
				t.Errorf("%s, instance %d: accepted %t, valid %t: %s", row.ID, i, accepted, test.Valid, &text)
			}
		}
	}
	t.Logf("%d schemas, %d compiled; %d verdicts right, %d wrong", schemas, compiled, right, wrong)
	if schemas != 885 || compiled < 870 || right < 2640 || wrong > 3 {
		t.Errorf("%d schemas, %d compiled, %d right, %d wrong: wanted 885, 870, 2640 and at most 3", schemas, compiled, right, wrong)
	}
}
