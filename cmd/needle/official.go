package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libneedle/libneedle/engine"
)

// officialFlags choose the other library and what it is asked.
type officialFlags struct {
	Official string        `help:"Library to compare the finished JSON with." placeholder:"LIB"`
	Model    string        `help:"Archive both run." placeholder:"FILE"`
	Requests string        `help:"Requests, one JSON object a line: query, and optionally tools and system." placeholder:"FILE"`
	Tools    string        `help:"Tools for requests that have none." placeholder:"FILE"`
	System   string        `help:"System text for requests that have none, or @FILE." placeholder:"TEXT"`
	Limit    int           `help:"Compare only the first N requests." placeholder:"N"`
	Max      int           `help:"Most tokens to append." default:"512" placeholder:"N"`
	Timeout  time.Duration `help:"Longest time for one request of the other library." default:"5m" placeholder:"T"`
}

// request is one line of the requests file.
type request struct {
	ID     string          `json:"id"`
	System string          `json:"system"`
	Tools  json.RawMessage `json:"tools"`
	Query  string          `json:"query"`
}

// hostJob and hostAnswer are the lines between verify and the process that
// loads the other library.
type hostJob struct {
	System string `json:"system"`
	Tools  string `json:"tools"`
	Input  string `json:"input"`
	Max    int    `json:"max"`
}

type hostAnswer struct {
	Envelope string `json:"envelope"`
	Error    string `json:"error"`
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
	other, err := startHost(v.Official, v.Model)
	if err != nil {
		return err
	}
	defer other.stop()
	missed := 0
	for i, r := range requests {
		name := r.ID
		if name == "" {
			name = fmt.Sprintf("request %d", i+1)
		}
		ours, err := answerOurs(c, e, r, v.Max)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		theirs, err := other.ask(hostJob{r.System, string(r.Tools), r.Query, v.Max}, v.Timeout)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", name, v.Official, err)
		}
		if diff := diffEnvelopes(theirs, ours); diff != "" {
			missed++
			fmt.Fprintf(c.out, "%s: differs (- the other library, + this one)\n%s", name, diff)
		}
	}
	fmt.Fprintf(c.out, "%d requests, %d differ\n", len(requests), missed)
	if missed > 0 {
		return errMiss
	}
	return nil
}

// answerOurs is what needle_init and needle_complete would give: an error of
// the session is an envelope too.
func answerOurs(c console, e *engine.Engine, r request, most int) (string, error) {
	s, err := e.NewSession(c.ctx, engine.SessionOptions{System: r.System, Tools: string(r.Tools)})
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

// diffEnvelopes compares two envelopes but for timings and memory.
func diffEnvelopes(theirs, ours string) string {
	a, errA := comparable(theirs)
	b, errB := comparable(ours)
	if errA != nil || errB != nil {
		return cmp.Diff(theirs, ours)
	}
	return cmp.Diff(a, b)
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
// that library ends the child, not the comparison's report.
type host struct {
	cmd    *exec.Cmd
	jobs   *json.Encoder
	lines  chan []byte
	stderr bytes.Buffer
}

func startHost(library, archive string) (*host, error) {
	if _, err := os.Stat(library); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	h := &host{cmd: exec.Command(self, "official-host", library, archive), lines: make(chan []byte)}
	h.cmd.Stderr = &h.stderr
	in, err := h.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	h.jobs = json.NewEncoder(in)
	if err := h.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, maxTextFile)
		for lines.Scan() {
			h.lines <- slices.Clone(lines.Bytes())
		}
		close(h.lines)
	}()
	return h, nil
}

func (h *host) ask(job hostJob, limit time.Duration) (string, error) {
	if err := h.jobs.Encode(job); err != nil {
		return "", h.died(err)
	}
	select {
	case line, open := <-h.lines:
		var answer hostAnswer
		if !open {
			return "", h.died(errors.New("it ended without an answer"))
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return "", fmt.Errorf("answer %.60q: %w", line, err)
		}
		if answer.Error != "" {
			return "", errors.New(answer.Error)
		}
		return answer.Envelope, nil
	case <-time.After(limit):
		return "", fmt.Errorf("no answer within %s", limit)
	}
}

// died adds what the child said before it ended.
func (h *host) died(err error) error {
	h.cmd.Process.Kill()
	h.cmd.Wait()
	if said := strings.TrimSpace(h.stderr.String()); said != "" {
		return fmt.Errorf("%w: %.300s", err, said)
	}
	return err
}

func (h *host) stop() {
	h.cmd.Process.Kill()
	h.cmd.Wait()
}
