package mcp

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/internal/command"
	"github.com/bowline-mcp/bowline/internal/engine/dispatch"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// An App is a program that serves MCP. It has a command line:
//
//	serve [--until-eof]   serves the web routes over HTTP, with the flag until stdin ends
//	start HANDLE          serves one server on stdio; with --as NAME, to the principal
//	                      that a guard knows by the name (see [Guard])
//	list [--json]         lists the routes
//
// The router's components may have more commands; see [Component].
//
// While start serves on os.Stdout, other output of the program to os.Stdout goes to
// stderr, since it would break the client's stream. The first such output is logged.
type App struct {
	// Router maps servers to paths and handles.
	Router *Router

	// Events dispatches the events of the servers to listeners; see events.Listen.
	Events *events.Dispatcher

	config   Config
	endDelay atomic.Pointer[context.CancelFunc] // ends Config.DrainDelay; nil unless the program waits for it
	signals  chan struct{}                      // closed once Main handles signals; nil without Main

	lock   sync.Mutex
	booter *booter // nil until the app serves or is validated
}

// New returns an app. It doesn't validate anything: mistakes in the configuration or in a
// server are reported when the app starts.
func New(config Config) *App {
	return &App{Router: &Router{}, Events: &events.Dispatcher{}, config: config.withDefaults()}
}

// Validate returns all mistakes in the configuration and the servers as one error, or nil
// if the app can start. It boots the servers.
func (a *App) Validate() error {
	_, _, err := a.boot()
	return err
}

// Handler returns a handler for all web routes, /healthz and /readyz, for a program that
// has its own HTTP server. It checks host names as if it listened at Config.Addr.
func (a *App) Handler() (http.Handler, error) {
	b, handler, err := a.boot()
	if err != nil {
		return nil, err
	}
	if err := b.openComponents(context.Background()); err != nil {
		a.end(b)
		return nil, err
	}
	a.serving(b.config.Logger)
	b.warnOpen(a.Router)
	return handler, nil
}

// Close closes the servers and components of the handler that Handler returned. Don't use the handler afterwards.
func (a *App) Close() {
	a.lock.Lock()
	b := a.booter
	a.lock.Unlock()
	if b != nil {
		a.end(b)
	}
}

// serving makes the router log routes and middleware that are added from now on. A nil
// logger ends that.
func (a *App) serving(logger *slog.Logger) {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.Router.served = logger
}

// boot boots all servers, and builds the handler of the web routes.
func (a *App) boot() (b *booter, handler http.Handler, err error) {
	err = a.open(func(opened *booter) (err error) {
		b = opened
		handler, err = b.web(a.Router)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return b, handler, nil
}

// local boots the server that is mapped to a handle.
func (a *App) local(handle string) (b *booter, local *Local, made *booted, err error) {
	err = a.open(func(opened *booter) (err error) {
		b = opened
		local, made, err = b.local(a.Router, handle)
		return err
	})
	return b, local, made, err
}

// open calls fn with the app's booter. The servers stay booted unless something is
// wrong.
func (a *App) open(fn func(*booter) error) error {
	a.lock.Lock()
	defer a.lock.Unlock()
	if a.booter == nil {
		a.booter = newBooter(a.config)
		a.booter.events, a.booter.app = a.Events, a
	}
	err := fn(a.booter)
	if err = errors.Join(a.booter.problem, (*dispatch.Dispatcher)(a.Events).Check(), err); err != nil {
		a.booter.close()
		a.booter = nil
	}
	return err
}

// end releases the servers, so that the next run boots them again.
func (a *App) end(b *booter) {
	a.lock.Lock()
	defer a.lock.Unlock()
	b.close()
	if a.booter == b {
		a.booter, a.Router.served = nil, nil
	}
}

// Main runs the command line of the process and returns its exit code: 0 for success, 1
// for failure, 2 for incorrect usage. After the first SIGTERM or Ctrl-C, Main lets
// running calls finish; a second one ends the process. During Config.DrainDelay, the second
// one ends the delay, and a third one the process.
func (a *App) Main() int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// A client may close stderr while calls run. Then the log is lost; without this,
	// Go would end the process.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	code := make(chan int, 1)
	a.signals = make(chan struct{})
	named := command.WithProgram(ctx, command.ProgramOf(os.Args[0]))
	go func() { code <- a.Run(named, os.Args[1:], os.Stdin, os.Stdout, os.Stderr) }()
	// Go switches threads twice for each signal. The servers open meanwhile, but serve only then.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	close(a.signals)
	defer signal.Stop(signals)
	for stopping := false; ; stopping = true {
		select {
		case code := <-code:
			return code
		case <-signals:
			switch endDelay := a.endDelay.Swap(nil); {
			case !stopping:
				cancel()
			case endDelay != nil:
				(*endDelay)()
			default:
				return 1
			}
		}
	}
}

// Run runs one command line until the context ends, and returns the exit code. Unlike
// Main it doesn't use the process's arguments, streams and signals. An app may run again
// after it has served: its servers boot again, without the items that were added while
// they served.
func (a *App) Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	commands := flag.NewFlagSet("app", flag.ContinueOnError)
	commands.SetOutput(io.Discard)
	err := commands.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		more, _ := a.Router.commands() // their mistakes are reported when the app starts
		report(stderr, usage(more))
		return 0
	case err != nil:
		report(stderr, prefixed(ctx, err)+"; --help lists the commands\n")
		return 2
	}
	switch args = commands.Args(); {
	case len(args) == 1 && args[0] == "serve":
		err = a.serve(ctx, context.WithoutCancel(ctx))
	case len(args) == 2 && args[0] == "serve" && args[1] == untilEOF:
		err = a.serveUntilEOF(ctx, stdin)
	case len(args) == 2 && args[0] == "start":
		err = a.start(ctx, args[1], "", stdin, stdout)
	case len(args) == 4 && args[0] == "start" && args[2] == asFlag && args[3] != "":
		err = a.start(ctx, args[1], args[3], stdin, stdout)
	case len(args) > 0 && args[0] == "list" && unexpectedInList(args[1:]) < 0:
		err = a.list(ctx, args[1:], stdout, stderr)
		if errors.Is(err, syscall.EPIPE) { // the reader, such as head, has what it wanted
			err = nil
		}
	case len(args) == 1 && args[0] == "start":
		_, _, _, err = a.local("")
	default:
		return a.runCommand(ctx, args, stdin, stdout, stderr)
	}
	flush(a.config.Logger)
	if err != nil {
		return failed(ctx, stderr, err)
	}
	return 0
}

// failed reports the error of a command, and returns the exit code.
func failed(ctx context.Context, stderr io.Writer, err error) int {
	report(stderr, prefixed(ctx, err)+"\n")
	return 1
}

// prefixed returns the lines of an error, each with the name of the program.
func prefixed(ctx context.Context, err error) string {
	prefix := command.ProgramFrom(ctx).Name + ": "
	return prefix + strings.ReplaceAll(err.Error(), "\n", "\n"+prefix)
}

// report writes an error. It doesn't wait for long, in case nothing reads stderr.
func report(stderr io.Writer, text string) {
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = io.WriteString(stderr, text)
	}()
	select {
	case <-written:
	case <-time.After(limits.LogFlush):
	}
}
