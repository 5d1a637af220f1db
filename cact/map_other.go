//go:build !unix && !windows

package cact

import (
	"io"
	"os"
)

// mapFile reads the bytes where the system cannot map them.
func mapFile(fd uintptr, offset int64, length int) ([]byte, func() error, error) {
	data := make([]byte, length)
	f := os.NewFile(fd, "archive")
	if _, err := f.ReadAt(data, offset); err != nil && err != io.EOF {
		return nil, nil, err
	}
	return data, func() error { return nil }, nil
}

func descriptorSize(fd uintptr) (int64, error) {
	info, err := os.NewFile(fd, "archive").Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
