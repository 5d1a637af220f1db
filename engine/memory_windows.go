package engine

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryCounters is PROCESS_MEMORY_COUNTERS of psapi.h.
type memoryCounters struct {
	size, pageFaults           uint32
	peakWorkingSet, workingSet uintptr
	quotas                     [4]uintptr
	pagefile, peakPagefile     uintptr
}

// peakMemory is the largest working set the process ever had, in bytes; 0 when unknown.
func peakMemory() int64 {
	info := windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")
	if info.Find() != nil {
		return 0
	}
	var c memoryCounters
	c.size = uint32(unsafe.Sizeof(c))
	ok, _, _ := info.Call(uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(&c)), uintptr(c.size))
	if ok == 0 {
		return 0
	}
	return int64(c.peakWorkingSet)
}
