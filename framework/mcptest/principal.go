package mcptest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
)

// address is the URL of the server in a test.
const address = "http://127.0.0.1:8080/"

// As returns a client that makes its requests as a principal, such as one with scopes:
//
//	mcptest.New(t, &servers.FilesServer{}).
//		As(exchange.Principal{ID: "ana", Scopes: []string{"files:read"}}).
//		Tool(&tools.WriteTool{}, nil).
//		AssertForbidden("files:write")
//
// Without As, requests are anonymous.
func (c *Client) As(principal exchange.Principal) *Client {
	return c.With(exchange.WithPrincipal(c.ctx, principal))
}

// AssertForbidden asserts that the principal was refused, because it lacks scopes, and that
// the operation needs exactly these; see auth.Require. Without scopes, it asserts that the
// handler refused the principal, as exchange.ErrForbidden does.
func (r *Result) AssertForbidden(scopes ...string) *Result {
	r.t.Helper()
	needed := r.needed()
	switch {
	case r.Err == nil:
		r.t.Errorf("the call is not forbidden; its answer is: %s", r.Text())
	case r.status != http.StatusForbidden && needed == nil:
		r.t.Errorf("the call is not forbidden; it failed with the JSON-RPC error %d: %s%s", r.Err.Code, r.Err.Message, r.hint())
	case !slices.Equal(needed, scopes):
		r.t.Errorf("the call needs the scopes %q, want %q", strings.Join(needed, " "), strings.Join(scopes, " "))
	}
	return r
}

// needed returns the scopes that the operation needs, nil if the error is about none.
func (r *Result) needed() (scopes []string) {
	if r.Err == nil {
		return nil
	}
	data, _ := r.Err.Data.(map[string]any)
	list, _ := data["needed"].([]any)
	for _, scope := range list {
		scopes = append(scopes, fmt.Sprint(scope))
	}
	return scopes
}

// callers is the guard of a test. The principal of a request is in its context.
type callers struct{}

// Authenticate accepts every request.
func (callers) Authenticate(r *http.Request, _ string) (exchange.Principal, error) {
	return exchange.PrincipalFrom(r.Context()), nil
}

// RefusesNobody says that the route is as open as one without a guard.
func (callers) RefusesNobody() {}

// Challenge returns no challenge.
func (callers) Challenge(error, string) string { return "" }

// Metadata describes nothing.
func (callers) Metadata() (exchange.ResourceMetadata, error) { return exchange.ResourceMetadata{}, nil }
