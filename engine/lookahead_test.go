package engine

import (
	"math"
	"strings"
	"testing"
)

// chain gives each piece behind a text a probability, one after the other.
func (o odds) chain(at string, steps ...any) odds {
	for i := 0; i < len(steps); i += 2 {
		piece := steps[i].(string)
		if o[at] == nil {
			o[at] = map[string]float64{}
		}
		o[at][piece] = steps[i+1].(float64)
		at += piece
	}
	return o
}

// either gives pieces behind a text their probabilities.
func (o odds) either(at string, pieces ...any) odds {
	for i := 0; i < len(pieces); i += 2 {
		o.chain(at, pieces[i], pieces[i+1])
	}
	return o
}

func TestLookaheadTakesTheBestMean(t *testing.T) {
	l := demoLexicon(t)
	text, number, boolean := `{"type":"string"}`, `{"type":"integer"}`, `{"type":"boolean"}`
	const bare = `{"x":`
	red := func() odds { return odds{}.chain(`x":"`, "red", .6, "room", .2, `"`, .9) }
	for name, c := range map[string]struct {
		schema, guide string
		odds          odds
		want          string
		looked        bool
	}{
		"the second": {text, behindX, red().chain(`x":"red`, "light", .3, `"`, 1.).chain(`x":"red`, "lamp", .5, `"`, .1).chain(`x":"`, "green", .4, `"`, .9), `{"x":"green"}`, true},
		"the first":  {text, behindX, red().chain(`x":"`, "green", .4, `"`, .1).chain(`x":"green`, "light", .9, "s", .1, `"`, 1.), `{"x":"redroom"}`, true},
		"a tie":      {text, behindX, odds{}.chain(`x":"`, "red", .5, `"`, 1.).chain(`x":"`, "green", .5, `"`, 1.), `{"x":"red"}`, true},
		"sure":       {text, behindX, odds{}.chain(`x":"`, "red", .951, "room", .1, `"`, 1.).chain(`x":"red`, "light", .2, `"`, .1).chain(`x":"`, "green", .049, `"`, 1.), `{"x":"redlight"}`, false},
		"not sure":   {text, behindX, odds{}.chain(`x":"`, "red", .7, "light", .02, `"`, .02).chain(`x":"red`, `"`, .019).chain(`x":"`, "green", .3, `"`, 1.), `{"x":"green"}`, true},
		"the fourth": {text, behindX, odds{}.chain(`x":"`, "red", .3, "room", .1, `"`, 1.).chain(`x":"red`, "lamp", .09).chain(`x":"`, "kitchen", .28, "room", .1, `"`, 1.).
			chain(`x":"`, "light", .22, "room", .1, `"`, 1.).chain(`x":"`, "green", .2, `"`, 1.), `{"x":"green"}`, true},
		"the fifth is not tried": {text, behindX, odds{}.chain(`x":"`, "red", .26, "room", .2, `"`, .1).chain(`x":"red`, "lamp", .18).chain(`x":"`, "kitchen", .2, "room", .1, `"`, .1).
			chain(`x":"`, "light", .2, "room", .1, `"`, .1).chain(`x":"`, "lamp", .18, "room", .1, `"`, .1).chain(`x":"`, "green", .16, `"`, 1.), `{"x":"redroom"}`, true},
		"empty string": {text, behindX, odds{}.chain(`x":"`, "red", .6, "room", .05, `"`, 1.).chain(`x":"`, `"`, .4), `{"x":""}`, true},
		"number":       {number, bare, odds{}.chain(`x":`, "1", .6, "2", .3, "}}]", 1.).either(`x":1`, "2", .2, "0", .2, "3", .2, "4", .2, "}}]", .2).chain(`x":`, "7", .4, "}}]", 1.), `{"x":7}`, true},
		"boolean":      {boolean, bare, odds{}.chain(`x":`, "true", .55, "}", .3).either(`x":true`, "}}", .3, "}}]", .3).chain(`x":`, "false", .45, "}", 1.), `{"x":false}`, true},
		"array":        {`{"type":"array","items":{"type":"integer"}}`, bare, odds{}.chain(`x":`, "[", .55, "1", .3, "]", .4).either(`x":[`, "2", .25, "3", .25, "4", .2).either(`x":[1`, ",", .3, "4", .3).chain(`x":`, "[]", .45), `{"x":[]}`, true},
		"object":       {`{"type":"object","properties":{"y":{"type":"integer"}}}`, bare, odds{}.chain(`x":`, "{", .6, "}", .2).chain(`x":{`, `"`, .1).chain(`x":`, `{"`, .4, "y", 1., `":`, 1., "5", 1., "}", 1.), `{"x":{"y":5}}`, true},
		"enumeration":  {`{"enum":["red","redroom","green"]}`, behindX, odds{}.chain(`x":"`, "red", .6, "room", .6, `"`, 1.).chain(`x":"red`, `"`, .4).chain(`x":"`, "green", .4, `"`, 1.), `{"x":"redroom"}`, false},
	} {
		f := newTold(t, l, only(c.schema), "nothing", c.guide, c.odds)
		if got := f.answer(t); got != c.want || (f.evaluated > 0) != c.looked {
			t.Errorf("%s: wrote %s, expected %s; %d tokens tried", name, got, c.want, f.evaluated)
		}
		f = newTold(t, l, only(c.schema), "nothing", c.guide, c.odds)
		if f.values.lookahead = false; f.answer(t) == "" || f.evaluated > 0 {
			t.Errorf("%s: switched off, %d tokens tried", name, f.evaluated)
		}
	}
}

