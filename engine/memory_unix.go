//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package engine

import (
	"runtime"
	"syscall"
)

// peakMemory is the most resident memory the process ever had, in bytes; 0 when unknown.
func peakMemory() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
