//go:build !cgo || !unix

package main

import "errors"

// officialHost needs the C linker.
type officialHost struct {
	Library string `arg:""`
	Archive string `arg:""`
}

func (*officialHost) Run(console) error {
	return errors.New("this build cannot load other libraries: build the command with cgo on a Unix system (CGO_ENABLED=1)")
}
