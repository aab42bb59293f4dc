package tools

import "github.com/bowline-mcp/bowline/framework/exchange"

// NewRequest returns a call with those raw arguments, an object of valid JSON. It
// is for the engine; tests call tools through package mcptest.
func NewRequest(link exchange.Link, arguments []byte, validator Validator) Request {
	return Request{Request: exchange.New(link), arguments: arguments, validator: validator}
}
