package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestVexDots lets GNU's assembler encode the same instructions.
func TestVexDots(t *testing.T) {
	if _, err := exec.LookPath("as"); err != nil {
		t.Skip("no GNU assembler")
	}
	var source, assembly strings.Builder
	for _, name := range []string{"VPDPBUSD", "VPDPWSSD"} {
		for _, r := range [][3]string{{"0", "0", "0"}, {"7", "8", "1"}, {"8", "7", "9"}, {"15", "15", "15"}, {"3", "12", "10"}, {"13", "2", "5"}} {
			source.WriteString("{vex} " + strings.ToLower(name) + " %ymm" + r[0] + ", %ymm" + r[1] + ", %ymm" + r[2] + "\n")
			assembly.WriteString("\t" + name + " Y" + r[0] + ", Y" + r[1] + ", Y" + r[2] + "\n")
		}
	}
	object := filepath.Join(t.TempDir(), "dots.o")
	as := exec.Command("as", "-o", object, "-")
	as.Stdin = strings.NewReader(source.String())
	if out, err := as.CombinedOutput(); err != nil {
		t.Fatalf("as: %v\n%s", err, out)
	}
	listing, err := exec.Command("objdump", "-d", object).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, m := range regexp.MustCompile(`:\t((?:[0-9a-f]{2} )+) `).FindAllStringSubmatch(string(listing), -1) {
		want = append(want, strings.TrimSpace(m[1]))
	}
	out, err := vexDots([]byte(assembly.String()))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(want) || len(want) != 12 {
		t.Fatalf("%d lines, GNU's assembler has %d", len(lines), len(want))
	}
	for i, line := range lines {
		var got []string
		for _, m := range regexp.MustCompile(`\$0x([0-9a-f]{2})`).FindAllStringSubmatch(line, -1) {
			got = append(got, m[1])
		}
		if g := strings.Join(got, " "); g != want[i] {
			t.Errorf("%s: GNU's assembler writes %s", line, want[i])
		}
	}
}

// TestVexDotsRefuses gives it what AVX2 CPUs cannot run.
func TestVexDotsRefuses(t *testing.T) {
	for _, line := range []string{"\tVADDPS Y1, Y2, Y16", "\tVPDPBUSD (AX), Y1, Y2", "\tVADDPS Z1, Z2, Z3", "\tKMOVW AX, K1"} {
		if _, err := vexDots([]byte(line)); err == nil {
			t.Errorf("accepts %q", line)
		}
	}
}