// What is tried ends with 24 tokens; a way that did not end is worth 2 less.
func TestLookaheadGoesSoFar(t *testing.T) {
	l := demoLexicon(t)
	words := strings.Fields("red room lamp light fan kitchen green")
	long := []any{"open", .6}
	for i := range 40 {
		long = append(long, words[i%len(words)], 1.)
	}
	begin := "open" + strings.Repeat(strings.Join(words, ""), 3)
	for _, c := range []struct {
		short float64 // its mean is half the logarithm
		want  string
	}{{.4, "green"}, {math.Exp(-2 * 1.9), "green"}, {math.Exp(-2 * 2.2), begin}} {
		o := odds{}.chain(`x":"`, long...).chain(`x":"`, "green", min(c.short, .4), `"`, 1.)
		f := newTold(t, l, only(`{"type":"string"}`), "nothing", behindX, o)
		f.limit = 200
		got := f.answer(t)
		if !strings.HasPrefix(got, `{"x":"`+c.want) {
			t.Errorf("%v: wrote %s, expected %s", c.short, got, c.want)
		}
		if f.evaluated > lookaheadWays*lookaheadTokens {
			t.Errorf("%d tokens tried", f.evaluated)
		}
	}
	f := newTold(t, l, only(`{"type":"string"}`), "", behindX, odds{}.chain(`x":"`, long...))
	if w := f.followed(t, behindX, "open"); len(w.tokens) != 24 || w.finished || f.evaluated != 23 {
		t.Errorf("followed %d tokens, fed %d, finished %v", len(w.tokens), f.evaluated, w.finished)
	}
}

// followed is the way that begins with a token behind the guide.
func (f told) followed(t *testing.T, guide, first string) way {
	t.Helper()
	if err := f.extend(spell(f.lex.tok, argumentsBegin+guide)...); err != nil {
		t.Fatal(err)
	}
	f.model.fed = join(ids(call), f.list.tokens)
	ways := []way{{strand: f.list.clone()}}
	if err := f.add(&ways[0], spell(f.lex.tok, first)[0], -1); err != nil {
		t.Fatal(err)
	}
	if err := f.follow(background, ways); err != nil {
		t.Fatal(err)
	}
	return ways[0]
}

// Tokens that are forced within a way cost no product and count with probability 1.
func TestLookaheadOverForcedTokens(t *testing.T) {
	l := demoLexicon(t)
	const guide = `{"x":`
	o := odds{guide: {`{"`: .6, "{": .4}}
	schema := only(`{"type":"object","properties":{"yard":{"type":"array","prefixItems":[{"const":12345}],"minItems":1,"maxItems":1}},"required":["yard"]}`)
	f := newTold(t, l, schema, "", guide, o)
	w := f.followed(t, guide, `{"`)
	forced := 0
	for i, p := range w.logProbs[1:] {
		m := f.list.clone()
		for _, id := range w.tokens[:i+1] {
			m.accept(l, id)
		}
		if _, ok := m.calls.Mask().Only(); ok {
			if forced++; p != 0 {
				t.Errorf("token %d is forced and has log-probability %v", i+1, p)
			}
		}
	}
	if forced < 4 || f.model.products != len(w.tokens)-1-forced {
		t.Errorf("%d tokens, %d forced, %d products", len(w.tokens), forced, f.model.products)
	}
}

// Without room for a whole way there is no lookahead, and the limit holds.
func TestLookaheadNearTheLimit(t *testing.T) {
	l := demoLexicon(t)
	looked, plain := 0, 0
	for limit := 8; limit < 60; limit++ {
		o := odds{}.chain(`x":"`, "red", .6, "room", .05, `"`, 1.).chain(`x":"red`, "lamp", .04).chain(`x":"`, "green", .4, `"`, 1.)
		f := newTold(t, l, only(`{"type":"string"}`), "nothing", behindX, o)
		f.limit = limit
		got := f.answer(t)
		switch {
		case f.evaluated > 0:
			looked++
			if got != `{"x":"green"}` {
				t.Fatalf("limit %d: wrote %s", limit, got)
			}
		case !f.cut:
			plain++
			if got != `{"x":"redroom"}` {
				t.Fatalf("limit %d: wrote %s", limit, got)
			}
		}
	}
	if looked == 0 || plain == 0 {
		t.Errorf("%d with a lookahead, %d without", looked, plain)
	}
}

// A turn that is cancelled while ways are tried stops at once.
func TestLookaheadStops(t *testing.T) {
	l := demoLexicon(t)
	for n := range 12 {
		f := newTold(t, l, only(`{"type":"string"}`), "nothing", behindX, odds{}.chain(`x":"`, "red", .6, "room", .3, `"`, 1.).chain(`x":"`, "green", .4, `"`, 1.))
		if err := f.run(newCountdown(n, nil)); err == nil {
			break
		} else if err.Error() != "context canceled" {
			t.Fatal(err)
		}
	}
}
