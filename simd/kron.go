package simd

// Kron writes A^T Z B to out: z is viewed as [ba, bb], a is [ba, ba], b is
// [bb, bb], all row-major, and out[k*bb+l] = sum over i, j of
// z[i*bb+j]*a[i*ba+k]*b[j*bb+l]. tmp holds ba*bb values. Both sums run over
// ascending i, then ascending j. out, tmp and z do not overlap.
func Kron(out, tmp, z, a, b []float32, ba, bb int) {
	for k := range ba {
		row := tmp[k*bb : (k+1)*bb]
		clear(row)
		for i := range ba {
			Axpy(row, a[i*ba+k], z[i*bb:(i+1)*bb])
		}
	}
	for k := range ba {
		row := out[k*bb : (k+1)*bb]
		clear(row)
		for j := range bb {
			Axpy(row, tmp[k*bb+j], b[j*bb:(j+1)*bb])
		}
	}
}
