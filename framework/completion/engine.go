package completion

import "github.com/bowline-mcp/bowline/framework/exchange"

// NewRequest returns a request for suggestions: what was typed, and the arguments
// that are filled in already. It is for the engine; tests go through package mcptest.
func NewRequest(link exchange.Link, value string, resolved map[string]string) Request {
	return Request{Request: exchange.New(link), Value: value, resolved: resolved}
}
