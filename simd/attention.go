package simd

import "math"

// SlotTile is the number of positions whose keys lie interleaved, as rows do in
// a tile of weights: the dword of values 4d to 4d+3 of slot s of a tile is at
// byte d*64 + 4*s.
const SlotTile = 16

// ValueSlots is the number of positions whose values lie interleaved: value i
// of slot s of such a group is at byte 4*i + s.
const ValueSlots = 4

// ScoreKeys writes the scores of several queries with whole tiles of keys, a row
// for each query: value i of row j is float32(q_j . key i) * (scale[j] * keyScale[i]).
// dst holds len(scale) rows of len(keyScale) values, each of which begins stride after
// the one before; q holds len(scale) queries, whose length is a multiple of 4; keyScale
// holds whole tiles, and keys their bytes. No value is -128.
func ScoreKeys(dst []float32, stride int, q []int8, scale []float32, keys []int8, keyScale []float32) {
	for j, s := range scale {
		n := len(q) / len(scale)
		scoreKeys(dst[j*stride:][:len(keyScale)], q[j*n:(j+1)*n], s, keys, keyScale)
	}
}

func scoreKeys(dst []float32, q []int8, scale float32, keys []int8, keyScale []float32) {
	for i := range dst {
		tile := keys[i/SlotTile*SlotTile*len(q)+i%SlotTile*4:]
		var dot int32
		for d := 0; d < len(q); d += 4 {
			a, b := (*[4]int8)(q[d:]), (*[4]int8)(tile[d*SlotTile:])
			dot += int32(a[0])*int32(b[0]) + int32(a[1])*int32(b[1]) + int32(a[2])*int32(b[2]) + int32(a[3])*int32(b[3])
		}
		dst[i] = float32(dot) * float32(scale*keyScale[i])
	}
}

// Weigh turns rows of scores into weights of values that are int8 with a scale
// each. A row is len(valueScale) scores, not none, and begins stride after the
// one before; there are len(total) rows. With top the largest score of a row,
// its values become Exp(score-top) * valueScale. total gets the sum of the
// exponentials, largest the largest weight, or 0 if none is above it.
func Weigh(w []float32, stride int, valueScale, total, largest []float32) {
	for j := range total {
		row := w[j*stride:][:len(valueScale)]
		ExpInto(row, row, Max(row))
		total[j] = Sum(row)
		Mul(row, row, valueScale)
		largest[j] = 0
		for _, v := range row {
			if v > largest[j] {
				largest[j] = v
			}
		}
	}
}

// weightBits is the precision of attention weights: two digits of 7 bits, the
// most that every CPU's byte products take.
const weightBits = 14

// MaxWeight is the largest attention weight in integers.
const MaxWeight = 1<<weightBits - 1

// SplitWeights writes round-half-even(w*factor) to high and low as digits:
// 128*high + low. The products are between 0 and MaxWeight. Rows of n weights
// and of their digits begin stride apart, one for each factor.
func SplitWeights(high, low []uint8, w []float32, stride, n int, factor []float32) {
	for j, f := range factor {
		at := j * stride
		h, l := high[at:at+n], low[at:at+n]
		for i, v := range w[at : at+n] {
			// The sum's low bits are the rounded number.
			bits := math.Float32bits(float32(v*f) + rounding)
			h[i], l[i] = uint8(bits>>7)&127, uint8(bits)&127
		}
	}
}

// SumValues adds up values by several rows of weights. Row j of sums is twice dim
// numbers: to the first dim it adds the exact sum over slots of high[s]*value s,
// to the others that of low[s]*value s. A row's digits, one for each slot, begin
// stride after those of the row before. dim is a multiple of 16, the number of
// slots a multiple of ValueSlots; values hold dim bytes for each slot.
func SumValues(sums []int32, high, low []uint8, stride, dim int, values []int8) {
	for j := 0; j < len(sums)/(2*dim); j++ {
		h, l := high[j*stride:][:len(values)/dim], low[j*stride:][:len(values)/dim]
		sumValues(sums[j*2*dim:(j+1)*2*dim], h, l, values)
	}
}

func sumValues(sums []int32, high, low []uint8, values []int8) {
	dim := len(sums) / 2
	for i := range dim {
		var h, l int32
		for s := 0; s < len(high); s += ValueSlots {
			v := (*[ValueSlots]int8)(values[s*dim+ValueSlots*i:])
			for k, x := range v {
				h += int32(high[s+k]) * int32(x)
				l += int32(low[s+k]) * int32(x)
			}
		}
		sums[i] += h
		sums[dim+i] += l
	}
}

// JoinSums writes (128*high + low) * unit, for rows of sums as SumValues has them
// and a unit for each: the first n values of row j go to dst[j*n:].
func JoinSums(dst []float32, n int, sums []int32, dim int, unit []float32) {
	for j, u := range unit {
		high, low := sums[2*j*dim:][:n], sums[(2*j+1)*dim:][:n]
		for i, h := range high {
			dst[j*n+i] = (float32(float32(h)*128) + float32(low[i])) * u
		}
	}
}

// Rotary rotates each vector of x, len(cos)*2 values long, first half against
// second: a, b become a*cos - b*sin, b*cos + a*sin.
func Rotary(x, cos, sin []float32) {
	half := len(cos)
	for at := 0; at < len(x); at += 2 * half {
		a, b := x[at:at+half], x[at+half:at+2*half]
		for i := range a {
			p, q := a[i], b[i]
			a[i] = float32(p*cos[i]) - float32(q*sin[i])
			b[i] = float32(q*cos[i]) + float32(p*sin[i])
		}
	}
}
