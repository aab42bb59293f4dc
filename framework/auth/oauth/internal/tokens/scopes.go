package tokens

import (
	"net/url"
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

// Target returns the resources that tokens of a request are for: the one of its parameter,
// or the only one of the program. The metadata's spelling counts, and the text of the client
// may have another case of the host, or a slash at its end.
func (e *Endpoint) Target(resource string) ([]string, error) {
	if resource == "" && len(e.Resources) == 1 {
		return e.Resources, nil
	}
	if resource == "" {
		return nil, endpoint.Refused("invalid_target", "The server has several resources; name one in the parameter resource")
	}
	if u, err := url.Parse(resource); err == nil && u.Fragment == "" && u.User == nil && u.RawQuery == "" {
		if found, ok := e.Resource(resource); ok {
			return []string{found}, nil
		}
	}
	return nil, endpoint.Refused("invalid_target", "The resource is not one of this server; use the one in the metadata of the route")
}

// presentResources returns the URLs that the resources of a grant have now. After a move of the
// program they are found by their paths, whether or not the new URL has a path in front. Those
// that the program no longer serves are left out.
func (e *Endpoint) presentResources(of []string) (found []string) {
	site, err := url.Parse(e.URL)
	if err != nil {
		return of
	}
	for _, text := range of {
		u, err := url.Parse(text)
		if err != nil {
			continue
		}
		for _, candidate := range []string{text, site.Scheme + "://" + site.Host + u.EscapedPath(), e.URL + u.EscapedPath()} {
			if present, ok := e.Resource(candidate); ok {
				found = append(found, present)
				break
			}
		}
	}
	return found
}
