package tokens

import (
	"net/url"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
)

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
