package mcp

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/protected"
	"github.com/bowline-mcp/bowline/internal/transport"
)

// documents are the public documents of a program, below /.well-known/: the metadata of
// its guarded routes. Clients read them without a token, and web pages of every origin may.
type documents struct {
	mux      chi.Router
	notFound http.HandlerFunc
	prefix   string // the path of Config.URL
	routes   map[*Route]http.Handler
	plain    func(http.Handler) http.Handler
}

// newDocuments returns documents without any route.
func (b *booter) newDocuments(notFound http.HandlerFunc) *documents {
	d := &documents{mux: chi.NewRouter(), notFound: notFound, routes: map[*Route]http.Handler{}, plain: plain(notFound)}
	if u, err := url.Parse(b.config.URL); err == nil {
		d.prefix = strings.TrimSuffix(u.EscapedPath(), "/")
	}
	d.mux.NotFound(notFound)
	d.mux.MethodNotAllowed(notFound) // a method that chi doesn't know
	return d
}

// ServeHTTP serves a document.
func (d *documents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if hasSlashEscape(r) || !isPlain(r.URL.Path) {
		d.notFound(w, r)
		return
	}
	d.mux.ServeHTTP(w, decoded(r))
}

// add adds the metadata of a path of a guarded route (RFC 9728, section 3.1).
func (d *documents) add(route *Route, path string, web *protected.Resource) {
	full := route.prefix() + path
	before := protected.MetadataPath + d.prefix
	document := func(r *http.Request) []byte {
		return web.Metadata(strings.TrimPrefix(r.URL.EscapedPath(), before))
	}
	if !hasParameters(full) {
		document = func(*http.Request) []byte { return web.Metadata(full) }
	}
	handler := metadataHandler(web, document)
	d.mux.With(d.plain).Handle(before+pathOf(full), handler)
	if path == route.path {
		d.routes[route] = handler
	}
}

// pathOf returns the path of a route as metadata has it: "" for the root.
func pathOf(full string) string {
	if full == "/" {
		return ""
	}
	return full
}

// finish adds the metadata at the root path, which some clients read. It would be that of
// the wrong route if there were several.
func (d *documents) finish() {
	for route, handler := range d.routes {
		if full := route.prefix() + route.path; len(d.routes) == 1 && !hasParameters(full) && d.prefix+full != "/" {
			d.mux.Handle(protected.MetadataPath, handler)
		}
	}
}

// metadataHandler serves a metadata document.
func metadataHandler(web *protected.Resource, document func(*http.Request) []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			refused := &exchange.Error{Code: exchange.CodeInvalidRequest, Message: "This document takes GET requests", Status: http.StatusMethodNotAllowed}
			refused.Header = http.Header{"Allow": {"GET, HEAD"}}
			web.Refuse(w, r, refused)
			return
		}
		w.Header().Set("Cache-Control", "public, max-age=300")
		transport.WriteBody(w, r, http.StatusOK, "application/json", document(r))
	})
}
