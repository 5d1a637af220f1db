package cact

import (
	"errors"
	"fmt"
)

// What an archive can be other than one this build runs.
var (
	// ErrNotArchive: the file is no Needle archive, or is cut short.
	ErrNotArchive = errors.New("not a Needle archive")
	// ErrNeedle2: the file is an archive of the previous generation.
	ErrNeedle2 = errors.New("a Needle 2 archive (tag 0x05E12A83); this engine runs Needle 3 (tag 0x05E12A84)")
	// ErrSpeech: the archive carries a speech model.
	ErrSpeech = errors.New("the archive carries a speech model; this build has no speech support")
	// ErrKVBits: the archive asks for a key-value cache narrower than int8.
	ErrKVBits = errors.New("the archive asks for a key-value cache of fewer than 8 bits, which is not supported")
)

// HeaderError is a header field with a value that no archive may have.
type HeaderError struct {
	Field    string // as the format document names it
	Expected string
	Found    string
}

func (e *HeaderError) Error() string {
	return fmt.Sprintf("cact: header field %s: expected %s, found %s", e.Field, e.Expected, e.Found)
}

// RecordError is a record that is not what its place demands.
type RecordError struct {
	Record   int    // number in the directory, from 0
	Role     string // what the record at that place is
	Expected string
	Found    string
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("cact: record %d (%s): expected %s, found %s", e.Record, e.Role, e.Expected, e.Found)
}
