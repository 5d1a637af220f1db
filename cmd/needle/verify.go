package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine/model"
	"github.com/libneedle/libneedle/internal/golden"
	"github.com/libneedle/libneedle/tokenizer"
)

// verifyCommand runs the acceptance checks of the porting guide.
type verifyCommand struct {
	Dir     string `arg:"" optional:"" help:"Folder of golden values, as scripts/oracle/oracle.py writes it."`
	Archive string `help:"Archive to check; without it the one the folder names." placeholder:"FILE"`
	Exact   bool   `help:"Use the exact form of the products (slow; 4 bytes of memory per weight) and its tighter rules."`
	Threads int    `help:"Threads that the checks run on (${default})." default:"2" placeholder:"N"`
	JSON    bool   `help:"One JSON object instead of a table."`

	officialFlags
}

// Help is the long text of needle verify --help.
func (*verifyCommand) Help() string {
	return `needle verify DIR compares token ids, logits, top choices, cells, pools, windows and depths with golden
values. Make them for any archive with scripts/oracle/oracle.py DIR --archive needle3.cact, then
needle verify DIR --archive needle3.cact.

needle verify --official LIB --model F --requests FILE sends the same requests to another library with the
needle.h ABI and compares the finished JSON, timings and memory left out. FILE has one JSON object a line
with query, tools and system.

Columns: worst, median and last cosine of the logits over the stored positions; floor: worst and median cosine of
the reference with itself, its weights nudged by 1e-6; other top: positions with another best token; pools: worst
cosine of the probe heads' pools; head off: largest difference of a delivered head output.

scripts/oracle/setup makes the Python environment of oracle.py (about 800 MB, once) and prints its python.

Exit code 1: something differs. 2: the check could not run.`
}

func (v *verifyCommand) Run(c console) error {
	defer c.progress("") // an error gets a line of its own
	switch {
	case v.Official != "" && v.Dir != "":
		return errors.New("give either a folder of golden values or --official, not both")
	case v.Official != "":
		return v.compareOfficial(c)
	case v.Model != "" || v.Requests != "" || v.Limit != 0 || len(v.Ignore) > 0:
		return errors.New("--model, --requests, --limit and --ignore are for --official, which compares with another library")
	case v.Dir == "":
		return errors.New("no folder of golden values; testdata/oracle has some, scripts/oracle/oracle.py makes more")
	}
	return v.compareGolden(c)
}

// check is one line of the table.
type check struct {
	Name   string         `json:"name"`
	Detail string         `json:"detail,omitempty"`
	Result *golden.Result `json:"result,omitempty"`
	Misses []string       `json:"misses,omitempty"`
}

// verification is one run over a folder.
type verification struct {
	console
	*verifyCommand
	golden  *golden.Case
	archive *cact.Archive
	checks  []check
}

func (v *verifyCommand) compareGolden(c console) error {
	g, err := golden.Read(v.Dir)
	if err != nil {
		return err
	}
	path := v.Archive
	if path == "" {
		path = filepath.Join(g.Folder, g.Archive)
	}
	a, err := cact.Open(path)
	if err != nil {
		return err
	}
	defer a.Close()
	run := &verification{console: c, verifyCommand: v, golden: g, archive: a}
	if err := run.all(); err != nil {
		return err
	}
	return run.report()
}

func (v *verification) all() error {
	if err := v.tokens(); err != nil {
		return err
	}
	full, err := model.New(v.archive, model.Options{Exact: v.Exact})
	if err != nil {
		return err
	}
	if err := v.prompts(full); err != nil {
		return err
	}
	for _, p := range v.golden.Windows {
		p.Floor = v.golden.WorstFloor() // windows carry no floor of their own
		if err := v.prompt(fmt.Sprintf("window %d, sink %d", p.Window, p.Sink), full, p); err != nil {
			return err
		}
	}
	for _, p := range v.golden.Depths {
		if err := v.depth(p); err != nil {
			return err
		}
	}
	return nil
}

// progress shows a long run's step on a terminal, one over the other; an empty
// one leaves the line free.
func (c console) progress(format string, args ...any) {
	if f, ok := c.errOut.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			fmt.Fprintf(f, "\r\033[K"+format, args...)
		}
	}
}

func (v *verification) tokens() error {
	t, err := tokenizer.New(v.archive.Lookup("tokenizer").Bytes())
	if err != nil {
		return err
	}
	ck := check{Name: "tokens", Detail: fmt.Sprintf("%d texts", len(v.golden.Tokenizer))}
	for _, text := range v.golden.Tokenizer {
		if got := t.Encode(text.Text); !slices.Equal(got, text.IDs) && len(got)+len(text.IDs) > 0 {
			ck.Misses = append(ck.Misses, fmt.Sprintf("%.40q gives other ids than the reference", text.Text))
		}
	}
	v.checks = append(v.checks, ck)
	return nil
}

