// This example has a server whose tools are limited by time, by rate and by principal.
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
	helpdesk := &servers.HelpdeskServer{Log: log}
	app.Router.Web("/mcp", helpdesk).Use(identify).Throttle(600, time.Minute) // POST /mcp
	app.Router.Local("helpdesk", helpdesk)                                    // start helpdesk
	events.Listen(app.Events, func(_ context.Context, event events.Failed) {
		log.Warn("an operation failed", "method", event.Method, "name", event.Name, "error", event.Err)
	})
	os.Exit(app.Main())
}

// identify sets the principal that the header X-Agent names. The example doesn't verify
// it; a real program verifies a token.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := exchange.WithPrincipal(r.Context(), exchange.Principal{ID: r.Header.Get("X-Agent")})
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
