package quant

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/simd"
)

// lloydMax is about the width-2 and width-4 codebook of a shipped file.
var codebooks = map[int][]float32{
	1: {-0.0705, 0.0705},
	2: {-0.133172, -0.039902, 0.040035, 0.133460},
	3: {-0.189262, -0.117885, -0.066150, -0.021013, 0.022101, 0.066785, 0.118262, 0.189826},
	4: {-0.239531, -0.180706, -0.140958, -0.109013, -0.081513, -0.056528, -0.032939, -0.010116,
		0.012711, 0.035708, 0.059458, 0.084977, 0.112741, 0.144697, 0.184239, 0.242274},
	5: {-0.108188, 0, 0.108188},
}

// randomCQ packs random codes and norms, and returns the dense weights that
// the format document's formula gives, in float64.
func randomCQ(r *rand.Rand, rows, cols, bits int) (cact.CQ, [][]float64) {
	groups := (cols + 127) / 128
	stored := cact.StoredBits(bits)
	cq := cact.CQ{Rows: rows, Cols: cols, PaddedCols: groups * 128, Group: 128, Bits: bits,
		Codes: make([]byte, rows*groups*128*stored/8), Norms: make([]byte, 2*rows*groups)}
	dense := make([][]float64, rows)
	norms := []struct {
		half  uint16
		value float64
	}{{0x3c00, 1}, {0x3800, 0.5}, {0xb400, -0.25}, {0x4248, 3.140625}, {0, 0}}
	for row := range rows {
		dense[row] = make([]float64, groups*128)
		for g := range groups {
			norm := norms[r.IntN(len(norms))]
			n := row*groups + g
			cq.Norms[2*n], cq.Norms[2*n+1] = byte(norm.half), byte(norm.half>>8)
			var rotated [128]float64
			for k := range rotated {
				point := r.IntN(len(codebooks[bits]))
				code := point
				if bits == 5 {
					code = []int{3, 0, 1}[point]
				}
				for b := range stored {
					at := (n*128+k)*stored + b
					cq.Codes[at/8] |= byte(code>>b&1) << (at % 8)
				}
				rotated[k] = float64(codebooks[bits][point]) * norm.value
			}
			for i := range rotated {
				for k, v := range rotated {
					sign := 1.0
					for common := i & k; common != 0; common &= common - 1 {
						sign = -sign
					}
					dense[row][g*128+i] += sign * v / math.Sqrt(128)
				}
			}
		}
		dense[row] = dense[row][:cols]
	}
	return cq, dense
}

// kernels is the definition; TestTiers of package model runs the others.
func kernels(t *testing.T) *simd.Kernels {
	t.Helper()
	k, err := simd.Choose("generic")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestProductsFollowTheFormat(t *testing.T) {
	const rows, tokens = 37, 3
	r := rand.New(rand.NewPCG(31, 32))
	limits := map[int]float64{1: 1e-6, 2: 4e-3, 3: 4e-4, 4: 4e-4, 5: 1e-6}
	for bits := 1; bits <= 5; bits++ {
		for _, cols := range []int{1, 64, 127, 128, 129, 192, 768} {
			cq, dense := randomCQ(r, rows, cols, bits)
			act := NewActivations(kernels(t), tokens, cols, Narrow|Wide|Floats)
			for token := range tokens {
				x := make([]float32, cols)
				for i := range x {
					x[i] = float32(r.NormFloat64())
				}
				act.Quantize(token, x, 1)
				act.Rotate(token)
			}
			for form, limit := range map[bool]float64{true: 2e-6, false: limits[bits]} {
				p := New(kernels(t), NewCodebook(bits, codebooks[bits]), form, AllRows(cq))
				y := make([]float32, tokens*rows)
				p.Mul(y, rows, act, 0, tokens, 0, p.Tiles())
				var diff, size float64
				for token := range tokens {
					q := act.Of(token)
					for row := range dense {
						want := 0.0
						for i, w := range dense[row] {
							want += w * float64(q[i]) * float64(act.Scale[token])
						}
						diff += (want - float64(y[token*rows+row])) * (want - float64(y[token*rows+row]))
						size += want * want
					}
				}
				if e := math.Sqrt(diff / size); e > limit {
					t.Errorf("width %d, %d columns, exact %v: relative L2 error %.2g, want at most %.2g", bits, cols, form, e, limit)
				}
				checkCuts(t, p, act, y, rows)
				parts := New(kernels(t), NewCodebook(bits, codebooks[bits]), form, Rows{cq, 20, 37}, Rows{cq, 3, 20})
				part := make([]float32, 34)
				parts.Mul(part, 34, act, 1, 1, 0, parts.Tiles())
				for row := range 17 {
					if part[row] != y[rows+20+row] || part[17+row] != y[rows+3+row] {
						t.Fatalf("width %d: row %d depends on what stands above it", bits, row)
					}
				}
			}
		}
	}
}

// checkCuts wants the same bits from single activations and ranges of tiles.
func checkCuts(t *testing.T, p Product, act *Activations, want []float32, rows int) {
	t.Helper()
	for token := range len(want) / rows {
		one := make([]float32, rows)
		p.Mul(one, 0, act, token, 1, 1, p.Tiles())
		p.Mul(one, 0, act, token, 1, 0, 1)
		for row := range rows {
			if one[row] != want[token*rows+row] {
				t.Fatalf("row %d depends on how the product is cut", row)
			}
		}
	}
}

func TestTableRows(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for bits := 1; bits <= 5; bits++ {
		cq, dense := randomCQ(r, 9, 200, bits)
		table := NewTable(kernels(t), cq, NewCodebook(bits, codebooks[bits]))
		got := make([]float32, 200)
		for row := range dense {
			table.Row(got, row, new([simd.Group]float32))
			for i, w := range dense[row] {
				if math.Abs(w-float64(got[i])) > 1e-6 {
					t.Fatalf("width %d, row %d, column %d: %g, want %g", bits, row, i, got[i], w)
				}
			}
		}
	}
}

func TestQuantizeZeroVector(t *testing.T) {
	a := NewActivations(kernels(t), 1, 5, Narrow)
	a.Quantize(0, make([]float32, 5), 1)
	if a.Scale[0] != 1 {
		t.Errorf("scale of a zero vector is %g, want 1", a.Scale[0])
	}
}

// TestIntegerProductFits drives a group to the bound that Parseval gives: equal
// activations rotate into a single value, equal codes into the largest dot.
func TestIntegerProductFits(t *testing.T) {
	for bits, book := range codebooks {
		for _, level := range NewCodebook(bits, book).levels.Level {
			if math.Abs(float64(level)) > maxCentroid {
				t.Errorf("width %d: centroid %d is beyond %d", bits, level, maxCentroid)
			}
		}
	}
	if most := maxCentroid * math.Sqrt(128) * 128 * 128; most > math.MaxInt32 {
		t.Errorf("a group's product can reach %g", most)
	}
}
