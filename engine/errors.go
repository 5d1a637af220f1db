package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine/model"
)

// Errors that a caller can act on; the calls return them wrapped.
var (
	// ErrClosed is returned by calls on an engine or session after its Close.
	ErrClosed = errors.New("engine: already closed")
	// ErrArgument says that an argument is outside of what the call accepts.
	ErrArgument = errors.New("invalid argument")
	// ErrTools says that the tools are no array of tools.
	ErrTools = errors.New("invalid tools")
	// ErrPrefix says that system text and tools alone fill the model's context.
	ErrPrefix = errors.New("prefix does not fit")
	// ErrText says that a text to embed does not fit the model's context.
	ErrText = errors.New("text does not fit")
	// ErrNoHead says that the archive has no head that an embedding can be read from.
	ErrNoHead = errors.New("no head")
	// ErrFault says that memory of the mapped archive could not be read: its file was truncated
	// underneath.
	ErrFault = model.ErrFault
	// ErrNotFinite says that the weights lead to infinite or undefined logits.
	ErrNotFinite = model.ErrNotFinite
)

// PanicError is a bug of this library that surfaced as a panic in a call. The session is as it was
// before the call.
type PanicError struct {
	Value any    // what the panic carried
	Stack []byte // of the goroutine
}

func (e *PanicError) Error() string { return fmt.Sprintf("engine: internal error: %v", e.Value) }

// The codes that errors and failed responses have in common with the C ABI. They never change their
// meaning; new ones are added at the end.
const (
	CodeOK         = 0  // no error
	CodeInternal   = 1  // anything without a code of its own
	CodeClosed     = 2  // ErrClosed
	CodeArgument   = 3  // ErrArgument
	CodeFile       = 4  // the file could not be opened or read
	CodeNotArchive = 5  // cact.ErrNotArchive: another kind of file, or a damaged beginning
	CodeNeedle2    = 6  // cact.ErrNeedle2: an archive of the generation before
	CodeArchive    = 7  // the archive's header, directory, weights or tokenizer contradict the format
	CodeSpeech     = 8  // cact.ErrSpeech: a speech model
	CodeKVBits     = 9  // cact.ErrKVBits: an unsupported width of the KV cache
	CodeFault      = 10 // ErrFault
	CodeNotFinite  = 11 // ErrNotFinite
	CodeTools      = 12 // ErrTools
	CodePrefix     = 13 // ErrPrefix
	CodeText       = 14 // ErrText
	CodeNoHead     = 15 // ErrNoHead
	CodeOverflow   = 16 // the turn does not fit next to prefix and max_new_tokens; the session is unchanged
	CodeTruncated  = 17 // max_new_tokens was used up before the answer was complete
	CodeMalformed  = 18 // what the model wrote is no list of calls
	CodeCancelled  = 19 // cancelled by the caller; the session is unchanged
)

// codeNames are the names of the codes, as in a response's error_code.
var codeNames = [...]string{
	CodeOK:         "ok",
	CodeInternal:   "internal",
	CodeClosed:     "closed",
	CodeArgument:   "argument",
	CodeFile:       "file",
	CodeNotArchive: "not_archive",
	CodeNeedle2:    "needle2",
	CodeArchive:    "archive",
	CodeSpeech:     "speech",
	CodeKVBits:     "kv_bits",
	CodeFault:      "fault",
	CodeNotFinite:  "not_finite",
	CodeTools:      "tools",
	CodePrefix:     "prefix",
	CodeText:       "text",
	CodeNoHead:     "no_head",
	CodeOverflow:   "overflow",
	CodeTruncated:  "truncated",
	CodeMalformed:  "malformed",
	CodeCancelled:  "cancelled",
}

// CodeName returns the name of a code, "internal" for what is none.
func CodeName(code int) string {
	if code < 0 || code >= len(codeNames) {
		code = CodeInternal
	}
	return codeNames[code]
}

// CodeOf returns the code of a name, CodeInternal for what is no name.
func CodeOf(name string) int {
	for code, n := range codeNames {
		if n == name {
			return code
		}
	}
	return CodeInternal
}

// Code returns the code of an error of this package or of package cact, CodeOK for nil.
func Code(err error) int {
	if err == nil {
		return CodeOK
	}
	for _, c := range [...]struct {
		err  error
		code int
	}{
		{ErrClosed, CodeClosed}, {ErrArgument, CodeArgument}, {ErrTools, CodeTools}, {ErrPrefix, CodePrefix},
		{ErrText, CodeText}, {ErrNoHead, CodeNoHead}, {ErrFault, CodeFault}, {ErrNotFinite, CodeNotFinite},
		{cact.ErrNeedle2, CodeNeedle2}, {cact.ErrSpeech, CodeSpeech}, {cact.ErrKVBits, CodeKVBits},
		{cact.ErrNotArchive, CodeNotArchive}, {errArchive, CodeArchive},
		{context.Canceled, CodeCancelled}, {context.DeadlineExceeded, CodeCancelled},
	} {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return codeOfType(err)
}

// errArchive marks errors about an archive's contents that have no type of their own.
var errArchive = errors.New("invalid archive")

// fileError is a failure to open an archive that says nothing about its contents.
type fileError struct{ error }

func (e fileError) Unwrap() error { return e.error }

// openError gives an error of opening an archive the code of files when it has none.
func openError(err error) error {
	if Code(err) == CodeInternal {
		return fileError{err}
	}
	return err
}

func codeOfType(err error) int {
	var record *cact.RecordError
	var header *cact.HeaderError
	var file fileError
	switch {
	case errors.As(err, &record), errors.As(err, &header):
		return CodeArchive
	case errors.As(err, &file):
		return CodeFile
	}
	return CodeInternal
}
