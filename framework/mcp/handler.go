package mcp

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/bowline-mcp/bowline/framework/mcp/internal/redirect"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/transport"
	wire "github.com/bowline-mcp/bowline/internal/engine/transport"
)

// Handler returns an http.Handler that serves one server, for a program that has
// its own HTTP server:
//
//	http.Handle("/mcp", mcp.Handler(&WeatherServer{}))
//
// The handler has the limits of a zero [Config]. On a loopback connection it accepts only
// loopback host names. On other connections it accepts any host name, but refuses
// requests from web pages. A program that serves web pages, or is behind a proxy on the
// same machine, needs an [App] with Config.AllowedHosts; App.Handler returns an
// http.Handler too. Several handlers, streams and transports may share a server. Items that
// need scopes (auth.Require) need auth.Middleware around the handler; without it, their calls
// get 401.
//
// Handler panics if the server can't be registered or an App serves it. [Validate]
// returns the mistakes in a server as an error.
func Handler(server servers.Interface) http.Handler {
	b, made := alone(server)
	if made.err != nil {
		panic(prefixed(context.Background(), made.err))
	}
	web := wire.NewHTTP(made.Core(), made.legacy, b.config.limits(), b.config.Logger)
	return wire.NewGate(wire.HostPolicy{Anywhere: true}, b.config.Logger, web)
}

// ServeStdio serves one server to a client over two streams, until in or the context
// ends. Running calls then have two seconds to finish. ServeStdio returns an error if the
// server can't be registered or reading fails. The client's
// principal comes from the context. Without one there, it is a local one; see [Local.As].
//
// If out is os.Stdout, other output of the program to os.Stdout goes to stderr meanwhile,
// since it would break the client's stream. The first such output is logged.
func ServeStdio(ctx context.Context, server servers.Interface, in io.Reader, out io.Writer) error {
	b := newBooter(Config{})
	defer flush(b.config.Logger)
	defer redirect.Stdout(out, b.config.Logger)() // before Boot of the server may print
	made := b.boot(server)
	if made.err != nil {
		return made.err
	}
	return wire.NewStdio(made.Core(), made.legacy, in, out, b.config.limits(), b.config.Logger).Serve(withLocalPrincipal(ctx))
}

// ServeTransport serves one server to a client over a transport, until the client
// disconnects or the context ends. Running calls then have two seconds to finish.
// ServeTransport closes the transport. Handlers see the values of the context, such as
// the client's principal. Several goroutines may call ServeTransport with the same
// server, each for one client. It returns an error if the server can't be registered, or
// if the transport fails to start, send or close. It returns nil if the client
// disconnects.
//
// ServeTransport uses the limits of a zero [Config]; App.ServeTransport uses the app's.
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
