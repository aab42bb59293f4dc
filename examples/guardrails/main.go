// This example has a server whose tools are limited: by time, by rate, by who asks.
//
//	go run ./examples/guardrails serve
package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/guardrails/servers"
)

func main() {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	app := mcp.New(mcp.Config{
		Name:           "guardrails",
		Addr:           env.String("APP_ADDR", "127.0.0.1:3000"),
		TrustedProxies: env.List("APP_TRUSTED_PROXIES"),
		Logger:         log,
	})
	desk := &servers.DeskServer{Log: log}
	app.Router.Web("/mcp", desk).Use(identify).Throttle(600, time.Minute) // POST /mcp
	app.Router.Local("desk", desk)                                        // start desk
	events.Listen(app.Events, func(_ context.Context, event events.Failed) {
		log.Warn("an operation failed", "method", event.Method, "name", event.Name, "error", event.Err)
	})
	os.Exit(app.Main())
}

// identify takes a header's word for who calls, so that the example needs no login.
// A real program verifies a token first.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := exchange.WithPrincipal(r.Context(), exchange.Principal{ID: r.Header.Get("X-Member")})
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
