package authtest

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Client is an OAuth client that is registered with an issuer.
type Client struct {
	ID     string
	Secret string // "" for a public client

	// RedirectURIs are compared exactly, except for the port of loopback URIs. Without any,
	// the client may use every http URI on loopback.
	RedirectURIs []string

	// Scopes are those that the client may request, and those that it gets if it requests
	// none. Without any, it may request every scope.
	Scopes []string
}

// AddClient registers a client, or replaces the one with its ID.
func (i *Issuer) AddClient(client Client) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.clients[client.ID] = client
}

func (i *Issuer) client(id string) (Client, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	client, ok := i.clients[id]
	return client, ok
}

// authenticate reads the form of a request to the token or introspection endpoint and returns
// its client. It accepts client_secret_basic, client_secret_post and, without a secret, public
// clients.
func (i *Issuer) authenticate(w http.ResponseWriter, r *http.Request) (Client, *oauthError) {
	w.Header().Set("Cache-Control", "no-store")
	if err := r.ParseForm(); err != nil {
		return Client{}, &oauthError{http.StatusBadRequest, "invalid_request", "the body is not a form"}
	}
	id, secret, basic := r.BasicAuth()
	if basic { // both are form-encoded in it (RFC 6749, section 2.3.1)
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
	} else {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	client, ok := i.client(id)
	if !ok || client.Secret != secret {
		return Client{}, &oauthError{http.StatusUnauthorized, "invalid_client", "the client is unknown or its secret is wrong"}
	}
	return client, nil
}

// grantScopes returns the scopes that the client gets.
func (c Client) grantScopes(requested []string) ([]string, *oauthError) {
	isDefault := func(scope string) bool { return strings.HasSuffix(scope, "/.default") } // Entra
	if len(requested) == 0 || slices.ContainsFunc(requested, isDefault) {
		return append([]string{}, c.Scopes...), nil
	}
	for _, scope := range requested {
		if c.Scopes != nil && !slices.Contains(c.Scopes, scope) {
			return nil, &oauthError{http.StatusBadRequest, "invalid_scope", "the client may not request one of the scopes"}
		}
	}
	return requested, nil
}

// allows reports whether the client may be redirected to a URI.
func (c Client) allows(redirect string) bool {
	parsed, err := url.Parse(redirect)
	if err != nil || !parsed.IsAbs() || parsed.Fragment != "" {
		return false
	}
	if len(c.RedirectURIs) == 0 {
		return isLoopback(parsed)
	}
	return slices.ContainsFunc(c.RedirectURIs, func(registered string) bool {
		other, err := url.Parse(registered)
		return redirect == registered || err == nil && isLoopback(other) && withoutPort(other) == withoutPort(parsed)
	})
}

// isLoopback reports whether the port of a redirect URI is ignored (RFC 8252, section 7.3).
func isLoopback(uri *url.URL) bool {
	return uri.Scheme == "http" && naming.IsLoopback(uri.Hostname())
}

func withoutPort(uri *url.URL) string {
	copied := *uri
	copied.Host = uri.Hostname()
	return copied.String()
}

// register serves dynamic client registration (RFC 7591). Everybody may register.
func (i *Issuer) register(w http.ResponseWriter, r *http.Request) {
	members := map[string]any{}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = codec.Unmarshal(body, &members)
	}
	uris, ok := texts(members["redirect_uris"])
	if err != nil || !ok {
		writeError(w, &oauthError{http.StatusBadRequest, "invalid_client_metadata", "the body is not client metadata in JSON"})
		return
	}
	client := Client{ID: newID(), RedirectURIs: uris}
	if members["token_endpoint_auth_method"] != "none" {
		client.Secret = newID()
		members["client_secret"], members["client_secret_expires_at"] = client.Secret, 0
	}
	members["client_id"] = client.ID
	i.AddClient(client)
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, http.StatusCreated, members)
}

// texts returns a JSON array of strings, and whether the value is one or is missing.
func texts(value any) (values []string, ok bool) {
	list, ok := value.([]any)
	for _, item := range list {
		text, isText := item.(string)
		ok = ok && isText
		values = append(values, text)
	}
	return values, ok || value == nil
}
