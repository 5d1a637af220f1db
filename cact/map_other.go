//go:build !unix && !windows

package cact

import (
	"io"
	"syscall"
)

// mapFile reads the bytes where the system cannot map them. An os.File made of
// the descriptor would close it in the end, hence the system calls.
func mapFile(fd uintptr, offset int64, length int) ([]byte, func() error, error) {
	data := make([]byte, length)
	for done := 0; done < length; {
		n, err := syscall.Pread(int(fd), data[done:], offset+int64(done))
		if err != nil {
			return nil, nil, err
		}
		if n <= 0 {
			return nil, nil, io.ErrUnexpectedEOF
		}
		done += n
	}
	return data, func() error { return nil }, nil
}

// regularSize is the length of the file, found by seeking; what cannot be
// sought in is an error. The position is put back.
func regularSize(fd uintptr) (int64, error) {
	at, err := syscall.Seek(int(fd), 0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	size, err := syscall.Seek(int(fd), 0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	_, err = syscall.Seek(int(fd), at, io.SeekStart)
	return size, err
}
