package simd

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"unsafe"
)

// region is memory that an argument of a kernel refers to.
type region struct {
	start      unsafe.Pointer
	size, elem int
}

// at returns a byte of a region, or one next to it.
func (r region) at(offset int) *byte { return (*byte)(unsafe.Add(r.start, offset)) }

// last returns the bytes of the last element.
func (r region) last() []byte { return unsafe.Slice(r.at(r.size-r.elem), r.elem) }

// regions lists the slices, arrays and tables among arguments, those in structs
// too. The destination is the first.
func regions(args []reflect.Value) (list []region) {
	for _, v := range args {
		switch v.Kind() {
		case reflect.Slice:
			elem := int(v.Type().Elem().Size())
			list = append(list, region{v.UnsafePointer(), v.Len() * elem, elem})
		case reflect.Pointer:
			size, elem := int(v.Type().Elem().Size()), 2
			if v.Type().Elem().Kind() == reflect.Array {
				elem = int(v.Type().Elem().Elem().Size())
			}
			list = append(list, region{v.UnsafePointer(), size, elem})
		case reflect.Struct:
			for i := range v.NumField() {
				list = append(list, regions([]reflect.Value{v.Field(i)})...)
			}
		}
	}
	return list
}

// kernelType returns the type of a field of Kernels.
func kernelType(field string) reflect.Type {
	f, _ := reflect.TypeFor[Kernels]().FieldByName(field)
	return f.Type
}

// regionsOf counts the regions of a kernel's arguments.
func regionsOf(field string) int {
	f := kernelType(field)
	var args []reflect.Value
	for i := range f.NumIn() {
		args = append(args, reflect.Zero(f.In(i)))
	}
	return len(regions(args))
}

// A spoiler calls a kernel, and does something wrong.
type spoiler func(f reflect.Value, args []reflect.Value) []reflect.Value

// spoiled returns the definition with one kernel spoiled.
func spoiled(field string, call spoiler) *Kernels {
	k := generic()
	k.spoil(field, call)
	return &k
}

func (k *Kernels) spoil(field string, call spoiler) {
	v := reflect.ValueOf(k).Elem().FieldByName(field)
	f := reflect.ValueOf(v.Interface())
	v.Set(reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value { return call(f, args) }))
}

// touching makes a spoiler that gives one region of the arguments to touch.
func touching(which int, touch func(r region)) spoiler {
	return func(f reflect.Value, args []reflect.Value) []reflect.Value {
		out := f.Call(args)
		if r := regions(args)[which]; r.size > 0 {
			touch(r)
		}
		return out
	}
}

// wrongResult changes the returned number as little as its type allows.
func wrongResult(f reflect.Value, args []reflect.Value) []reflect.Value {
	out := f.Call(args)
	switch v := out[0].Interface().(type) {
	case float32:
		out[0] = reflect.ValueOf(math.Float32frombits(math.Float32bits(v) ^ 1))
	case byte:
		out[0] = reflect.ValueOf(v ^ 1)
	case int:
		out[0] = reflect.ValueOf(v + 1)
	}
	return out
}

// shortened gives a kernel that returns a number one element less.
func shortened(f reflect.Value, args []reflect.Value) []reflect.Value {
	for i, v := range args {
		if v.Kind() == reflect.Slice && v.Len() > 1 {
			args[i] = v.Slice(0, v.Len()-1)
		}
	}
	return f.Call(args)
}

// unfinished leaves the destination's last element as it was.
func unfinished(f reflect.Value, args []reflect.Value) []reflect.Value {
	dst := regions(args)[0]
	if dst.size == 0 {
		return f.Call(args)
	}
	before := string(dst.last())
	out := f.Call(args)
	copy(dst.last(), before)
	return out
}

// hasty clears the destination before the sources are read. The definition may
// not notice, unless one is the other.
func hasty(f reflect.Value, args []reflect.Value) []reflect.Value {
	args[0].Clear()
	return f.Call(args)
}

// spoilers lists what a kernel's trials have to notice.
func spoilers(b *body) map[string]spoiler {
	f := kernelType(b.field)
	list := map[string]spoiler{}
	for which := range regionsOf(b.field) {
		name := fmt.Sprintf("with region %d", which)
		list[name+" changed"] = touching(which, func(r region) { r.last()[0] ^= 1 })
		list[name+" overrun"] = touching(which, func(r region) { *r.at(r.size) ^= 0xff })
		list[name+" underrun"] = touching(which, func(r region) { *r.at(-1) ^= 0xff })
	}
	switch {
	case f.NumOut() == 0:
		list["unfinished"] = unfinished
	case regionsOf(b.field) > 0:
		list["shortened"] = shortened
		fallthrough
	default:
		list["wrong result"] = wrongResult
	}
	if b.aliases > 0 {
		list["hasty"] = hasty
	}
	return list
}

// TestSpoiledKernelsAreFound shows that the trials would notice an error in any
// kernel.
func TestSpoiledKernelsAreFound(t *testing.T) {
	for _, field := range kernelFields() {
		b := bodyOf(field)
		if b == nil {
			t.Errorf("nothing tests %s", field)
			continue
		}
		for how, spoil := range spoilers(b) {
			if b.check(spoiled(field, spoil)) == nil {
				t.Errorf("%s %s passes for right", field, how)
			}
		}
	}
}
