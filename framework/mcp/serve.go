package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp/internal/redirect"
	"github.com/bowline-mcp/bowline/framework/transport"
	"github.com/bowline-mcp/bowline/internal/address"
	"github.com/bowline-mcp/bowline/internal/engine/dispatch"
	wire "github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// serve serves the web routes until the context ends and Config.DrainDelay is over, then lets
// running calls finish. The end of the context parent ends the delay, since nothing sends
// requests any more.
func (a *App) serve(ctx, parent context.Context) (problem error) {
	b, handler, err := a.boot()
	if err != nil {
		return err
	}
	if !a.Router.hasWeb() {
		return errors.New("there is no web route: no server is mapped to a path; map one with Router.Web, such as Web(\"demo\", …)")
	}
	listener, err := net.Listen("tcp", b.config.Addr)
	switch {
	case address.IsInUse(err):
		return fmt.Errorf("%w; is another program using the address? Set Config.Addr (APP_ADDR) to serve at another", err)
	case err != nil:
		return fmt.Errorf("%w; set Config.Addr (APP_ADDR) to serve at another address", err)
	}
	b.listens = listener.Addr().String()
	if err := b.openComponents(ctx); err != nil {
		a.end(b)
		return errors.Join(err, listener.Close())
	}
	logger := b.config.Logger
	a.serving(logger)
	connections := wire.NewConnections(&b.shares.Connections, b.proxies)
	server := &http.Server{
		Handler: connections.Handler(handler), ReadHeaderTimeout: b.config.HeaderTimeout, WriteTimeout: b.config.CallTimeout + b.config.WriteTimeout,
		MaxHeaderBytes: limits.MaxHeaderBytes, IdleTimeout: limits.ConnectionIdle, ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	base, where := b.clientURL(), []any{}
	if b.config.URL != "" { // otherwise the URL has the address
		where = append(where, "address", b.listens)
	}
	a.Router.visit("", func(_, path string, _ *Route) {
		logger.InfoContext(ctx, "serving", append([]any{"url", base + path}, where...)...)
	})
	b.warnOpen(a.Router)
	if len(b.config.Key) == 0 {
		logger.WarnContext(ctx, "Config.Key (APP_KEY) is not set: after a restart, and in other processes of the program, cursors, calls that wait for an answer and sessions of older clients are invalid")
	}
	stopped := a.started(ctx, b, events.Started{Address: listener.Addr().String()})
	defer func() { stopped(problem) }()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(connections.Listener(listener)) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	defer a.end(b)
	b.leaving.Store(true)
	if b.config.DrainDelay > 0 && parent.Err() == nil {
		delay, end := context.WithTimeout(parent, b.config.DrainDelay)
		defer end()
		a.endDelay.Store(&end)
		logger.InfoContext(ctx, "told to stop, but still serving", "for", b.config.DrainDelay)
		select {
		case err := <-failed:
			return err
		case <-delay.Done():
		}
		a.endDelay.Store(nil)
	}
	return b.shutDown(context.WithoutCancel(ctx), server)
}

// untilEOF is the flag of serve that ends the program with its stdin. The parent of such a
// program holds the other end, so the program never outlives the parent, even if that is
// killed. It works on Windows too, which can't send a signal to stop.
const untilEOF = "--until-eof"

// serveUntilEOF serves the web routes until stdin or the context ends.
func (a *App) serveUntilEOF(ctx context.Context, stdin io.Reader) error {
	parent, gone := context.WithCancel(context.WithoutCancel(ctx))
	defer gone()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, stdin)
		gone()
		cancel()
	}()
	return a.serve(ctx, parent)
}

// shutDown stops a server. It refuses new calls, waits for running calls up to the drain
// limit, then closes the connections. It listens until the calls have ended, and for a
// moment at least, so that clients get an answer and load balancers see that /readyz
// fails. Closing idle connections earlier would lose calls that are arriving on them.
func (b *booter) shutDown(ctx context.Context, server *http.Server) error {
	logger := b.config.Logger
	logger.InfoContext(ctx, "stopping", "limit", b.config.Drain)
	refusing := time.NewTimer(limits.ShutdownNotice)
	if left := b.lifecycle.Drain(b.config.Drain, limits.DrainGrace); left > 0 {
		logger.WarnContext(ctx, "stopped while calls were running", "calls", left)
	}
	<-refusing.C
	// This leaves connections whose answer is on its way, and handlers that ignore
	// their context. Neither may delay the end for long.
	ctx, cancel := context.WithTimeout(ctx, limits.DrainGrace)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return server.Close()
}

// start serves one server on stdio, perhaps to the principal with the name as.
func (a *App) start(ctx context.Context, handle, as string, stdin io.Reader, stdout io.Writer) (problem error) {
	defer redirect.Stdout(stdout, a.config.Logger)() // before Boot of a server may print
	b, local, made, err := a.local(handle)
	if err != nil {
		return err
	}
	defer a.end(b)
	client := local.context(ctx)
	if as != "" {
		principal, err := a.Router.findPrincipal(ctx, local.server, as)
		if err != nil {
			return err
		}
		b.config.Logger.Warn("the client on stdio acts as a principal who has not logged in", "principal", principal.ID, "as", as)
		client = exchange.WithPrincipal(ctx, principal)
	}
	stopped := a.started(ctx, b, events.Started{Handle: handle})
	defer func() { stopped(problem) }()
	return wire.NewStdio(made.Core(), made.legacy, stdin, stdout, b.config.limits(), b.config.Logger).Serve(client)
}

// ServeTransport serves the server of a handle to the client at the other end of a
// transport, as start does on stdio: until the client or the context ends, then for
// as long as Config.StdioDrain lets running calls. It closes the transport. It may
// be called for many clients at once; see the function [ServeTransport].
func (a *App) ServeTransport(ctx context.Context, handle string, t transport.Transport) error {
	b, _, made, err := a.local(handle)
	if err != nil {
		return errors.Join(err, t.Close())
	}
	return b.carry(ctx, made, t)
}

// carry serves a server over a custom transport.
func (b *booter) carry(ctx context.Context, made *booted, t transport.Transport) error {
	s := wire.NewCustom(made.Core(), made.legacy, t, b.config.limits(), b.config.Logger)
	return s.Serve(ctx, func(ctx context.Context) error {
		return t.Start(ctx, transport.Handlers{Message: s.Receive, Error: s.Fail, Close: s.End})
	})
}

// logStopped logs that the HTTP server has stopped.
func logStopped(ctx context.Context, logger *slog.Logger, after time.Duration, problem error) {
	if problem != nil {
		logger.ErrorContext(ctx, "stopped", "after", after, "error", problem)
		return
	}
	logger.InfoContext(ctx, "stopped", "after", after)
}

// started dispatches the event that the program serves, once a signal lets its calls finish. It
// returns a function that dispatches the event that it has stopped.
func (a *App) started(ctx context.Context, b *booter, event events.Started) (stopped func(error)) {
	if a.signals != nil {
		<-a.signals
	}
	ctx, since := context.WithoutCancel(ctx), time.Now()
	dispatch.Dispatch(ctx, (*dispatch.Dispatcher)(a.Events), b.config.Logger, event)
	return func(problem error) {
		if event.Address != "" {
			logStopped(ctx, b.config.Logger, time.Since(since), problem)
		}
		dispatch.Dispatch(ctx, (*dispatch.Dispatcher)(a.Events), b.config.Logger, events.Stopped{
			Address: event.Address, Handle: event.Handle, Took: time.Since(since), Err: problem,
		})
	}
}
