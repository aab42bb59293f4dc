package oauth

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A Route is a path of the server with its handler.
type Route struct {
	Path    string // from the root of the host
	Handler http.Handler

	// Public means that web pages of every origin may send requests: browsers run clients
	// that read the metadata and get their tokens. Pages of the server are not public.
	Public bool
}

// routes returns the routes of the server.
func (s *Server) routes() []Route {
	prefix := ""
	if u, err := url.Parse(s.site.URL); err == nil {
		prefix = u.EscapedPath()
	}
	var all []Route
	for _, path := range metadataPaths(prefix) {
		all = append(all, Route{path, s.metadataDocument(), true})
	}
	return append(all,
		Route{prefix + jwksPath, s.keysDocument(), true},
		Route{prefix + tokenPath, s.serve(http.MethodPost, s.token), true},
		Route{prefix + revokePath, s.serve(http.MethodPost, s.revoke), true},
		Route{prefix + authorizePath, page(s.authorize, http.MethodGet), false},
		Route{prefix + loginPath, page(s.login, http.MethodGet, http.MethodPost), false},
		Route{prefix + consentPath, page(s.consent, http.MethodGet, http.MethodPost), false},
		Route{prefix + introspectPath, s.serve(http.MethodPost, s.introspect), false},
	)
}

// page serves a page to requests with the methods.
func page(handler http.HandlerFunc, methods ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(methods, r.Method) {
			w.Header().Set("Allow", strings.Join(methods, ", "))
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		handler(w, r)
	}
}
