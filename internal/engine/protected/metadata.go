package protected

import (
	"slices"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

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
