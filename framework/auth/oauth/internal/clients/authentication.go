package clients

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
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// The ways in which a client authenticates itself at the token endpoint (RFC 7591, section
// 2).
const (
	MethodNone  = "none"
	MethodBasic = "client_secret_basic"
	MethodPost  = "client_secret_post"
	MethodKey   = "private_key_jwt"
)

// AuthMethods returns the methods of clients that the server supports.
func (g *Registry) AuthMethods() []string {
	confidential := []string{MethodBasic, MethodPost, MethodKey}
	if g.NoPublicClients {
		return confidential
	}
	return append([]string{MethodNone}, confidential...)
}

// credentials are what the client of a request authenticates itself with.
type credentials struct {
	id, secret, method string
	assertion          *jose.Unverified // for private_key_jwt; nil if it is malformed
}

// readCredentials returns the credentials of a request, which authenticates its client in
// exactly one way.
func readCredentials(r *http.Request, f url.Values) (found credentials, err error) {
	found = credentials{id: f.Get("client_id"), method: MethodNone}
	if secret := f.Get("client_secret"); secret != "" {
		found.secret, found.method = secret, MethodPost
	}
	if text := f.Get("client_assertion"); text != "" {
		if found.method != MethodNone {
			return found, errTwoMethods
		}
		if f.Get("client_assertion_type") != clientAssertion {
			return found, endpoint.Invalid("The client_assertion_type must be %s", clientAssertion)
		}
		found.method = MethodKey
		if assertion, err := jose.Parse(text); err == nil {
			found.id, found.assertion = cmp.Or(found.id, assertion.Issuer), assertion
		}
		if err := endpoint.CheckParameters(url.Values{"client_id": {found.id}}); err != nil { // the issuer is no parameter
			return found, err
		}
	}
	if header := r.Header["Authorization"]; len(header) > 0 {
		if found.method != MethodNone {
			return found, errTwoMethods
		}
		user, password, ok := r.BasicAuth()
		id, badID := url.QueryUnescape(user)
		secret, badSecret := url.QueryUnescape(password)
		if !ok || len(header) > 1 || badID != nil || badSecret != nil {
			return found, endpoint.Invalid("The header Authorization must be a single one with the client's ID and secret, each encoded as in a form (RFC 6749, section 2.3.1)")
		}
		if found.id != "" && found.id != id {
			return found, endpoint.Invalid("The client_id differs from the one in the header Authorization")
		}
		if err := endpoint.CheckParameters(url.Values{"client_id": {id}, "client_secret": {secret}}); err != nil {
			return found, err
		}
		found = credentials{id: id, secret: secret, method: MethodBasic}
	}
	if found.id == "" {
		return found, Unknown(found.method)
	}
	return found, nil
}

var errTwoMethods = endpoint.Invalid("The client authenticates itself in two ways; use one")

// Unknown returns the error for a client that is not known or not authenticated. It
// doesn't tell which, and clients register again on it.
func Unknown(method string) *endpoint.Error {
	refusal := &endpoint.Error{Status: http.StatusUnauthorized, Code: "invalid_client", Description: "The client is unknown, or its credentials are wrong"}
	if method == MethodBasic {
		refusal.Header = http.Header{"Www-Authenticate": {`Basic realm="oauth"`}}
	}
	return refusal
}

// ReadRequest reads the form of a request and authenticates its client.
func (g *Registry) ReadRequest(r *http.Request) (url.Values, store.Client, error) {
	f, err := endpoint.ReadForm(r)
	if err != nil {
		return nil, store.Client{}, err
	}
	client, err := g.authenticate(r, f)
	return f, client, err
}

// authenticate returns the client of a request, or an error.
func (g *Registry) authenticate(r *http.Request, f url.Values) (store.Client, error) {
	given, err := readCredentials(r, f)
	if err != nil {
		return store.Client{}, err
	}
	client, err := g.Client(r, given.id)
	if errors.Is(err, ErrDocument) {
		return store.Client{}, endpoint.Unavailable("The metadata document of the client can't be read; try again later")
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.Client{}, err
	}
	// A client that is unknown always learns it, and registers again; it takes the same steps as a
	// known one with a wrong secret.
	known, from := err == nil, g.Caller(r)
	failures := from
	if known && given.method == MethodKey { // a signature takes work and is kept, so others don't use up its failures
		failures = throttle.KeyOf(client.ID+" "+from.String(), netip.Addr{})
		if wait := max(g.Limits.WrongCredentials.Wait(failures), g.Limits.WrongTokens.Wait(from)); wait > 0 {
			return store.Client{}, endpoint.SlowDown(wait)
		}
	}
	right, failure := g.isRight(r.Context(), client, given)
	if failure != nil {
		return store.Client{}, failure
	}
	if known && right && slices.Contains(MethodsOf(client), given.method) {
		return client, nil
	}
	if (!known || given.method != MethodKey) && g.Limits.Refusals.Take(from) == 0 { // hasSigned has logged why
		reason := "it is unknown"
		if known {
			reason = "its secret is wrong, or it may not authenticate itself in this way"
		}
		g.Logger.InfoContext(r.Context(), "a client is refused", "reason", reason, "method", given.method, "address", g.Address(r))
	}
	if wait := g.Limits.WrongCredentials.Take(failures); wait > 0 && known {
		return store.Client{}, endpoint.SlowDown(wait)
	}
	return store.Client{}, Unknown(given.method)
}

// isRight reports whether the credentials of a request belong to a client.
func (g *Registry) isRight(ctx context.Context, client store.Client, given credentials) (bool, error) {
	switch given.method {
	case MethodNone:
		return client.Secret == nil, nil
	case MethodKey:
		return g.hasSigned(ctx, client, given.assertion)
	}
	expected, hash := store.Hash{}, store.HashOf(given.secret)
	if client.Secret != nil {
		expected = *client.Secret
	}
	return subtle.ConstantTimeCompare(hash[:], expected[:]) == 1, nil
}

// MethodsOf returns the ways in which a client may authenticate itself.
func MethodsOf(client store.Client) []string {
	switch {
	case len(client.AuthMethods) > 0:
		return client.AuthMethods
	case client.Secret != nil:
		return []string{MethodBasic, MethodPost}
	case client.Keys != nil || client.KeysURI != "":
		return []string{MethodKey}
	}
	return []string{MethodNone}
}
