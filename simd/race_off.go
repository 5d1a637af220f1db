//go:build !race && amd64 && !purego

package simd

// declared is k; under the race detector it also declares k's accesses.
func declared(k Kernels) Kernels { return k }
