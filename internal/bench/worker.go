package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/libneedle/libneedle/cact"
	"github.com/libneedle/libneedle/engine"
	"github.com/libneedle/libneedle/tokenizer"
)

// Job is one line to a worker: a process of its own, so that memory can be told
// apart, and so that scripts/bench-peers can alternate between engines.
type Job struct {
	Op      string `json:"op"` // prefill, decode, growth or memory
	Tier    string `json:"tier,omitempty"`
	Threads int    `json:"threads,omitempty"` // 0: the default
	Depth   int    `json:"depth,omitempty"`
	Tokens  int    `json:"tokens,omitempty"`  // to feed, or to decode
	Context int    `json:"context,omitempty"` // before decoding

	Tools  string `json:"tools,omitempty"`  // for memory
	Points []int  `json:"points,omitempty"` // for growth
	Passes int    `json:"passes,omitempty"`
	Budget int    `json:"budget_ms,omitempty"`
}

// Answer is the line that a worker writes for a job.
type Answer struct {
	Error   string  `json:"error,omitempty"`
	Short   bool    `json:"short,omitempty"`  // the error is that the context is too short
	Prefix  bool    `json:"prefix,omitempty"` // the error is that the tools don't fit
	Threads int     `json:"threads,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Tokens  int     `json:"tokens,omitempty"`
	Memory  *Memory `json:"memory,omitempty"`
	Growth  *Growth `json:"growth,omitempty"`
}

// Serve answers jobs about an archive, one a line, until in ends.
func Serve(ctx context.Context, path string, in io.Reader, out io.Writer, progress func(string, ...any)) error {
	w := &server{path: path, progress: progress, repeats: map[string]func() (time.Duration, error){}}
	defer w.close()
	lines, answers := bufio.NewScanner(in), json.NewEncoder(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var job Job
		err := json.Unmarshal(lines.Bytes(), &job)
		var answer Answer
		if err == nil {
			answer, err = w.do(ctx, job)
		}
		if err != nil {
			answer = Answer{Error: err.Error(), Short: errors.Is(err, errContext), Prefix: errors.Is(err, engine.ErrPrefix)}
		}
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

// server keeps what a job prepared, for the next one that is the same.
type server struct {
	path     string
	archive  *cact.Archive
	progress func(string, ...any)
	repeats  map[string]func() (time.Duration, error)
	ends     []func()
}

func (w *server) close() {
	for _, end := range w.ends {
		end()
	}
	if w.archive != nil {
		w.archive.Close()
	}
}

func (w *server) do(ctx context.Context, job Job) (Answer, error) {
	if job.Threads == 0 {
		job.Threads = engine.DefaultThreads()
	}
	answer := Answer{Threads: job.Threads}
	switch job.Op {
	case "memory":
		s := Service{w.path, job.Tools, engine.Options{SIMD: job.Tier, Threads: job.Threads, Depth: job.Depth}}
		var err error
		answer.Memory, err = s.Memory(ctx)
		return answer, err
	case "growth":
		r, err := w.rig(job)
		if err != nil {
			return answer, err
		}
		answer.Growth, err = r.Growth(ctx, job.Points, job.Tokens, job.Passes, time.Duration(job.Budget)*time.Millisecond, w.progress)
		return answer, err
	case "prefill", "decode":
		repeat, err := w.repeat(ctx, job)
		if err != nil {
			return answer, err
		}
		took, err := repeat()
		answer.Seconds, answer.Tokens = took.Seconds(), job.Tokens
		return answer, err
	}
	return answer, fmt.Errorf("unknown operation %q; there are prefill, decode, growth and memory", job.Op)
}

// repeat prepares a job, and runs it once, the first time it is met.
func (w *server) repeat(ctx context.Context, job Job) (func() (time.Duration, error), error) {
	key := fmt.Sprint(job)
	if repeat := w.repeats[key]; repeat != nil {
		return repeat, nil
	}
	r, err := w.rig(job)
	if err != nil {
		return nil, err
	}
	prepare := func() (func() (time.Duration, error), func(), error) { return r.Prefill(ctx, job.Tokens) }
	if job.Op == "decode" {
		prepare = func() (func() (time.Duration, error), func(), error) { return r.Decode(ctx, job.Context, job.Tokens) }
	}
	repeat, end, err := prepare()
	if err != nil {
		return nil, err
	}
	w.repeats[key], w.ends = repeat, append(w.ends, end)
	_, err = repeat()
	return repeat, err
}

func (w *server) rig(job Job) (*Rig, error) {
	if w.archive == nil {
		a, err := cact.Open(w.path)
		if err != nil {
			return nil, err
		}
		w.archive = a
	}
	t, err := tokenizer.New(w.archive.Lookup("tokenizer").Bytes())
	if err != nil {
		return nil, err
	}
	return NewRig(w.archive, job.Tier, job.Threads, job.Depth, t.Len())
}

// ask starts a worker by its command line, gives it one job, and ends it.
func ask(ctx context.Context, command []string, job Job) (*Answer, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	line, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	go func() {
		stdin.Write(append(line, '\n'))
		stdin.Close()
	}()
	out, err := cmd.Output()
	var answer Answer
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("the process that measures %s: %w", job.Op, err)
	case answer.Short:
		return nil, fmt.Errorf("%w: %s", errContext, answer.Error)
	case answer.Prefix:
		return nil, fmt.Errorf("%w: %s", engine.ErrPrefix, answer.Error)
	case answer.Error != "":
		return nil, errors.New(answer.Error)
	}
	return &answer, nil
}
