package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/libneedle/libneedle/cact"
)

// sliceCommand writes a shallower archive.
type sliceCommand struct {
	Layers int    `required:"" help:"Blocks to keep, 2 to the archive's own." placeholder:"N"`
	In     string `arg:"" help:"The archive."`
	Out    string `arg:"" help:"The file to write."`
	Force  bool   `help:"Overwrite the file."`
}

// Help is the long text of needle slice --help.
func (*sliceCommand) Help() string {
	return "Keeps the first and the last block, then midpoints of the largest gaps: every depth of the full " +
		"stack is a trained model. The rule bisects the stack it is given: a slice of a slice is in general " +
		"none of the full archive's rungs, so slice the full archive."
}

func (s *sliceCommand) Run(c console) error {
	a, err := cact.Open(s.In)
	if err != nil {
		return err
	}
	defer a.Close()
	switch info, err := os.Lstat(s.Out); {
	case s.Out == "":
		return errors.New("no name for the file to write")
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s exists and is not a regular file", s.Out)
	case err == nil && !s.Force:
		return fmt.Errorf("%s exists already; --force overwrites it", s.Out)
	}
	if err := s.write(a); err != nil {
		return err
	}
	layers := a.Geometry().Layers
	fmt.Fprintf(c.errOut, "needle: kept blocks %v of %d; if %s is a slice itself, the result is no rung of the full archive\n",
		cact.Ladder(layers, s.Layers), layers, s.In)
	return nil
}

// write goes through a temporary file, so that a failure leaves nothing behind.
func (s *sliceCommand) write(a *cact.Archive) (err error) {
	f, err := os.CreateTemp(filepath.Dir(s.Out), ".slice-*")
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			err = path.Err // the path is the temporary file's
		}
		return fmt.Errorf("%s cannot be written: %w", s.Out, err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	if err = a.Slice(w, s.Layers); err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync() // before the rename, or a crash could leave the name with a part of the data
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), s.Out)
	}
	return err
}
