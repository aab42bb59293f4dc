package tokens

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// Verify returns the principal of an access token, as a resource server of another issuer does,
// with the published keys, and looks up its grant. Personal access tokens are looked up too.
func (e *Endpoint) Verify(ctx context.Context, token, resource string) (exchange.Principal, error) {
	if strings.HasPrefix(token, personalPrefix) {
		return e.personal(ctx, token)
	}
	principal, err := e.jwt.Verify(ctx, token, resource)
	if err != nil {
		return principal, err
	}
	id, _ := principal.Claims["gid"].(string)
	user, err := e.users.Find(id, limits.LiveTime, func() (string, error) {
		grant, err := e.liveGrant(ctx, id)
		return grant.UserID, unverified(err)
	})
	if err == nil {
		err = e.isLetIn(ctx, user)
	}
	return principal, err
}

// isLetIn returns an error for a user whom the other server no longer lets in.
func (e *Endpoint) isLetIn(ctx context.Context, user string) error {
	_, err := e.letIn.Find(user, limits.UpstreamUserTime, func() (struct{}, error) {
		return struct{}{}, unverified(e.checkUpstream(ctx, user))
	})
	return err
}

// unverified returns the error of a verifier for an error of liveGrant or checkUser.
func unverified(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrRevoked):
		return &auth.TokenError{Reason: "The access token was revoked"}
	}
	return &exchange.Error{Code: exchange.CodeInternalError, Message: "The access token can't be verified at the moment", Status: http.StatusServiceUnavailable, Err: err}
}
