package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/libneedle/libneedle/engine"
)

// officialFlags choose the other library and what it is asked.
type officialFlags struct {
	Official string        `help:"Library to compare the finished JSON with." placeholder:"LIB"`
	Model    string        `help:"Archive both run." placeholder:"FILE"`
	Requests string        `help:"Requests, one JSON object a line: query, and optionally tools and system." placeholder:"FILE"`
	Tools    *string       `help:"Tools for requests that have none." placeholder:"FILE"`
	System   string        `help:"System text for requests that have none, or @FILE." placeholder:"TEXT"`
	Limit    int           `help:"Compare only the first N requests." placeholder:"N"`
	Max      int           `help:"Most tokens to append (${default})." default:"512" placeholder:"N"`
	Ignore   []string      `help:"Keys of the answer to leave out, such as confidence: other arithmetic gives other digits." placeholder:"KEY"`
	Timeout  time.Duration `help:"Longest time for one request of the other library, and for it to load (${default})." default:"5m" placeholder:"90s"`
}

// request is one line of the requests file.
type request struct {
	ID     string          `json:"id"`
	System string          `json:"system"`
	Tools  json.RawMessage `json:"tools"`
	Query  string          `json:"query"`
}

// hostJob and hostAnswer are the lines between verify and the process that
// loads the other library. Its first line, empty, says that it is ready.
type hostJob struct {
	System string `json:"system"`
	Tools  string `json:"tools"`
	Input  string `json:"input"`
	Max    int    `json:"max"`
}

type hostAnswer struct {
	Envelope string `json:"envelope"`
}

func (v *verifyCommand) readRequests(c console) ([]request, error) {
	text, err := readFile(v.Requests)
	if err != nil {
		return nil, err
	}
	system, err := readText(v.System)
	if err != nil {
		return nil, err
	}
	var list []request
	for n, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var r request
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", v.Requests, n+1, err)
		}
		if r.Query == "" {
			return nil, fmt.Errorf("%s, line %d: no query", v.Requests, n+1)
		}
		if r.System == "" {
			r.System = system
		}
		if r.Tools == nil {
			tools, err := readTools(c, v.Tools)
			if err != nil {
				return nil, err
			}
			r.Tools = json.RawMessage(tools)
		}
		list = append(list, r)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no requests", v.Requests)
	}
	if v.Limit > 0 {
		list = list[:min(v.Limit, len(list))]
	}
	return list, nil
}

// officialReport is the outcome of a comparison.
type officialReport struct {
	Requests int            `json:"requests"`
	Differ   int            `json:"differ"`
	Keys     map[string]int `json:"keys"` // how many requests differ in each key
	Answers  []answerReport `json:"answers"`
}

// answerReport is one request whose answers differ, or that the other library
// did not survive.
type answerReport struct {
	Request     string       `json:"request"`
	Differences []difference `json:"differences,omitempty"`
	Failure     string       `json:"failure,omitempty"`
}

// compareOfficial answers every request with both libraries.
func (v *verifyCommand) compareOfficial(c console) error {
	if v.Model == "" || v.Requests == "" {
		return errors.New("--official needs --model FILE, the archive both run, and --requests FILE")
	}
	requests, err := v.readRequests(c)
	if err != nil {
		return err
	}
	e, err := engine.Open(v.Model, engine.Options{Threads: v.Threads})
	if err != nil {
		return err
	}
	defer e.Close()
	other, err := startHost(c.ctx, v.Official, v.Model, v.Timeout)
	if err != nil {
		return err
	}
	defer func() { other.stop() }()
	report := &officialReport{Requests: len(requests), Keys: map[string]int{}, Answers: []answerReport{}}
	for i, r := range requests {
		c.progress("%d of %d requests, %d differ", i, len(requests), report.Differ)
		answer, err := v.compareRequest(c, e, other, r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name(i), err)
		}
		answer.Request = r.name(i)
		report.add(answer)
		if answer.Failure != "" { // its process has ended
			if other, err = startHost(c.ctx, v.Official, v.Model, v.Timeout); err != nil {
				return err
			}
		}
	}
	c.progress("")
	return v.printOfficial(c.out, report)
}

