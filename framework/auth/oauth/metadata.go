package oauth

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/clients"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/tokens"
)

// serverMetadata describes the server to clients (RFC 8414, section 2; OpenID Connect Discovery,
// section 3). It is both documents, since some clients read only one.
type serverMetadata struct {
	Issuer                string `json:"issuer"`
	AuthorizationEndpoint string `json:"authorization_endpoint"`
	TokenEndpoint         string `json:"token_endpoint"`
	JWKS                  string `json:"jwks_uri"`
	RegistrationEndpoint  string `json:"registration_endpoint,omitempty"`
	RevocationEndpoint    string `json:"revocation_endpoint"`
	IntrospectionEndpoint string `json:"introspection_endpoint"`

	Scopes                   []string `json:"scopes_supported"`
	ResponseTypes            []string `json:"response_types_supported"`
	ResponseModes            []string `json:"response_modes_supported"`
	GrantTypes               []string `json:"grant_types_supported"`
	GrantProfiles            []string `json:"authorization_grant_profiles_supported,omitempty"`
	TokenAuthMethods         []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuthMethods    []string `json:"revocation_endpoint_auth_methods_supported"`
	IntrospectionAuthMethods []string `json:"introspection_endpoint_auth_methods_supported"`
	TokenSignings            []string `json:"token_endpoint_auth_signing_alg_values_supported"`
	RevocationSignings       []string `json:"revocation_endpoint_auth_signing_alg_values_supported"`
	IntrospectionSignings    []string `json:"introspection_endpoint_auth_signing_alg_values_supported"`
	ChallengeMethods         []string `json:"code_challenge_methods_supported"`
	HasIssuer                bool     `json:"authorization_response_iss_parameter_supported"`
	HasDocuments             bool     `json:"client_id_metadata_document_supported"`

	// OpenID Connect requires these, although the server issues no ID tokens.
	SubjectTypes    []string `json:"subject_types_supported"`
	IDTokenSignings []string `json:"id_token_signing_alg_values_supported"`
}

// describe returns the metadata. Its scopes are the default ones: clients ask for all of
// them.
func (s *Server) describe() serverMetadata {
	methods, signings := s.clients.AuthMethods(), jose.Algorithms()
	confidential := slices.DeleteFunc(slices.Clone(methods), func(method string) bool { return method == clients.MethodNone })
	registration := s.base.URL + endpoint.RegisterPath
	if s.config.NoRegistration {
		registration = ""
	}
	var profiles []string
	if len(s.config.IdentityProviders) > 0 {
		profiles = []string{tokens.ProfileIDJAG}
	}
	return serverMetadata{
		Issuer: s.base.URL, AuthorizationEndpoint: s.base.URL + endpoint.AuthorizePath, TokenEndpoint: s.base.URL + endpoint.TokenPath,
		JWKS: s.base.URL + endpoint.KeysPath, RegistrationEndpoint: registration,
		RevocationEndpoint: s.base.URL + endpoint.RevokePath, IntrospectionEndpoint: s.base.URL + endpoint.IntrospectPath,
		Scopes: append(append([]string{}, s.config.DefaultScopes...), "offline_access"), ResponseTypes: []string{"code"}, ResponseModes: []string{"query"},
		GrantTypes: s.tokens.GrantTypes(), GrantProfiles: profiles, TokenAuthMethods: methods, RevocationAuthMethods: methods,
		IntrospectionAuthMethods: confidential, TokenSignings: signings, RevocationSignings: signings, IntrospectionSignings: signings,
		ChallengeMethods: []string{"S256"}, HasIssuer: true, HasDocuments: true,
		SubjectTypes: []string{"public"}, IDTokenSignings: []string{jose.ES256},
	}
}

// document serves a public document, which caches may keep for five minutes.
func (s *Server) document(read func() ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			s.base.Refuse(w, r, &endpoint.Error{Status: http.StatusMethodNotAllowed, Code: "invalid_request", Description: "This document takes GET requests"})
			return
		}
		text, err := read()
		if err != nil {
			s.base.Refuse(w, r, err)
			return
		}
		w.Header().Set("Cache-Control", "public, max-age=300")
		w.Header().Set("Content-Type", "application/json")
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(text)))
	}
}
