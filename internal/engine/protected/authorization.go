package protected

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/wellknown"
)

// An Authorization is the authorization of a request by its access token. As the response
// writer of the request, it adds a challenge to an answer with the status 401, even if a
// handler writes it, and to one with the status 403 if scopes are missing. As the context, it
// carries the principal, and [AuthorizationFrom] finds it. It also holds the request that the
// handler gets. One object for all of them saves three allocations and 0.3 µs of a call.
type Authorization struct {
	http.ResponseWriter
	context.Context
	resource *Resource
	request  *http.Request
	guard    Guard // that refused the request, or the last one
	refusal  error

	// The principal of the last guard. It expires at the earliest time of all guards.
	principal exchange.Principal

	authorized http.Request // the request with the authorization as its context
}

type authorizationKey struct{}

// AuthorizationFrom returns the authorization of a request by its context, or nil if the
// request needs no token.
func AuthorizationFrom(ctx context.Context) *Authorization {
	authorization, _ := ctx.Value(authorizationKey{}).(*Authorization)
	return authorization
}

// Value returns the authorization, its principal, or a value of the request's context.
func (a *Authorization) Value(key any) any {
	switch key {
	case authorizationKey{}:
		return a
	case request.PrincipalKey{}:
		return &a.principal
	}
	return a.Context.Value(key)
}

// authenticate finds the principal of the request, which all guards accept: the principal of the
// last guard. A panic of a guard becomes an error, since streams authenticate in goroutines
// of their own, where it would end the process.
func (a *Authorization) authenticate() (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = a.resource.panicked(a.request, value)
		}
	}()
	resource := a.Resource()
	for _, guard := range a.resource.Guards {
		a.guard = guard
		before := a.principal.Expires
		if a.principal, err = guard.Authenticate(a.request, resource); err != nil {
			return err
		}
		if ends := &a.principal.Expires; ends.IsZero() || !before.IsZero() && before.Before(*ends) {
			*ends = before
		}
	}
	return nil
}

// Resource returns the URL of the resource that the request is for.
func (a *Authorization) Resource() string { return a.resource.URL(a.request) }

// Expires returns when the access token ends; the zero time means never.
func (a *Authorization) Expires() time.Time { return a.principal.Expires }

// errLess ends a stream whose principal may do less than when the stream began.
var errLess = errors.New("the access token has another principal or fewer scopes than before")

// Check authenticates the request again, for a stream that is open for long. A guard that
// can't decide at the moment, such as one whose issuer is down, or until the context ends,
// doesn't end the stream.
func (a *Authorization) Check(ctx context.Context) error {
	again := Authorization{resource: a.resource, request: a.request.WithContext(ctx)}
	err := again.authenticate()
	refusal, ok := errors.AsType[*exchange.Error](err)
	switch {
	case err == nil && (again.principal.ID != a.principal.ID || !again.principal.Can(a.principal.Scopes...)):
		return errLess
	case errors.Is(err, errPanicked):
		return err
	case ok && refusal.Status >= http.StatusInternalServerError, ctx.Err() != nil:
		return nil
	}
	return err
}

// refuse answers a request that isn't authorized.
func (a *Authorization) refuse(err error) {
	a.refusal = err
	refusal, ok := errors.AsType[*exchange.Error](err)
	if lacking, scopes := errors.AsType[*exchange.ScopeError](err); scopes {
		refusal = InsufficientScope(lacking)
	} else if !ok || refusal.Status < http.StatusBadRequest || refusal.Status > 599 { // a refusal must not look like a success
		refusal = &exchange.Error{Code: exchange.CodeInvalidRequest, Message: "Unauthorized", Status: http.StatusUnauthorized, Err: err}
	}
	a.resource.Refuse(a, a.request, refusal)
}

// InsufficientScope returns the error for a principal that lacks scopes.
func InsufficientScope(lacking *exchange.ScopeError) *exchange.Error {
	data := map[string][]string{"needed": append([]string{}, lacking.Needed...), "granted": append([]string{}, lacking.Granted...)}
	return &exchange.Error{Code: exchange.CodeInternalError, Message: lacking.Error(), Status: http.StatusForbidden, Data: data, Err: lacking}
}

// Refused tells the writer the error of an answer, before it is written.
func (a *Authorization) Refused(err error) { a.refusal = err }

// WriteHeader adds the challenge.
func (a *Authorization) WriteHeader(status int) {
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		a.challenge(status)
	}
	a.ResponseWriter.WriteHeader(status)
}

// challenge sets the header WWW-Authenticate, unless the answer has one.
func (a *Authorization) challenge(status int) {
	h := a.Header()
	if h["Www-Authenticate"] != nil {
		return
	}
	refusal := a.refusal
	if lacking, scopes := errors.AsType[*exchange.ScopeError](refusal); !scopes || len(lacking.Needed) == 0 { // more scopes would not help
		if status == http.StatusForbidden {
			return
		}
		if refusal == nil { // a handler refuses a token that the guards accept
			refusal = exchange.ErrUnauthorized
		}
	}
	defer func() { // the answer may be written in another goroutine than the request's
		if value := recover(); value != nil {
			_ = a.resource.panicked(a.request, value)
		}
	}()
	metadata := ""
	if u, err := url.Parse(a.Resource()); err == nil {
		metadata = wellknown.ResourceURL(u)
	}
	if challenge := a.guard.Challenge(refusal, metadata); challenge != "" {
		h.Set("WWW-Authenticate", challenge)
		h.Set("Cache-Control", "no-store")
	}
}

// errPanicked is the cause of a refusal because of a guard that panicked.
var errPanicked = errors.New("a guard panicked")

// panicked logs a panic of a guard, and returns the error of the request.
func (p *Resource) panicked(r *http.Request, value any) error {
	p.Logger.ErrorContext(r.Context(), errPanicked.Error(), "resource", p.URL(r), "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
	return &exchange.Error{Code: exchange.CodeInternalError, Message: "Internal error", Status: http.StatusInternalServerError, Err: errPanicked}
}

// Unwrap returns the writer below, for http.ResponseController.
func (a *Authorization) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Flush flushes the answer. Middleware looks for this method.
func (a *Authorization) Flush() { _ = a.FlushError() }

// FlushError flushes the answer.
func (a *Authorization) FlushError() error {
	return http.NewResponseController(a.ResponseWriter).Flush()
}
