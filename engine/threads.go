package engine

import (
	"runtime"

	"github.com/klauspost/cpuid/v2"

	"github.com/libneedle/libneedle/engine/model"
)

// mostThreads is where more threads stop helping: a token's work is small.
const mostThreads = 4

// MaxThreads bounds the threads of a call.
const MaxThreads = model.MaxThreads

// DefaultThreads is a good number of threads on this machine: its physical cores as far as the process may
// use them, at most 4.
func DefaultThreads() int {
	cores := runtime.GOMAXPROCS(0)
	if physical := cpuid.CPU.PhysicalCores; physical > 0 {
		cores = min(cores, physical)
	}
	return min(cores, mostThreads)
}
