package simd

// Group is the length of a quantisation group and of the Walsh-Hadamard
// rotation.
const Group = 128

// HadamardInt8 writes the unnormalised Walsh-Hadamard transform (Sylvester
// order) of q to h. Every value fits int16: its magnitude is at most 128*128.
func HadamardInt8(h *[Group]int16, q *[Group]int8) {
	for i, v := range q {
		h[i] = int16(v)
	}
	for step := 1; step < Group; step *= 2 {
		for i := 0; i < Group; i += 2 * step {
			for j := i; j < i+step; j++ {
				a, b := h[j], h[j+step]
				h[j], h[j+step] = a+b, a-b
			}
		}
	}
}

// Hadamard replaces x by its unnormalised Walsh-Hadamard transform.
func Hadamard(x *[Group]float32) {
	for step := 1; step < Group; step *= 2 {
		for i := 0; i < Group; i += 2 * step {
			for j := i; j < i+step; j++ {
				a, b := x[j], x[j+step]
				x[j], x[j+step] = a+b, a-b
			}
		}
	}
}
