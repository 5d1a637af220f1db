package simd

// A group's packed codes are one LSB-first bit stream of Group indices: code k
// is bits [k*bits, (k+1)*bits).

// UnpackCodes writes the Group indices of width bits, 1 to 4, to dst. packed
// holds Group*bits/8 bytes.
func UnpackCodes(dst *[Group]uint8, packed []byte, bits int) {
	mask := uint32(1)<<bits - 1
	var window uint32
	have, at := 0, 0
	for i := range dst {
		if have < bits {
			window |= uint32(packed[at]) << have
			have, at = have+8, at+1
		}
		dst[i] = uint8(window & mask)
		window >>= bits
		have -= bits
	}
}

// CQDot2 returns the exact sum of centroid[code k]*h[k] over one group of
// 2-bit codes (32 bytes); quads[b] holds the centroids of byte b's four codes.
func CQDot2(packed *[Group / 4]byte, h *[Group]int16, quads *[256][4]int16) int32 {
	var s0, s1, s2, s3 int32
	for i, b := range packed {
		c, x := &quads[b], (*[4]int16)(h[4*i:])
		s0 += int32(c[0]) * int32(x[0])
		s1 += int32(c[1]) * int32(x[1])
		s2 += int32(c[2]) * int32(x[2])
		s3 += int32(c[3]) * int32(x[3])
	}
	return s0 + s1 + s2 + s3
}

// CQDot4 is CQDot2 for 4-bit codes (64 bytes); pairs[b] holds the centroids of
// byte b's two codes.
func CQDot4(packed *[Group / 2]byte, h *[Group]int16, pairs *[256][2]int16) int32 {
	var s0, s1 int32
	for i, b := range packed {
		c, x := &pairs[b], (*[2]int16)(h[2*i:])
		s0 += int32(c[0]) * int32(x[0])
		s1 += int32(c[1]) * int32(x[1])
	}
	return s0 + s1
}
