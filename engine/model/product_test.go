package model

import (
	"math"
	"testing"

	"github.com/libneedle/libneedle/quant"
	"github.com/libneedle/libneedle/simd"
)

// productMeter multiplies each activation of a real pass with both forms of
// every matrix that reads it.
type productMeter struct {
	exact, shipped *Model
	worst          map[string]float64
}

func (p *productMeter) floats(string, int, int, []float32)    {}
func (p *productMeter) part(string, int, int, int, []float32) {}

func (p *productMeter) ints(name string, layer, _ int, q []int8, scales []float32) {
	pairs := map[string]func(m *Model) []quant.Product{
		"lanes.z8": func(m *Model) []quant.Product {
			var maps []quant.Product
			for _, p := range m.layers[layer].maps {
				maps = append(maps, p.m)
			}
			return maps
		},
		"attn.h8": func(m *Model) []quant.Product {
			b := &m.layers[layer]
			return []quant.Product{b.q, b.k, b.v, b.gate}
		},
		"attn.o8":     func(m *Model) []quant.Product { return []quant.Product{m.layers[layer].out} },
		"engram.row8": func(m *Model) []quant.Product { return []quant.Product{m.sites[layer].key, m.sites[layer].value} },
		"final.x8":    func(m *Model) []quant.Product { return []quant.Product{m.head} },
	}[name]
	if pairs == nil {
		return
	}
	length := map[string]int{"lanes.z8": p.exact.g.Width * p.exact.g.Lanes, "attn.o8": p.exact.g.Heads * p.exact.g.VDim}[name]
	if length == 0 {
		length = p.exact.g.Width
	}
	x := quant.NewActivations(p.shipped.kernels, 1, length, quant.Narrow|quant.Wide|quant.Floats)
	copy(x.Q, q)
	x.Scale[0] = scales[0]
	x.Rotate(0)
	a, b := pairs(p.exact), pairs(p.shipped)
	for i := range a {
		if e := productError(a[i], b[i], x); e > p.worst[name] {
			p.worst[name] = e
		}
	}
}

// productError is the relative L2 distance of the shipped product.
func productError(exact, shipped quant.Product, x *quant.Activations) float64 {
	n := exact.Tiles()
	a, b := make([]float32, n*simd.TileRows), make([]float32, n*simd.TileRows)
	exact.Mul(a, len(a), x, 0, 1, 0, n)
	shipped.Mul(b, len(b), x, 0, 1, 0, n)
	var diff, size float64
	for i := range a {
		diff += (float64(a[i]) - float64(b[i])) * (float64(a[i]) - float64(b[i]))
		size += float64(a[i]) * float64(a[i])
	}
	return math.Sqrt(diff / size)
}

func TestShippedProductsAgainstExact(t *testing.T) {
	for _, name := range []string{"tiny", "odd", "cq4", "mixed"} {
		c := openStored(t, name)
		a := c.archive
		p := &productMeter{newModel(t, a, Options{Exact: true}), newModel(t, a, Options{}), map[string]float64{}}
		s := p.exact.NewSession(SessionOptions{})
		s.hook = p
		for _, id := range c.prompt[:40] {
			feed(t, s, id)
			logitsOf(t, s)
		}
		s.Close()
		if len(p.worst) != 5 {
			t.Errorf("%s: products seen: %v, want five kinds", name, p.worst)
		}
		for kind, e := range p.worst {
			if e > 0.004 {
				t.Errorf("%s: products of %s differ by %.4f%% from the exact form", name, kind, 100*e)
			}
		}
		t.Logf("%s: worst relative L2 distance by input: %v", name, p.worst)
	}
}
