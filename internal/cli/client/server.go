package client

import (
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A Server is what a server says about itself.
type Server struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Version     string `json:"version"`
	Description string `json:"description"`
}

// Server returns what the server says about itself.
func (c *Client) Server() Server {
	var server Server
	_ = codec.Unmarshal(c.server, &server) // what isn't as it should be stays empty
	return server
}

// serverIn returns the raw description of the server in the result of server/discover.
func serverIn(discovered []byte) []byte {
	return spec.Lookup(spec.Lookup(discovered, "_meta"), spec.MetaServerInfo)
}
