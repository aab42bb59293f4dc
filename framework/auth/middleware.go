package auth

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/protected"
)

// Middleware returns middleware that protects a handler of the program with a guard, for
// handlers that aren't routes of an mcp.App, such as mcp.Handler or an API. The context of
// the handler carries the principal; see exchange.PrincipalFrom. The resource is the public
// URL of the handler. Clients look for its metadata at another path, which
// [MetadataHandler] serves.
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
	return protected.MetadataPath + protected.PathOf(resource), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "This document takes GET requests", http.StatusMethodNotAllowed)
			return
		}
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "public, max-age=300")
		_, _ = w.Write(metadata)
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

// refuse answers a request that isn't authorized.
func refuse(w http.ResponseWriter, r *http.Request, refused *exchange.Error) {
	maps.Copy(w.Header(), refused.Header)
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close") // the body isn't read
	}
	http.Error(w, refused.Message, refused.Status)
}
