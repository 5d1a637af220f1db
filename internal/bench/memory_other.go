//go:build !linux

package bench

// processMemory is known on Linux alone.
func processMemory() (anonymous, resident float64, ok bool) { return 0, 0, false }
