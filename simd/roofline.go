package simd

// ReadAll returns the exclusive or of p's bytes: nothing but reading, for the
// read bound of a machine.
func ReadAll(p []byte) byte {
	var x byte
	for _, b := range p {
		x ^= b
	}
	return x
}

// Peak does rounds of the tier's integer multiply-add on registers alone, for
// the arithmetic bound of a machine, and returns how many multiply-adds of
// bytes (words, where the tier multiplies words) that were.
func Peak(rounds int) int {
	var s [8]int32
	x := int32(rounds)
	for range rounds {
		for j := range s {
			s[j] += x * int32(j)
		}
		x++
	}
	for _, v := range s {
		x ^= v
	}
	if x == 0 {
		return 8*rounds + 1 // keeps the sums alive; off by one in 2^32
	}
	return 8 * rounds
}
