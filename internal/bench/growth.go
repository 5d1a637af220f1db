package bench

import (
	"context"
	"time"

	"github.com/libneedle/libneedle/engine/model"
)

// growthSink is how many positions stay visible in the growth series: a short
// system text. What comes after it is conversation, and moves out of sight.
const growthSink = 64

// Growth is how time and memory follow the length of a conversation.
type Growth struct {
	Tier    string   `json:"tier"`
	Threads int      `json:"threads"`
	Sink    int      `json:"sink"`  // positions that stay visible
	Steps   int      `json:"steps"` // tokens decoded in a repeat
	Points  []*Point `json:"points"`
}

// Point is one length.
type Point struct {
	Context int       `json:"context"`
	Decode  []float64 `json:"decode_ms_per_token"` // after so many tokens, each repeat
	Prefill []float64 `json:"prefill_ms"`          // of all tokens up to here, each pass
	Memory  float64   `json:"memory_mb"`           // heap and anonymous memory, garbage collected
}

// Growth feeds a sequence point after point, and decodes at each. It does the
// first pass in any case, more of them within the budget.
func (r *Rig) Growth(ctx context.Context, points []int, steps, passes int, budget time.Duration, progress func(string, ...any)) (*Growth, error) {
	g := &Growth{Threads: r.threads, Sink: min(growthSink, points[0]), Steps: steps}
	for _, n := range points {
		if n+steps > r.Room() {
			break
		}
		g.Points = append(g.Points, &Point{Context: n})
	}
	if len(g.Points) == 0 {
		return nil, r.tooLong(points[0] + steps)
	}
	begin := time.Now()
	for pass := range passes {
		if pass > 0 && time.Since(begin) > budget {
			break
		}
		if err := r.grow(ctx, g, progress); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// grow is one pass.
func (r *Rig) grow(ctx context.Context, g *Growth, progress func(string, ...any)) error {
	s := r.session()
	defer s.Close()
	if err := s.SetSink(g.Sink); err != nil {
		return err
	}
	var fed time.Duration
	for _, p := range g.Points {
		progress("growth: %d tokens", p.Context)
		begin := time.Now()
		if err := s.Append(ctx, r.ids[s.Len():p.Context]); err != nil {
			return err
		}
		fed += time.Since(begin)
		p.Prefill = append(p.Prefill, 1000*fed.Seconds())
		if p.Memory == 0 {
			p.Memory = settled()
		}
		if err := r.decodeAt(ctx, s, g.Steps, p); err != nil {
			return err
		}
	}
	return nil
}

// decodeAt decodes at a point, and leaves the session there.
func (r *Rig) decodeAt(ctx context.Context, s *model.Session, steps int, p *Point) error {
	const repeats = 3
	here := s.Snapshot()
	for range repeats {
		begin := time.Now()
		if err := decode(ctx, s, r.ids[0], steps); err != nil {
			return err
		}
		p.Decode = append(p.Decode, 1000*time.Since(begin).Seconds()/float64(steps))
		if err := s.Restore(here); err != nil {
			return err
		}
	}
	return nil
}
