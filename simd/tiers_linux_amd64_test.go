//go:build !purego

package simd

import (
	"os"
	"strings"
	"testing"
)

// TestTiersOfThisCPU asks the kernel, not the package's own detection, what the
// CPU has.
func TestTiersOfThisCPU(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]bool{}
	for line := range strings.Lines(string(info)) {
		if name, list, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "flags" {
			for flag := range strings.FieldsSeq(list) {
				flags[flag] = true
			}
		}
	}
	for tier, needs := range map[string][]string{
		"avx2":    {"avx2"},
		"avxvnni": {"avx_vnni"},
		"avx512":  {"avx512_vnni", "avx512bw", "avx512vl"},
	} {
		has := true
		for _, flag := range needs {
			has = has && flags[flag]
		}
		if _, err := Choose(tier); has && err != nil {
			t.Errorf("the CPU has %v, but: %v", needs, err)
		}
	}
}
