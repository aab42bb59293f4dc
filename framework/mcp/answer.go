package mcp

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// served is what a handler may keep of its call, in one allocation. R is the request
// as the handler sees it.
type served[R any] struct {
	ctx     protocol.Context
	link    link
	request R
}

// answer answers a request of any kind but a tool call: open makes the request, handle
// gives the encoded result, and fail turns the error of either into what the client
// gets.
func answer[R any](
	call *protocol.Call, open func(exchange.Link) (R, error), handle func(context.Context, *R) ([]byte, error),
	fail func(*protocol.Call, error) *protocol.Fault,
) ([]byte, *protocol.Fault) {
	state := &served[R]{link: link{call: call}}
	defer state.link.cut()
	call.Begin(&state.ctx)
	request, err := open(&state.link)
	if err != nil {
		return nil, fail(call, err)
	}
	state.request = request
	result, err := handle(&state.ctx, &state.request)
	if err != nil {
		return nil, fail(call, err)
	}
	return result, nil
}
