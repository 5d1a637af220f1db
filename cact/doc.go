// Package cact reads, checks, slices and writes `.cact` containers of Needle 3
// (tag 0x05E12A84): a header that states the geometry, three codebooks, a
// directory of nameless records and their blobs, all little-endian.
//
// The order of the records is the contract of the tag; this package gives each
// its role. Nothing of a file is believed before it was checked: after Open
// returns, every record has the type, shape and length that its role demands
// and lies inside the file, and no stored number is NaN or infinite. What is
// wrong is reported as a HeaderError or RecordError.
//
// An Archive is read-only and safe for concurrent use. A mapped file must not
// shrink while it is open: reading beyond its new end is a memory fault, which
// callers turn into an error with debug.SetPanicOnFault.
package cact
