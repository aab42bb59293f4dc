package mcptest

import (
	"net/http"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/mirror"
)

// mirror sets the headers of arguments that the tool's schema mirrors (x-mcp-header), as
// a client does after it has listed the tools.
func (c *Client) mirror(h http.Header, tool string, args Args) {
	c.t.Helper()
	encoded, err := codec.Marshal(args)
	if err != nil {
		return // encoding the body reports the error
	}
	for _, listed := range c.Tools() {
		if listed.Name == tool {
			mirror.Arguments(h, listed.InputSchema, encoded)
		}
	}
}
