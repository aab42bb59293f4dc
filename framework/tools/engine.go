package tools

import (
	"errors"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
)

// NewRequest returns a call with those raw arguments, an object of valid JSON. It
// is for the engine; tests call tools through package mcptest.
func NewRequest(link exchange.Link, arguments []byte, validator Validator) Request {
	return Request{Request: exchange.New(link), arguments: arguments, validator: validator}
}

// Hints returns the hints of a tool: those of its [Definition] if it was made of
// one, else those that its type states. It is for the engine.
func Hints(tool Interface) annotations.Hints {
	if made, ok := tool.(*defined); ok {
		return made.definition.Annotations
	}
	return annotations.Of(tool)
}

// ErrNoFunction is returned at registration for a tool that [Func] or [New] made of
// nil.
var ErrNoFunction = errors.New("it has no function to call; give tools.Func or tools.New one")

var errAudience = errors.New("it has a method Annotations, as a resource has, which is not called for a tool; " +
	"embed hints such as annotations.IsReadOnly, and say whom a result is for by its blocks, as content.Text(…).For(content.User) does")

// Check returns what keeps a tool from ever being called, or from being called as it
// was meant. It is for the engine.
func Check(tool Interface) error {
	if made, ok := tool.(interface{ callable() bool }); ok && !made.callable() {
		return ErrNoFunction
	}
	if _, ok := tool.(interface{ Annotations() *content.Annotations }); ok {
		return errAudience
	}
	return checkConfirmed(tool)
}
