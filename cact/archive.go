package cact

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/libneedle/libneedle/simd"
)

// Archive is an open, checked container. Its memory is read-only.
type Archive struct {
	data      []byte
	geometry  Geometry
	codebooks [codebookLen]float32
	records   []*Record
	byRole    map[string]*Record
	heads     []HeadCode

	closeOnce sync.Once
	unmap     func() error // nil for bytes
	closeErr  error
	hashOnce  sync.Once
	hash      [sha256.Size]byte
}

// Open maps and checks the file at path, which must be a regular file.
func Open(path string) (*Archive, error) {
	// Looked at before it is opened: opening a pipe would wait for a writer.
	if err := checkRegular(os.Stat(path)); err != nil {
		return nil, fmt.Errorf("cact: %s: %w", path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cact: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err := checkRegular(info, err); err != nil {
		return nil, fmt.Errorf("cact: %s: %w", path, err)
	}
	a, err := openMapped(f.Fd(), 0, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

// checkRegular takes the results of a Stat.
func checkRegular(info os.FileInfo, err error) error {
	switch {
	case err != nil:
		var path *os.PathError
		if errors.As(err, &path) {
			return path.Err // the caller names the path
		}
		return err
	case info.IsDir():
		return fmt.Errorf("a directory: %w", ErrNotArchive)
	case !info.Mode().IsRegular():
		return fmt.Errorf("not a regular file: %w", ErrNotArchive)
	}
	return nil
}

// OpenFD maps and checks length bytes at offset of an open descriptor (on
// Windows a handle) of a regular file, such as an uncompressed asset inside an
// application package. The descriptor stays the caller's and may be closed
// afterwards.
func OpenFD(fd uintptr, offset, length int64) (*Archive, error) {
	size, err := regularSize(fd)
	if err != nil {
		return nil, fmt.Errorf("cact: descriptor %d: %w", fd, err)
	}
	if offset < 0 || length < 0 || offset > size || length > size-offset {
		return nil, fmt.Errorf("cact: descriptor %d: %d bytes at offset %d are not within the %d bytes of the file", fd, length, offset, size)
	}
	return openMapped(fd, offset, length)
}

// maxMapping leaves room below the largest int for the start of the page.
const maxMapping = math.MaxInt - 1<<20

func openMapped(fd uintptr, offset, length int64) (a *Archive, err error) {
	if length == 0 {
		return nil, fmt.Errorf("cact: the file is empty: %w", ErrNotArchive)
	}
	if length > maxMapping {
		return nil, fmt.Errorf("cact: %d bytes do not fit this machine's memory", length)
	}
	data, unmap, err := mapFile(fd, offset, int(length))
	if err != nil {
		return nil, fmt.Errorf("cact: map %d bytes at offset %d: %w", length, offset, err)
	}
	// Also when the caller has faults as panics and the file shrinks meanwhile.
	defer func() {
		if a == nil {
			err = errors.Join(err, unmap())
		}
	}()
	a, err = OpenBytes(data)
	if err != nil {
		return nil, err
	}
	a.unmap = unmap
	return a, nil
}

// OpenBytes checks an archive in memory. It keeps data, which must not change
// while the archive is used.
func OpenBytes(data []byte) (*Archive, error) {
	a := &Archive{data: data, byRole: map[string]*Record{}}
	count, err := a.readHeader()
	if err != nil {
		return nil, err
	}
	if err := a.readDirectory(count); err != nil {
		return nil, err
	}
	if err := a.checkValues(); err != nil {
		return nil, err
	}
	return a, nil
}

// readHeader checks everything before the directory, and that the directory is
// inside the file; it returns the number of records.
func (a *Archive) readHeader() (int, error) {
	if len(a.data) < 4 {
		return 0, fmt.Errorf("cact: %d bytes: %w", len(a.data), ErrNotArchive)
	}
	switch tag := binary.LittleEndian.Uint32(a.data); tag {
	case tagNeedle3:
	case tagNeedle2:
		return 0, fmt.Errorf("cact: %w", ErrNeedle2)
	default:
		return 0, fmt.Errorf("cact: the file starts with %#08x, expected the tag %#08x: %w", tag, tagNeedle3, ErrNotArchive)
	}
	if len(a.data) < headerSize+4*codebookLen {
		return 0, fmt.Errorf("cact: the file ends after %d bytes, inside its header: %w", len(a.data), ErrNotArchive)
	}
	r := headerReader{data: a.data}
	count := r.number(fieldRecords, 1, maxRecords)
	r.number(fieldCodebooks, codebookLen, codebookLen)
	if r.err != nil {
		return 0, r.err
	}
	if need := headerSize + 4*codebookLen + count*recordSize; len(a.data) < need {
		return 0, fmt.Errorf("cact: the file ends after %d bytes, inside the directory of %d records: %w", len(a.data), count, ErrNotArchive)
	}
	var err error
	if a.geometry, err = parseHeader(a.data); err != nil {
		return 0, err
	}
	if a.codebooks, err = parseCodebooks(a.data[headerSize:]); err != nil {
		return 0, err
	}
	return count, a.checkComplete(count)
}

// checkComplete finds a file that was cut short, the commonest fault, by its
// last record alone. Any other fault of that record is left to its turn.
func (a *Archive) checkComplete(count int) error {
	e := readEntry(a.data[headerSize+4*codebookLen+(count-1)*recordSize:])
	length := uint64(len(a.data))
	if DType(e.dtype) != RawRecord || e.ndim != 0 || e.offset%alignment != 0 || e.offset > math.MaxInt64 || e.size > math.MaxInt64 {
		return nil
	}
	if end := e.offset + e.size; end > length {
		return fmt.Errorf("cact: the file ends after %d bytes, its last record after %d: %w", length, end, ErrNotArchive)
	}
	return nil
}

// directory walks the records in order.
type directory struct {
	a     *Archive
	count int
	end   int64 // of the previous blob
}

func (d *directory) next(w want) (*Record, error) {
	index := len(d.a.records)
	if index >= d.count {
		return nil, &RecordError{index, w.role, w.dtype.String(), "the end of the directory"}
	}
	r, err := w.check(index, d.entry(index), d.end, int64(len(d.a.data)))
	if err != nil {
		return nil, err
	}
	for _, b := range d.a.data[d.end:r.Offset] {
		if b != 0 {
			return nil, r.fail("zero bytes between the blobs", "%#x", b)
		}
	}
	r.blob = d.a.data[r.Offset : r.Offset+r.Size : r.Offset+r.Size]
	d.end = r.Offset + r.Size
	d.a.records = append(d.a.records, r)
	d.a.byRole[r.Role] = r
	return r, nil
}

func (d *directory) entry(index int) entry {
	return readEntry(d.a.data[headerSize+4*codebookLen+index*recordSize:])
}

func (a *Archive) readDirectory(count int) error {
	d := &directory{a: a, count: count, end: int64(headerSize + 4*codebookLen + count*recordSize)}
	body := wantBody(a.geometry)
	if err := d.checkCount(len(body) + 1); err != nil {
		return err
	}
	for _, w := range body {
		if _, err := d.next(w); err != nil {
			return err
		}
	}
	if err := a.checkConditioning(); err != nil {
		return err
	}
	if len(a.records) < count-1 && !d.isSpeech(len(a.records)) {
		if err := d.readHeads(); err != nil {
			return err
		}
	}
	if d.isSpeech(len(a.records)) {
		return fmt.Errorf("cact: record %d (audio.manifest): %w", len(a.records), ErrSpeech)
	}
	if len(a.records) != count-1 {
		return &HeaderError{"num_tensors", fmt.Sprintf("%d for this geometry and its heads", len(a.records)+1), fmt.Sprint(count)}
	}
	if _, err := d.next(want{"tokenizer", RawRecord, []int{}}); err != nil {
		return err
	}
	if last := a.records[count-1]; d.end != int64(len(a.data)) {
		return last.fail(fmt.Sprintf("a blob up to the file's end at %d", len(a.data)), "its end at %d", d.end)
	}
	return nil
}

// checkCount wants the number of records without heads, which is bare, or with
// one of the sets of heads there are. A speech archive passes.
func (d *directory) checkCount(bare int) error {
	if d.count < bare {
		return &HeaderError{fieldNames[fieldRecords], fmt.Sprintf("at least %d for this geometry", bare), fmt.Sprint(d.count)}
	}
	const manifest, head, calibration = 1, 6, 1
	switch d.count - bare {
	case 0, manifest + head, manifest + head + calibration, manifest + 2*head, manifest + 2*head + calibration,
		manifest + 3*head + calibration:
		return nil
	}
	for i := bare - 1; i < d.count-1; i++ {
		if d.isSpeech(i) {
			return nil
		}
	}
	return &HeaderError{fieldNames[fieldRecords], fmt.Sprintf("%d for this geometry, or 7, 8, 13, 14 or 20 more for heads", bare), fmt.Sprint(d.count)}
}

// checkConditioning ties the free rank of the MLP's conditioning together.
func (a *Archive) checkConditioning() error {
	for l := range a.geometry.Layers {
		v, u := a.Lookup(fmt.Sprintf("layers.%d.cond_v", l)), a.Lookup(fmt.Sprintf("layers.%d.cond_u", l))
		if first := a.Lookup("layers.0.cond_v").Shape[1]; v.Shape[1] != first {
			return v.fail(fmt.Sprintf("rank %d, that of block 0", first), "rank %d", v.Shape[1])
		}
		if u.Shape[0] != v.Shape[1] {
			return u.fail(fmt.Sprintf("rank %d, that of cond_v", v.Shape[1]), "rank %d", u.Shape[0])
		}
	}
	return nil
}

// speechManifest is the first value of an audio manifest.
const speechManifest = 3246

// isSpeech says whether an entry of the directory is an audio manifest.
func (d *directory) isSpeech(index int) bool {
	if index >= d.count-1 {
		return false
	}
	e := d.entry(index)
	if DType(e.dtype) != FP32Record || e.ndim != 1 || e.shape[0] != 13 || e.size < 4 ||
		e.offset > uint64(len(d.a.data)) || e.size > uint64(len(d.a.data))-e.offset {
		return false
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(d.a.data[e.offset:])) == speechManifest
}

// readHeads reads the manifest and the heads it lists.
func (d *directory) readHeads() error {
	manifest, err := d.next(want{"heads.manifest", FP16Record, []int{anyLength}})
	if err != nil {
		return err
	}
	last := 0.0
	for _, v := range manifest.Float32s() {
		code := float64(v)
		if code != math.Trunc(code) || code <= last || code > float64(RouterHead) {
			return manifest.fail("ascending codes from 1 to 3", "%v", manifest.Float32s())
		}
		last = code
		if err := d.readHead(HeadCode(code)); err != nil {
			return err
		}
	}
	return nil
}

// readHead reads one head in either layout: CQ matrices, or all FP16 with
// three-dimensional probes.
func (d *directory) readHead(code HeadCode) error {
	wants := wantHead(code)
	if len(d.a.records) < d.count && DType(d.entry(len(d.a.records)).dtype) == FP16Record {
		for i := range wants {
			wants[i].dtype = FP16Record
		}
	}
	var r []*Record
	for _, w := range wants {
		record, err := d.next(w)
		if err != nil {
			return err
		}
		r = append(r, record)
	}
	if err := checkHead(d.a.geometry, r); err != nil {
		return err
	}
	d.a.heads = append(d.a.heads, code)
	return nil
}

// checkHead ties a head's shapes together: k probes, q queries, out outputs.
func checkHead(g Geometry, r []*Record) error {
	probes, gain, query, bias, proj, outBias := r[0], r[1], r[2], r[3], r[4], r[5]
	rows, d := g.Layers+1, g.Width
	if len(gain.Shape) != 2 || gain.Shape[0] != rows {
		return gain.fail(fmt.Sprintf("shape [%d k]", rows), "%v", gain.Shape)
	}
	k := gain.Shape[1]
	expected := [][]int{{rows * k, d}}
	if probes.DType == FP16Record {
		expected = [][]int{{rows, k, d}}
	}
	if len(query.Shape) != 2 {
		return query.fail(fmt.Sprintf("shape [q %d]", d), "%v", query.Shape)
	}
	q := query.Shape[0]
	if len(proj.Shape) != 2 {
		return proj.fail(fmt.Sprintf("shape [out %d]", q*d), "%v", proj.Shape)
	}
	out := proj.Shape[0]
	expected = append(expected, []int{rows, k}, []int{q, d}, []int{q, rows, k}, []int{out, q * d}, []int{out})
	for i, record := range []*Record{probes, gain, query, bias, proj, outBias} {
		if fmt.Sprint(record.Shape) != fmt.Sprint(expected[i]) {
			return record.fail(fmt.Sprintf("shape %v", expected[i]), "%v", record.Shape)
		}
	}
	if r[0].Role == "heads.confidence.probes" && out != 1 {
		return proj.fail("one output", "%d", out)
	}
	return nil
}

// checkValues looks at stored numbers: none may be NaN or infinite, the
// permutations must be such, and ternary crumbs must be codes there are.
func (a *Archive) checkValues() error {
	for _, r := range a.records {
		switch r.DType {
		case FP16Record:
			if err := r.checkHalves(r.blob, "value"); err != nil {
				return err
			}
		case FP32Record: // the two permutations
			if err := r.checkPermutation(); err != nil {
				return err
			}
		case CQRecord:
			cq := r.CQ()
			if err := r.checkHalves(cq.Norms, "norm"); err != nil {
				return err
			}
			if r.Bits == TernaryBits {
				if err := r.checkCrumbs(cq.Codes); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkHalves refuses exponents of all ones, four halves at a time. what is
// what a half is.
func (r *Record) checkHalves(halves []byte, what string) error {
	const exponents, ones = 0x7c007c007c007c00, 0x0400040004000400
	i := 0
	for ; i+8 <= len(halves); i += 8 {
		// Adding one to a full exponent carries into the sign bit.
		v := binary.LittleEndian.Uint64(halves[i:]) & exponents
		if (v+ones)&0x8000800080008000 != 0 {
			break
		}
	}
	for ; i+2 <= len(halves); i += 2 {
		if binary.LittleEndian.Uint16(halves[i:])&0x7c00 == 0x7c00 {
			return r.fail("finite values", "%g at %s %d", simd.HalfToFloat(binary.LittleEndian.Uint16(halves[i:])), what, i/2)
		}
	}
	return nil
}

func (r *Record) checkPermutation() error {
	values := r.Float32s()
	seen := make([]bool, len(values))
	for i, v := range values {
		if !(v >= 0 && v < float32(len(values))) || v != float32(int(v)) {
			return r.fail(fmt.Sprintf("whole numbers from 0 to %d", len(values)-1), "%g at value %d", v, i)
		}
		if seen[int(v)] {
			return r.fail("a permutation", "%g twice", v)
		}
		seen[int(v)] = true
	}
	return nil
}

// checkCrumbs refuses the crumb 2, which stands for nothing.
func (r *Record) checkCrumbs(codes []byte) error {
	const highs = 0xaaaaaaaaaaaaaaaa // the upper bit of each crumb
	i := 0
	for ; i+8 <= len(codes); i += 8 {
		if v := binary.LittleEndian.Uint64(codes[i:]); v&highs&^(v<<1) != 0 {
			break
		}
	}
	for ; i < len(codes); i++ {
		if b := codes[i]; b&0xaa&^(b<<1) != 0 {
			return r.fail("ternary crumbs 0, 1 and 3", "crumb 2 in byte %d", i)
		}
	}
	return nil
}

// Close unmaps a mapped archive; its records must not be used afterwards. It
// may be called more than once.
func (a *Archive) Close() error {
	a.closeOnce.Do(func() {
		if a.unmap != nil {
			a.closeErr = a.unmap()
		}
	})
	return a.closeErr
}

// Geometry is what the header says.
func (a *Archive) Geometry() Geometry { return a.geometry }

// Len is the number of records.
func (a *Archive) Len() int { return len(a.records) }

// Record returns record i of the directory, 0 <= i < Len.
func (a *Archive) Record(i int) *Record { return a.records[i] }

// Lookup returns the record of a role, nil when the archive has none.
func (a *Archive) Lookup(role string) *Record { return a.byRole[role] }

// Heads lists the probe heads in the manifest's order.
func (a *Archive) Heads() []HeadCode { return append([]HeadCode(nil), a.heads...) }

// Size is the archive's length in bytes.
func (a *Archive) Size() int64 { return int64(len(a.data)) }

// Hash is the SHA-256 of the archive, computed on first use.
func (a *Archive) Hash() [sha256.Size]byte {
	a.hashOnce.Do(func() { a.hash = sha256.Sum256(a.data) })
	return a.hash
}

// Codebook returns the points of a record width, a fresh copy: the file's for
// widths 2 to 4, the analytic ones for 1 and 5; nil for other widths.
func (a *Archive) Codebook(bits int) []float32 {
	switch bits {
	case 1:
		return analytic(-math.Sqrt(2/math.Pi), math.Sqrt(2/math.Pi))
	case 2:
		return append([]float32(nil), a.codebooks[:4]...)
	case 3:
		return append([]float32(nil), a.codebooks[4:12]...)
	case 4:
		return append([]float32(nil), a.codebooks[12:]...)
	case TernaryBits:
		return analytic(-1.2240064, 0, 1.2240064)
	}
	return nil
}

func analytic(points ...float64) []float32 {
	book := make([]float32, len(points))
	for i, p := range points {
		book[i] = float32(p / math.Sqrt(groupSize))
	}
	return book
}
