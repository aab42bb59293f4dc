package oauth

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// The grants of the token endpoint.
const (
	grantCode        = "authorization_code"
	grantRefresh     = "refresh_token"
	grantCredentials = "client_credentials"
)

// token is the token endpoint (RFC 6749, section 3.2). Only failures count for an address:
// hosted clients refresh for all their users from few.
func (s *Server) token(r *http.Request) (any, error) {
	f, client, err := s.readRequest(r)
	if err != nil {
		return nil, err
	}
	if wait := s.wrongTokens.Wait(throttle.KeyOf("", s.address(r))); wait > 0 {
		return nil, slowDown(wait)
	}
	answer, err := s.exchange(r, client, f)
	refused, ok := errors.AsType[*requestError](err)
	if _, wrong := errors.AsType[*grants.Error](err); wrong || ok && refused.status == http.StatusBadRequest {
		s.countWrong(r)
	}
	return answer, err
}

// countWrong counts a request with a code or a token that is not valid.
func (s *Server) countWrong(r *http.Request) { s.wrongTokens.Take(throttle.KeyOf("", s.address(r))) }

// exchange answers a request for tokens.
func (s *Server) exchange(r *http.Request, client store.Client, f form) (any, error) {
	grant := f.get("grant_type")
	if err := s.allowed(client, grant); err != nil {
		return nil, err
	}
	switch grant {
	case grantCode:
		return s.redeem(r, client, f)
	case grantRefresh:
		return s.refresh(r, client, f)
	case grantAssertion:
		return s.exchangeIdentity(r, client, f)
	default:
		return s.clientCredentials(r, client, f)
	}
}

// grantTypes returns the grants that the server supports.
func (s *Server) grantTypes() []string {
	grants := []string{grantCode, grantRefresh, grantCredentials}
	if len(s.config.IdentityProviders) > 0 {
		grants = append(grants, grantAssertion)
	}
	return grants
}

// allowed returns an error for a grant that a client can't use.
func (s *Server) allowed(client store.Client, grant string) error {
	if grant == "" {
		return invalid("The parameter grant_type is missing")
	}
	if !slices.Contains(s.grantTypes(), grant) {
		return &requestError{status: http.StatusBadRequest, code: "unsupported_grant_type", description: "The grant_type is unknown; use one of " + strings.Join(s.grantTypes(), ", ")}
	}
	switch grant {
	case grantCode, grantRefresh:
		if len(client.GrantTypes) == 0 || slices.Contains(client.GrantTypes, grant) {
			return nil
		}
	case grantCredentials:
		if slices.Contains(client.GrantTypes, grant) && !client.IsPublic() {
			return nil
		}
	case grantAssertion:
		// A public client is known by its document, or else by nothing.
		if slices.Contains(client.GrantTypes, grant) && (!client.IsPublic() || client.Source == store.Document) {
			return nil
		}
	}
	return &requestError{status: http.StatusBadRequest, code: "unauthorized_client", description: "The client is not registered for the grant_type " + grant}
}

// granted returns the resources that a request for tokens of an existing grant names.
func (s *Server) granted(f form) ([]string, error) {
	if resource := f.get("resource"); resource != "" {
		return s.target(resource)
	}
	return nil, nil
}

func (s *Server) redeem(r *http.Request, client store.Client, f form) (any, error) {
	resources, err := s.granted(f)
	if err != nil {
		return nil, err
	}
	code, verifier := f.get("code"), f.get("code_verifier")
	switch {
	case code == "":
		return nil, invalid("The parameter code is missing")
	case !isVerifier(verifier):
		return nil, invalid("The parameter code_verifier is missing, or not 43 to 128 letters, digits and -._~")
	}
	return s.grants.Redeem(r.Context(), client, grants.CodeRequest{Code: code, Verifier: verifier, RedirectURI: f.get("redirect_uri"), Resources: resources})
}

// isVerifier reports whether a text can be a code verifier (RFC 7636, section 4.1).
func isVerifier(text string) bool {
	for _, b := range []byte(text) {
		if b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' || b == '-' || b == '.' || b == '_' || b == '~' {
			continue
		}
		return false
	}
	return len(text) >= 43 && len(text) <= 128
}

func (s *Server) refresh(r *http.Request, client store.Client, f form) (any, error) {
	resources, err := s.granted(f)
	if err != nil {
		return nil, err
	}
	scopes, err := parseScopes(f.get("scope"))
	if err != nil {
		return nil, err
	}
	token := f.get("refresh_token")
	if token == "" {
		return nil, invalid("The parameter refresh_token is missing")
	}
	return s.grants.Refresh(r.Context(), client, grants.RefreshRequest{Token: token, Scopes: scopes, Resources: resources})
}

func (s *Server) clientCredentials(r *http.Request, client store.Client, f form) (any, error) {
	resources, err := s.target(f.get("resource"))
	if err != nil {
		return nil, err
	}
	scopes, err := s.wanted(f.get("scope"), client.Scopes)
	if err != nil {
		return nil, err
	}
	return s.grants.ClientCredentials(r.Context(), client, scopes, resources)
}
