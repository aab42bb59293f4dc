package protected

import (
	"net/url"
	"slices"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// MetadataPath precedes the path of a resource in the path of its metadata (RFC 9728,
// section 3.1).
const MetadataPath = "/.well-known/oauth-protected-resource"

// MetadataURL returns the URL of a resource's metadata.
func MetadataURL(resource string) string {
	u, err := url.Parse(resource)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + MetadataPath + PathOf(resource)
}

// PathOf returns the path of a resource's URL, which follows [MetadataPath] in that of its
// metadata: "" for the root.
func PathOf(resource string) string {
	u, err := url.Parse(resource)
	if err != nil || u.Path == "/" {
		return ""
	}
	return u.EscapedPath()
}

// Metadata returns the metadata of the resource with a path, as JSON.
func (p *Resource) Metadata(path string) []byte {
	document := p.metadata
	document.Resource = p.At(path)
	document.AuthorizationServers = slices.Clone(document.AuthorizationServers)
	for i, issuer := range document.AuthorizationServers {
		if issuer == "" {
			document.AuthorizationServers[i] = p.base().url
		}
	}
	encoded, _ := codec.Marshal(document) // text always encodes
	return encoded
}
