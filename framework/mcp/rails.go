package mcp

import (
	"slices"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// rails are what stands around one thing for operations of one kind.
type rails struct {
	server string
	kind   guardrails.Kind
	name   string
	next   guardrails.Next
}

// rails puts together what stands around a thing: the server's guardrails, and its own
// inside of them. They are nil if nothing happens when an operation runs.
func (e *engine) rails(kind guardrails.Kind, name string, own []guardrails.Guardrail) (*rails, guardrails.Stack) {
	stack := guardrails.Compose(slices.Concat(e.guardrails, own), kind, name)
	if stack.Next == nil {
		return nil, stack
	}
	return &rails{e.name, kind, name, stack.Next}, stack
}

// operation returns an operation as the guardrails see it.
func (r *rails) operation(work guardrails.Work, request *exchange.Request) guardrails.Operation {
	return guardrails.NewOperation(work, r.kind, r.server, r.name, request)
}

// timeout returns the time of an operation: that of the thing itself, which may be 0
// for the server's, or less if a guardrail says so.
func (e *engine) timeout(own time.Duration, stack guardrails.Stack) time.Duration {
	switch {
	case stack.Timeout == 0:
		return own
	case own == 0:
		return min(e.config.CallTimeout, stack.Timeout)
	}
	return min(own, stack.Timeout)
}

// item returns what all kinds of things have in common.
func (e *engine) item(key string, definition []byte, timeout time.Duration, thing any, stack guardrails.Stack) protocol.Item {
	return protocol.Item{
		Key: key, Definition: definition, Timeout: e.timeout(timeout, stack), Visible: e.visibility(key, thing, stack.Allowed), Origin: origin(thing),
	}
}
