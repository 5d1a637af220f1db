package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// A tool index file keeps the vectors of one session's tools. docs/tool-index.md describes it:
//
//	 0  magic, 8 bytes
//	 8  version, uint32
//	12  floats of a vector, uint32
//	16  vectors, uint32
//	20  zero, uint32
//	24  key: SHA-256 of what the vectors follow from
//	56  the vectors, float32
//	    SHA-256 of all before
//
// Numbers are little endian. A file is taken only when its length and everything but the vectors are what this
// session would write, so that nothing in it is trusted for a size.
const (
	indexMagic   = "ndltools"
	indexVersion = 1
	indexHeader  = 56
)

// toolIndex is the file of one set of tools.
type toolIndex struct {
	path       string
	header     []byte
	count, dim int
}

func newToolIndex(path string, key [sha256.Size]byte, count, dim int) *toolIndex {
	h := append(make([]byte, 0, indexHeader), indexMagic...)
	for _, n := range [...]int{indexVersion, dim, count, 0} {
		h = binary.LittleEndian.AppendUint32(h, uint32(n))
	}
	return &toolIndex{path, append(h, key[:]...), count, dim}
}

// size is the length of the file.
func (x *toolIndex) size() int64 { return indexHeader + 4*int64(x.count)*int64(x.dim) + sha256.Size }

// read returns the file's vectors, nil when it has not the right ones and is to be written. The error says why it
// must be left alone instead.
func (x *toolIndex) read() ([][]float32, error) {
	data, err := readRegular(x.path, x.size()+1)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	vectors := x.parse(data)
	if vectors == nil && !wasIndex(data) {
		return nil, fmt.Errorf("%s is no tool index and stays as it is", x.path)
	}
	return vectors, nil
}

// readRegular reads up to most bytes of a regular file.
func readRegular(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path) // before it is opened, since opening a pipe would wait for a writer
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// wasIndex says whether a file that has not the right vectors began as an index, whatever happened to it since. No
// other file is written over.
func wasIndex(data []byte) bool {
	if len(data) < len(indexMagic) {
		return bytes.HasPrefix([]byte(indexMagic), data)
	}
	wrong, zero := 0, 0
	for i := range indexMagic {
		if data[i] != indexMagic[i] {
			wrong++
		}
		if data[i] == 0 {
			zero++
		}
	}
	return wrong <= 1 || zero == len(indexMagic)
}

// parse returns the vectors in a file's bytes, nil when they are not an undamaged index of these tools.
func (x *toolIndex) parse(data []byte) [][]float32 {
	if int64(len(data)) != x.size() || !bytes.HasPrefix(data, x.header) {
		return nil
	}
	body := data[:len(data)-sha256.Size]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], data[len(body):]) {
		return nil
	}
	body = body[indexHeader:]
	vectors := make([][]float32, x.count)
	for i := range vectors {
		vectors[i] = make([]float32, x.dim)
		for j := range vectors[i] {
			vectors[i][j] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*(i*x.dim+j):]))
		}
		if length := dot(vectors[i], vectors[i]); !(math.Abs(length-1) < 1e-3) { // NaN too
			return nil
		}
	}
	return vectors
}

// bytes is the file of these vectors.
func (x *toolIndex) bytes(vectors [][]float32) []byte {
	data := append(make([]byte, 0, x.size()), x.header...)
	for _, v := range vectors {
		for _, f := range v {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f))
		}
	}
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// write puts the file in place whole, so that whoever reads it at the same time sees the old one or the new one.
func (x *toolIndex) write(vectors [][]float32) error {
	f, err := os.CreateTemp(filepath.Dir(x.path), "."+filepath.Base(x.path)+".*.tmp")
	var there *fs.PathError
	if errors.As(err, &there) { // its name says nothing to whoever asked for the index
		return fmt.Errorf("%s: %w", x.path, there.Err)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(x.bytes(vectors))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), x.path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
