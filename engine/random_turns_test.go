package engine

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/libneedle/libneedle/engine/grammar"
)

// dice is a decoder whose logits are drawn by what was fed: a model without sense, but the same each time.
type dice struct {
	*telling
	sharp float64
}

func (d *dice) Logits() ([]float32, error) {
	if len(d.fed) == 0 {
		return d.telling.Logits()
	}
	h := fnv.New64a()
	for _, id := range d.fed {
		h.Write([]byte{byte(id), byte(id >> 8)})
	}
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	for i := range d.logits {
		d.logits[i] = float32(r.NormFloat64() * d.sharp)
	}
	for _, piece := range []string{`"`, "}", "]", "}}]", `"}}]`} { // or texts hardly ever end
		d.logits[d.ids[piece]] += float32(3 * d.sharp)
	}
	return d.logits, nil
}

// Grow has to ask for these Logits.
func (d *dice) Grow(ctx context.Context, ids [][]int32, last bool, f func(fork, i int, logits []float32)) error {
	return d.grow(ctx, ids, last, d.Logits, f)
}

// Whatever a model says: the list follows the schema, the limit holds, and what was fed is what was written.
func TestTurnsOfModelsWithoutSense(t *testing.T) {
	l := demoLexicon(t)
	enum := `{"enum":["low","lower","living room","living area","größe","a \"b\""]}`
	tried, complete := 0, 0
	for i, schema := range []string{
		only(enum), only(`{"type":"string"}`), only(`{"type":"number"}`), only(`{"type":["boolean","null"]}`), only(`{"type":"string","pattern":"^[a-c]{3,9}$"}`),
		only(`{"type":"array","items":` + enum + `,"uniqueItems":true,"minItems":2,"maxItems":4}`), only(`{"type":"array","items":{"type":"integer"},"minItems":70}`),
		only(`{"anyOf":[` + enum + `,{"type":"string","maxLength":3},{"type":"integer"}]}`), only(`{"type":"string","format":"date"}`), only(`{}`),
		`{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer","minimum":3,"maximum":17},"e":` + enum + `},"required":["id","e"]}`,
		only(`{"type":"object","properties":{"user_id":{"type":["string","null"]},"y":{"type":"array","items":` + enum + `,"maxItems":3}},"required":["y"]}`),
	} {
		g, err := grammar.CompileTools([]grammar.Tool{{Name: "set_lights", Schema: []byte(schema)}}, grammar.Options{Mode: grammar.ModeTool})
		if err != nil {
			t.Fatal(err)
		}
		w := weights{tok: l.tok}
		v := w.vocabulary(l)
		for n := range 12 {
			f := newTold(t, l, schema, `low or lower "living room", größe a "b" 7f-3 12`, "", nil)
			f.turn.model = &dice{f.model, []float64{.3, 1, 2, 4}[n%4]}
			f.values.lookahead, f.values.options, f.values.groundedIDs = n%3 > 0, n%5 > 0, n%2 > 0
			f.limit = []int{200, 40, 31 + n, 8 + n}[n/3]
			f.model.fed = nil
			_ = f.answer(t)
			name := fmt.Sprintf("%d.%d, limit %d: %s", i, n, f.limit, l.tok.Decode(f.list.tokens))
			m := g.Start(v)
			if !m.AcceptBytes([]byte(f.list.at.text)) || !f.cut && !m.Complete() {
				t.Fatalf("%s: does not follow its schema", name)
			}
			if string(f.list.at.text) != l.tok.Decode(f.list.tokens) {
				t.Fatalf("%s: the cursor has %s", name, f.list.at.text)
			}
			if f.sure.call > 0 || f.sure.call != f.sure.call || f.stuck {
				t.Fatalf("%s: log-probability %v, stuck %v", name, f.sure.call, f.stuck)
			}
			tried += f.evaluated
			if !f.cut {
				complete++
			}
		}
	}
	t.Logf("%d tokens tried, %d lists complete", tried, complete)
	if tried < 300 || complete < 40 {
		t.Errorf("%d tokens tried, %d lists complete", tried, complete)
	}
}
