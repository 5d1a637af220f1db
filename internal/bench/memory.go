package bench

import (
	"runtime"
	"runtime/debug"
)

// Memory is what a fresh process holds with an archive that it opened by its
// path and one session.
type Memory struct {
	Source       string  `json:"source"` // where the figures are from
	PrefixTokens int     `json:"prefix_tokens"`
	Empty        float64 `json:"empty_mb"`    // before the archive is opened
	Loaded       float64 `json:"loaded_mb"`   // the engine is open
	Ready        float64 `json:"ready_mb"`    // the session has its prefix; garbage included
	Settled      float64 `json:"settled_mb"`  // the same after a collection that gives pages back
	Resident     float64 `json:"resident_mb"` // all of it, the mapped file's pages included; 0 where unknown
}

const mb = 1e6

// anonymous is the heap and other anonymous memory of this process, in MB: not
// what is mapped from files. Where the system does not tell, it is what the Go
// runtime holds, which leaves out memory of C code.
func anonymous() (size, resident float64, source string) {
	if size, resident, ok := processMemory(); ok {
		return size / mb, resident / mb, "RssAnon"
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Sys-m.HeapReleased) / mb, 0, "Go runtime"
}

func settled() float64 {
	debug.FreeOSMemory()
	size, _, _ := anonymous()
	return size
}
