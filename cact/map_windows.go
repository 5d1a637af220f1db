package cact

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// granularity is what a view's offset must be a multiple of.
const granularity = 64 << 10

// mapFile maps length bytes at offset read-only.
func mapFile(fd uintptr, offset int64, length int) ([]byte, func() error, error) {
	mapping, err := windows.CreateFileMapping(windows.Handle(fd), nil, windows.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, nil, err
	}
	defer windows.CloseHandle(mapping) // the view keeps it alive
	lead := int(offset % granularity)
	start := offset - int64(lead)
	view, err := windows.MapViewOfFile(mapping, windows.FILE_MAP_READ, uint32(start>>32), uint32(start), uintptr(lead+length))
	if err != nil {
		return nil, nil, err
	}
	all := unsafe.Slice(*(**byte)(unsafe.Pointer(&view)), lead+length)
	return all[lead:], func() error { return windows.UnmapViewOfFile(view) }, nil
}

// regularSize is the length of a regular file; anything else is an error.
func regularSize(fd uintptr) (int64, error) {
	kind, err := windows.GetFileType(windows.Handle(fd))
	if err != nil {
		return 0, err
	}
	var info windows.ByHandleFileInformation
	if kind != windows.FILE_TYPE_DISK {
		return 0, fmt.Errorf("not a regular file: %w", ErrNotArchive)
	}
	if err := windows.GetFileInformationByHandle(windows.Handle(fd), &info); err != nil {
		return 0, err
	}
	if info.FileAttributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0 {
		return 0, fmt.Errorf("a directory: %w", ErrNotArchive)
	}
	return int64(info.FileSizeHigh)<<32 | int64(info.FileSizeLow), nil
}