// name is the request's own, or its number.
func (r *request) name(index int) string {
	if r.ID != "" {
		return r.ID
	}
	return fmt.Sprintf("request %d", index+1)
}

func (v *verifyCommand) compareRequest(c console, e *engine.Engine, other *host, r request) (answerReport, error) {
	ours, err := answerOurs(c, e, r, v.Max)
	if err != nil {
		return answerReport{}, err
	}
	theirs, err := other.ask(hostJob{r.System, string(r.Tools), r.Query, v.Max}, v.Timeout)
	if c.ctx.Err() != nil {
		return answerReport{}, c.ctx.Err()
	}
	if err != nil {
		return answerReport{Failure: err.Error()}, nil
	}
	return answerReport{Differences: compareEnvelopes(theirs, ours, v.Ignore)}, nil
}

func (o *officialReport) add(a answerReport) {
	if a.Failure == "" && len(a.Differences) == 0 {
		return
	}
	o.Differ++
	o.Answers = append(o.Answers, a)
	for _, d := range a.Differences {
		o.Keys[d.Key]++
	}
}

// printOfficial prints the outcome; errMiss when anything differs.
func (v *verifyCommand) printOfficial(out io.Writer, o *officialReport) error {
	if v.JSON {
		if err := printJSON(out, o); err != nil {
			return err
		}
	} else {
		o.print(out)
	}
	if o.Differ > 0 {
		return errMiss
	}
	return nil
}

func (o *officialReport) print(out io.Writer) {
	for _, a := range o.Answers {
		if a.Failure != "" {
			fmt.Fprintf(out, "%s: no answer from the other library: %s\n", a.Request, a.Failure)
			continue
		}
		fmt.Fprintf(out, "%s: differs (- the other library, + this one)\n%s", a.Request, renderDifferences(a.Differences))
	}
	fmt.Fprintf(out, "%d requests, %d differ", o.Requests, o.Differ)
	separator := ": "
	for _, key := range slices.Sorted(maps.Keys(o.Keys)) {
		fmt.Fprintf(out, "%s%d in %s", separator, o.Keys[key], key)
		separator = ", "
	}
	fmt.Fprintln(out)
}

// answerOurs is what needle_init and needle_complete would give: an error of
// the session is an envelope too.
func answerOurs(c console, e *engine.Engine, r request, most int) (string, error) {
	s, err := e.NewSession(c.ctx, engine.SessionOptions{System: r.System, Tools: string(r.Tools), Lenient: true})
	if err != nil {
		return failedInit, c.ctx.Err()
	}
	defer s.Close()
	response, err := s.Complete(c.ctx, r.Query, engine.CompleteOptions{MaxNewTokens: most})
	if err != nil {
		return "", err
	}
	return string(response.JSON()), nil
}

// failedInit stands for an envelope where needle_init refuses a request.
const failedInit = `{"type":"error","error":"needle_init failed"}`

// difference is a key of two envelopes. A key that one of them lacks is null
// there.
type difference struct {
	Key    string `json:"key"`
	Theirs any    `json:"theirs"`
	Ours   any    `json:"ours"`
}

// compareEnvelopes compares two envelopes but for timings, memory and the keys
// to ignore. What is no JSON object is compared as a text, under no key.
func compareEnvelopes(theirs, ours string, ignore []string) []difference {
	a, errA := comparable(theirs)
	b, errB := comparable(ours)
	if errA != nil || errB != nil {
		if theirs == ours {
			return nil
		}
		return []difference{{"", theirs, ours}}
	}
	var list []difference
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		_, inA := a[key]
		_, inB := b[key]
		if !slices.Contains(ignore, key) && (inA != inB || !reflect.DeepEqual(a[key], b[key])) {
			list = append(list, difference{key, a[key], b[key]})
		}
	}
	return list
}

// diffEnvelopes is what compareEnvelopes finds as a text, empty when nothing.
func diffEnvelopes(theirs, ours string) string {
	return renderDifferences(compareEnvelopes(theirs, ours, nil))
}

