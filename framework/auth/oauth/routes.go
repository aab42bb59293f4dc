package oauth

import (
	"net/http"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// Endpoints returns the endpoints of the server for Router.OAuthRoutes, or the mistakes in its
// configuration.
func (s *Server) Endpoints(prefix string) ([]mcp.OAuthEndpoint, error) {
	s.mapped = true
	if s.mistakes != nil {
		return nil, s.mistakes
	}
	var all []mcp.OAuthEndpoint
	for _, path := range metadataPaths(prefix) {
		all = append(all, mcp.OAuthEndpoint{Path: path, Handler: s.metadataDocument(), Public: true})
	}
	if !s.config.NoRegistration {
		all = append(all, mcp.OAuthEndpoint{Path: prefix + registerPath, Handler: s.serve(http.MethodPost, http.StatusCreated, s.register), Public: true})
	}
	return append(all,
		mcp.OAuthEndpoint{Path: prefix + jwksPath, Handler: s.keysDocument(), Public: true},
		mcp.OAuthEndpoint{Path: prefix + tokenPath, Handler: s.serve(http.MethodPost, http.StatusOK, s.token), Public: true},
		mcp.OAuthEndpoint{Path: prefix + revokePath, Handler: s.serve(http.MethodPost, http.StatusOK, s.revoke), Public: true},
		mcp.OAuthEndpoint{Path: prefix + introspectPath, Handler: s.serve(http.MethodPost, http.StatusOK, s.introspect)},
		mcp.OAuthEndpoint{Path: prefix + authorizePath, Handler: page(s.authorize, http.MethodGet)},
		mcp.OAuthEndpoint{Path: prefix + loginPath, Handler: page(s.login, http.MethodGet, http.MethodPost)},
		mcp.OAuthEndpoint{Path: prefix + callbackPath, Handler: page(s.callback, http.MethodGet)},
		mcp.OAuthEndpoint{Path: prefix + consentPath, Handler: page(s.consent, http.MethodGet, http.MethodPost)},
	), nil
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
