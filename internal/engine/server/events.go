package server

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
	"github.com/bowline-mcp/bowline/internal/engine/dispatch"
	"github.com/bowline-mcp/bowline/internal/requestlog"
)

// over dispatches the event of a call that has ended.
func (s *Server) over(k *call.Call, ending call.Ending) {
	method := s.core.Method(k.Facts().Method)
	if method == nil || method.Kind == 0 {
		return
	}
	ctx := requestlog.With(context.WithoutCancel(k.Context()), k)
	operation := events.Operation{
		Server: s.name, Method: method.Name, Name: k.Key(), Principal: exchange.PrincipalFrom(ctx),
		Version: k.Facts().Version.String(), RequestID: k.LogID().String(), Outcome: ending.Outcome, Took: ending.Took,
	}
	switch ending.Outcome {
	case exchange.OutcomeOK:
		s.succeeded(ctx, k, method.Kind, operation)
	case exchange.OutcomeInputRequired:
		dispatchEvent(ctx, s, events.InputRequired{Operation: operation})
	case exchange.OutcomeRefused:
		dispatchEvent(ctx, s, events.Refused{Operation: operation, Err: ending.Err})
	case exchange.OutcomeCanceled:
		dispatchEvent(ctx, s, events.Canceled{Operation: operation})
	default:
		dispatchEvent(ctx, s, events.Failed{Operation: operation, Err: ending.Err})
	}
}

// succeeded dispatches the event of an operation that succeeded.
func (s *Server) succeeded(ctx context.Context, k *call.Call, kind chain.Kinds, operation events.Operation) {
	switch kind {
	case chain.Call:
		dispatchEvent(ctx, s, events.Called{Operation: operation})
	case chain.Read:
		dispatchEvent(ctx, s, events.Read{Operation: operation, URI: k.Facts().Input.URI})
	case chain.Get:
		dispatchEvent(ctx, s, events.Got{Operation: operation})
	case chain.Complete:
		dispatchEvent(ctx, s, events.Completed{Operation: operation})
	case chain.List:
		dispatchEvent(ctx, s, events.Listed{Operation: operation})
	default:
		dispatchEvent(ctx, s, events.Handled{Operation: operation})
	}
}

func dispatchEvent[E events.Event](ctx context.Context, s *Server, event E) {
	dispatch.Dispatch(ctx, s.config.Events, s.config.Logger, event)
}
