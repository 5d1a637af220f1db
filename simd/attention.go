package simd

import "math"

// SlotTile is the number of positions whose keys lie interleaved, as rows do in
// a tile of weights: the dword of values 4d to 4d+3 of slot s of a tile is at
// byte d*64 + 4*s.
const SlotTile = 16

// ValueSlots is the number of positions whose values lie interleaved: value i
// of slot s of such a group is at byte 4*i + s.
const ValueSlots = 4

// ScoreKeys writes the scores of one query with whole tiles of keys:
// dst[i] = float32(q . key i) * (scale * keyScale[i]). dst and keyScale hold
// tiles*SlotTile values, keys hold tiles*SlotTile*len(q) bytes; len(q) is a
// multiple of 4. No value is -128.
func ScoreKeys(dst []float32, q []int8, scale float32, keys []int8, keyScale []float32) {
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

// weightBits is the precision of attention weights: two digits of 7 bits, the
// most that every CPU's byte products take.
const weightBits = 14

// MaxWeight is the largest attention weight in integers.
const MaxWeight = 1<<weightBits - 1

// SplitWeights writes round-half-even(w*factor) to high and low as digits:
// 128*high + low. The products are between 0 and MaxWeight.
func SplitWeights(high, low []uint8, w []float32, factor float32) {
	high, low = high[:len(w)], low[:len(w)]
	for i, v := range w {
		// The sum's low bits are the rounded number.
		n := math.Float32bits(float32(v*factor) + rounding)
		high[i], low[i] = uint8(n>>7)&127, uint8(n)&127
	}
}

// SumValues adds to sums[0] the exact sum over slots of high[s]*value s, and
// to sums[1] that of low[s]*value s. sums is two rows of len(sums)/2 values, a
// multiple of 16; high and low have one digit per slot, whole groups of
// ValueSlots; values hold len(high)*len(sums)/2 bytes.
func SumValues(sums []int32, high, low []uint8, values []int8) {
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

// JoinSums writes (128*sums[0][i] + sums[1][i]) * unit to dst, with rows of
// sums as SumValues has them; dst may be shorter than a row.
func JoinSums(dst []float32, sums []int32, unit float32) {
	low := sums[len(sums)/2:]
	for i := range dst {
		dst[i] = (float32(float32(sums[i])*128) + float32(low[i])) * unit
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
