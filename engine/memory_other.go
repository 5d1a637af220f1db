//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package engine

// peakMemory is unknown here.
func peakMemory() int64 { return 0 }
