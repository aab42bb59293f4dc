package oauth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// The ways in which a client authenticates itself at the token endpoint (RFC 7591, section
// 2).
const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
	methodKey   = "private_key_jwt"
)

// authMethods returns the methods of clients that the server supports.
func (s *Server) authMethods() []string {
	confidential := []string{methodBasic, methodPost, methodKey}
	if s.config.NoPublicClients {
		return confidential
	}
	return append([]string{methodNone}, confidential...)
}

// credentials are those of a request's client.
type credentials struct {
	id, secret, method string
	assertion          *jose.Unverified // for private_key_jwt; nil if it is malformed
}

// readCredentials returns the credentials of a request, which authenticates its client in
// exactly one way.
func readCredentials(r *http.Request, f form) (found credentials, err error) {
	found = credentials{id: f.get("client_id"), method: methodNone}
	if secret := f.get("client_secret"); secret != "" {
		found.secret, found.method = secret, methodPost
	}
	if text := f.get("client_assertion"); text != "" {
		if found.method != methodNone {
			return found, errTwoMethods
		}
		if f.get("client_assertion_type") != clientAssertion {
			return found, invalid("The client_assertion_type must be %s", clientAssertion)
		}
		found.method = methodKey
		if assertion, err := jose.Parse(text); err == nil {
			found.id, found.assertion = cmp.Or(found.id, assertion.Issuer), assertion
		}
		if err := checkParameters(url.Values{"client_id": {found.id}}); err != nil { // the issuer is no parameter
			return found, err
		}
	}
	if header := r.Header["Authorization"]; len(header) > 0 {
		if found.method != methodNone {
			return found, errTwoMethods
		}
		user, password, ok := r.BasicAuth()
		id, badID := url.QueryUnescape(user)
		secret, badSecret := url.QueryUnescape(password)
		if !ok || len(header) > 1 || badID != nil || badSecret != nil {
			return found, invalid("The header Authorization is not that of a client with a secret")
		}
		if found.id != "" && found.id != id {
			return found, invalid("The client_id is not that of the header Authorization")
		}
		if err := checkParameters(url.Values{"client_id": {id}, "client_secret": {secret}}); err != nil {
			return found, err
		}
		found = credentials{id: id, secret: secret, method: methodBasic}
	}
	if found.id == "" {
		return found, unknownClient(found.method)
	}
	return found, nil
}

var errTwoMethods = invalid("The client authenticates itself in two ways; use one")

// unknownClient returns the error for a client that is not known or not authenticated. It
// doesn't tell which, and clients register again on it.
func unknownClient(method string) *requestError {
	refused := &requestError{status: http.StatusUnauthorized, code: "invalid_client", description: "The client is unknown, or its credentials are wrong"}
	if method == methodBasic {
		refused.header = http.Header{"Www-Authenticate": {`Basic realm="oauth"`}}
	}
	return refused
}

// readRequest reads the form of a request and authenticates its client.
func (s *Server) readRequest(r *http.Request) (form, store.Client, error) {
	f, err := readForm(r)
	if err != nil {
		return nil, store.Client{}, err
	}
	client, err := s.authenticate(r, f)
	return f, client, err
}

// authenticate returns the client of a request, or an error.
func (s *Server) authenticate(r *http.Request, f form) (store.Client, error) {
	given, err := readCredentials(r, f)
	if err != nil {
		return store.Client{}, err
	}
	client, err := s.client(r, given.id)
	if errors.Is(err, errDocument) {
		return store.Client{}, unavailable("The metadata document of the client can't be read; try again later")
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.Client{}, err
	}
	// A client that is unknown always learns it, and registers again; it takes the same steps as a
	// known one with a wrong secret.
	known, from := err == nil, throttle.KeyOf("", s.address(r))
	failures := from
	if known && given.method == methodKey { // a signature takes work and is kept, so others don't use up its failures
		failures = throttle.KeyOf(client.ID+" "+from.String(), netip.Addr{})
		if wait := max(s.wrongCredentials.Wait(failures), s.wrongTokens.Wait(from)); wait > 0 {
			return store.Client{}, slowDown(wait)
		}
	}
	right, failure := s.isRight(r.Context(), client, given)
	if failure != nil {
		return store.Client{}, failure
	}
	if known && right && slices.Contains(methodsOf(client), given.method) {
		return client, nil
	}
	if wait := s.wrongCredentials.Take(failures); wait > 0 && known {
		return store.Client{}, slowDown(wait)
	}
	return store.Client{}, unknownClient(given.method)
}

// isRight reports whether the credentials of a request are those of a client.
func (s *Server) isRight(ctx context.Context, client store.Client, given credentials) (bool, error) {
	switch given.method {
	case methodNone:
		return client.Secret == nil, nil
	case methodKey:
		return s.hasSigned(ctx, client, given.assertion)
	}
	expected, hash := store.Hash{}, store.HashOf(given.secret)
	if client.Secret != nil {
		expected = *client.Secret
	}
	return subtle.ConstantTimeCompare(hash[:], expected[:]) == 1, nil
}

// methodsOf returns the ways in which a client may authenticate itself.
func methodsOf(client store.Client) []string {
	switch {
	case len(client.AuthMethods) > 0:
		return client.AuthMethods
	case client.Secret != nil:
		return []string{methodBasic, methodPost}
	case client.Keys != nil || client.KeysURI != "":
		return []string{methodKey}
	}
	return []string{methodNone}
}

// address returns the address of the client of a request.
func (s *Server) address(r *http.Request) netip.Addr {
	if s.site.Address != nil {
		return s.site.Address(r)
	}
	from, _ := netip.ParseAddrPort(r.RemoteAddr)
	return from.Addr()
}
