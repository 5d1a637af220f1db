//go:build !amd64 || purego

package simd

func archKernels() []Kernels { return nil }
