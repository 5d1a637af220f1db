package engine

import (
	"runtime/debug"

	"github.com/libneedle/libneedle/engine/model"
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

// recovered makes an error of what a panic carried.
func recovered(cause any) error {
	if model.IsFault(cause) {
		return ErrFault
	}
	return &PanicError{Value: cause, Stack: debug.Stack()}
}
