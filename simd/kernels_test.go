package simd

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestKernels compares every implementation that this CPU runs with the
// definition, bit for bit.
func TestKernels(t *testing.T) {
	for i := range bodies {
		b := &bodies[i]
		t.Run(b.field, func(t *testing.T) { eachTier(t, b.check) })
	}
}

// eachTier runs a check of an implementation for all of them.
func eachTier(t *testing.T, check func(*Kernels) error) {
	for _, k := range All() {
		if !k.Supported() {
			continue // TestTiers knows whether that is right
		}
		t.Run(k.Name, func(t *testing.T) {
			if err := check(&k); err != nil {
				t.Error(err)
			}
		})
	}
}

// check runs a kernel's trials in ordinary memory.
func (b *body) check(k *Kernels) error {
	place := &offsets{}
	c := newTrial(place)
	if err := b.run(c, k, b.all, ordinary); err != nil {
		return err
	}
	if err := b.run(c, k, b.some, equal, zeros, extreme, special); err != nil {
		return err
	}
	for place.align = range 64 / b.elem {
		for _, place.skew = range []int{0, 5} {
			if err := b.run(c, k, b.few, ordinary); err != nil {
				return fmt.Errorf("%d elements past a multiple of 64 bytes, each buffer %d further: %w", place.align, place.skew, err)
			}
		}
	}
	return nil
}

// run tries a kernel on shapes with fills, and with every aliasing it allows.
func (b *body) run(c *trial, k *Kernels, shapes []shape, fills ...fill) error {
	for _, c.fill = range fills {
		for i, s := range shapes {
			for c.alias = range b.aliases + 1 {
				c.begin(uint64(i*10 + c.alias))
				if err := c.compare(k, b.prepare(c, s)); err != nil {
					return fmt.Errorf("sizes %v, %v numbers, alias %d: %w", s, c.fill, c.alias, err)
				}
			}
		}
	}
	return nil
}

// bodyOf returns the test of a kernel.
func bodyOf(field string) *body {
	for i := range bodies {
		if bodies[i].field == field {
			return &bodies[i]
		}
	}
	return nil
}

// kernelFields lists the names of the functions in Kernels.
func kernelFields() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Kernels]()) {
		if f.Type.Kind() == reflect.Func {
			names = append(names, f.Name)
		}
	}
	return names
}

func TestEveryKernelHasATest(t *testing.T) {
	for _, field := range kernelFields() {
		if bodyOf(field) == nil {
			t.Errorf("no body tests Kernels.%s", field)
		}
	}
	for _, k := range All() {
		for _, field := range kernelFields() {
			if reflect.ValueOf(k).FieldByName(field).IsNil() {
				t.Errorf("%s has no %s", k.Name, field)
			}
		}
	}
}

// TestTiers fails where a tier that NEEDLE_REQUIRE_SIMD names (a list separated
// by commas) would be left untested.
func TestTiers(t *testing.T) {
	for name := range strings.SplitSeq(os.Getenv("NEEDLE_REQUIRE_SIMD"), ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if _, err := Choose(name); err != nil {
			t.Error(err)
		}
	}
}
