// Command maskbench-needle runs this repository's grammar over a file that scripts/maskbench prepared:
//
//	maskbench-needle [--skip N] [--limit SECONDS] PREPARED
//
// PREPARED has a line with the vocabulary's pieces, then a line per schema with its instances as tokens. The
// output is a line {} when the vocabulary is read, then a line per schema: see the type result. It is what
// scripts/schemas/engines.py does with other engines, measured in the same places.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"github.com/libneedle/libneedle/engine/grammar"
)

// head is the first line of a prepared file.
type head struct {
	Pieces [][]byte `json:"pieces"` // by token id; null for what is never legal
}

// row is a schema with its instances, cut into tokens.
type row struct {
	Schema string    `json:"schema"`
	Tests  [][]int32 `json:"tests"`
}

// result is what is printed about a row.
type result struct {
	Error     *string   `json:"error"` // why the schema did not compile; the rest is empty then
	CompileMS float64   `json:"compile_ms"`
	RefusedAt []*int    `json:"refused_at"` // per instance the token that was refused; null when none was
	AloneUS   []float64 `json:"alone_us"`   // per token position, the mask
	MaskUS    []float64 `json:"mask_us"`    // per token position, the mask and the choice under it
}

// bench holds what all schemas share.
type bench struct {
	vocabulary *grammar.Vocabulary
	logits     []float32
}

func newBench(pieces [][]byte) *bench {
	b := &bench{vocabulary: grammar.NewVocabulary(pieces), logits: make([]float32, len(pieces))}
	random := rand.New(rand.NewPCG(1, 1))
	for i := range b.logits {
		b.logits[i] = float32(random.NormFloat64())
	}
	return b
}

// run compiles a schema and steps through its instances.
func (b *bench) run(r row) result {
	began := time.Now()
	g, err := grammar.Compile([]byte(r.Schema), grammar.Options{Mode: grammar.ModeSchema})
	if err != nil {
		text := err.Error()
		return result{Error: &text}
	}
	g.Start(b.vocabulary) // part of the compile time, as with the other engines
	out := result{
		CompileMS: float64(time.Since(began)) / float64(time.Millisecond),
		RefusedAt: []*int{}, AloneUS: []float64{}, MaskUS: []float64{}, // a schema may have no instances
	}
	for _, tokens := range r.Tests {
		out.RefusedAt = append(out.RefusedAt, b.step(g.Start(b.vocabulary), tokens, &out))
	}
	return out
}

// step gives the tokens of an instance to a matcher, and returns the index of the first it refuses, the number
// of tokens when it is the end, nil when it takes all of it.
func (b *bench) step(m *grammar.Matcher, tokens []int32, out *result) *int {
	for at, id := range tokens {
		if !b.mask(m, out).Has(id) || !m.Accept(id) {
			return &at
		}
	}
	b.mask(m, out)
	if !m.Complete() {
		end := len(tokens)
		return &end
	}
	return nil
}

// mask computes a mask and chooses under it, and notes the time of both.
func (b *bench) mask(m *grammar.Matcher, out *result) *grammar.Mask {
	began := time.Now()
	mask := m.Mask()
	masked := time.Now()
	runtime.KeepAlive(choose(b.logits, mask)) // the compiler is not to drop the choice
	done := time.Now()
	out.AloneUS = append(out.AloneUS, microseconds(masked.Sub(began)))
	out.MaskUS = append(out.MaskUS, microseconds(done.Sub(began)))
	return mask
}

// choose returns the allowed id of the highest logit, -1 when nothing is allowed.
func choose(logits []float32, mask *grammar.Mask) int32 {
	if id, ok := mask.Only(); ok {
		return id
	}
	best, id := float32(math.Inf(-1)), int32(-1)
	for i, word := range mask.Words() {
		if word == math.MaxUint64 { // inside strings nearly all are
			for at, logit := range logits[64*i : 64*i+64] {
				if logit > best {
					best, id = logit, int32(64*i+at)
				}
			}
			continue
		}
		for ; word != 0; word &= word - 1 {
			if at := 64*i + bits.TrailingZeros64(word); logits[at] > best {
				best, id = logits[at], int32(at)
			}
		}
	}
	return id
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// eachRow runs the rows of a prepared file from the one with index skip on, each within the limit.
func eachRow(in *bufio.Reader, out io.Writer, b *bench, skip int, limit time.Duration) error {
	lines := json.NewEncoder(out)
	for i := 0; ; i++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		if i < skip {
			continue
		}
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		watch := time.AfterFunc(limit, func() { os.Exit(exitSlow) })
		err = lines.Encode(b.run(r))
		watch.Stop()
		if err != nil {
			return err
		}
	}
}

// exitSlow is the exit code of a schema that took longer than the limit.
const exitSlow = 124

func run(path string, skip int, limit time.Duration) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 1<<20)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s: no prepared file: %w", path, err)
	}
	var h head
	if err := json.Unmarshal(line, &h); err != nil || len(h.Pieces) == 0 {
		return fmt.Errorf("%s: no prepared file: its first line has no pieces", path)
	}
	b := newBench(h.Pieces)
	fmt.Println("{}")
	return eachRow(in, os.Stdout, b, skip, limit)
}

func main() {
	skip := flag.Int("skip", 0, "leave out the first `N` schemas")
	limit := flag.Int("limit", 60, "`seconds` a schema and its instances may take")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *skip, time.Duration(*limit)*time.Second); err != nil {
		fmt.Fprintln(os.Stderr, "maskbench-needle:", err)
		os.Exit(1)
	}
}
