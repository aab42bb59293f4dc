package mcp

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// A handling is what is asked of a handler of any kind but a tool, and how the handler
// is asked. R is the request as the handler sees it.
type handling[R any] interface {
	request(link exchange.Link) (R, error)
	handle(ctx context.Context, request *R) (result []byte, err error)
	fault(call *protocol.Call, err error) *protocol.Fault // nil if the client is asked first
	argument(name string) []byte                          // raw JSON, nil if there is none
}

// served is what a handler may keep of its call, in one allocation.
type served[R any] struct {
	ctx     protocol.Context
	link    link
	request R
}

// answer asks a handler, through the guardrails if there are any.
func answer[R any, H handling[R]](call *protocol.Call, rails *rails, h H) ([]byte, *protocol.Fault) {
	if rails != nil {
		return answerGuarded[R](call, rails, h)
	}
	state := &served[R]{link: link{call: call}}
	defer state.link.cut()
	call.Begin(&state.ctx)
	result, err := ask(&state.ctx, state, h)
	if err != nil {
		call.Blame(err)
		return nil, h.fault(call, err)
	}
	return result, nil
}

// ask makes the request and hands it to the handler.
func ask[R any, H handling[R]](ctx context.Context, state *served[R], h H) (result []byte, err error) {
	if state.request, err = h.request(&state.link); err != nil {
		return nil, err
	}
	return h.handle(ctx, &state.request)
}

// guarded is a request that goes through guardrails.
type guarded[R any, H handling[R]] struct {
	served[R]
	handling  H
	operation guardrails.Operation
	base      exchange.Request // as the guardrails see it
	result    []byte
}

func answerGuarded[R any, H handling[R]](call *protocol.Call, rails *rails, h H) ([]byte, *protocol.Fault) {
	g := &guarded[R, H]{served: served[R]{link: link{call: call}}, handling: h}
	defer g.link.cut()
	call.Begin(&g.ctx)
	g.base = exchange.New(&g.link)
	g.operation = rails.operation(g, &g.base)
	if err := rails.next.Run(&g.ctx, &g.operation); err != nil {
		call.Blame(err)
		return nil, h.fault(call, err)
	}
	return g.result, nil
}

// Do asks the handler.
func (g *guarded[R, H]) Do(ctx context.Context) (err error) {
	if g.result, err = ask(ctx, &g.served, g.handling); err != nil {
		return err
	}
	return overruled(g.link.call)
}

// errWentOn is what guardrails see of a handler that goes on though the client has to be
// asked first.
var errWentOn = fmt.Errorf("the handler goes on, though %w", exchange.ErrInputRequired)

// overruled returns what guardrails see of a handler without an error when the client
// gets something else than its result.
func overruled(call *protocol.Call) error {
	switch fault, open := call.Overrules(); {
	case fault != nil:
		return &exchange.Error{Code: fault.Code, Message: fault.Message}
	case open:
		return errWentOn
	}
	return nil
}

func (g *guarded[R, H]) Argument(name string) []byte { return g.handling.argument(name) }
func (g *guarded[R, H]) IsError() bool               { return false }
func (g *guarded[R, H]) Size() int                   { return len(g.result) }

// member returns a member of a raw object, nil if it has none of that name.
func member(object []byte, name string) []byte {
	var members map[string]codec.Value
	if object == nil || codec.Unmarshal(object, &members) != nil {
		return nil
	}
	return members[name]
}
