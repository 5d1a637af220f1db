package model

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/libneedle/libneedle/cact"
)

func bitsOf(x []float32) []uint32 {
	b := make([]uint32, len(x))
	for i, v := range x {
		b[i] = math.Float32bits(v)
	}
	return b
}

// everyLogit feeds ids one at a time and returns the logits' bits of each
// position: the definition that all other ways of feeding must meet.
func everyLogit(t *testing.T, m *Model, o SessionOptions, sink int, ids []int32) [][]uint32 {
	t.Helper()
	s := m.NewSession(o)
	defer s.Close()
	if err := s.SetSink(sink); err != nil {
		t.Fatal(err)
	}
	var all [][]uint32
	for _, id := range ids {
		feed(t, s, id)
		all = append(all, bitsOf(logitsOf(t, s)))
	}
	return all
}

func randomIDs(r *rand.Rand, m *Model, n int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(r.IntN(m.Geometry().VocabSize))
	}
	return ids
}

// TestBitsDoNotDependOnTheCut splits sequences at random, runs them on 1, 2
// and 3 threads, takes and restores snapshots and marks on the way, and wants the bits of
// token-by-token feeding. The sequences, and so the bits, differ from tier to
// tier: TestTiersGiveTheSameBits compares those.
func TestBitsDoNotDependOnTheCut(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	cases, tiers := []string{"tiny", "odd", "cq4", "mixed"}, supportedTiers()
	if testing.Short() {
		cases, tiers = cases[1:2], []string{""}
	}
	for _, tier := range tiers {
		for _, name := range cases {
			m := newModel(t, openStored(t, name).archive, Options{SIMD: tier})
			for _, o := range []SessionOptions{{}, {Window: 12}, {Window: 40}} {
				cutAtRandom(t, r, m, name+" on "+tier, o)
			}
		}
	}
}

func cutAtRandom(t *testing.T, r *rand.Rand, m *Model, name string, o SessionOptions) {
	t.Helper()
	sink := r.IntN(50)
	ids := randomIDs(r, m, 100)
	want := everyLogit(t, m, o, sink, ids)
	for threads := 1; threads <= 3; threads++ {
		o.Threads = threads
		s := m.NewSession(o)
		s.pool.least = 0 // share every region, however small
		if err := s.SetSink(sink); err != nil {
			t.Fatal(err)
		}
		var saved *Snapshot
		for at := 0; at < len(ids); {
			n := min(1+r.IntN(1+r.IntN(80)), len(ids)-at)
			feed(t, s, ids[at:at+n]...)
			at += n
			if !slices.Equal(bitsOf(logitsOf(t, s)), want[at-1]) {
				t.Fatalf("%s, window %d, sink %d, %d threads: other bits at position %d", name, o.Window, sink, threads, at-1)
			}
			if r.IntN(6) == 0 {
				growForks(t, r, s, ids[at:], want[at-1:])
			}
			switch {
			case saved == nil && r.IntN(3) == 0:
				saved = s.Snapshot()
			case saved != nil && r.IntN(3) == 0: // back, also into a new session
				if r.IntN(2) == 0 {
					s.Close()
					s = m.NewSession(o)
					s.pool.least = 0
				}
				if err := s.Restore(saved); err != nil {
					t.Fatal(err)
				}
				at, saved = saved.Len(), nil
				if !slices.Equal(bitsOf(logitsOf(t, s)), want[at-1]) {
					t.Fatalf("%s: other bits after a restore at position %d", name, at)
				}
			}
		}
		s.Close()
	}
}

// TestAThousandRepeatsGiveTheSameBits feeds five tokens a thousand times, at once and one
// by one, on goroutines that share them anew each time.
func TestAThousandRepeatsGiveTheSameBits(t *testing.T) {
	c := openStored(t, "odd")
	for _, tier := range supportedTiers() {
		s := newModel(t, c.archive, Options{SIMD: tier}).NewSession(SessionOptions{Threads: 3})
		s.pool.least = 0
		feed(t, s, c.prompt[:20]...)
		start := s.Snapshot()
		var want []uint32
		for i := range 1000 {
			if err := s.Restore(start); err != nil {
				t.Fatal(err)
			}
			for at, n := 20, 1+i%2*4; at < 25; at += n {
				feed(t, s, c.prompt[at:at+n]...)
			}
			got := bitsOf(logitsOf(t, s))
			if i == 0 {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s: run %d gives other bits", tier, i)
			}
		}
		s.Close()
	}
}

