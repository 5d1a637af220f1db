package bench

import (
	"math"
	"slices"

	"github.com/libneedle/libneedle/cact"
)

// Report is a whole run, as --json prints it.
type Report struct {
	Version string  `json:"needle"`
	Quick   bool    `json:"quick"`
	Machine Machine `json:"machine"`
	Archive Archive `json:"archive"`

	// What one token, and a prefill, cost at full depth.
	Token   TokenWork `json:"token"`
	Prefill TokenWork `json:"prefill"`

	Rooflines []*Roofline `json:"rooflines"`
	Ceilings  []Ceiling   `json:"ceilings"`

	Figures     []*Figure    `json:"figures"`
	Allocations []Allocation `json:"allocations"`
	Memory      *Memory      `json:"memory"`
	Growth      *Growth      `json:"growth"`
	Skipped     []Skip       `json:"skipped"`
}

// Machine is where it ran.
type Machine struct {
	CPU      string   `json:"cpu"`
	OS       string   `json:"os"`
	Arch     string   `json:"arch"`
	Cores    int      `json:"cores"`
	CacheL2  int      `json:"cache_l2_bytes"` // of one core; negative where unknown
	CacheL3  int      `json:"cache_l3_bytes"`
	Go       string   `json:"go"`
	MaxProcs int      `json:"gomaxprocs"`
	Tiers    []string `json:"tiers"`     // that this CPU runs, the slowest first
	TiersNot []string `json:"tiers_not"` // that this build has and this CPU lacks
}

// Archive is what ran.
type Archive struct {
	File     string        `json:"file"`
	Bytes    int64         `json:"bytes"`
	SHA256   string        `json:"sha256"`
	Geometry cact.Geometry `json:"geometry"`
	Window   int           `json:"window"`
	Pieces   int           `json:"pieces"`
	Heads    []string      `json:"heads"`
}

// TokenWork is counted work with where it was counted.
type TokenWork struct {
	Tokens  int   `json:"tokens"`
	Context int   `json:"context"`
	Work    Work  `json:"work"`
	Total   int64 `json:"mul_adds_total"`
}

// Figure is one thing measured several times.
type Figure struct {
	Name    string `json:"name"`
	Unit    string `json:"unit"` // tok/s, or ms
	Tier    string `json:"tier"`
	Threads int    `json:"threads"`
	Depth   int    `json:"depth"`
	Tokens  int    `json:"tokens"`  // that one repeat fed or wrote
	Context int    `json:"context"` // positions before them
	Note    string `json:"note,omitempty"`

	Seconds []float64 `json:"seconds"` // of each repeat
	Median  float64   `json:"median"`  // in the unit, as low and high
	Low     float64   `json:"low"`
	High    float64   `json:"high"`

	Work  *Work  `json:"work,omitempty"` // of one repeat; nil where nothing bounds it
	Bound *Bound `json:"bound,omitempty"`
	// Share of the bound that the median reached, 1 being the bound.
	ShareCached float64 `json:"share_of_cached_bound,omitempty"`
	ShareDRAM   float64 `json:"share_of_dram_bound,omitempty"`
}

// finish computes what follows from the repeats.
func (f *Figure) finish(c []Ceiling) {
	value := func(seconds float64) float64 {
		if f.Unit == unitRate {
			return float64(f.Tokens) / seconds
		}
		return 1000 * seconds
	}
	median := Median(f.Seconds)
	f.Median = value(median)
	low, high := value(slices.Min(f.Seconds)), value(slices.Max(f.Seconds))
	f.Low, f.High = min(low, high), max(low, high)
	for _, ceiling := range c {
		if ceiling.Threads == f.Threads && f.Work != nil {
			b := ceiling.bound(*f.Work)
			f.Bound, f.ShareCached, f.ShareDRAM = &b, b.Cached/median, b.DRAM/median
		}
	}
}

// Units of figures.
const (
	unitRate = "tok/s"
	unitTime = "ms"
)

// Allocation counts heap allocations, the least of several runs.
type Allocation struct {
	Tier     string  `json:"tier"`
	Threads  int     `json:"threads"`
	PerToken float64 `json:"per_decoded_token"`
	PerBlock float64 `json:"per_prefilled_block"`
}

// Skip says why something is missing.
type Skip struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Median is the middle of x, or the mean of the two in the middle; NaN when
// there are none.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
