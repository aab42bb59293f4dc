package auth

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/protected"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/wellknown"
)

// Middleware returns middleware that protects a handler of the program with a guard, for
// handlers that aren't routes of an mcp.App, such as mcp.Handler or an API. The context of
// the handler carries the principal; see exchange.PrincipalFrom. The resource is the public
// URL of the handler. Clients look for its metadata at another path, which
// [MetadataHandler] serves. Refused requests are logged by slog.Default.
//
// It panics if the guard or the resource is not valid.
func Middleware(guard *BearerGuard, resource string) func(http.Handler) http.Handler {
	return protect("Middleware", guard, resource).Handler
}

// MetadataHandler returns a handler for the metadata of a resource that [Middleware]
// protects (RFC 9728). It also returns the path to map it to. Web pages of every origin may
// read the metadata.
//
//	path, metadata := auth.MetadataHandler(guard, "https://example.com/files")
//	mux.Handle(path, metadata) // /.well-known/oauth-protected-resource/files
//
// It panics if the guard or the resource is not valid.
func MetadataHandler(guard *BearerGuard, resource string) (path string, handler http.Handler) {
	metadata := protect("MetadataHandler", guard, resource).Metadata("")
	u, _ := url.Parse(resource) // protect has checked it
	return wellknown.ResourcePath(u), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		switch {
		case r.Method == http.MethodGet || r.Method == http.MethodHead:
			h.Set("Content-Type", "application/json")
			h.Set("Cache-Control", "public, max-age=300")
			_, _ = w.Write(metadata)
		case r.Method == http.MethodOptions && r.Header["Access-Control-Request-Method"] != nil: // clients send MCP-Protocol-Version
			h.Set("Access-Control-Allow-Methods", "GET")
			h.Set("Access-Control-Allow-Headers", "*")
			h.Set("Access-Control-Max-Age", "600")
			w.WriteHeader(http.StatusNoContent)
		default:
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "This document takes GET requests", http.StatusMethodNotAllowed)
		}
	})
}

// protect returns a resource for a handler that is not a route.
func protect(function string, guard *BearerGuard, resource string) *protected.Resource {
	made, err := protected.New(protected.Config{
		Guards: []protected.Guard{guard}, Base: func() (string, error) { return resource, nil },
		Detached: true, Refuse: refuse, Logger: slog.Default(),
	})
	if err != nil {
		panic(fmt.Sprintf("auth: %s: %v", function, err))
	}
	return made
}

// refuse answers a request that isn't authorized, and logs why.
func refuse(w http.ResponseWriter, r *http.Request, refusal *exchange.Error) {
	logRefusal(r, refusal)
	maps.Copy(w.Header(), refusal.Header)
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close") // the body isn't read
	}
	http.Error(w, refusal.Message, refusal.Status)
}

// logRefusal logs that a request was refused, at debug level if it has no token, by which
// clients begin. The line doesn't have the query, which may have secrets.
func logRefusal(r *http.Request, refusal *exchange.Error) {
	level := slog.LevelWarn
	if r.Header["Authorization"] == nil && refusal.Status == http.StatusUnauthorized {
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{
		slog.Int("status", refusal.Status), slog.String("http", r.Method), slog.String("path", fmt.Sprintf("%.*s", limits.MaxLogged, r.URL.Path)),
		slog.String("reason", refusal.Message),
	}
	if refusal.Err != nil && refusal.Err.Error() != refusal.Message {
		attrs = append(attrs, slog.String("cause", fmt.Sprintf("%.*s", limits.MaxCause, refusal.Err)))
	}
	slog.Default().LogAttrs(r.Context(), level, "a request was refused", attrs...)
}
