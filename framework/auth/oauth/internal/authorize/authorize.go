// Package authorize is the authorization endpoint with its pages: users log in, decide on the
// access of clients, and see and end it on the account page.
package authorize

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/clients"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/tokens"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// An Endpoint is the authorization endpoint.
type Endpoint struct {
	*endpoint.Base

	Clients *clients.Registry
	Tokens  *tokens.Endpoint
	Pages   *pages.Pages

	// Authenticate logs a user in; see oauth.Authenticator.
	Authenticate func(w http.ResponseWriter, l *Login) (*User, error)

	// Passwords checks the passwords of the users in the store. It is nil if users log in elsewhere.
	Passwords *Passwords
}

// Passwords are the methods of an oauth.PasswordAuthenticator.
type Passwords struct {
	NewUser func(name, password string) (store.User, error)
	Check   func(l *Login, name, password string) (right bool, wait time.Duration, err error)
}

// Authorize is the authorization endpoint (RFC 6749, section 3.1). Until the client and its
// redirect URI are known to be right, errors are pages: an answer to another URI would make
// the server an open redirector.
func (e *Endpoint) Authorize(w http.ResponseWriter, r *http.Request) error {
	if err := e.countRequest(r); err != nil {
		return err
	}
	f, err := endpoint.ParseRequest(r.URL.RawQuery)
	if refusal, ok := errors.AsType[*endpoint.Error](err); ok {
		e.LogRefusal(r, refusedAuthorization, refusal.ASCII())
		return &errorPage{Key: "error.request", Detail: refusal.ASCII()}
	}
	client, err := e.Clients.Client(r, f.Get("client_id"))
	switch {
	case errors.Is(err, store.ErrNotFound):
		e.LogRefusal(r, refusedAuthorization, "the client is unknown")
		return &errorPage{Key: "error.client"}
	case errors.Is(err, clients.ErrDocument):
		return &errorPage{Key: "error.document"}
	case err != nil:
		return err
	}
	uri, ok := redirectURI(client, f.Get("redirect_uri"))
	if !ok {
		e.LogRefusal(r, refusedAuthorization, "the redirect URI is not registered", "redirect_uri", endpoint.Quoted(f.Get("redirect_uri")))
		return &errorPage{Key: "error.redirect"}
	}
	t := &transaction{ClientID: client.ID, RedirectURI: uri, State: f.Get("state"), Challenge: f.Get("code_challenge")}
	err = e.read(t, client, f)
	if err == nil {
		err = e.readPrompt(r, t, f.Get("prompt"))
	}
	if refusal, ok := errors.AsType[*endpoint.Error](err); ok {
		return e.refuseClient(w, r, client, t, refusal)
	}
	if err != nil {
		return err
	}
	return e.toLogin(w, r, t)
}

// countRequest counts an authorization request of an address. It returns an error for one too many.
func (e *Endpoint) countRequest(r *http.Request) error {
	wait := e.Limits.Authorizations.Take(e.Caller(r))
	if wait == 0 {
		return nil
	}
	e.LogRefusal(r, refusedAuthorization, "its address has sent too many")
	return &errorPage{status: http.StatusTooManyRequests, Key: "error.busy", wait: wait}
}

// toLogin begins a transaction and sends the browser to the login page.
func (e *Endpoint) toLogin(w http.ResponseWriter, r *http.Request, t *transaction) error {
	if wait := e.Limits.AllAuthorizations.Take(throttle.Key{}); wait > 0 {
		e.LogRefusal(r, refusedAuthorization, "all addresses together have sent too many")
		return &errorPage{status: http.StatusServiceUnavailable, Key: "error.unavailable", wait: wait}
	}
	if err := e.browsers().begin(r.Context(), w, r, t); err != nil {
		return err
	}
	return e.goTo(w, endpoint.LoginPath, t)
}

const refusedAuthorization = "an authorization request is refused"

// redirectURI returns the URI that a client is answered at: the one of the request, if it is
// registered, or the only registered one.
func redirectURI(client store.Client, requested string) (string, bool) {
	if requested == "" {
		if len(client.RedirectURIs) == 1 {
			return client.RedirectURIs[0], true
		}
		return "", false
	}
	for _, registered := range client.RedirectURIs {
		if metadata.MatchRedirectURI(registered, requested) {
			return requested, true
		}
	}
	return "", false
}

// read reads the parameters of an authorization request.
func (e *Endpoint) read(t *transaction, client store.Client, f url.Values) (err error) {
	if err := e.Tokens.Allowed(client, grants.Code); err != nil {
		return err
	}
	switch {
	case f.Get("response_type") != "code":
		return endpoint.Refused("unsupported_response_type", "The response_type must be code")
	case f.Get("response_mode") != "" && f.Get("response_mode") != "query":
		return endpoint.Invalid("The response_mode must be query")
	case f.Get("code_challenge_method") != "S256":
		return endpoint.Invalid("The code_challenge_method must be S256 (PKCE)")
	case !isChallenge(t.Challenge):
		return endpoint.Invalid("The code_challenge is missing, or not the base64url of a SHA-256 without padding (PKCE)")
	}
	if t.Scopes, err = e.Tokens.Wanted(f.Get("scope"), client.Scopes); err != nil {
		return err
	}
	t.Resources, err = e.Tokens.Target(f.Get("resource"))
	return err
}

// readPrompt reads what the client wants users to be asked (OpenID Connect Core 1.0, section
// 3.1.2.1). Users always decide, so a client that wants no question gets an error.
func (e *Endpoint) readPrompt(r *http.Request, t *transaction, text string) error {
	prompts := strings.Fields(text)
	if !slices.Contains(prompts, "none") {
		t.LogIn = slices.Contains(prompts, "login") || slices.Contains(prompts, "select_account")
		return nil
	}
	if len(prompts) > 1 {
		return endpoint.Invalid("The prompt none excludes others")
	}
	switch session, err := e.browsers().session(r); {
	case err != nil:
		return err
	case session != nil:
		return endpoint.Refused("consent_required", "The user has to decide, so the prompt can't be none")
	}
	return endpoint.Refused("login_required", "The user has to log in, so the prompt can't be none")
}

// isChallenge reports whether a text can be a challenge with S256 (RFC 7636, section 4.2).
func isChallenge(text string) bool {
	return len(text) == 43 && tokens.IsVerifier(text) && !strings.ContainsAny(text, ".~")
}

// refuseClient answers an authorization request with an error for the client. A client that
// registered itself may be an attacker's, who uses the error to send people somewhere: they
// see where the way leads, and decide.
func (e *Endpoint) refuseClient(w http.ResponseWriter, r *http.Request, client store.Client, t *transaction, refusal *endpoint.Error) error {
	e.LogRefusal(r, refusedAuthorization, refusal.Description)
	location := e.answerURI(t, url.Values{"error": {refusal.Code}, "error_description": {refusal.ASCII()}})
	if client.Source == store.Static {
		return redirectTo(w, location)
	}
	return &errorPage{Key: "error.request", Detail: refusal.ASCII(), Return: safeURL(location), Host: t.host()}
}

// answerURI returns the URI that answers a client. It has the state of the request and the
// issuer (RFC 9207), so that a client can't mistake it for another server's answer.
func (e *Endpoint) answerURI(t *transaction, answer url.Values) string {
	answer.Set("iss", e.URL)
	if t.State != "" {
		answer.Set("state", t.State)
	}
	separator := "?"
	if strings.Contains(t.RedirectURI, "?") {
		separator = "&"
	}
	return t.RedirectURI + separator + answer.Encode()
}