// prompts also holds the short ones, exact form, to the rule on their median.
func (v *verification) prompts(full *model.Model) error {
	var short []float64
	for i, p := range v.golden.Prompts {
		if err := v.prompt(fmt.Sprintf("prompt %d", i), full, p); err != nil {
			return err
		}
		short = append(short, v.checks[len(v.checks)-1].Result.ShortCells...)
	}
	if len(short) == 0 {
		return nil
	}
	m := golden.Median(short)
	ck := check{Name: "short prompts", Detail: fmt.Sprintf("median cosine of logits and cells %.7f", m)}
	if v.Exact && !(m > 0.9999) {
		ck.Misses = []string{"median not above 0.9999"}
	}
	v.checks = append(v.checks, ck)
	return nil
}

func (v *verification) prompt(name string, m *model.Model, p *golden.Prompt) error {
	v.progress("%d checks done, now %s", len(v.checks), name)
	r, err := golden.Compare(v.ctx, m, p, v.Threads)
	if errors.Is(err, model.ErrNotFinite) {
		v.checks = append(v.checks, check{Name: name, Result: &r, Misses: []string{err.Error()}})
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	v.checks = append(v.checks, check{Name: name, Result: &r, Misses: r.Misses(v.Exact)})
	return nil
}

// depth runs a rung from the whole archive, and where the sliced file exists
// wants the same bits from it.
func (v *verification) depth(p *golden.Prompt) error {
	name := fmt.Sprintf("depth %d", p.Depth)
	m, err := model.New(v.archive, model.Options{Depth: p.Depth, Exact: v.Exact})
	if err != nil {
		return err
	}
	if err := v.prompt(name, m, p); err != nil {
		return err
	}
	if p.Archive == "" || v.Archive != "" {
		return nil
	}
	ck := check{Name: name + ", sliced file", Detail: "the same bits"}
	sliced, err := cact.Open(filepath.Join(v.golden.Folder, p.Archive))
	if errors.Is(err, fs.ErrNotExist) {
		ck.Detail = "not there, not compared"
		v.checks = append(v.checks, ck)
		return nil
	}
	if err != nil {
		return err
	}
	defer sliced.Close()
	other, err := model.New(sliced, model.Options{Exact: v.Exact})
	if err != nil {
		return err
	}
	same, err := sameBits(v.ctx, m, other, p.IDs, v.Threads)
	if err != nil {
		return err
	}
	if !same {
		ck.Misses = []string{"logits differ from the whole archive's at this depth"}
	}
	v.checks = append(v.checks, ck)
	return nil
}

func sameBits(ctx context.Context, a, b *model.Model, ids []int32, threads int) (bool, error) {
	var last [2][]float32
	for i, m := range []*model.Model{a, b} {
		s := m.NewSession(model.SessionOptions{Threads: threads, NoHeads: true})
		defer s.Close()
		if err := s.Append(ctx, ids); err != nil {
			return false, err
		}
		logits, err := s.Logits()
		if err != nil {
			return false, err
		}
		last[i] = logits
	}
	return slices.Equal(last[0], last[1]), nil
}

// report prints the outcome; errMiss when anything missed.
func (v *verification) report() error {
	v.progress("")
	missed := 0
	for _, ck := range v.checks {
		if len(ck.Misses) > 0 {
			missed++
		}
	}
	if v.JSON {
		if err := printJSON(v.out, map[string]any{"case": v.golden.Name, "exact": v.Exact, "checks": v.checks, "missed": missed}); err != nil {
			return err
		}
	} else {
		v.table(v.out, missed)
	}
	if missed > 0 {
		return errMiss
	}
	return nil
}

func (v *verification) table(out io.Writer, missed int) {
	form := "integer form"
	if v.Exact {
		form = "exact form"
	}
	fmt.Fprintf(out, "%s, %s\n", v.golden.Name, form)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "check\ttokens\tworst\tmedian\tlast\tfloor\tother top\tpools\thead off\tverdict")
	for _, ck := range v.checks {
		fmt.Fprintln(w, ck.row())
	}
	w.Flush()
	fmt.Fprintf(out, "%d checks, %d missed\n", len(v.checks), missed)
}

// row is the check's line of the table, its columns between tabs.
func (ck *check) row() string {
	verdict := "ok"
	if ck.Detail != "" {
		verdict += ", " + ck.Detail
	}
	if len(ck.Misses) > 0 {
		verdict = "MISS: " + strings.Join(ck.Misses, "; ")
	}
	r := ck.Result
	if r == nil {
		return ck.Name + strings.Repeat("\t", 9) + verdict
	}
	heads := "-\t-"
	if r.Heads > 0 {
		heads = fmt.Sprintf("%.6f\t%.5f", r.Pool, r.HeadError)
	}
	return fmt.Sprintf("%s\t%d\t%.6f\t%.6f\t%.6f\t%.6f %.6f\t%d of %d\t%s\t%s", ck.Name, r.Tokens,
		r.Worst, r.Median, r.Last, r.Floor[0], r.Floor[1], r.OtherTop, r.Positions, heads, verdict)
}