// TestHeadsDoNotDependOnTheCut is the same for pools and cells.
func TestHeadsDoNotDependOnTheCut(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	m := newModel(t, openStored(t, "mixed").archive, Options{})
	ids := randomIDs(r, m, 100)
	read := func(threads int, parts ...int) (bits []uint32) {
		s := m.NewSession(SessionOptions{Threads: threads})
		defer s.Close()
		s.pool.least = 0
		at := 0
		for _, n := range parts {
			feed(t, s, ids[at:at+n]...)
			at += n
		}
		for _, code := range m.Heads() {
			pool, output, err := s.Head(code)
			if err != nil {
				t.Fatal(err)
			}
			bits = append(append(bits, bitsOf(pool)...), bitsOf(output)...)
		}
		return append(bits, bitsOf(s.Cells())...)
	}
	want := read(1, slices.Repeat([]int{1}, 100)...)
	for threads := 1; threads <= 3; threads++ {
		if got := read(threads, 100); !slices.Equal(got, want) {
			t.Errorf("%d threads, one call: other bits", threads)
		}
		if got := read(threads, 7, 40, 1, 52); !slices.Equal(got, want) {
			t.Errorf("%d threads, four calls: other bits", threads)
		}
	}
}

// TestDepthEqualsSlicedFile runs each stored slice beside the same depth of the
// whole archive.
func TestDepthEqualsSlicedFile(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	compared := 0
	for _, name := range []string{"tiny", "odd", "cq4"} {
		c := openStored(t, name)
		for depth, path := range c.slices {
			cut := newModel(t, c.archive, Options{Depth: depth})
			file := newModel(t, openFile(t, path), Options{})
			ids := randomIDs(r, cut, 60)
			if a, b := everyLogit(t, cut, SessionOptions{}, 0, ids), everyLogit(t, file, SessionOptions{}, 0, ids); !slices.EqualFunc(a, b, slices.Equal) {
				t.Errorf("%s depth %d: bits differ from the sliced file", name, depth)
			}
			compared++
		}
	}
	if compared < 8 {
		t.Errorf("compared %d slices, expected at least 8", compared)
	}
}

func TestMappedEqualsBytes(t *testing.T) {
	c := openStored(t, "tiny")
	ids := c.prompt[:80]
	a := everyLogit(t, newModel(t, c.archive, Options{}), SessionOptions{}, 0, ids)
	b := everyLogit(t, newModel(t, openFile(t, filepath.Join(c.folder, "model.cact")), Options{}), SessionOptions{}, 0, ids)
	if !slices.EqualFunc(a, b, slices.Equal) {
		t.Error("bits differ between mmap and bytes")
	}
}

// TestBitsSeeOneWeight is the negative control of the comparisons above: one
// changed bit of one weight changes the bits of the logits.
func TestBitsSeeOneWeight(t *testing.T) {
	c := openStored(t, "tiny")
	ids := c.prompt[:20]
	want := everyLogit(t, newModel(t, c.archive, Options{}), SessionOptions{}, 0, ids)
	c.data[c.archive.Lookup("layers.2.v_proj").Offset] ^= 1
	got := everyLogit(t, newModel(t, openBytes(t, c.data), Options{}), SessionOptions{}, 0, ids)
	if slices.EqualFunc(got, want, slices.Equal) {
		t.Error("a flipped weight bit leaves all logits' bits as they were")
	}
}

