//go:build race && amd64 && !purego

package simd

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// raceCalls call each kernel with arguments of a size that fits all.
func raceCalls() map[string][]any {
	f := func(n int) []float32 { return make([]float32, n) }
	b, u := func(n int) []int8 { return make([]int8, n) }, func(n int) []uint8 { return make([]uint8, n) }
	w := func(n int) []int16 { return make([]int16, n) }
	tiles := func(bytes int) Tiles { return Tiles{16, 1, u(bytes), make([]uint16, 16)} }
	levels := NewLevels([16]int16{}, 0, 1)
	inputs := func() Inputs { return Inputs{1, w(Group), f(1), make([]int32, 1), f(1)} }
	return map[string][]any{
		"Rotate": {w(Group), b(Group)}, "ArrangeNarrow": {w(Group), w(Group)}, "ArrangeWide": {w(Group), w(Group)},
		"MulNarrow": {f(16), 16, tiles(NarrowTile), levels, inputs()}, "MulWide": {f(16), 16, tiles(WideTile), levels, inputs()},
		"Dequantize": {new([Group]float32), u(Group / 4), new([16]float32), float32(1)}, "ScoreKeys": {f(16), 16, b(4), f(1), b(64), f(16)},
		"Weigh": {f(16), 16, f(16), f(1), f(1)}, "SplitWeights": {u(16), u(16), f(16), 16, 16, f(1)},
		"SumValues": {make([]int32, 32), u(4), u(4), 4, 16, b(64)},
		"JoinSums":  {f(16), 16, make([]int32, 32), 16, f(1)}, "Rotary": {f(32), f(16), f(16)},
		"Dot": {f(16), f(16)}, "DotRows": {f(2), f(32), f(16)}, "Sum": {f(16)}, "Max": {f(16)},
		"Normalize": {f(16), f(16), f(16)}, "Quantize": {b(16), 16, f(1), f(16), 16, float32(1)}, "Axpy": {f(16), float32(1), f(16)}, "Scale": {f(16), float32(1), f(16)},
		"Add": {f(16), f(16)}, "Sub": {f(16), f(16), f(16)}, "Mul": {f(16), f(16), f(16)}, "MulAdd": {f(16), f(16), f(16)},
		"Convolve": {f(16), f(16), f(16), f(16), f(16), f(16), f(16)}, "AddMul": {f(16), f(16), f(16), f(16), f(16)},
		"Combine": {f(16), f(16), f(1), 1, 1, 1, 1}, "Gather": {f(16), f(16), make([]int32, 16)}, "Sinkhorn": {f(16), 4, 1},
		"ExpInto": {f(16), f(16), float32(0)}, "Silu": {f(16), f(16)}, "MulSigmoid": {f(16), f(16)}, "ReadAll": {u(1024)},
	}
}

// memories are the arrays that an argument refers to, as slices.
func memories(v reflect.Value) (found []reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		found = append(found, v)
	case reflect.Pointer:
		if v.Elem().Kind() == reflect.Array {
			found = append(found, v.Elem().Slice(0, v.Elem().Len()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				found = append(found, memories(v.Field(i))...)
			}
		}
	}
	return found
}

// TestRacesAreSeen lets one goroutine run a kernel of each assembly tier while
// another one writes to one array of its arguments, for each array in turn. The
// detector must object. It does so in another process, where that is no failure.
func TestRacesAreSeen(t *testing.T) {
	if os.Getenv("NEEDLE_RACES") != "" {
		reportRaces()
		return
	}
	run := exec.Command(os.Args[0], "-test.run=^TestRacesAreSeen$")
	run.Env = append(os.Environ(), "NEEDLE_RACES=1", "GORACE=exitcode=0 log_path=stderr suppress_equal_stacks=0 suppress_equal_addresses=0")
	out, err := run.Output()
	text := string(out)
	if n := strings.Count(text, ": seen\n"); n < 60 || strings.Contains(text, ": missed\n") {
		t.Errorf("%d races seen (%v); missed:", n, err)
		for line := range strings.Lines(text) {
			if strings.HasSuffix(line, ": missed\n") {
				t.Log(line)
			}
		}
	}
}

func reportRaces() {
	for _, k := range All()[1:] {
		if !k.Supported() {
			continue
		}
		v := reflect.ValueOf(k)
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.Type.Kind() == reflect.Func && field.Name != "Peak" && field.IsExported() {
				reportKernel(k.Name+" "+field.Name, v.Field(i), raceCalls()[field.Name])
			}
		}
	}
}

func reportKernel(name string, kernel reflect.Value, arguments []any) {
	if arguments == nil {
		fmt.Printf("%s, which raceCalls does not know: missed\n", name)
	}
	var in []reflect.Value
	for _, a := range arguments {
		in = append(in, reflect.ValueOf(a))
	}
	for place, v := range in {
		for part, memory := range memories(v) {
			verdict := "missed"
			for try := 0; try < 5 && verdict == "missed"; try++ { // reflect's pools may order the two
				before := runtime.RaceErrors()
				var both sync.WaitGroup
				both.Go(func() { kernel.Call(in) })
				both.Go(func() { memory.Index(memory.Len() - 1).SetZero() })
				both.Wait()
				if runtime.RaceErrors() > before {
					verdict = "seen"
				}
			}
			fmt.Printf("%s, argument %d, part %d: %s\n", name, place, part, verdict)
		}
	}
}