func renderDifferences(list []difference) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "  - %s %s\n  + %s %s\n", d.Key, compact(d.Theirs), d.Key, compact(d.Ours))
	}
	return b.String()
}

func compact(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

// comparable decodes an envelope, numbers as written.
func comparable(envelope string) (map[string]any, error) {
	d := json.NewDecoder(strings.NewReader(envelope))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		return nil, err
	}
	for _, key := range []string{"prefill_tps", "decode_tps", "peak_ram_mb"} {
		delete(m, key)
	}
	return m, nil
}

// host is a child process with the other library in it: a crash or a hang of
// that library ends the child, not the comparison.
type host struct {
	cmd   *exec.Cmd
	jobs  *json.Encoder
	lines *bufio.Scanner
	said  tail
}

// startHost returns when the library has loaded the archive. The process ends
// with ctx.
func startHost(ctx context.Context, library, archive string, limit time.Duration) (*host, error) {
	if _, err := os.Stat(library); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	h := &host{cmd: exec.CommandContext(ctx, self, "official-host", library, archive)}
	h.cmd.Stderr = &h.said
	h.cmd.WaitDelay = time.Second // where the library left children that hold the pipe
	in, err := h.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	h.jobs, h.lines = json.NewEncoder(in), bufio.NewScanner(out)
	h.lines.Buffer(nil, maxTextFile)
	if err := h.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := h.within(limit, h.readLine); err != nil {
		return nil, fmt.Errorf("%s: %w", library, err)
	}
	return h, nil
}

// ask gives the library's envelope. After an error the process has ended.
func (h *host) ask(job hostJob, limit time.Duration) (string, error) {
	line, err := h.within(limit, func() ([]byte, error) {
		if err := h.jobs.Encode(job); err != nil {
			return nil, err
		}
		return h.readLine()
	})
	if err != nil {
		return "", err
	}
	var answer hostAnswer
	if err := json.Unmarshal(line, &answer); err != nil {
		h.stop()
		return "", fmt.Errorf("answer %.60q: %w", line, err)
	}
	return answer.Envelope, nil
}

func (h *host) readLine() ([]byte, error) {
	if h.lines.Scan() {
		return h.lines.Bytes(), nil
	}
	if err := h.lines.Err(); err != nil {
		return nil, err
	}
	return nil, errors.New("its process ended")
}

// within ends the process when exchange takes longer than limit or fails; the
// error then holds what the process said at last.
func (h *host) within(limit time.Duration, exchange func() ([]byte, error)) ([]byte, error) {
	timer := time.AfterFunc(limit, func() { h.cmd.Process.Kill() })
	line, err := exchange()
	inTime := timer.Stop()
	if err == nil && inTime {
		return line, nil
	}
	if inTime { // it is ending by itself: let it say why
		time.AfterFunc(time.Second, func() { h.cmd.Process.Kill() })
		h.cmd.Wait()
	}
	h.stop()
	if !inTime {
		err = fmt.Errorf("no answer within %s", limit)
	}
	if said := h.said.lastWords(); said != "" {
		err = fmt.Errorf("%w; it said: %s", err, said)
	}
	return nil, err
}

// stop ends the process; stopping again does nothing.
func (h *host) stop() {
	h.cmd.Process.Kill()
	h.cmd.Wait()
}

// tail keeps the end of what is written to it.
type tail struct{ kept []byte }

// tailLength holds a crash report of the runtime and what came before it.
const tailLength = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[max(0, len(p)-tailLength):]...)
	t.kept = t.kept[max(0, len(t.kept)-tailLength):]
	return len(p), nil
}

// lastWords is the end as one line, without the registers and stacks of a
// crash report. It must not be called while the process runs.
func (t *tail) lastWords() string {
	said, _, _ := strings.Cut(string(t.kept), "\nPC=")
	said = strings.Join(strings.Fields(said), " ")
	return strings.ToValidUTF8(said[max(0, len(said)-300):], "")
}
