// Package cact reads, checks, slices and writes `.cact` containers of Needle 3
// (tag 0x05E12A84): a header that states the geometry, three codebooks, a
// directory of nameless records and their blobs, all little-endian.
//
// The order of the records is the contract of the tag; this package gives each
// its role. Nothing of a file is believed before it was checked: after Open
// returns, every record has the type, shape and length that its role demands
// and lies inside the file, and no stored number is NaN or infinite. What is
// wrong is reported as a HeaderError or RecordError, a file that is cut short as
// ErrNotArchive. What the tokenizer's record contains is checked by package
// tokenizer.
//
// Limits beyond the format's own keep a damaged header from asking for memory
// that nothing in the file accounts for: max_seq_len and the windows go to 2^20,
// any other size to 2^20 (engram_slots: 2^30), mhc_lanes and qkv_conv_taps to
// 64, a record to 2^31-1 values. Everything a size multiplies is in the file, so
// that opening allocates for the directory alone.
//
// An Archive is read-only and safe for concurrent use. A mapped file must not
// shrink while it is open: reading beyond its new end is a memory fault, which
// callers turn into an error with debug.SetPanicOnFault.
package cact
