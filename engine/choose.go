package engine

import (
	"math/bits"
	"math/rand/v2"

	"github.com/libneedle/libneedle/simd"
)

// chooser picks the next token among the legal ones. Its arithmetic is that of package simd, so that every
// CPU picks the same.
type chooser struct {
	temperature float32 // 0: the likeliest
	random      *rand.Rand
}

func newChooser(temperature float32, seed uint64) chooser {
	c := chooser{temperature: temperature}
	if temperature > 0 {
		c.random = rand.New(rand.NewPCG(seed, 0))
	}
	return c
}

// greedy reports that the likeliest token is always chosen.
func (c *chooser) greedy() bool { return c.temperature <= 0 }

// choose returns a legal id and the logarithm of its probability among the legal ids; id is -1 when none
// is legal. Without a temperature it is the likeliest, the lowest id among equals.
func (c *chooser) choose(logits []float32, legal tokenSet) (id int32, logProb float32) {
	best := likeliest(logits, legal)
	if best < 0 {
		return -1, 0
	}
	top := logits[best]
	total := weigh(logits, legal, top, 1)
	id = best
	if !c.greedy() {
		id = c.draw(logits, legal, best)
	}
	return id, logits[id] - top - simd.Log(float32(total))
}

// likeliest is the first legal id with the highest logit, -1 when none is legal.
func likeliest(logits []float32, legal tokenSet) int32 {
	best, top := int32(-1), float32(0)
	for i, word := range legal {
		for ; word != 0; word &= word - 1 {
			id := 64*i + bits.TrailingZeros64(word)
			if id < len(logits) && (best < 0 || logits[id] > top) {
				best, top = int32(id), logits[id]
			}
		}
	}
	return best
}

// weigh is the sum of e^((logit-top)*scale) over the legal ids, in their order.
func weigh(logits []float32, legal tokenSet, top, scale float32) float64 {
	total := 0.0
	legal.each(func(id int32) {
		if int(id) < len(logits) {
			total += float64(simd.Exp((logits[id] - top) * scale))
		}
	})
	return total
}

// draw picks an id with a probability that follows its logit divided by the temperature.
func (c *chooser) draw(logits []float32, legal tokenSet, best int32) int32 {
	top, scale := logits[best], 1/c.temperature
	rest := c.random.Float64() * weigh(logits, legal, top, scale)
	drawn := int32(-1)
	legal.each(func(id int32) {
		if drawn >= 0 || int(id) >= len(logits) {
			return
		}
		if rest -= float64(simd.Exp((logits[id] - top) * scale)); rest < 0 {
			drawn = id
		}
	})
	if drawn < 0 { // rounding used up the sum
		return best
	}
	return drawn
}
