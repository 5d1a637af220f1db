package engine

import (
	"cmp"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine/grammar"
	"github.com/libneedle/libneedle/engine/ground"
	"github.com/libneedle/libneedle/engine/model"
)

// odds are the probabilities of pieces behind a text; of several texts that end alike the longest counts.
// What is left of 1 all other pieces share.
type odds map[string]map[string]float64

// way notes the probabilities of an option's tokens behind a text, and of its closing quote.
func (o odds) way(l *lexicon, at, option string, p ...float64) odds {
	tokens := spell(l.tok, option)
	for i, x := range p {
		piece := `"`
		if i < len(tokens) {
			piece = string(l.tok.PieceBytes(int(tokens[i])))
		}
		if o[at] == nil {
			o[at] = map[string]float64{}
		}
		o[at][piece] = x
		at += piece
	}
	return o
}

// telling is a decoder whose logits follow from the text behind <tool_call>, whichever way it got there. It
// wants a call, in it the guide as far as it goes, then what the odds say; elsewhere it closes what is open.
type telling struct {
	lex    *lexicon
	ids    map[string]int32
	guide  string
	odds   odds
	rather []string  // wanted behind the guide in this order
	turns  int       // when not 0, so many of them are wanted one after the other
	logits []float32 // one buffer, as a model has; it is spoilt when the text moves on

	fed      []int32
	forks    [][]int32 // what each was fed
	faults   []string
	blocks   int // fed by Grow
	products int // with the head
}

func newTelling(l *lexicon, guide string, o odds) *telling {
	d := &telling{lex: l, ids: map[string]int32{}, guide: guide, odds: o, logits: make([]float32, l.tok.Len())}
	l.list.each(func(id int32) { d.ids[string(l.tok.PieceBytes(int(id)))] = id })
	return d
}

func (d *telling) move(fed []int32) {
	d.fed = fed
	for i := range d.logits {
		d.logits[i] = float32(math.NaN())
	}
}

func (d *telling) Append(ctx context.Context, ids []int32) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.forks = nil
	d.move(append(d.fed, ids...))
	return nil
}

func (d *telling) Fork(n int) error {
	if n < 1 || n > model.MostForks {
		return errors.New("too many forks, or none")
	}
	d.forks = make([][]int32, n)
	return nil
}

func (d *telling) Grow(ctx context.Context, ids [][]int32, last bool, f func(fork, i int, logits []float32)) error {
	return d.grow(ctx, ids, last, d.Logits, f)
}

// grow feeds each fork behind what was fed, and takes it back.
func (d *telling) grow(ctx context.Context, ids [][]int32, last bool, ask func() ([]float32, error), f func(fork, i int, logits []float32)) error {
	fed, total := d.fed, 0
	defer func() { d.move(fed) }()
	d.blocks++
	for fork, list := range ids {
		total += len(list)
		for i, id := range list {
			d.forks[fork] = append(d.forks[fork], id)
			if last && i+1 < len(list) {
				continue
			}
			d.move(append(fed[:len(fed):len(fed)], d.forks[fork]...))
			logits, err := ask()
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			f(fork, i, logits)
		}
		if len(d.forks[fork]) > model.ForkTokens {
			d.faults = append(d.faults, "a fork that is too long")
		}
	}
	if total == 0 || total > model.ForkTokens {
		d.faults = append(d.faults, "an empty block, or one that is too long")
	}
	return nil
}

// text is what was fed behind <tool_call>.
func (d *telling) text() string {
	var b strings.Builder
	for _, id := range d.fed[1:] {
		b.Write(d.lex.tok.PieceBytes(int(id)))
	}
	return b.String()
}

func (d *telling) prefer(piece string, p float64) {
	id, ok := d.ids[piece]
	if !ok {
		d.faults = append(d.faults, "no piece "+piece)
		return
	}
	d.logits[id] = float32(math.Log(p))
}

