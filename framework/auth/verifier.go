package auth

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/exchange"
)

// A Verifier verifies access tokens. The functions of this package make verifiers; a
// program may have its own.
type Verifier interface {
	// Verify returns the principal of a token that is valid for a resource. The resource
	// is the URL of a route, such as https://example.com/mcp/demo (RFC 8707). The ID of the
	// principal is required. The context ends when the client disconnects; Verify may be
	// called again while a stream is open, and by several goroutines at once.
	//
	// The error is a [*TokenError] if the token is not valid. It is an *exchange.Error
	// with the status 503 if the token can't be verified at the moment. For another error the
	// client gets 500. It is logged, so it must not have a part of the token.
	Verify(ctx context.Context, token, resource string) (exchange.Principal, error)

	// Issuers returns the URLs of the authorization servers whose tokens the verifier
	// accepts, or the mistakes in its configuration. The URL "" stands for the URL of the program. It is
	// called when the program starts.
	Issuers() ([]string, error)
}

// A TokenError says why an access token is refused. The client gets the status 401 and
// the reason.
type TokenError struct {
	// Reason is sent to the client, such as "The token has expired". It never has a part
	// of the token.
	Reason string

	// Err is the cause. It is logged, but not sent. It may be nil.
	Err error

	// Unknown means that the verifier can't say more about the token, since it has another
	// form or another issuer. [Any] prefers the errors of verifiers that can.
	Unknown bool
}

// Error returns the reason and the cause.
func (e *TokenError) Error() string {
	if e.Err != nil {
		return e.Reason + ": " + e.Err.Error()
	}
	return e.Reason
}

// Unwrap returns the cause.
func (e *TokenError) Unwrap() error { return e.Err }
