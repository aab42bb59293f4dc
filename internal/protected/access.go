package protected

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
)

// Access is the authorization of a request. As its response writer, it adds a challenge to
// an answer with the status 401, whoever writes it, and to one with the status 403 if
// scopes are missing. As its context, it can be found by [AccessFrom]; it is both to save
// an allocation.
type Access struct {
	http.ResponseWriter
	context.Context
	resource *Resource
	request  *http.Request
	expires  time.Time
	guard    Guard // that refused the request, or the last one
	refusal  error
}

type accessKey struct{}

// AccessFrom returns the access of a request by its context, or nil if the request needs
// no token.
func AccessFrom(ctx context.Context) *Access {
	access, _ := ctx.Value(accessKey{}).(*Access)
	return access
}

// Value returns the access, or a value of the request's context.
func (a *Access) Value(key any) any {
	if key == (accessKey{}) {
		return a
	}
	return a.Context.Value(key)
}

// authenticate returns the principal of the request, which all guards accept.
func (a *Access) authenticate() (principal exchange.Principal, err error) {
	resource := a.resource.URL(a.request)
	for _, guard := range a.resource.Guards {
		a.guard = guard
		if principal, err = guard.Authenticate(a.request, resource); err != nil {
			return principal, err
		}
	}
	return principal, nil
}

// Expires returns when the access token ends; the zero time means never.
func (a *Access) Expires() time.Time { return a.expires }

// Check authenticates the request again, for a stream that is open for long. A guard that
// can't decide at the moment, such as one whose issuer is down, doesn't end the stream.
func (a *Access) Check() error {
	again := Access{resource: a.resource, request: a.request}
	_, err := again.authenticate()
	if refused, ok := errors.AsType[*exchange.Error](err); ok && refused.Status >= http.StatusInternalServerError {
		return nil
	}
	return err
}

// refuse answers a request that isn't authorized.
func (a *Access) refuse(err error) {
	a.refusal = err
	refused, ok := errors.AsType[*exchange.Error](err)
	if lacking, scopes := errors.AsType[*exchange.ScopeError](err); scopes {
		refused = InsufficientScope(lacking)
	} else if !ok {
		refused = &exchange.Error{Code: exchange.CodeInvalidRequest, Message: "Unauthorized", Status: http.StatusUnauthorized, Err: err}
	}
	a.resource.Refuse(a, a.request, refused)
}

// InsufficientScope returns the error for a principal that lacks scopes.
func InsufficientScope(lacking *exchange.ScopeError) *exchange.Error {
	data := map[string][]string{"needed": append([]string{}, lacking.Needed...), "granted": append([]string{}, lacking.Granted...)}
	return &exchange.Error{Code: exchange.CodeInternalError, Message: lacking.Error(), Status: http.StatusForbidden, Data: data, Err: lacking}
}

// Refused tells the writer the error of an answer, before it is written.
func (a *Access) Refused(err error) { a.refusal = err }

// WriteHeader adds the challenge.
func (a *Access) WriteHeader(status int) {
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		a.challenge(status)
	}
	a.ResponseWriter.WriteHeader(status)
}

// challenge sets the header WWW-Authenticate, unless the answer has one.
func (a *Access) challenge(status int) {
	h := a.Header()
	if h["Www-Authenticate"] != nil {
		return
	}
	refusal := a.refusal
	if _, scopes := errors.AsType[*exchange.ScopeError](refusal); !scopes {
		if status == http.StatusForbidden {
			return
		}
		if refusal == nil { // a handler refuses a token that the guards accept
			refusal = exchange.ErrUnauthorized
		}
	}
	if challenge := a.guard.Challenge(refusal, MetadataURL(a.resource.URL(a.request))); challenge != "" {
		h.Set("WWW-Authenticate", challenge)
		h.Set("Cache-Control", "no-store")
	}
}

// Unwrap returns the writer below, for http.ResponseController.
func (a *Access) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Flush flushes the answer. Middleware looks for this method.
func (a *Access) Flush() { _ = a.FlushError() }

// FlushError flushes the answer.
func (a *Access) FlushError() error { return http.NewResponseController(a.ResponseWriter).Flush() }
