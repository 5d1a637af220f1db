package quant

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/libneedle/libneedle/cact"
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

func TestProductsFollowTheFormat(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	limits := map[int]float64{1: 1e-6, 2: 4e-3, 3: 4e-4, 4: 4e-4, 5: 1e-6}
	for bits := 1; bits <= 5; bits++ {
		for _, cols := range []int{1, 64, 127, 128, 129, 192, 768} {
			cq, dense := randomCQ(r, 37, cols, bits)
			x := make([]float32, cols)
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			act := NewActivation(cols, true)
			act.Quantize(x)
			act.Rotate()
			for form, limit := range map[bool]float64{true: 2e-6, false: limits[bits]} {
				p := New(cq, codebooks[bits], form)
				many := [][]float32{make([]float32, 37), make([]float32, 37), make([]float32, 37)}
				p.Mul(many, []*Activation{act, act, act}, 0, 37)
				var diff, size float64
				for row := range dense {
					want := 0.0
					for i, w := range dense[row] {
						want += w * float64(act.Q[i]) * float64(act.Scale)
					}
					diff += (want - float64(many[1][row])) * (want - float64(many[1][row]))
					size += want * want
				}
				if e := math.Sqrt(diff / size); e > limit {
					t.Errorf("width %d, %d columns, exact %v: relative L2 error %.2g, want at most %.2g", bits, cols, form, e, limit)
				}
				checkCuts(t, p, act, many)
			}
		}
	}
}

// checkCuts wants the same bits from single activations, row ranges and slices.
func checkCuts(t *testing.T, p Product, act *Activation, want [][]float32) {
	t.Helper()
	one := [][]float32{make([]float32, p.Rows())}
	p.Mul(one, []*Activation{act}, 5, p.Rows())
	p.Mul(one, []*Activation{act}, 0, 5)
	part := [][]float32{make([]float32, 11)}
	p.Slice(13, 24).Mul(part, []*Activation{act}, 0, 11)
	for row := range p.Rows() {
		if one[0][row] != want[2][row] || row >= 13 && row < 24 && part[0][row-13] != want[2][row] {
			t.Fatalf("row %d depends on how the product is cut", row)
		}
	}
}

func TestTableRows(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for bits := 1; bits <= 5; bits++ {
		cq, dense := randomCQ(r, 9, 200, bits)
		table := NewTable(cq, codebooks[bits])
		got := make([]float32, 200)
		for row := range dense {
			table.Row(got, row)
			for i, w := range dense[row] {
				if math.Abs(w-float64(got[i])) > 1e-6 {
					t.Fatalf("width %d, row %d, column %d: %g, want %g", bits, row, i, got[i], w)
				}
			}
		}
	}
}

func TestQuantizeZeroVector(t *testing.T) {
	a := NewActivation(5, false)
	a.Quantize(make([]float32, 5))
	if a.Scale != 1 {
		t.Errorf("scale of a zero vector is %g, want 1", a.Scale)
	}
}

// TestIntegerProductFits drives a group to the bound that Parseval gives: equal
// activations rotate into a single value, equal codes into the largest dot.
func TestIntegerProductFits(t *testing.T) {
	for bits, book := range codebooks {
		d := newDecoder(bits, book)
		for _, level := range d.byCode {
			if math.Abs(float64(level)) > maxCentroid {
				t.Errorf("width %d: centroid %d is beyond %d", bits, level, maxCentroid)
			}
		}
	}
	if most := maxCentroid * math.Sqrt(128) * 128 * 128; most > math.MaxInt32 {
		t.Errorf("a group's product can reach %g", most)
	}
}
