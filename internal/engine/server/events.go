package server

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/dispatch"
)

// over dispatches the event of a call that has ended.
func (s *Server) over(k *call.Call, ending call.Ending) {
	method := operationOf(k.Message().Method)
	if method == "" || ending.Outcome == call.OutcomeAsked {
		return
	}
	ctx := context.WithoutCancel(k.Context())
	operation := events.Operation{
		Server: s.name, Method: method, Name: k.Key(), Principal: exchange.PrincipalFrom(ctx),
		Version: k.Facts().Version.String(), Took: ending.Took,
	}
	switch ending.Outcome {
	case call.OutcomeOK:
		s.succeeded(ctx, k, operation)
	case call.OutcomeCanceled:
		dispatchEvent(ctx, s, events.Cancelled{Operation: operation})
	default:
		dispatchEvent(ctx, s, events.Failed{Operation: operation, Err: ending.Err})
	}
}

// operationOf returns the method if its calls have events, otherwise "".
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

// succeeded dispatches the event of an operation that succeeded.
func (s *Server) succeeded(ctx context.Context, k *call.Call, operation events.Operation) {
	switch operation.Method {
	case "tools/call":
		dispatchEvent(ctx, s, events.Called{Operation: operation})
	case "resources/read":
		dispatchEvent(ctx, s, events.Read{Operation: operation, URI: k.Facts().Input.URI})
	case "prompts/get":
		dispatchEvent(ctx, s, events.Got{Operation: operation})
	case "completion/complete":
		dispatchEvent(ctx, s, events.Completed{Operation: operation})
	default:
		dispatchEvent(ctx, s, events.Listed{Operation: operation})
	}
}

func dispatchEvent[E events.Event](ctx context.Context, s *Server, event E) {
	dispatch.Dispatch(ctx, s.config.Events, s.config.Logger, event)
}
