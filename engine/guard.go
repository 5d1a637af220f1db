package engine

import (
	"runtime"
	"runtime/debug"
)

// guard runs f so that nothing in it can end the process: a memory fault, which reading a mapped file
// gives when it was truncated underneath, becomes ErrFault, and any other panic a *PanicError.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			err = recovered(cause)
		}
	}()
	return f()
}

// recovered makes an error of what a panic carried. A memory fault is an error of the runtime that knows
// an address.
func recovered(cause any) error {
	if e, ok := cause.(runtime.Error); ok {
		if _, ok := e.(interface{ Addr() uintptr }); ok {
			return ErrFault
		}
	}
	return &PanicError{Value: cause, Stack: debug.Stack()}
}
