package quant

import (
	"math"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/simd"
)

// maxCentroid bounds the integer centroids. Parseval gives the room: the
// rotation of 128 int8 values has an L2 norm of at most 128*128, so a group's
// integer product is at most maxCentroid*sqrt(128)*128*128, which fits int32.
const maxCentroid = 8191

// Codebook is what all records of one width share.
type Codebook struct {
	bits   int
	byCode [16]float32 // the point that a code stands for
	levels *simd.Levels
}

// NewCodebook prepares the points of an archive's codebook for records of a
// width (1 to 4, or cact.TernaryBits).
func NewCodebook(bits int, points []float32) *Codebook {
	b := &Codebook{bits: bits}
	c := fitCentroids(points)
	var level [16]int16
	for point, code := range codeOf(bits, len(points)) {
		b.byCode[code] = points[point]
		level[code] = c.level[point]
	}
	b.levels = simd.NewLevels(level, c.offset, c.scale/float32(math.Sqrt(simd.Group)))
	return b
}

// codeOf lists, for each point of the codebook, the code that stands for it.
func codeOf(bits int, points int) []int {
	if bits == cact.TernaryBits {
		return []int{3, 0, 1}
	}
	codes := make([]int, points)
	for k := range codes {
		codes[k] = k
	}
	return codes
}

// centroids is a codebook in integers: value k is scale*(level[k] + offset).
type centroids struct {
	level  []int16
	scale  float32
	offset float32
}

// smallCentroid is the bound for codebooks of at most four points. Four points
// of a Lloyd-Max codebook lie within 0.05% of four integers of 8 bits (and a
// common offset), so that one byte-wide table lookup can serve them.
const smallCentroid = 127

// fitCentroids finds the integers that represent the codebook best, in the
// least-squares sense under a unit Gaussian of rotated weights.
func fitCentroids(codebook []float32) centroids {
	limit := maxCentroid
	if len(codebook) <= 4 {
		limit = smallCentroid
	}
	weight := cellWeights(codebook)
	var best centroids
	bestError := math.Inf(1)
	top := 0.0
	for _, c := range codebook {
		top = math.Max(top, math.Abs(float64(c)))
	}
	// The largest factor is always tried; smaller ones are worth it only when
	// integers are coarse.
	for size := limit; size >= 1; size-- {
		level := make([]int16, len(codebook))
		for k, c := range codebook {
			level[k] = int16(math.RoundToEven(float64(float64(c) / top * float64(size))))
		}
		scale, offset, e := fitLine(codebook, level, weight)
		if e < bestError*0.999 {
			bestError = e
			best = centroids{level, float32(scale), float32(offset / scale)}
		}
		if limit == maxCentroid {
			break
		}
	}
	return best
}

// fitLine returns scale and offset that minimise the weighted squared error of
// scale*level + offset, and that error.
func fitLine(codebook []float32, level []int16, weight []float64) (scale, offset, residue float64) {
	var w, wl, wc, wll, wlc float64
	for k, c := range codebook {
		l := float64(level[k])
		w += weight[k]
		wl += float64(weight[k] * l)
		wc += float64(weight[k] * float64(c))
		wll += float64(weight[k] * float64(l*l))
		wlc += float64(weight[k] * float64(l*float64(c)))
	}
	scale = (float64(w*wlc) - float64(wl*wc)) / (float64(w*wll) - float64(wl*wl))
	if !(scale > 0) {
		return 1, 0, math.Inf(1)
	}
	offset = (wc - float64(scale*wl)) / w
	for k, c := range codebook {
		d := float64(c) - float64(scale*float64(level[k])) - offset
		residue += float64(weight[k] * float64(d*d))
	}
	return scale, offset, residue
}

// cellWeights is the Gaussian density at each point (variance 1/128: a
// coordinate of a unit vector of 128 dimensions). It uses simd.Exp because the
// standard library's functions may differ between architectures in the last bit.
func cellWeights(codebook []float32) []float64 {
	w := make([]float64, len(codebook))
	for k, c := range codebook {
		w[k] = float64(simd.Exp(-simd.Group/2*c*c)) + 1e-9
	}
	return w
}
