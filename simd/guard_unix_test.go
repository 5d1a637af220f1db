//go:build unix

package simd

import (
	"fmt"
	"os"
	"reflect"
	"testing"

	"golang.org/x/sys/unix"
)

// guards places each buffer in pages of its own between two that nobody may
// touch: against the one behind it or, at the start, against the one before it.
type guards struct {
	atStart bool
	slots   [][]byte
	count   int
}

const (
	guardSlots = 16
	slotSize   = 1 << 18
)

func newGuards() (*guards, error) {
	page := os.Getpagesize()
	step := slotSize + page
	memory, err := unix.Mmap(-1, 0, guardSlots*step+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	g := &guards{}
	for i := range guardSlots + 1 {
		if err := unix.Mprotect(memory[i*step:i*step+page], unix.PROT_NONE); err != nil {
			return nil, err
		}
		if i < guardSlots {
			g.slots = append(g.slots, memory[i*step+page:(i+1)*step])
		}
	}
	return g, nil
}

func (g *guards) reset() { g.count = 0 }

func (g *guards) take(size, _ int) ([]byte, int) {
	slot := g.slots[g.count]
	g.count++
	if g.atStart {
		return slot[:min(slotSize, size+margin)], 0
	}
	from := slotSize - size
	low := max(0, from-margin)
	return slot[low:], from - low
}

// checkGuarded runs a kernel's trials with buffers that end, or start, at a
// guard page.
func (b *body) checkGuarded(g *guards, k *Kernels, atStart bool) error {
	g.atStart = atStart
	c := newTrial(g)
	if err := b.run(c, k, b.some, ordinary); err != nil {
		return fmt.Errorf("at a guard page (before it: %t): %w", atStart, err)
	}
	return b.run(c, k, b.few, ordinary)
}

func TestKernelsStayInBounds(t *testing.T) {
	g, err := newGuards()
	if err != nil {
		t.Fatal(err)
	}
	for i := range bodies {
		b := &bodies[i]
		t.Run(b.field, func(t *testing.T) {
			eachTier(t, func(k *Kernels) error {
				if err := b.checkGuarded(g, k, false); err != nil {
					return err
				}
				return b.checkGuarded(g, k, true)
			})
		})
	}
}

// seen keeps the compiler from dropping a read.
var seen byte

// TestGuardsCatchReads shows that a read of one byte too many, of any buffer,
// fails the trials at guard pages.
func TestGuardsCatchReads(t *testing.T) {
	g, err := newGuards()
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range kernelFields() {
		b := bodyOf(field)
		if b == nil {
			continue // TestEveryKernelHasATest fails
		}
		for which := range regionsOf(field) {
			behind := spoiled(field, touching(which, func(r region) { seen = *r.at(r.size) }))
			before := spoiled(field, touching(which, func(r region) { seen = *r.at(-1) }))
			if b.checkGuarded(g, behind, false) == nil || b.checkGuarded(g, before, true) == nil {
				t.Errorf("%s may read past region %d of its arguments", field, which)
			}
		}
	}
}

// lengthened gives a kernel one element more than there is.
func lengthened(f reflect.Value, args []reflect.Value) []reflect.Value {
	for i, v := range args {
		if v.Kind() == reflect.Slice && v.Len() > 0 {
			args[i] = reflect.SliceAt(v.Type().Elem(), v.UnsafePointer(), v.Len()+1)
		}
	}
	return f.Call(args)
}

// TestGuardsCatchAssembly shows that a fault within assembly, too, fails a trial
// instead of the process.
func TestGuardsCatchAssembly(t *testing.T) {
	g, err := newGuards()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range floatKernels {
		if b.field == "Peak" {
			continue // has no buffers
		}
		eachTier(t, func(k *Kernels) error {
			longer := *k
			longer.spoil(b.field, lengthened)
			if b.checkGuarded(g, &longer, false) == nil {
				return fmt.Errorf("%s may touch an element too many", b.field)
			}
			return nil
		})
	}
}