func (d *telling) Logits() ([]float32, error) {
	d.products++
	for i := range d.logits {
		d.logits[i] = -60
	}
	if len(d.fed) == 0 {
		d.logits[call] = 0
		return d.logits, nil
	}
	text := d.text()
	best := ""
	for at := range d.odds {
		if strings.HasSuffix(text, at) && len(at) > len(best) {
			best = at
		}
	}
	rest, guided := strings.CutPrefix(d.guide, text)
	switch {
	case best != "":
		rest := 1.0
		for _, p := range d.odds[best] {
			rest -= p
		}
		for i := range d.logits {
			d.logits[i] = max(float32(math.Log(max(rest, 0)/float64(len(d.logits)))), -60)
		}
		for piece, p := range d.odds[best] {
			d.prefer(piece, p)
		}
	case guided && rest != "":
		d.logits[spell(d.lex.tok, rest)[0]] = 0
	case len(d.rather) > 0:
		for i, piece := range d.rather {
			if d.turns > 0 {
				i = (i + len(d.fed)) % d.turns
			}
			d.prefer(piece, math.Exp(float64(-i)))
		}
		for i, piece := range []string{`"`, "]", "}", ","} {
			if id := d.ids[piece]; d.logits[id] == -60 {
				d.logits[id] = float32(-20 - i)
			}
		}
	default:
		for i, piece := range []string{`"`, "]", "}"} {
			d.prefer(piece, math.Exp(float64(-10*i-10)))
		}
	}
	return d.logits, nil
}

func (d *telling) Head(cact.HeadCode) (pool, output []float32, err error) {
	return nil, nil, errors.New("no head")
}

// told is a turn over a telling decoder.
type told struct {
	*turn
	model *telling
}

// newTold is a turn in which a call of set_lights has to be made. guide are the first arguments, up to the place
// in question.
func newTold(t testing.TB, l *lexicon, schema, conversation, guide string, o odds) told {
	t.Helper()
	g, err := grammar.CompileTools([]grammar.Tool{{Name: "set_lights", Schema: []byte(schema)}}, grammar.Options{Mode: grammar.ModeTool})
	if err == nil {
		g, err = g.Choose(grammar.Choice{Min: 1, Max: 1})
	}
	if err != nil {
		t.Fatal(err)
	}
	w := weights{tok: l.tok}
	d := newTelling(l, argumentsBegin+guide, o)
	talk := ground.NewTurn("", []string{conversation}, true)
	values := valueRules{
		options: true, lookahead: true, groundedIDs: true, repeats: true, turn: talk, conversation: inStrings(talk.Texts()),
		tools: ground.NewTools([]ground.Tool{{Name: "set_lights", Schema: []byte(schema)}}),
	}
	return told{&turn{lex: l, model: d, limit: 400, list: newStrand(g.Start(w.vocabulary(l))), values: values, callable: true, required: true}, d}
}

const argumentsBegin = `[{"name":"set_lights","arguments":`

// answer runs the turn and returns the arguments that it wrote.
func (f told) answer(t testing.TB) string {
	t.Helper()
	if err := f.run(background); err != nil {
		t.Fatal(err)
	}
	if len(f.model.faults) > 0 {
		t.Error(f.model.faults)
	}
	if got, want := f.lex.tok.Decode(f.model.fed), f.lex.tok.Decode(f.out); got != want {
		t.Fatalf("wrote %q but fed %q", want, got)
	}
	if len(f.out) > f.limit {
		t.Fatalf("%d tokens, the limit is %d", len(f.out), f.limit)
	}
	text, _ := strings.CutPrefix(f.lex.tok.Decode(f.list.tokens), argumentsBegin)
	if !f.cut {
		text = strings.TrimSuffix(text, "}]")
	}
	return text
}

// only is an object of one string that has to be there.
func only(schema string) string {
	return `{"type":"object","properties":{"x":` + schema + `},"required":["x"]}`
}
