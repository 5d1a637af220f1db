//go:build !purego

package simd

// Pause tells the processor that a goroutine is waiting for another one: the
// core saves power, or works for its other thread.
func Pause()
