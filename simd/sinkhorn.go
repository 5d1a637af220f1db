package simd

// Sinkhorn normalises the rows, then the columns of matrices [n, n], all positive,
// to sums of 1, rounds times. m holds them one after the other. Sums run over
// ascending elements from the first; the factor is 1/sum.
func Sinkhorn(m []float32, n, rounds int) {
	for ; len(m) >= n*n; m = m[n*n:] {
		for range rounds {
			for i := range n {
				normalizeSum(m, i*n, 1, n)
			}
			for j := range n {
				normalizeSum(m, j, n, n)
			}
		}
	}
}

// normalizeSum divides n elements, stride apart, by their sum.
func normalizeSum(m []float32, first, stride, n int) {
	sum := m[first]
	for i := 1; i < n; i++ {
		sum += m[first+i*stride]
	}
	inverse := 1 / sum
	for i := range n {
		m[first+i*stride] *= inverse
	}
}
