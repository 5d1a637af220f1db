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
