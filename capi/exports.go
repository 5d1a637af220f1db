// Command capi is libneedle: the functions of include/needle.h over package
// engine, built with -buildmode=c-shared. needle_api.c holds the C functions
// and calls what is exported here; both only marshal.
package main

// #cgo CFLAGS: -fvisibility=hidden
// #include <stdlib.h>
import "C"

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"unsafe"

	"github.com/libneedle/libneedle/engine/jsontext"
)

func main() {} // c-shared asks for it

// one is the process's library state behind the functions that have no handle.
var one = newLibrary()

// guarded runs f with nothing in it able to end the process. The error, or the
// note, goes to *text.
func guarded(text **C.char, f func() (result int, note string, err error)) (result C.int) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			one.abandon()
			result = -1
			*text = C.CString(fmt.Sprintf("internal error, the session has ended: %v", cause))
		}
	}()
	n, note, err := f()
	if err != nil {
		*text = C.CString(jsontext.Valid(err.Error()))
		return -1
	}
	if note != "" {
		*text = C.CString(note)
	}
	return C.int(n)
}

//export goNeedleLoad
func goNeedleLoad(cact unsafe.Pointer, n C.ulonglong, text **C.char) C.int {
	return guarded(text, func() (int, string, error) {
		if uint64(n) > min(1<<47, math.MaxInt) {
			return 0, "", fmt.Errorf("needle_load: n is %d, more than the address space holds", uint64(n))
		}
		return 0, "", one.load(unsafe.Slice((*byte)(cact), int(n)))
	})
}

//export goNeedleLoadFile
func goNeedleLoadFile(path *C.char, text **C.char) C.int {
	return guarded(text, func() (int, string, error) { return 0, "", one.loadFile(C.GoString(path)) })
}

//export goNeedleInit
func goNeedleInit(system, tools, index *C.char, text **C.char) C.int {
	return guarded(text, func() (int, string, error) {
		return one.init(C.GoString(system), C.GoString(tools), C.GoString(index))
	})
}

//export goNeedleComplete
func goNeedleComplete(input *C.char, maxNewTokens C.int, out *C.char, capacity C.int, text **C.char) C.int {
	return guarded(text, func() (int, string, error) {
		buffer := unsafe.Slice((*byte)(unsafe.Pointer(out)), int(capacity))
		if input == nil {
			return one.fetch(int(maxNewTokens), buffer)
		}
		return one.complete(C.GoString(input), int(maxNewTokens), buffer)
	})
}

//export goNeedleEmbed
func goNeedleEmbed(input *C.char, out *C.float, capacity C.int, text **C.char) C.int {
	return guarded(text, func() (int, string, error) {
		if out == nil {
			n, err := one.embedDim()
			return n, "", err
		}
		if capacity < 0 {
			return 0, "", errors.New("needle_embed: out_capacity is negative")
		}
		n, err := one.embed(C.GoString(input), unsafe.Slice((*float32)(unsafe.Pointer(out)), int(capacity)))
		return n, "", err
	})
}

//export goNeedleReset
func goNeedleReset(text **C.char) {
	guarded(text, func() (int, string, error) { return 0, "", one.reset() })
}

//export goNeedleSetDepth
func goNeedleSetDepth(depth C.int, text **C.char) C.int {
	return guarded(text, func() (int, string, error) { return 0, "", one.setDepth(int(depth)) })
}

//export goNeedleDepth
func goNeedleDepth(text **C.char) C.int {
	return guarded(text, func() (int, string, error) {
		n, err := one.depth()
		return n, "", err
	})
}

//export goNeedleSetThreads
func goNeedleSetThreads(threads C.int, text **C.char) C.int {
	return guarded(text, func() (int, string, error) { return 0, "", one.setThreads(int(threads)) })
}

//export goNeedleCancel
func goNeedleCancel() { one.cancelRunning() }
