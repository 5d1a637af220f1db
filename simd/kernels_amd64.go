//go:build !purego

package simd

func archKernels() []Kernels { return nil }
