package bench

import (
	"bytes"
	"os"
	"strconv"
)

// processMemory reads the process's anonymous and whole resident memory, in
// bytes. Kernels before 4.5 don't tell them apart.
func processMemory() (anonymous, resident float64, ok bool) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0, false
	}
	anonymous, known := field(status, "RssAnon:")
	resident, _ = field(status, "VmRSS:")
	return anonymous, resident, known
}

// field reads a line such as "RssAnon:   1234 kB".
func field(status []byte, name string) (size float64, ok bool) {
	_, rest, found := bytes.Cut(status, []byte("\n"+name))
	fields := bytes.Fields(rest)
	if !found || len(fields) == 0 {
		return 0, false
	}
	kib, err := strconv.ParseFloat(string(fields[0]), 64)
	return kib * 1024, err == nil
}
