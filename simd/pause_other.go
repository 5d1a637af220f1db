//go:build !amd64 || purego

package simd

// Pause is a moment of waiting.
func Pause() {}
