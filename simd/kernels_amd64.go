//go:build !purego

package simd

//go:generate sh -c "cd asm && go run . .."

import (
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// The assembly of each tier is written by the program in asm; see there.

func archKernels() []Kernels {
	return []Kernels{declared(avx2()), declared(avxvnni()), declared(avx512())}
}

func avx2() Kernels {
	return Kernels{
		Name:   "avx2",
		lacks:  lacking(avx2Features...),
		Rotate: rotateAVX2, ArrangeNarrow: arrangeWordsAVX2, ArrangeWide: arrangeWideAVX2,
		MulNarrow:  tileProducts{{4, narrow4AVX2}, {1, narrow1AVX2}}.of(NarrowTile),
		MulWide:    tileProducts{{4, wide4AVX2}, {1, wide1AVX2}}.of(WideTile),
		Dequantize: dequantizeBy(dequantizeNarrowAVX2, dequantizeWideAVX2),
		ScoreKeys:  scoreKeysAVX2, Weigh: weighAVX2, SplitWeights: splitWeightsAVX2, SumValues: sumValuesAVX2,
		JoinSums: joinSumsAVX2, Rotary: rotaryAVX2,
		Dot: dotAVX2, DotRows: dotRowsAVX2, Sum: sumAVX2, Max: maxAVX2, Normalize: normalizeAVX2, Quantize: quantizeAVX2,
		Axpy: axpyAVX2, Scale: scaleAVX2, Add: addAVX2, Sub: subAVX2, Mul: mulAVX2, MulAdd: mulAddAVX2, Convolve: convolveAVX2,
		AddMul:   addMulAVX2,
		Combine:  combineBy(combineAVX2),
		Gather:   gatherAVX2,
		Sinkhorn: sinkhornBy(sinkhorn4AVX2),
		ExpInto:  expIntoAVX2, Silu: siluAVX2, MulSigmoid: mulSigmoidAVX2,
		ReadAll: readAllBy(readAllAVX2), Peak: peakAVX2,
	}
}

// avxvnni has dot products of 256 bits; all else is AVX2.
func avxvnni() Kernels {
	k := avx2()
	k.Name, k.lacks = "avxvnni", lacking(append(avx2Features, cpuid.AVXVNNI)...)
	k.ArrangeNarrow = arrangePlanesAVX2
	k.MulNarrow = tileProducts{{2, narrow2AVXVNNI}, {1, narrow1AVXVNNI}}.of(NarrowTile)
	k.MulWide = tileProducts{{4, wide4AVXVNNI}, {1, wide1AVXVNNI}}.of(WideTile)
	k.ScoreKeys, k.SumValues, k.Peak = scoreKeysAVXVNNI, sumValuesAVXVNNI, peakAVXVNNI
	return k
}

func avx512() Kernels {
	return Kernels{
		Name:   "avx512",
		lacks:  lacking(append(avx2Features, cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.AVX512VNNI)...),
		Rotate: rotateAVX512, ArrangeNarrow: arrangePlanesAVX512, ArrangeWide: arrangeWideAVX512,
		MulNarrow:  tileProducts{{8, narrow8AVX512}, {4, narrow4AVX512}, {1, narrow1AVX512}}.of(NarrowTile),
		MulWide:    tileProducts{{8, wide8AVX512}, {4, wide4AVX512}, {1, wide1AVX512}}.of(WideTile),
		Dequantize: dequantizeBy(dequantizeNarrowAVX512, dequantizeWideAVX512),
		ScoreKeys:  scoreKeysAVX512, Weigh: weighAVX512, SplitWeights: splitWeightsAVX512, SumValues: sumValuesAVX512,
		JoinSums: joinSumsAVX512, Rotary: rotaryAVX512,
		Dot: dotAVX512, DotRows: dotRowsAVX512, Sum: sumAVX512, Max: maxAVX512, Normalize: normalizeAVX512, Quantize: quantizeAVX512,
		Axpy: axpyAVX512, Scale: scaleAVX512, Add: addAVX512, Sub: subAVX512, Mul: mulAVX512, MulAdd: mulAddAVX512, Convolve: convolveAVX512,
		AddMul:   addMulAVX512,
		Combine:  combineBy(combineAVX512),
		Gather:   gatherAVX512,
		Sinkhorn: sinkhornBy(sinkhorn4AVX512),
		ExpInto:  expIntoAVX512, Silu: siluAVX512, MulSigmoid: mulSigmoidAVX512,
		ReadAll: readAllBy(readAllAVX512), Peak: peakAVX512,
	}
}

// avx2Features are what every tier needs. cpuid reports vector features only if
// the operating system saves their registers.
var avx2Features = []cpuid.FeatureID{cpuid.AVX2, cpuid.F16C, cpuid.BMI2}

func lacking(features ...cpuid.FeatureID) string {
	var names []string
	for _, f := range features {
		if !cpuid.CPU.Supports(f) {
			names = append(names, f.String())
		}
	}
	return strings.Join(names, " and ")
}

// tileProduct is the assembly form of MulNarrow and MulWide for a fixed number
// of tokens.
type tileProduct func(y *float32, stride, rows int, codes *byte, norms *uint16, groups int,
	values *int16, first *float32, bias *int32, scale *float32, tables *byte, offset, unit float32)

// tileProducts are forms for several numbers of tokens, the most first and 1
// last.
type tileProducts []struct {
	tokens int
	mul    tileProduct
}

// of serves any number of tokens over tiles of a size.
func (p tileProducts) of(tileBytes int) func(y []float32, stride int, m Tiles, l *Levels, x Inputs) {
	return func(y []float32, stride int, m Tiles, l *Levels, x Inputs) {
		if m.Rows == 0 || m.Groups == 0 {
			return
		}
		// One look at the ends keeps the assembly within its slices.
		tiles := (m.Rows + TileRows - 1) / TileRows * m.Groups
		_, _ = m.Codes[tiles*tileBytes-1], m.Norms[tiles*TileRows-1]
		for t, form := 0, 0; t < x.Tokens; {
			n := p[form].tokens
			if n > x.Tokens-t {
				form++
				continue
			}
			g := t * m.Groups
			_, _ = y[(t+n-1)*stride+m.Rows-1], x.Values[(g+n*m.Groups)*Group-1]
			p[form].mul(&y[t*stride], stride, m.Rows, &m.Codes[0], &m.Norms[0], m.Groups,
				&x.Values[g*Group], &x.First[g], &x.Bias[g], &x.Scale[t], &l.narrow[0][0], l.Offset, l.Unit)
			t += n
		}
	}
}

func dequantizeBy(narrow, wide func(dst *float32, packed *byte, points *float32, norm float32)) func(dst *[Group]float32, packed []byte, points *[16]float32, norm float32) {
	return func(dst *[Group]float32, packed []byte, points *[16]float32, norm float32) {
		f := wide
		if len(packed) == Group/4 {
			f = narrow
		}
		f(&dst[0], &packed[0], &points[0], norm)
	}
}

func combineBy(f func(out, rows, coef *float32, width, m, n, stride, step int)) func(out, rows, coef []float32, m, n, stride, step int) {
	return func(out, rows, coef []float32, m, n, stride, step int) {
		if len(out) > 0 {
			f(&out[0], &rows[0], &coef[0], len(out)/m, m, n, stride, step)
		}
	}
}

// sinkhornBy uses assembly for the 4 lanes of the shipped geometry.
func sinkhornBy(of4 func(m []float32, rounds int)) func(m []float32, n, rounds int) {
	return func(m []float32, n, rounds int) {
		if n == 4 {
			of4(m, rounds)
			return
		}
		Sinkhorn(m, n, rounds)
	}
}

// readAllBy reads whole kilobytes by assembly, the rest without.
func readAllBy(whole func(p []byte) byte) func(p []byte) byte {
	return func(p []byte) byte {
		n := len(p) &^ 1023
		return whole(p[:n]) ^ ReadAll(p[n:])
	}
}
