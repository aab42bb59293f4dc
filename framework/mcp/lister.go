package mcp

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// lister returns what stands around the lists, nil if nothing does.
func (e *engine) lister() func(*protocol.Call, func() []byte) ([]byte, *protocol.Fault) {
	rails, _ := e.rails(guardrails.List, "", nil)
	if rails == nil {
		return nil
	}
	return func(call *protocol.Call, page func() []byte) ([]byte, *protocol.Fault) {
		return answer[exchange.Request](call, rails, listing{e, page})
	}
}

// listing asks for a page of a list.
type listing struct {
	engine *engine
	page   func() []byte
}

func (l listing) request(link exchange.Link) (exchange.Request, error) {
	return exchange.New(link), nil
}

func (l listing) handle(context.Context, *exchange.Request) ([]byte, error) { return l.page(), nil }

func (l listing) fault(call *protocol.Call, err error) *protocol.Fault {
	return l.engine.fault(call, err)
}

func (l listing) argument(string) []byte { return nil }
