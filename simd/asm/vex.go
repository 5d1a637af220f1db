package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
)

// Go's assembler knows the dot products only in their AVX-512 encoding. CPUs
// with AVX-VNNI take the same operands in a VEX encoding.
var dotOpcode = map[string]byte{"VPDPBUSD": 0x50, "VPDPWSSD": 0x52}

var (
	dotLine   = regexp.MustCompile(`^\t(VPDPBUSD|VPDPWSSD) +Y(\d+), Y(\d+), Y(\d+)$`)
	beyondVEX = regexp.MustCompile(`\b(Z\d+|[XY](1[6-9]|2\d|3[01])|K\d)\b`)
)

// vexDots replaces each dot product of a 256-bit file by the bytes of its VEX
// encoding, and refuses what needs AVX-512.
func vexDots(assembly []byte) ([]byte, error) {
	var out bytes.Buffer
	for i, line := range bytes.Split(assembly, []byte("\n")) {
		if m := beyondVEX.Find(line); m != nil && !bytes.HasPrefix(line, []byte("//")) {
			return nil, fmt.Errorf("line %d uses %s: %s", i+1, m, line)
		}
		if m := dotLine.FindSubmatch(line); m != nil {
			register := func(k int) byte { n, _ := strconv.Atoi(string(m[k])); return byte(n) }
			b := vexDot(dotOpcode[string(m[1])], register(4), register(3), register(2))
			line = fmt.Appendf(nil, "\tBYTE $0x%02x; BYTE $0x%02x; BYTE $0x%02x; BYTE $0x%02x; BYTE $0x%02x // %s Y%s, Y%s, Y%s",
				b[0], b[1], b[2], b[3], b[4], m[1], m[2], m[3], m[4])
		} else if bytes.Contains(line, []byte("VPDP")) {
			return nil, fmt.Errorf("line %d: no VEX form for %q", i+1, line)
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// vexDot encodes VEX.256.66.0F38.W0 op /r: dst += a . b (Intel's operand order
// dst, a, b).
func vexDot(op, dst, a, b byte) [5]byte {
	return [5]byte{
		0xC4,
		(^dst>>3&1)<<7 | 1<<6 | (^b>>3&1)<<5 | 0x02,
		(^a&15)<<3 | 1<<2 | 0x01,
		op,
		0xC0 | dst&7<<3 | b&7,
	}
}
