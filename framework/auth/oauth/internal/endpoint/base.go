// Package endpoint has what all endpoints of the authorization server share: how they read
// requests, and how they answer and log errors (RFC 6749, section 5.2).
package endpoint

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// The paths of the endpoints below the URL of the program.
const (
	AuthorizePath  = "/oauth/authorize"
	LoginPath      = "/oauth/login"
	CallbackPath   = "/oauth/callback" // to which other servers send browsers back
	ConsentPath    = "/oauth/consent"
	AccountPath    = "/oauth/account"
	TokenPath      = "/oauth/token"
	KeysPath       = "/oauth/jwks"
	RevokePath     = "/oauth/revoke"
	IntrospectPath = "/oauth/introspect"
	RegisterPath   = "/oauth/register"
)

// A Base is the site, the store and the limits of a server that is open. All endpoints have the
// same one.
type Base struct {
	mcp.Site

	Store  store.Store
	Limits Limiters
}

// Limiters bound what strangers can make the server do; see oauth.Limits.
type Limiters struct {
	Authorizations, AllAuthorizations, Registrations, Documents, WrongCredentials, WrongTokens, Refreshes *throttle.Limiter

	Snapshots *throttle.Limiter // of log lines about a client's document
	Refusals  *throttle.Limiter // of log lines about an address

	NameLockOuts, AddressLockOuts *throttle.Limiter // of reports of lock-outs
}

// Caller returns the key by which requests from the address of a request are limited.
func (b *Base) Caller(r *http.Request) throttle.Key { return throttle.KeyOf("", b.Address(r)) }

// Serve answers requests with a method by a function that returns its answer, which is sent as
// JSON with a status. Answers are never stored by caches, since most have tokens.
func (b *Base) Serve(method string, status int, do func(*http.Request) (answer any, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != method {
			w.Header().Set("Allow", method)
			b.Refuse(w, r, &Error{Status: http.StatusMethodNotAllowed, Code: "invalid_request", Description: "This endpoint takes " + method + " requests"})
			return
		}
		answer, err := do(r)
		if err != nil {
			b.Refuse(w, r, err)
			return
		}
		b.writeJSON(w, r, status, answer)
	}
}

// Refuse answers with an error. Errors that the client can't fix are logged, not returned.
func (b *Base) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	refusal, ok := errors.AsType[*Error](err)
	if ok {
		b.LogRefused(r, refusal.Status, refusal.Error())
	} else {
		status, id := b.LogFailure(r, err), RequestID(r.Context())
		refusal = &Error{Status: status, Code: "server_error", Description: "The server failed; its log says why (request " + id + ")"}
		if status == http.StatusServiceUnavailable {
			refusal = Unavailable("The server is busy; try again later (request " + id + ")")
		}
	}
	for name, values := range refusal.Header {
		w.Header()[name] = values
	}
	b.writeJSON(w, r, refusal.Status, map[string]string{"error": refusal.Code, "error_description": refusal.ASCII()})
}

// LogRefused logs a refusal at debug level, so that each ID that an answer shows is in the log of
// somebody who looks for it.
func (b *Base) LogRefused(r *http.Request, status int, reason string) {
	b.Logger.DebugContext(r.Context(), "an OAuth request is refused", "path", r.URL.Path, "status", status, "reason", reason)
}

// LogFailure logs an error that the client can't fix, and returns the status of the answer.
func (b *Base) LogFailure(r *http.Request, err error) (status int) {
	level, status := slog.LevelError, http.StatusInternalServerError
	switch {
	case r.Context().Err() != nil: // the client is gone
		level, status = slog.LevelDebug, http.StatusServiceUnavailable
	case store.IsBusy(err):
		level, status = slog.LevelWarn, http.StatusServiceUnavailable
	}
	b.Logger.Log(r.Context(), level, "an OAuth request failed", "path", r.URL.Path, "status", status, "error", err)
	return status
}

func (b *Base) writeJSON(w http.ResponseWriter, r *http.Request, status int, answer any) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if answer == nil {
		w.WriteHeader(status)
		return
	}
	text, err := json.Marshal(answer)
	if err != nil { // claims that a program made
		b.Refuse(w, r, err)
		return
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may be gone
}

// LogRefusal logs why the request of a client that wants access is refused, since clients
// rarely tell their users.
func (b *Base) LogRefusal(r *http.Request, what, reason string, attrs ...any) {
	if b.Limits.Refusals.Take(b.Caller(r)) == 0 {
		b.Logger.WarnContext(r.Context(), what, append([]any{"reason", reason, "address", b.Address(r)}, attrs...)...)
	}
}

// RefuseLimit answers a request that exceeds a limit of the program. The code tells the
// client not to repeat the request.
func (b *Base) RefuseLimit(code string) func(http.ResponseWriter, *http.Request, *exchange.Error) {
	return func(w http.ResponseWriter, r *http.Request, refusal *exchange.Error) {
		answer := &Error{Status: refusal.Status, Code: code, Description: refusal.Message}
		if refusal.Header.Get("Retry-After") != "" {
			answer.Code = "temporarily_unavailable"
		}
		b.Refuse(w, r, answer)
	}
}
