// Package calltest lets tests make calls without a transport. It provides a [Reply] that
// records, a [Log], and the [Server] that calls need.
package calltest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/seal"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/requestlog"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Meta holds the required members of a request's _meta in the newest version.
const Meta = `"` + spec.MetaVersion + `":"2026-07-28","` + spec.MetaCapabilities + `":{}`

// Server returns a server for calls, which logs to log as [Logger] does.
func Server(log io.Writer) *call.Server {
	return &call.Server{
		Scope: "test", Info: spec.NewServerInfo([]byte(`{"name":"test","version":"1"}`)), Timeout: time.Minute,
		Lifecycle: call.NewLifecycle(), Seal: seal.New("secret"), Address: Address,
		Principal: func(ctx context.Context) string { return exchange.PrincipalFrom(ctx).ID },
		Shares:    throttle.NewShares(throttle.Config{Key: Client, Logger: Logger(log)}),
		Logger:    Logger(log),
	}
}

// Client returns the client that a request comes from.
func Client(r *http.Request) throttle.Key {
	return throttle.KeyOf(exchange.PrincipalFrom(r.Context()).ID, Address(r))
}

// Address returns the address of a connection.
func Address(r *http.Request) netip.Addr {
	address, _ := netip.ParseAddrPort(r.RemoteAddr)
	return address.Addr()
}

// Logger returns a logger that writes all lines, with the principal and the client of their request
// if they are known, and without attributes that differ between runs.
func Logger(log io.Writer) *slog.Logger {
	return slog.New(requestlog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case slog.TimeKey, "took", "stack", "request":
			return slog.Attr{}
		case "principal", "client":
			if a.Value.String() == "anonymous" || a.Value.String() == "unknown" {
				return slog.Attr{}
			}
		}
		return a
	}})))
}

// Arrive returns the arrival of a message. It panics if the text isn't a message.
func Arrive(format string, args ...any) *call.Arrival {
	a, text := &call.Arrival{}, fmt.Sprintf(format, args...)
	if err := a.Message.Scan([]byte(text)); err != nil {
		panic(fmt.Sprintf("%v: %s", err, text)) //nolint:forbidigo // the mistake of a test
	}
	return a
}
