package oauth

import (
	"net/http"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// isIgnored reports whether a scope is one of OpenID Connect. Clients ask for those although
// no metadata has them. They grant nothing here.
func isIgnored(scope string) bool {
	return slices.Contains([]string{"openid", "profile", "email", "offline_access"}, scope)
}

// parseScopes returns the scopes of a request, each once, without those that are ignored.
func parseScopes(text string) ([]string, error) {
	var found []string
	for scope := range strings.SplitSeq(text, " ") {
		if scope == "" || isIgnored(scope) || slices.Contains(found, scope) {
			continue
		}
		if len(found) == limits.MaxScopes {
			return nil, invalid("The scope has more than %d values", limits.MaxScopes)
		}
		found = append(found, scope)
	}
	return found, nil
}

// wanted returns the scopes of a request that starts a grant, or the default ones. Each must
// be known, and the client's if it is limited.
func (s *Server) wanted(text string, allowed []string) ([]string, error) {
	scopes, err := parseScopes(text)
	if err != nil {
		return nil, err
	}
	if len(scopes) == 0 {
		if scopes = s.config.DefaultScopes; len(allowed) > 0 {
			scopes = allowed
		}
	}
	for _, scope := range scopes {
		_, known := s.config.Scopes[scope]
		if !known || len(allowed) > 0 && !slices.Contains(allowed, scope) {
			return nil, &requestError{status: http.StatusBadRequest, code: "invalid_scope", description: "The scope " + quoted(scope) + " is unknown, or not for this client"}
		}
	}
	return scopes, nil
}

// quoted returns a short text of a request for a description.
func quoted(text string) string {
	if len(text) > 50 {
		text = text[:50] + "..."
	}
	return "'" + text + "'"
}
