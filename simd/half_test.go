package simd

import (
	"math"
	"testing"
)

func TestHalfToFloat(t *testing.T) {
	for half, want := range map[uint16]float32{0: 0, 0x3c00: 1, 0xbc00: -1, 0x3555: 0.333251953125, 0x7bff: 65504,
		1: 5.9604644775390625e-08, 0x03ff: 6.097555160522461e-05, 0x0400: 6.103515625e-05, 0x8001: -5.9604644775390625e-08} {
		if got := HalfToFloat(half); got != want {
			t.Errorf("HalfToFloat(%#04x) = %g, want %g", half, got, want)
		}
	}
	if !math.IsInf(float64(HalfToFloat(0x7c00)), 1) || !math.IsNaN(float64(HalfToFloat(0x7e00))) {
		t.Error("infinity or NaN is lost")
	}
}
