package simd

// Group is the length of a quantisation group and of the Walsh-Hadamard
// rotation.
const Group = 128

// Rotate writes the unnormalised Walsh-Hadamard transform (Sylvester order) of
// each group of q to h. Every value fits int16: its magnitude is at most
// 128*128. The lengths are equal multiples of Group.
func Rotate(h []int16, q []int8) {
	for i, v := range q {
		h[i] = int16(v)
	}
	for at := 0; at < len(q); at += Group {
		butterflies((*[Group]int16)(h[at:]))
	}
}

// Hadamard replaces x by its unnormalised Walsh-Hadamard transform.
func Hadamard(x *[Group]float32) { butterflies(x) }

// Dequantize writes a group's values to dst: norm times the transform of the
// points that the codes stand for. packed holds Group codes, LSB first, of 2
// bits (Group/4 bytes) or 4 (Group/2 bytes).
func Dequantize(dst *[Group]float32, packed []byte, points *[16]float32, norm float32) {
	if len(packed) == Group/4 {
		for i, b := range packed {
			dst[4*i], dst[4*i+1], dst[4*i+2], dst[4*i+3] = points[b&3], points[b>>2&3], points[b>>4&3], points[b>>6]
		}
	} else {
		for i, b := range packed {
			dst[2*i], dst[2*i+1] = points[b&15], points[b>>4]
		}
	}
	Hadamard(dst)
	Scale(dst[:], norm, dst[:])
}

// butterflies takes the steps 64, 32, 16 to 1 in turn.
func butterflies[T int16 | float32](x *[Group]T) {
	for step := Group / 2; step > 0; step /= 2 {
		for i := 0; i < Group; i += 2 * step {
			for j := i; j < i+step; j++ {
				a, b := x[j], x[j+step]
				x[j], x[j+step] = a+b, a-b
			}
		}
	}
}
