package mcp

import (
	"context"
	"errors"

	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

var _ protocol.Observer = (*engine)(nil)

// Observes reports whether anyone listens.
func (e *engine) Observes() bool { return e.events.Listening() }

// Over tells the listeners what came of a call.
func (e *engine) Over(call *protocol.Call, ending protocol.Ending) {
	ctx := context.WithoutCancel(call.Context())
	operation := events.Operation{
		Server: e.name, Method: string(call.Message().Method), Name: call.Key(), Principal: exchange.PrincipalFrom(ctx),
		Version: call.Peer().Version.String(), Took: ending.Took,
	}
	switch {
	case !isOperation(operation.Method), ending.Outcome == protocol.OutcomeAsked:
	case ending.Outcome == protocol.OutcomeOK:
		e.succeeded(ctx, call, operation)
	case ending.Outcome == protocol.OutcomeCancelled:
		dispatch(ctx, e, events.Cancelled{Operation: operation})
	default:
		dispatch(ctx, e, events.Failed{Operation: operation, Err: told(ending.Err)})
	}
}

// isOperation reports whether a method is one that listeners hear of.
func isOperation(method string) bool {
	switch method {
	case "tools/call", "resources/read", "prompts/get", "completion/complete",
		"tools/list", "resources/list", "resources/templates/list", "prompts/list":
		return true
	}
	return false
}

// succeeded tells of a result.
func (e *engine) succeeded(ctx context.Context, call *protocol.Call, operation events.Operation) {
	switch operation.Method {
	case "tools/call":
		dispatch(ctx, e, events.Called{Operation: operation})
	case "resources/read":
		uri, _ := jsonrpc.Text(call.Message().URI)
		dispatch(ctx, e, events.Read{Operation: operation, URI: string(uri)})
	case "prompts/get":
		dispatch(ctx, e, events.Got{Operation: operation})
	case "completion/complete":
		dispatch(ctx, e, events.Completed{Operation: operation})
	default:
		dispatch(ctx, e, events.Listed{Operation: operation})
	}
}

func dispatch[E events.Event](ctx context.Context, e *engine, event E) {
	events.Dispatch(ctx, e.events, e.config.Logger, event)
}

// told is an error as listeners get it. What only the client was told is an error of
// the vocabulary.
func told(err error) error {
	var fault *protocol.Fault
	if errors.As(err, &fault) {
		return &exchange.Error{Code: fault.Code, Message: fault.Message}
	}
	return err
}