func TestAppendRefusesAndKeepsTheState(t *testing.T) {
	c := openStored(t, "tiny")
	m := newModel(t, c.archive, Options{})
	s := m.NewSession(SessionOptions{Window: 20})
	defer s.Close()
	ids := c.prompt
	feed(t, s, ids[:50]...)
	want := bitsOf(logitsOf(t, s))

	background := context.Background()
	if err := s.Append(background, []int32{1, 512}); err == nil {
		t.Error("an id beyond the vocabulary was accepted")
	}
	if err := s.Append(background, []int32{-1}); err == nil {
		t.Error("a negative id was accepted")
	}
	if err := s.Append(background, make([]int32, 207)); err == nil {
		t.Error("more tokens than the context holds were accepted")
	}
	cancelled, cancel := context.WithCancel(background)
	cancel()
	if err := s.Append(cancelled, ids[50:60]); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled context: %v", err)
	}
	if err := s.Append(&cancelAfter{Context: background, looks: 3}, ids[50:200]); !errors.Is(err, context.Canceled) {
		t.Errorf("context cancelled on the way: %v", err)
	}
	if s.Len() != 50 || !slices.Equal(bitsOf(logitsOf(t, s)), want) {
		t.Errorf("refused calls changed the state: %d positions", s.Len())
	}
	if err := s.SetSink(10); err == nil {
		t.Error("a sink below what was fed was accepted")
	}
	if _, _, err := s.Head(cact.HeadCode(1)); err == nil {
		t.Error("a head that the archive lacks was read")
	}
}

// cancelAfter is cancelled from the given look on.
type cancelAfter struct {
	context.Context
	looks int
}

func (c *cancelAfter) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestRestoreRefusesOtherSnapshots gives a session what was not taken from its
// like.
func TestRestoreRefusesOtherSnapshots(t *testing.T) {
	tiny, odd := openStored(t, "tiny"), openStored(t, "odd")
	m := newModel(t, tiny.archive, Options{})
	s := m.NewSession(SessionOptions{Window: 16})
	feed(t, s, tiny.prompt[:20]...)
	want := bitsOf(logitsOf(t, s))
	for name, other := range map[string]*Session{
		"archive": newModel(t, odd.archive, Options{}).NewSession(SessionOptions{Window: 16}),
		"depth":   newModel(t, tiny.archive, Options{Depth: 3}).NewSession(SessionOptions{Window: 16}),
		"form":    newModel(t, tiny.archive, Options{Exact: true}).NewSession(SessionOptions{Window: 16}),
		"window":  m.NewSession(SessionOptions{Window: 17}),
		"heads":   m.NewSession(SessionOptions{Window: 16, NoHeads: true}),
	} {
		feed(t, other, 2, 5)
		if err := s.Restore(other.Snapshot()); err == nil {
			t.Errorf("a snapshot of another %s is restored", name)
		}
	}
	if err := s.Restore(nil); err == nil {
		t.Error("nil is restored")
	}
	if !slices.Equal(bitsOf(logitsOf(t, s)), want) {
		t.Error("a refused snapshot changed the state")
	}
	again := newModel(t, tiny.archive, Options{}).NewSession(SessionOptions{Window: 16})
	if err := again.Restore(s.Snapshot()); err != nil || !slices.Equal(bitsOf(logitsOf(t, again)), want) {
		t.Errorf("a snapshot of the same archive and depth: %v", err)
	}
}

func TestDepthOutOfRange(t *testing.T) {
	a := openStored(t, "tiny").archive
	for _, depth := range []int{-1, 1, 7, math.MaxInt} {
		if _, err := New(a, Options{Depth: depth}); err == nil {
			t.Errorf("depth %d was accepted", depth)
		}
	}
}

