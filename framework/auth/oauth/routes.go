package oauth

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/wellknown"
)

// Endpoints returns the endpoints of the server for Router.Component, or the mistakes in its
// configuration.
func (s *Server) Endpoints(prefix string) ([]mcp.Endpoint, error) {
	s.mapped = true
	if s.mistakes != nil {
		return nil, s.mistakes
	}
	var all []mcp.Endpoint
	for _, path := range wellknown.ServerPaths(prefix) {
		all = append(all, s.jsonEndpoint(path, 0, s.document(func() ([]byte, error) { return json.Marshal(s.describe()) })))
	}
	if !s.config.NoRegistration {
		registration := s.jsonEndpoint(prefix+endpoint.RegisterPath, limits.MaxRegistration, s.base.Serve(http.MethodPost, http.StatusCreated, s.clients.Register))
		registration.Refuse = s.base.RefuseLimit("invalid_client_metadata")
		all = append(all, registration)
	}
	token := s.jsonEndpoint(prefix+endpoint.TokenPath, limits.MaxForm, s.base.Serve(http.MethodPost, http.StatusOK, s.tokens.Token))
	token.Weight = limits.TokenRequestWeight
	introspection := s.jsonEndpoint(prefix+endpoint.IntrospectPath, limits.MaxForm, s.base.Serve(http.MethodPost, http.StatusOK, s.tokens.Introspect))
	introspection.Public = false // only servers introspect tokens
	all = append(all,
		s.jsonEndpoint(prefix+endpoint.KeysPath, 0, s.document(func() ([]byte, error) { return s.tokens.Keys.JSON() })),
		token,
		s.jsonEndpoint(prefix+endpoint.RevokePath, limits.MaxForm, s.base.Serve(http.MethodPost, http.StatusOK, s.tokens.Revoke)),
		introspection,
		s.pageEndpoint(prefix+endpoint.AuthorizePath, s.authorize.Authorize, http.MethodGet),
		s.pageEndpoint(prefix+endpoint.LoginPath, s.authorize.Login, http.MethodGet, http.MethodPost),
		s.pageEndpoint(prefix+endpoint.CallbackPath, s.authorize.Callback, http.MethodGet),
		s.pageEndpoint(prefix+endpoint.ConsentPath, s.authorize.Consent, http.MethodGet, http.MethodPost),
		s.pageEndpoint(prefix+endpoint.AccountPath, s.authorize.Account, http.MethodGet, http.MethodPost),
	)
	for i, one := range all {
		all[i] = s.base.Identified(one)
	}
	return all, nil
}

// jsonEndpoint returns an endpoint for clients, which answers with JSON.
func (s *Server) jsonEndpoint(path string, size int64, handler http.Handler) mcp.Endpoint {
	return mcp.Endpoint{Path: path, Handler: handler, Public: true, MaxBody: size, Refuse: s.base.RefuseLimit("invalid_request")}
}

// pageEndpoint returns an endpoint for browsers, which answers requests with the methods.
func (s *Server) pageEndpoint(path string, show func(http.ResponseWriter, *http.Request) error, methods ...string) mcp.Endpoint {
	handler := s.authorize.Page(show)
	checked := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(methods, r.Method) {
			w.Header().Set("Allow", strings.Join(methods, ", "))
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		handler(w, r)
	})
	size := int64(0)
	if slices.Contains(methods, http.MethodPost) {
		size = limits.MaxPageForm
	}
	return mcp.Endpoint{Path: path, Handler: checked, MaxBody: size, Refuse: s.authorize.LimitPage}
}
