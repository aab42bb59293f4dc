// Package dev serves an app while its sources change. It builds the app when a source has
// changed, and starts the new program beside the one that serves. When the new one answers,
// it gets all further messages; a call finishes in the program that started it.
//
// Clients stay connected. Over HTTP they talk to a proxy, on stdio to a relay. Both give a new
// program the handshakes of the clients before 2026-07-28, let the streams on which clients
// listen continue there, and tell the clients that lists may have changed.
package dev

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/internal/address"
	"github.com/bowline-mcp/bowline/internal/cli/dev/applog"
	"github.com/bowline-mcp/bowline/internal/cli/dev/programs"
	"github.com/bowline-mcp/bowline/internal/cli/dev/proxy"
	"github.com/bowline-mcp/bowline/internal/cli/dev/relay"
	"github.com/bowline-mcp/bowline/internal/cli/directives"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
	"github.com/bowline-mcp/bowline/internal/nonblocking"
)

// ErrUnknownHandle is the error for a handle to which the app maps no server. The program has
// said so on stderr.
var ErrUnknownHandle = relay.ErrUnknownHandle

// Serve serves the app in the folder root over HTTP until the context ends. Addr is where
// clients connect; by default it is the address of the app (APP_ADDR). Stderr gets the log. When the
// app serves, it has the URLs, and then what next returns, unless that is nil.
func Serve(ctx context.Context, root, addr string, stderr io.Writer, next proxy.Next) error {
	settings := programs.ReadSettings(root)
	addr = cmp.Or(addr, settings.Get("APP_ADDR"), "127.0.0.1:8080")
	if err := settings.CheckAddress(addr); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	switch {
	case address.IsInUse(err):
		return fmt.Errorf("%s is in use by another program: stop that one, or serve at another address with --addr", addr)
	case err != nil:
		return fmt.Errorf("serve at %s: %w; choose another address with --addr", addr, err)
	}
	lines, log := newLog(root, stderr)
	defer lines.Flush(time.Second)
	defer log.Close()
	builder, err := newBuilder(root, lines)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	p := proxy.New(root, listener.Addr().String(), log, next)
	server := &http.Server{Handler: p, ReadHeaderTimeout: programs.StartLimit, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	built := make(chan error, 1)
	loopCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { built <- (&loop{root: root, builder: builder, server: p, log: log}).run(loopCtx) }()
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	cancel()
	p.Close()
	err = cmp.Or(err, <-built)
	stopping, done := context.WithTimeout(context.WithoutCancel(ctx), programs.StopLimit)
	defer done()
	_ = server.Shutdown(stopping) // what is left then is closed
	_ = server.Close()
	p.Wait()
	return err
}

// newBuilder returns a builder that generates the code for the app's directives before each build.
func newBuilder(root string, lines io.Writer) (*launcher.Builder, error) {
	app, err := scaffold.FindApp(root)
	if err != nil {
		return nil, err
	}
	builder, err := launcher.NewBuilder(root, lines)
	if err != nil {
		return nil, err
	}
	builder.Before(func() error {
		_, err := directives.Write(app)
		return err
	})
	return builder, nil
}

// newLog returns the log of the app in the folder root, and the writer of its lines. Nothing waits
// for a terminal that doesn't read.
func newLog(root string, stderr io.Writer) (*nonblocking.Writer, *applog.Log) {
	lines := nonblocking.New(stderr, func(dropped int) {
		_, _ = fmt.Fprintf(stderr, "mcp: %d lines were dropped, since nobody read them\n", dropped)
	})
	return lines, applog.New(lines, root)
}

// Relay serves the server of a handle on stdin and stdout, until stdin or the context ends.
func Relay(ctx context.Context, root, handle string, stdin io.Reader, stdout, stderr io.Writer) error {
	lines, log := newLog(root, stderr)
	defer lines.Flush(time.Second)
	defer log.Close()
	builder, err := newBuilder(root, lines)
	if err != nil {
		return err
	}
	r := relay.New(root, handle, stdout, log)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	built := make(chan error, 1)
	go func() {
		err := (&loop{root: root, builder: builder, server: r, log: log}).run(ctx)
		built <- err
		cancel()
	}()
	err = r.Run(ctx, stdin)
	cancel()
	err = cmp.Or(<-built, err)
	r.Close()
	return err
}
