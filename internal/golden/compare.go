package golden

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine/model"
)

// Result is how a model's run of one prompt compares with the reference's.
type Result struct {
	Tokens int        `json:"tokens"`
	Worst  float64    `json:"worst"` // cosine of logits, over the stored positions
	Median float64    `json:"median"`
	Last   float64    `json:"last"` // at the last stored position
	Floor  [2]float64 `json:"floor"`

	OtherTop   int       `json:"other_top"` // positions with another top choice
	WrongTop   int       `json:"wrong_top"` // those of them whose margin exceeds 0.2 of the logits' deviation
	Positions  int       `json:"positions"`
	ShortCells []float64 `json:"-"`          // cosines of short prompts' cells and logits; nil without stored cells
	Heads      int       `json:"heads"`      // heads compared
	Pool       float64   `json:"pool"`       // worst cosine over the heads' pools, 1 without heads
	HeadError  float64   `json:"head_error"` // largest distance of a delivered head output, see Delivered
	HeadFloor  float64   `json:"head_floor"` // the case's, see Prompt
}

// clearMargin is the share of the logits' standard deviation above which the
// top choice may not differ.
const clearMargin = 0.2

// Compare runs a prompt token by token and compares what is stored.
func Compare(ctx context.Context, m *model.Model, p *Prompt, threads int) (Result, error) {
	s := m.NewSession(model.SessionOptions{Window: p.Window, Threads: threads, KeepCells: true})
	defer s.Close()
	if err := s.SetSink(p.Sink); err != nil {
		return Result{}, err
	}
	g := m.Geometry()
	width := len(p.logits) / len(p.Positions)
	if width != g.LogitCount() {
		return Result{}, fmt.Errorf("%s: %d logits a position, the model has %d: are the golden values those of another archive?", p.LogitsFile, width, g.LogitCount())
	}
	rows := (m.Depth() + 1) * g.Width
	if p.cells != nil && len(p.cells) != len(p.IDs)*rows {
		return Result{}, fmt.Errorf("%s: %d values, the model has %d cells of %d for %d tokens", p.CellsFile, len(p.cells), m.Depth()+1, g.Width, len(p.IDs))
	}
	r := Result{Tokens: len(p.IDs), Positions: len(p.Positions), Floor: p.Floor, HeadFloor: p.HeadFloor, Pool: 1}
	var cosines []float64
	for pos, id := range p.IDs {
		if err := s.Append(ctx, []int32{id}); err != nil {
			return r, err
		}
		if p.cells != nil {
			r.compareCells(s.Cells(), p.cells[pos*rows:(pos+1)*rows], g.Width)
		}
		at, stored := slices.BinarySearch(p.Positions, pos)
		if !stored {
			continue
		}
		got, err := s.Logits()
		if err != nil {
			return r, err
		}
		want := p.logits[at*width : (at+1)*width]
		cosines = append(cosines, Cosine(got, want))
		r.compareTop(got, want, p.Std)
	}
	r.Worst, r.Median, r.Last = slices.Min(cosines), Median(cosines), cosines[len(cosines)-1]
	if p.cells != nil {
		r.ShortCells = append(r.ShortCells, cosines...)
	}
	return r, r.compareHeads(s, m, p)
}

func (r *Result) compareCells(got, want []float32, width int) {
	for at := 0; at < len(want); at += width {
		r.ShortCells = append(r.ShortCells, Cosine(got[at:at+width], want[at:at+width]))
	}
}

func (r *Result) compareTop(got, want []float32, deviation float64) {
	best, other := argmax(want), argmax(got)
	if best == other {
		return
	}
	r.OtherTop++
	second := math.Inf(-1)
	for i, v := range want {
		if i != best {
			second = max(second, float64(v))
		}
	}
	if deviation == 0 {
		deviation = standardDeviation(want)
	}
	if float64(want[best])-second > clearMargin*deviation {
		r.WrongTop++
	}
}

