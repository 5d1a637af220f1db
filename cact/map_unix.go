//go:build unix

package cact

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// mapFile maps length bytes at offset read-only; the mapping starts at the page
// below offset.
func mapFile(fd uintptr, offset int64, length int) ([]byte, func() error, error) {
	lead := int(offset % int64(unix.Getpagesize()))
	all, err := unix.Mmap(int(fd), offset-int64(lead), lead+length, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return all[lead:], func() error { return unix.Munmap(all) }, nil
}

// regularSize is the length of a regular file; anything else is an error.
func regularSize(fd uintptr) (int64, error) {
	var s unix.Stat_t
	if err := unix.Fstat(int(fd), &s); err != nil {
		return 0, err
	}
	if s.Mode&unix.S_IFMT != unix.S_IFREG {
		return 0, fmt.Errorf("not a regular file: %w", ErrNotArchive)
	}
	return s.Size, nil
}
