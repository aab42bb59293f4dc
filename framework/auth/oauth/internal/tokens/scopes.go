package tokens

import (
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// IsIgnored reports whether a scope is one of OpenID Connect. Clients ask for those although
// no metadata has them. They grant nothing here.
func IsIgnored(scope string) bool {
	return slices.Contains([]string{"openid", "profile", "email", "offline_access"}, scope)
}

// parseScopes returns the scopes of a request, each once, without those that are ignored.
func parseScopes(text string) ([]string, error) {
	var found []string
	for scope := range strings.SplitSeq(text, " ") {
		if scope == "" || IsIgnored(scope) || slices.Contains(found, scope) {
			continue
		}
		if len(found) == limits.MaxScopes {
			return nil, endpoint.Invalid("The scope has more than %d values", limits.MaxScopes)
		}
		found = append(found, scope)
	}
	return found, nil
}

// Wanted returns the scopes of a request that starts a grant, or the default ones. Each must
// be known, and the client's if it is limited.
func (e *Endpoint) Wanted(text string, allowed []string) ([]string, error) {
	scopes, err := parseScopes(text)
	if err != nil {
		return nil, err
	}
	if len(scopes) == 0 {
		if scopes = e.DefaultScopes; len(allowed) > 0 {
			scopes = allowed
		}
	}
	for _, scope := range scopes {
		_, known := e.Scopes[scope]
		if !known || len(allowed) > 0 && !slices.Contains(allowed, scope) {
			return nil, endpoint.Refused("invalid_scope", "The scope %s is unknown, or not for this client", endpoint.Quoted(scope))
		}
	}
	return scopes, nil
}
