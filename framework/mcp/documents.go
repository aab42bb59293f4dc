package mcp

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/protected"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/wellknown"
)

// documents are the public documents of a program, below /.well-known/: the metadata of
// its guarded routes. Clients read them without a token, and web pages of every origin may.
type documents struct {
	routes    chi.Routes // of the program
	notFound  http.HandlerFunc
	prefix    string                         // the path of Config.URL
	resources map[string]*protected.Resource // by the patterns of their paths
	main      []*protected.Resource          // those at the paths of routes, without /sse
}

// newDocuments returns documents without any resource.
func (b *booter) newDocuments(routes chi.Routes, notFound http.HandlerFunc) *documents {
	return &documents{routes: routes, notFound: notFound, prefix: b.config.path(), resources: map[string]*protected.Resource{}}
}

// add adds the metadata of a path of a guarded route.
func (d *documents) add(route *Route, path string, web *protected.Resource) {
	d.resources[route.prefix()+path] = web
	if path == route.path {
		d.main = append(d.main, web)
	}
}

// ServeHTTP serves a document.
func (d *documents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web, path := d.find(r)
	switch {
	case web == nil:
		d.notFound(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		refusal := &exchange.Error{Code: exchange.CodeInvalidRequest, Message: "This document takes GET requests", Status: http.StatusMethodNotAllowed}
		refusal.Header = http.Header{"Allow": {"GET, HEAD"}}
		web.Refuse(w, r, refusal)
	default:
		w.Header().Set("Cache-Control", "public, max-age=300")
		transport.WriteBody(w, r, http.StatusOK, "application/json", web.Metadata(path))
	}
}

// find returns the resource that a request asks about, and its path, or nil. Its own
// metadata is at the path that serves it, below wellknown.Resource (RFC 9728, section 3.1). Some
// clients read only the root path, which would be wrong if there were several resources.
func (d *documents) find(r *http.Request) (web *protected.Resource, path string) {
	if hasSlashEscape(r) {
		return nil, ""
	}
	asked := strings.TrimPrefix(r.URL.Path, wellknown.Resource)
	if web, path = d.at(asked); web != nil {
		return web, path
	}
	if strings.TrimSuffix(asked, "/") == "" && len(d.main) == 1 && d.main[0].Path == nil {
		return d.main[0], d.main[0].Fixed
	}
	return nil, ""
}

// escaped returns a path as it is in URLs.
func escaped(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// at returns the resource at a decoded path of the program's URL, and its escaped path below
// that, or nil. The path may have a slash at its end that the route lacks.
func (d *documents) at(path string) (*protected.Resource, string) {
	below, ok := strings.CutPrefix(path, d.prefix)
	if !ok || !isPlain(path) {
		return nil, ""
	}
	if below == "" {
		below = "/"
	}
	below = withoutSlash(d.routes, below)
	found := chi.NewRouteContext()
	web := d.resources[d.routes.Find(found, http.MethodPost, below)]
	if web == nil || !hasPlainParameters(found) {
		return nil, ""
	}
	return web, escaped(below)
}

// resource returns the URL of a guarded route for the spelling of a client, whose host may
// have capital letters or the default port, and which may end with a slash.
func (d *documents) resource(text string) (string, bool) {
	u, err := url.Parse(text)
	if err != nil || u.RawQuery != "" || u.ForceQuery || u.User != nil || strings.Contains(text, "#") || strings.Contains(strings.ToLower(u.RawPath), "%2f") {
		return "", false
	}
	if web, below := d.at(u.Path); web != nil && web.IsAt(u) {
		return web.At(below), true
	}
	return "", false
}

// fixed returns the URLs of the guarded routes without parameters.
func (d *documents) fixed() (urls []string) {
	for _, web := range d.main {
		if web.Path == nil {
			urls = append(urls, web.At(web.Fixed))
		}
	}
	return urls
}
