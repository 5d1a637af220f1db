// Command needle runs Needle 3 archives from the command line: it answers
// requests, prints tokens and embeddings, inspects and slices archives, and
// checks an archive and this engine against golden values or another library.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/libneedle/libneedle/engine/jsontext"
)

// version is that of the library, NEEDLE_VERSION in include/needle.h.
const version = "0.1.0"

// Exit codes.
const (
	exitDone = 0 // the request was answered, the check passed
	exitMiss = 1 // the answer is an error, a check failed
	exitBad  = 2 // bad input: nothing was done
)

// commands is the grammar of the command line.
type commands struct {
	Run     runCommand     `cmd:"" default:"withargs" help:"Answer one request: the response object on standard output."`
	Tokens  tokensCommand  `cmd:"" help:"Print the token ids of the prefix and of the turn."`
	Embed   embedCommand   `cmd:"" help:"Print a text's embedding."`
	Rules   rulesCommand   `cmd:"" help:"List the rules that run --off can switch off."`
	Inspect inspectCommand `cmd:"" help:"Print an archive's geometry, heads and records."`
	Slice   sliceCommand   `cmd:"" help:"Write a shallower archive."`
	Verify  verifyCommand  `cmd:"" help:"Compare with golden values, or with another library of the same C ABI."`
	Bench   benchCommand   `cmd:"" help:"Measure speed and memory beside what this machine could do."`

	Version kong.VersionFlag `help:"Print the version."`

	OfficialHost officialHost `cmd:"" hidden:"" help:"Serve requests with another library, for verify --official."`
	BenchWorker  benchWorker  `cmd:"" hidden:"" help:"Measure in a process of its own, for bench."`
}

// console is what a command may use of the world.
type console struct {
	ctx         context.Context
	in          io.Reader
	out, errOut io.Writer
}

// errMiss ends a command with exitMiss: it has printed what there is to say.
var errMiss = errors.New("a check failed")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends what does not look at ctx, such as reading a terminal
	code := run(console{ctx, os.Stdin, os.Stdout, os.Stderr}, os.Args[1:])
	stop()
	os.Exit(code)
}

// run parses args, runs the command and returns the exit code.
func run(c console, args []string) int {
	out := &checkedWriter{to: c.out}
	c.out = out
	var grammar commands
	stopped := -1
	parser, err := kong.New(&grammar,
		kong.Name("needle"),
		kong.Description("Tool calls from a request and a tool catalogue, offline. With no command it runs the request."),
		kong.Vars{"version": version},
		kong.Writers(c.out, c.errOut),
		kong.Exit(func(code int) { stopped = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		fmt.Fprintln(c.errOut, "needle:", err)
		return exitBad
	}
	if len(args) > 0 && args[0] == "help" { // needle help run, as other commands have it
		args = append(slices.Clone(args[1:]), "--help")
	}
	parsed, err := parser.Parse(args)
	if stopped >= 0 { // --help was printed
		return stopped
	}
	if err == nil {
		err = mistypedCommand(args, &grammar.Run)
	}
	if err == nil {
		err = parsed.Run(c)
	}
	if out.err != nil {
		err = fmt.Errorf("standard output: %w", out.err)
	}
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errMiss):
		return exitMiss
	}
	fmt.Fprintf(c.errOut, "needle: %s\n", jsontext.Valid(err.Error()))
	if hint := hintFor(err); hint != "" {
		fmt.Fprintln(c.errOut, hint)
	}
	return exitBad
}

// mistypedCommand refuses a request of single words that was not announced by
// run or --prompt: it is more likely a command that does not exist.
func mistypedCommand(args []string, r *runCommand) error {
	if len(r.Request) == 0 || r.Prompt != "" || slices.Contains(args, "run") {
		return nil
	}
	for _, word := range r.Request {
		if strings.ContainsAny(word, " \t\n") {
			return nil
		}
	}
	return fmt.Errorf("unknown command %q; quote a request, or announce it: needle run %q", r.Request[0], strings.Join(r.Request, " "))
}

// checkedWriter remembers the first failed write, so that an answer that did
// not arrive is no success.
type checkedWriter struct {
	to  io.Writer
	err error
}

func (w *checkedWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}
