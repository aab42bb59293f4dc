// Package wellknown has the addresses at which servers publish their OAuth metadata and
// clients look for them: that of protected resources (RFC 9728) and that of authorization
// servers (RFC 8414, OpenID Connect Discovery).
package wellknown

import (
	"net/url"
	"strings"

	"github.com/bowline-mcp/bowline/internal/address"
)

// Resource precedes the path of a protected resource in the path of its metadata (RFC 9728,
// section 3.1).
const Resource = "/.well-known/oauth-protected-resource"

// ResourcePath returns the escaped path of the metadata of a resource.
func ResourcePath(resource *url.URL) string {
	if resource.Path == "/" {
		return Resource
	}
	return Resource + resource.EscapedPath()
}

// ResourceURL returns the URL of the metadata of a resource.
func ResourceURL(resource *url.URL) string {
	location := address.Origin(resource) + ResourcePath(resource)
	if resource.RawQuery != "" {
		location += "?" + resource.RawQuery
	}
	return location
}

// ServerPaths returns the escaped paths of the metadata of an authorization server whose
// issuer has a path, or "", in the order in which clients try them: the path of the issuer is
// behind the well-known part, and clients of OpenID Connect look in front of it as well.
func ServerPaths(issuer string) []string {
	const oauth, openID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	paths := []string{oauth + issuer, openID + issuer}
	if issuer != "" {
		paths = append(paths, issuer+openID)
	}
	return paths
}

// ServerURLs returns the URLs of the metadata of an issuer, in the order in which clients try
// them. A slash at the end of the issuer doesn't count.
func ServerURLs(issuer *url.URL) []string {
	urls := ServerPaths(strings.TrimSuffix(issuer.EscapedPath(), "/"))
	for i, path := range urls {
		urls[i] = address.Origin(issuer) + path
	}
	return urls
}
