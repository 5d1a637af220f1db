package engine

import (
	"bytes"
	"os"
	"strconv"
)

// peakMemory is the most resident memory the process ever had, in bytes; 0 when unknown. Linux keeps the
// figure of getrusage across exec, so it is read from the memory map's own account.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, found := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(rest)
	if !found || len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}
