package mcp

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/transport"
	wire "github.com/bowline-mcp/bowline/internal/transport"
)

// Handler returns an http.Handler that serves one server, for a program that has
// its own HTTP server:
//
//	http.Handle("/mcp", mcp.Handler(&WeatherServer{}))
//
// It has the limits of a zero [Config]. On a loopback connection it answers to loopback
// names only; elsewhere it answers to any name, but refuses web pages. A program that
// serves web pages, or is behind a proxy on the same machine, needs an [App] with
// Config.AllowedHosts; App.Handler is an http.Handler too. Several handlers, streams
// and transports may share a server.
//
// It panics if the server can't be registered, or is served by an App, since it has no
// error to return: [Validate] returns what is wrong with a server.
func Handler(server servers.Interface) http.Handler {
	b, made := alone(server)
	if made.err != nil {
		panic(join(made.err))
	}
	web := wire.NewHTTP(made.Core(), made.legacy, b.config.limits(), b.config.Logger)
	return wire.NewGate(wire.Guard{Anywhere: true}, b.config.Logger, web)
}

// ServeStdio serves one server to the client at the other end of two streams,
// until in or the context ends; then the calls that still run get two seconds. The
// error says why the server can't be registered, or what ended the reading.
//
// If out is os.Stdout, what the program prints to os.Stdout meanwhile goes to stderr,
// since it would break the client's stream; the log says so once.
func ServeStdio(ctx context.Context, server servers.Interface, in io.Reader, out io.Writer) error {
	defer keepStdout(out, Config{}.withDefaults().Logger)() // before Boot of the server may print
	b, made := alone(server)
	if made.err != nil {
		return made.err
	}
	defer flush(b.config.Logger)
	return wire.NewStdio(made.Core(), made.legacy, in, out, b.config.limits(), b.config.Logger).Serve(ctx)
}

// ServeTransport serves one server to the client at the other end of a transport, until
// the client or the context ends; then the calls that still run get two seconds. It
// closes the transport. Handlers see the values of the context, which may say who the
// client is. It may be called for many clients of one server at once. The error says
// why the server can't be registered, or that the transport did not start, could not
// send, or did not close. It is nil if the client has gone.
//
// It has the limits of a zero [Config]; App.ServeTransport has the app's.
func ServeTransport(ctx context.Context, server servers.Interface, t transport.Transport) error {
	b, made := alone(server)
	if made.err != nil {
		return errors.Join(made.err, t.Close())
	}
	defer flush(b.config.Logger)
	return b.carry(ctx, made, t)
}

// alone boots a server that is not part of an App.
func alone(server servers.Interface) (*booter, *booted) {
	b := newBooter(Config{})
	return b, b.boot(server)
}
