package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/libneedle/libneedle/engine/prompt"
)

// indexOf is the index of a session's tools at a path.
func indexOf(t testing.TB, e *Engine, path string, names ...string) *toolIndex {
	t.Helper()
	tools, err := prompt.ParseTools(catalogue(names...))
	if err != nil {
		t.Fatal(err)
	}
	dim, err := e.EmbedDim()
	if err != nil {
		t.Fatal(err)
	}
	return newToolIndex(path, e.indexKey(tools.Tools()), tools.Len(), dim)
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// withIndex begins a session of an engine that keeps nothing in memory yet, and checks its vectors.
func withIndex(t testing.TB, e *Engine, path string, names ...string) *Session {
	t.Helper()
	e.weights.vectors = newVectorCache(mostVectorFloats)
	s := begin(t, e, SessionOptions{Tools: catalogue(names...), ToolIndex: path})
	for i, tool := range s.retrieval.tools.Tools() {
		want, err := e.Embed(background, tool.Text)
		if err != nil || !slices.Equal(s.retrieval.vectors[i], want) {
			t.Errorf("the vector of %s is wrong, %v", tool.Caller, err)
		}
	}
	return s
}

func onlyFile(t testing.TB, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 || entries[0].Name() != filepath.Base(path) {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

func TestRetrievalIndexIsWrittenAndRead(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	path := filepath.Join(t.TempDir(), "index")
	if s := withIndex(t, e, path, home...); s.Notes() != nil {
		t.Errorf("notes %q", s.Notes())
	}
	first := readFile(t, path)
	if len(first) != 56+8*96*4+32 || string(first[:8]) != "ndltools" || !bytes.Equal(first[8:24], []byte{1, 0, 0, 0, 96, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("%d bytes, header %q", len(first), first[:24])
	}
	v, err := e.Embed(background, `{"name":"lamp","parameters":{"properties":{}}}`)
	if err != nil || binary.LittleEndian.Uint32(first[56:]) != math.Float32bits(v[0]) {
		t.Errorf("the first float is not that of the first tool's vector, %v", err)
	}
	onlyFile(t, path)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	// Another engine takes the vectors without computing any.
	other := openRetriever(t, 0, Options{})
	tools, err := prompt.ParseTools(catalogue(home...))
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{engine: other, selection: selection{tools: tools}}
	cancelled, cancel := context.WithCancel(background)
	cancel()
	if vectors, err := s.toolVectors(cancelled, path); err != nil || len(vectors) != 8 || s.notes != nil {
		t.Errorf("a hit computes: %v", err)
	}
	if vectors, err := s.toolVectors(cancelled, ""); err != nil || len(vectors) != 8 {
		t.Errorf("what was read is not kept in memory: %v", err)
	}
	withIndex(t, e, path, home...)
	if after, err := os.Stat(path); err != nil || after.ModTime() != info.ModTime() || !os.SameFile(info, after) {
		t.Errorf("an index that was right was written again, %v", err)
	}
	// Vectors in memory are written all the same.
	again := filepath.Join(t.TempDir(), "again")
	begin(t, e, SessionOptions{Tools: catalogue(home...), ToolIndex: again})
	if !bytes.Equal(readFile(t, again), first) {
		t.Error("the same tools gave another file")
	}
}

// Whatever changes what vectors follow from makes an index stale.
func TestRetrievalIndexIsStale(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	path := filepath.Join(t.TempDir(), "index")
	changed := func(what string, e *Engine, names ...string) {
		t.Helper()
		before := readFile(t, path)
		if s := withIndex(t, e, path, names...); s.Notes() != nil {
			t.Errorf("%s: notes %q", what, s.Notes())
		}
		after := readFile(t, path)
		if bytes.Equal(before, after) {
			t.Errorf("%s: the file was not written again", what)
		}
		if indexOf(t, e, path, names...).parse(after) == nil {
			t.Errorf("%s: the file is not that of these tools", what)
		}
		onlyFile(t, path)
	}
	withIndex(t, e, path, home...)
	changed("another name", e, append(slices.Clone(home[:7]), "windows")...)
	changed("another order", e, "timer", "lamp", "music", "door", "heating", "camera", "alarm", "windows")
	changed("fewer tools", e, home[:6]...)
	changed("the first tools", e, home...)
	shallow, err := e.AtDepth(2)
	if err != nil {
		t.Fatal(err)
	}
	defer shallow.Close()
	changed("another depth", shallow, home...)
	changed("another archive", openRetriever(t, 64, Options{}), home...)
	changed("other arithmetic", openRetriever(t, 64, Options{Exact: true}), home...)
}

func TestRetrievalIndexKeyKeepsTextsApart(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	seen := map[[32]byte]string{}
	for _, texts := range [][]string{{"ab", "c"}, {"a", "bc"}, {"abc"}, {"abc", ""}, {"", "abc"}, {}, {""}, {"c", "ab"}} {
		var tools []prompt.Tool
		for _, text := range texts {
			tools = append(tools, prompt.Tool{Text: text})
		}
		key := e.indexKey(tools)
		if other, ok := seen[key]; ok {
			t.Errorf("%q and %s have one key", texts, other)
		}
		seen[key] = fmt.Sprintf("%q", texts)
	}
}

func TestRetrievalIndexIsDamaged(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	path := filepath.Join(t.TempDir(), "index")
	withIndex(t, e, path, home[:6]...)
	whole := readFile(t, path)
	x := indexOf(t, e, path, home[:6]...)
	if x.parse(whole) == nil {
		t.Fatal("the file itself is not read")
	}
	resealed := func(edit func(b []byte)) []byte {
		b := bytes.Clone(whole)
		edit(b)
		sum := sha256.Sum256(b[:len(b)-32])
		return append(b[:len(b)-32], sum[:]...)
	}
	damaged := map[string][]byte{
		"empty": {}, "zeros": make([]byte, len(whole)), "longer": append(bytes.Clone(whole), 0),
		"twice": append(bytes.Clone(whole), whole...), "half the magic": whole[:4],
	}
	for i, word := range []int{8, 12, 16, 20} {
		for _, n := range []uint32{0, 1 << 31, math.MaxUint32, 7, 97} {
			damaged[fmt.Sprintf("word %d is %d", i, n)] = resealed(func(b []byte) { binary.LittleEndian.PutUint32(b[word:], n) })
		}
	}
	for _, bits := range []uint32{math.Float32bits(float32(math.NaN())), math.Float32bits(float32(math.Inf(1))), math.Float32bits(2)} {
		damaged[fmt.Sprintf("a float is %08x", bits)] = resealed(func(b []byte) { binary.LittleEndian.PutUint32(b[60:], bits) })
	}
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 1 << (i % 8)
		if x.parse(flipped) != nil || !wasIndex(flipped) {
			t.Errorf("byte %d flipped: taken %v, recognised %v", i, x.parse(flipped) != nil, wasIndex(flipped))
		}
		if i%331 == 0 || i == len(whole)-1 {
			damaged[fmt.Sprintf("byte %d flipped", i)] = flipped
		}
		if x.parse(whole[:i]) != nil || !wasIndex(whole[:i]) {
			t.Errorf("cut to %d bytes: taken %v, recognised %v", i, x.parse(whole[:i]) != nil, wasIndex(whole[:i]))
		}
		if i%331 == 0 {
			damaged[fmt.Sprintf("cut to %d bytes", i)] = whole[:i]
		}
	}
	for name, data := range damaged {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if s := withIndex(t, e, path, home[:6]...); s.Notes() != nil {
			t.Errorf("%s: notes %q", name, s.Notes())
		}
		if !bytes.Equal(readFile(t, path), whole) {
			t.Errorf("%s: the file was not written again", name)
		}
	}
	onlyFile(t, path)
}

// What can't be used is noted, and other people's files stay as they are.
func TestRetrievalIndexThatCannotBeKept(t *testing.T) {
	e := openRetriever(t, 0, Options{})
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	paths := map[string]string{
		"missing folder":   filepath.Join(dir, "missing", "index"),
		"below a file":     filepath.Join(file("plain", "x"), "index"),
		"folder":           dir,
		"other file":       file("tools.json", catalogue(home...)),
		"short other file": file("short", "[]"),
		"archive":          file("model.cact", string(retrievalArchive(t, 0))),
		"NUL":              filepath.Join(dir, "a\x00b"),
		"long name":        filepath.Join(dir, strings.Repeat("x", 5000)),
	}
	if runtime.GOOS == "linux" {
		paths["read-only for everyone"] = "/proc/needle-index"
		paths["device"] = "/dev/null"
	}
	if os.Getuid() > 0 {
		locked := filepath.Join(dir, "locked")
		if err := os.Mkdir(locked, 0o500); err != nil {
			t.Fatal(err)
		}
		paths["read-only folder"] = filepath.Join(locked, "index")
		unreadable := file("unreadable", "ndltools")
		if err := os.Chmod(unreadable, 0); err != nil {
			t.Fatal(err)
		}
		paths["unreadable"] = unreadable
	}
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, path := range paths {
		s := withIndex(t, e, path, home...)
		if n := s.Notes(); len(n) != 1 || !strings.HasPrefix(n[0], "the tool index is not kept: ") || strings.Contains(n[0], "\n") {
			t.Errorf("%s: notes %q", name, n)
		}
		if r := sayUpTo(t, s, messages[0], 12); len(r.Retrieved) != 5 {
			t.Errorf("%s: retrieved %v", name, r.Retrieved)
		}
	}
	if after, err := os.ReadDir(dir); err != nil || len(after) != len(before) {
		t.Errorf("the folder has %v, it had %v", after, before)
	}
	if got := readFile(t, paths["other file"]); string(got) != catalogue(home...) {
		t.Errorf("the other file is now %q", got)
	}
}

func TestRetrievalIndexWithoutUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index")
	for _, c := range []struct {
		e     *Engine
		tools string
		want  string
	}{
		{openDemo(t, Options{}), catalogue(home...), "no embedding head"},
		{openRetriever(t, 0, Options{}), catalogue(home[:5]...), "from 6 on, and there are 5"},
		{openRetriever(t, 0, Options{}), "", "there are 0"},
	} {
		s := begin(t, c.e, SessionOptions{Tools: c.tools, ToolIndex: path})
		if n := s.Notes(); len(n) != 1 || !strings.HasPrefix(n[0], "the tool index is ignored: ") || !strings.Contains(n[0], c.want) {
			t.Errorf("notes %q", n)
		}
		if s := begin(t, c.e, SessionOptions{Tools: c.tools}); s.Notes() != nil {
			t.Errorf("without an index: notes %q", s.Notes())
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
}

// indexWriter in the environment makes TestRetrievalIndexWriter a process that writes an index again and again.
const indexWriter = "NEEDLE_TEST_INDEX"

func TestRetrievalIndexWriter(t *testing.T) {
	path := os.Getenv(indexWriter)
	if path == "" {
		t.Skip("a process of TestRetrievalIndexOfTwoProcesses")
	}
	e := openRetriever(t, 0, Options{})
	for i := range 40 {
		names := home[:6+(i+os.Getpid())%3]
		if s := withIndex(t, e, path, names...); s.Notes() != nil {
			t.Errorf("notes %q", s.Notes())
		}
	}
}

func TestRetrievalIndexOfTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index")
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			c := exec.Command(os.Args[0], "-test.run", "^TestRetrievalIndexWriter$")
			c.Env = append(os.Environ(), indexWriter+"="+path)
			if out, err := c.CombinedOutput(); err != nil || bytes.Contains(out, []byte("SKIP")) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	group.Wait()
	e := openRetriever(t, 0, Options{})
	data, whole := readFile(t, path), false
	for n := 6; n <= 8; n++ {
		whole = whole || indexOf(t, e, path, home[:n]...).parse(data) != nil
	}
	if !whole {
		t.Error("the file is of no set that was written")
	}
	onlyFile(t, path)
}

// An index that is taken is exactly what would be written for its vectors.
func FuzzToolIndex(f *testing.F) {
	key := sha256.Sum256([]byte("tools"))
	x := newToolIndex("", key, 3, 2)
	whole := x.bytes([][]float32{{1, 0}, {0, -1}, {0.6, 0.8}})
	f.Add(whole, false)
	f.Add(whole[:len(whole)-1], false)
	f.Add(append(bytes.Clone(whole), 0), true)
	f.Add([]byte{}, false)
	f.Add([]byte(indexMagic), true)
	for _, at := range []int{0, 8, 12, 16, 20, 24, 55, 56, 59, 63, len(whole) - 32, len(whole) - 1} {
		for _, sealed := range []bool{false, true} {
			b := bytes.Clone(whole)
			b[at] ^= 0x80
			f.Add(b, sealed)
		}
	}
	huge := bytes.Clone(whole)
	binary.LittleEndian.PutUint32(huge[12:], math.MaxUint32)
	binary.LittleEndian.PutUint32(huge[16:], math.MaxUint32)
	f.Add(huge, true)
	f.Fuzz(func(t *testing.T, data []byte, sealed bool) {
		if n := len(data) - sha256.Size; sealed && n >= 0 { // otherwise nothing gets past the checksum
			sum := sha256.Sum256(data[:n])
			data = append(data[:n:n], sum[:]...)
		}
		vectors := x.parse(data)
		wasIndex(data)
		if vectors == nil {
			return
		}
		if len(vectors) != 3 || !bytes.Equal(x.bytes(vectors), data) {
			t.Errorf("%x was taken as %v", data, vectors)
		}
		for _, v := range vectors {
			if n := norm(v); len(v) != 2 || !(math.Abs(n-1) < 1e-3) {
				t.Errorf("a vector is %v", v)
			}
		}
	})
}
