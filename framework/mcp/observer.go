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
	method := operationOf(call.Message().Method)
	if method == "" || ending.Outcome == protocol.OutcomeAsked {
		return
	}
	ctx := context.WithoutCancel(call.Context())
	operation := events.Operation{
		Server: e.name, Method: method, Name: call.Key(), Principal: exchange.PrincipalFrom(ctx),
		Version: call.Peer().Version.String(), Took: ending.Took,
	}
	switch ending.Outcome {
	case protocol.OutcomeOK:
		e.succeeded(ctx, call, operation)
	case protocol.OutcomeCancelled:
		dispatch(ctx, e, events.Cancelled{Operation: operation})
	default:
		dispatch(ctx, e, events.Failed{Operation: operation, Err: told(ending.Err)})
	}
}

// operationOf returns a method that listeners hear of, "" for any other.
func operationOf(method []byte) string {
	for _, known := range []string{
		"tools/call", "resources/read", "prompts/get", "completion/complete",
		"tools/list", "resources/list", "resources/templates/list", "prompts/list",
	} {
		if string(method) == known {
			return known
		}
	}
	return ""
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
