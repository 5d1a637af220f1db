package bench

import (
	"context"
	"sync"
	"time"

	"github.com/libneedle/libneedle/simd"
)

// Roofline is what the machine does at best with a tier's instructions.
type Roofline struct {
	Tier        string    `json:"tier"`
	Threads     int       `json:"threads"`
	CachedBytes int       `json:"cached_bytes"`    // of the small buffer: the weights that a token reads
	DRAMBytes   int       `json:"dram_bytes"`      // of the large one, beyond the caches
	Cached      []float64 `json:"cached_gb_per_s"` // per repeat
	DRAM        []float64 `json:"dram_gb_per_s"`
	Peak        []float64 `json:"peak_g_mul_adds_per_s"` // integer multiply-adds
}

const (
	// readChunk and peakRounds keep a call of assembly short enough not to hold up the scheduler.
	readChunk  = 512 << 10
	peakRounds = 4096
)

// Rooflines measures read bandwidth and integer peak. The buffers are shared:
// each thread reads its own part.
type Rooflines struct {
	small, large []byte
	least        time.Duration // of one repeat
}

// NewRooflines makes the buffers.
func NewRooflines(cached, dram int, least time.Duration) *Rooflines {
	r := &Rooflines{make([]byte, cached), make([]byte, dram), least}
	for _, p := range [][]byte{r.small, r.large} {
		for i := range p { // untouched pages are all one page of zeros
			p[i] = byte(i)
		}
	}
	return r
}

// Measure adds repeats to a roofline of a tier and a number of threads, which
// are set.
func (r *Rooflines) Measure(ctx context.Context, to *Roofline, repeats int) error {
	k, err := simd.Choose(to.Tier)
	if err != nil {
		return err
	}
	to.CachedBytes, to.DRAMBytes = len(r.small), len(r.large)
	for range repeats {
		if err := ctx.Err(); err != nil {
			return err
		}
		to.Cached = append(to.Cached, r.read(k, to.Threads, r.small))
		to.DRAM = append(to.DRAM, r.read(k, to.Threads, r.large))
		to.Peak = append(to.Peak, r.peak(k, to.Threads))
	}
	return nil
}

// read returns GB/s.
func (r *Rooflines) read(k *simd.Kernels, threads int, p []byte) float64 {
	return r.rate(threads, func(worker int) int {
		part := p[len(p)*worker/threads : len(p)*(worker+1)/threads]
		for at := 0; at < len(part); at += readChunk {
			sink.Store(int64(k.ReadAll(part[at:min(at+readChunk, len(part))])))
		}
		return len(part)
	}) / 1e9
}

// peak returns 1e9 multiply-adds per second.
func (r *Rooflines) peak(k *simd.Kernels, threads int) float64 {
	return r.rate(threads, func(int) int { return k.Peak(peakRounds) }) / 1e9
}

// rate runs passes on all threads until the time of a repeat is over, and
// returns what they did per second. Each thread has its own clock: the one that
// stops first doesn't wait for the other.
func (r *Rooflines) rate(threads int, pass func(worker int) int) float64 {
	perSecond := make([]float64, threads)
	start := make(chan struct{})
	var done sync.WaitGroup
	for w := range threads {
		done.Go(func() {
			pass(w) // brings what fits into the caches
			<-start
			begin, total := time.Now(), 0
			for time.Since(begin) < r.least {
				total += pass(w)
			}
			perSecond[w] = float64(total) / time.Since(begin).Seconds()
		})
	}
	close(start)
	done.Wait()
	sum := 0.0
	for _, v := range perSecond {
		sum += v
	}
	return sum
}

// Ceiling is the best that any tier reached with a number of threads.
type Ceiling struct {
	Threads int     `json:"threads"`
	Cached  float64 `json:"cached_gb_per_s"`
	DRAM    float64 `json:"dram_gb_per_s"`
	Peak    float64 `json:"peak_g_mul_adds_per_s"`
}

// ceilings takes the best of each number of threads: all tiers are held
// against the same machine.
func ceilings(lines []*Roofline) []Ceiling {
	var out []Ceiling
	for _, l := range lines {
		at := -1
		for i := range out {
			if out[i].Threads == l.Threads {
				at = i
			}
		}
		if at < 0 {
			at = len(out)
			out = append(out, Ceiling{Threads: l.Threads})
		}
		c := &out[at]
		c.Cached, c.DRAM, c.Peak = best(c.Cached, l.Cached), best(c.DRAM, l.DRAM), best(c.Peak, l.Peak)
	}
	return out
}

func best(top float64, x []float64) float64 {
	for _, v := range x {
		top = max(top, v)
	}
	return top
}

// Bound is the least time that work can take: reading and arithmetic may
// overlap completely, and neither can be faster than measured.
type Bound struct {
	Cached float64 `json:"cached_s"` // the weights are read at the speed of a buffer of their size
	DRAM   float64 `json:"dram_s"`   // they are read from memory
}

func (c Ceiling) bound(w Work) Bound {
	arithmetic := float64(w.MulAdds.Total()) / (c.Peak * 1e9)
	return Bound{
		Cached: max(float64(w.Bytes)/(c.Cached*1e9), arithmetic),
		DRAM:   max(float64(w.Bytes)/(c.DRAM*1e9), arithmetic),
	}
}