func TestNoAllocationPerToken(t *testing.T) {
	c := openStored(t, "mixed")
	m := newModel(t, c.archive, Options{})
	s := m.NewSession(SessionOptions{Window: 16, Threads: 2})
	defer s.Close()
	s.pool.least = 0
	feed(t, s, c.prompt[:100]...)
	ctx := context.Background()
	one := []int32{77}
	if n := testing.AllocsPerRun(50, func() {
		if err := s.Append(ctx, one); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Logits(); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%g allocations per token", n)
	}
}

// TestSessionsShareASnapshot takes a prefix on in several sessions at once, one of them the
// prefix's own: they share its keys and values, and each has the bits of a session by itself.
func TestSessionsShareASnapshot(t *testing.T) {
	m := newModel(t, openStored(t, "mixed").archive, Options{})
	r := rand.New(rand.NewPCG(51, 52))
	for _, o := range []SessionOptions{{}, {Window: 12}, {Window: 40, Threads: 2}} {
		const prefix, sink = 70, 60
		start := randomIDs(r, m, prefix)
		s := m.NewSession(o)
		if err := s.SetSink(sink); err != nil {
			t.Fatal(err)
		}
		feed(t, s, start[:33]...)
		early := s.Snapshot() // what is shared grows
		feed(t, s, start[33:]...)
		n := s.Snapshot()
		sessions := []*Session{s, m.NewSession(o), m.NewSession(o)}
		feed(t, sessions[2], randomIDs(r, m, 90)...) // it has keys and values of its own, and more
		feed(t, sessions[1], randomIDs(r, m, 5)...)
		if err := sessions[1].Restore(early); err != nil {
			t.Fatal(err)
		}
		all := sync.WaitGroup{}
		for i, s := range sessions {
			ids := append(slices.Clone(start), randomIDs(r, m, 60)...)
			want := everyLogit(t, m, o, sink, ids)
			if i > 0 {
				if err := s.Restore(n); err != nil {
					t.Fatal(err)
				}
			}
			if kv := &s.kv.layers[0][0]; len(kv.sharedKey) == 0 || &kv.sharedKey[0] != &n.kv[0][0].sharedKey[0] {
				t.Errorf("window %d: session %d shares %d bytes of keys with the snapshot, or others", o.Window, i, len(kv.sharedKey))
			}
			all.Go(func() {
				defer s.Close()
				for at := prefix; at < len(ids); at += 5 {
					feed(t, s, ids[at:at+5]...)
					if !slices.Equal(bitsOf(logitsOf(t, s)), want[at+4]) {
						t.Errorf("window %d, session %d: other bits at position %d", o.Window, i, at+4)
						return
					}
				}
			})
		}
		all.Wait()
	}
}

// TestChunks wants chunks that fit into the rows of all goroutines at a time, and leave none of
// them without work.
func TestChunks(t *testing.T) {
	for goroutines := 1; goroutines <= MaxThreads; goroutines++ {
		for n := 1; n <= blockTokens; n++ {
			chunk := chunkOf(n, goroutines)
			if chunk == 0 {
				continue
			}
			if pieces := (n + chunk - 1) / chunk; chunk*min(goroutines, pieces) > blockTokens || pieces < min(goroutines, n/(mostInChunk/2)) {
				t.Errorf("%d tokens on %d goroutines go in chunks of %d", n, goroutines, chunk)
			}
		}
	}
}

// TestSnapshotKeepsNoCapacity takes snapshots of few positions from a session that had many: they
// keep none of its memory but what they need.
func TestSnapshotKeepsNoCapacity(t *testing.T) {
	c := openStored(t, "mixed")
	s := newModel(t, c.archive, Options{}).NewSession(SessionOptions{NoHeads: true})
	defer s.Close()
	feed(t, s, c.prompt[:4]...)
	short := s.Snapshot()
	s.kv.reserve(20_000, 0, 0)
	var kept []*Snapshot
	before := heapInUse()
	for range 4 {
		feed(t, s, c.prompt[4:16]...)
		kept = append(kept, s.Snapshot())
		if err := s.Restore(short); err != nil {
			t.Fatal(err)
		}
	}
	if more := heapInUse() - before; more > 1<<20 {
		t.Errorf("%d snapshots of %d positions hold %d bytes", len(kept), kept[0].Len(), more)
	}
	runtime.KeepAlive(kept)
}

func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestRestoreAllocatesNothing goes to and fro between snapshots that share more and less.
func TestRestoreAllocatesNothing(t *testing.T) {
	c := openStored(t, "mixed")
	s := newModel(t, c.archive, Options{}).NewSession(SessionOptions{NoHeads: true})
	defer s.Close()
	feed(t, s, c.prompt[:20]...)
	a := s.Snapshot()
	feed(t, s, c.prompt[20:60]...)
	b := s.Snapshot()
	if n := testing.AllocsPerRun(20, func() { s.Restore(a); s.Restore(b) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
}
