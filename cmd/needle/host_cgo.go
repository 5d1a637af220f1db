//go:build cgo && unix

package main

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*load_fn)(const unsigned char *, unsigned long long);
typedef int (*init_fn)(const char *, const char *, const char *);
typedef int (*complete_fn)(const char *, int, char *, int);
typedef const char *(*error_fn)(void);

static int call_load(void *f, const void *data, unsigned long long n) { return ((load_fn)f)(data, n); }
static int call_init(void *f, const char *s, const char *t) { return ((init_fn)f)(s, t, NULL); }
static int call_complete(void *f, const char *in, int max, char *out, int cap) { return ((complete_fn)f)(in, max, out, cap); }
static const char *call_error(void *f) { return f ? ((error_fn)f)() : ""; }

// The answers go through a copy of standard output; what the library prints goes to standard error.
static int take_stdout(void) {
	int fd = fcntl(1, F_DUPFD_CLOEXEC, 3);
	return fd < 0 || dup2(2, 1) < 0 ? -1 : fd;
}
*/
import "C"

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"unsafe"
)

// officialHost is the child of verify --official: it loads a library and an
// archive, and answers a job a line.
type officialHost struct {
	Library string `arg:""`
	Archive string `arg:""`
}

// library is what is used of the other library's ABI.
type library struct{ load, init, complete, lastError unsafe.Pointer }

func (o *officialHost) Run(c console) error {
	fd := C.take_stdout()
	if fd < 0 {
		return errors.New("standard output cannot be kept for the answers")
	}
	out := os.NewFile(uintptr(fd), "answers") // closes with the process, after its last words
	l, err := openLibrary(o.Library)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(o.Archive)
	if err != nil {
		return err
	}
	held := C.CBytes(data) // the official engine may keep the buffer
	if C.call_load(l.load, held, C.ulonglong(len(data))) != 0 {
		return fmt.Errorf("needle_load: %s", l.error())
	}
	if _, err := out.WriteString("\n"); err != nil { // ready
		return err
	}
	jobs := bufio.NewScanner(c.in)
	jobs.Buffer(nil, maxTextFile)
	answers := json.NewEncoder(out)
	for jobs.Scan() {
		var job hostJob
		if err := json.Unmarshal(jobs.Bytes(), &job); err != nil {
			return err
		}
		if err := answers.Encode(hostAnswer{Envelope: l.answer(job)}); err != nil {
			return err
		}
	}
	return jobs.Err()
}

func openLibrary(path string) (*library, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	handle := C.dlopen(name, C.RTLD_NOW|C.RTLD_LOCAL)
	if handle == nil {
		return nil, fmt.Errorf("dlopen: %s", C.GoString(C.dlerror()))
	}
	find := func(symbol string) unsafe.Pointer {
		s := C.CString(symbol)
		defer C.free(unsafe.Pointer(s))
		return C.dlsym(handle, s)
	}
	l := &library{find("needle_load"), find("needle_init"), find("needle_complete"), find("needle_last_error")}
	if l.load == nil || l.init == nil || l.complete == nil {
		return nil, fmt.Errorf("%s lacks needle_load, needle_init or needle_complete", path)
	}
	return l, nil
}

func (l *library) error() string { return C.GoString(C.call_error(l.lastError)) }

// envelopeRoom is far above what 512 tokens can be.
const envelopeRoom = 1 << 20

func (l *library) answer(job hostJob) string {
	system, tools, input := C.CString(job.System), C.CString(job.Tools), C.CString(job.Input)
	out := C.malloc(envelopeRoom)
	defer func() {
		for _, p := range []unsafe.Pointer{unsafe.Pointer(system), unsafe.Pointer(tools), unsafe.Pointer(input), out} {
			C.free(p)
		}
	}()
	if C.call_init(l.init, system, tools) < 0 {
		return failedInit
	}
	*(*byte)(out) = 0
	C.call_complete(l.complete, input, C.int(job.Max), (*C.char)(out), envelopeRoom)
	return C.GoString((*C.char)(out))
}