func (r *Result) compareHeads(s *model.Session, m *model.Model, p *Prompt) error {
	for name, want := range p.Heads {
		at := slices.IndexFunc(m.Heads(), func(c cact.HeadCode) bool { return c.String() == name })
		if at < 0 {
			return fmt.Errorf("the golden values have a %s head, the archive has none", name)
		}
		pool, output, err := s.Head(m.Heads()[at])
		if err != nil {
			return err
		}
		if len(pool) != len(want.pool) || len(output) != len(want.Output) {
			return fmt.Errorf("%s head: pool of %d and %d outputs, the golden values have %d and %d", name, len(pool), len(output), len(want.pool), len(want.Output))
		}
		r.Heads++
		r.Pool = min(r.Pool, Cosine(pool, want.pool))
		raw := make([]float64, len(output))
		for i, v := range output {
			raw[i] = float64(v)
		}
		a, b := Delivered(name, want.Output), Delivered(name, raw)
		for i := range a {
			r.HeadError = max(r.HeadError, math.Abs(a[i]-b[i]))
		}
	}
	return nil
}

// Delivered is what a head's raw output means to a user: the confidence's
// sigmoid, the embedding's unit vector, the router's softmax. Raw outputs of
// random weights are several units large; the NumPy reference's own differ from
// the golden ones by up to 0.006.
func Delivered(head string, raw []float64) []float64 {
	out, sum := slices.Clone(raw), 0.0
	switch head {
	case "confidence":
		for i, v := range raw {
			out[i] = 1 / (1 + math.Exp(-v))
		}
		return out
	case "embedding":
		for _, v := range raw {
			sum += v * v
		}
		sum = math.Sqrt(sum)
	default:
		for i, v := range raw {
			out[i] = math.Exp(v)
			sum += out[i]
		}
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// Misses lists what of a result breaks the rules: those of the exact form, or
// of the integer form that ships.
func (r *Result) Misses(exact bool) []string {
	var misses []string
	miss := func(broken bool, format string, args ...any) {
		if broken {
			misses = append(misses, fmt.Sprintf(format, args...))
		}
	}
	if exact {
		worst, median := allowed(r.Floor[0]), allowed(r.Floor[1])
		miss(!(1-r.Worst <= worst), "worst cosine %.6f under %.6f", r.Worst, 1-worst)
		miss(!(1-r.Median <= median), "median cosine %.6f under %.6f", r.Median, 1-median)
		miss(!(r.Pool > 0.9999), "pool cosine %.6f, not above 0.9999", r.Pool)
		limit := max(0.002, r.HeadFloor)
		miss(!(r.HeadError <= limit), "head output off by %.4f, more than %.4f", r.HeadError, limit)
	} else {
		miss(!(r.Worst >= 0.998), "worst cosine %.6f under 0.998", r.Worst)
		miss(r.Positions > 1 && !(r.Median >= 0.9993), "median cosine %.6f under 0.9993", r.Median)
		miss(!(r.Last >= 0.999), "last cosine %.6f under 0.999", r.Last)
		miss(!(r.Pool > 0.9995), "pool cosine %.6f, not above 0.9995", r.Pool)
		miss(!(r.HeadError <= 0.02), "head output off by %.4f, more than 0.02", r.HeadError)
	}
	miss(r.WrongTop > 0, "%d other top choices at clear margins", r.WrongTop)
	return misses
}

// allowed is how far 1 - cosine may be in exact form: twice the floor's, or 5e-4.
func allowed(floor float64) float64 { return max(2*(1-floor), 5e-4) }

// WithinFloor says whether the result is within twice the noise floor (or
// 5e-4), the target of the shipped form.
func (r *Result) WithinFloor() bool {
	return 1-r.Worst <= allowed(r.Floor[0]) && 1-r.Median <= allowed(r.Floor[1])
}

// Cosine is the cosine of two vectors of the same length, 0 where one of them
// is zero.
func Cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// Median is the middle value of x, which is not empty.
func Median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	if n := len(x); n%2 == 0 {
		return (x[n/2-1] + x[n/2]) / 2
	}
	return x[len(x)/2]
}

func standardDeviation(x []float32) float64 {
	var sum, squares float64
	for _, v := range x {
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	mean := sum / float64(len(x))
	return math.Sqrt(max(squares/float64(len(x))-mean*mean, 0))
}

func argmax(x []float32) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}
