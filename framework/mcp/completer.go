package mcp

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// completer answers completion/complete for a prompt or a template; nil if nothing
// completes.
func (e *engine) completer(name string, sources map[string]completion.Source, own []guardrails.Guardrail) *protocol.Completer {
	if sources == nil {
		return nil
	}
	rails, stack := e.rails(guardrails.Complete, name, own)
	return &protocol.Completer{
		Timeout: e.timeout(0, stack),
		Complete: func(call *protocol.Call, argument, value string, others map[string]string) ([]byte, *protocol.Fault) {
			source := sources[argument]
			if source == nil {
				source = completion.Values()
			}
			return answer[completion.Request](call, rails, completing{e, source, argument, value, others})
		},
	}
}

// completing asks for the values of an argument, of which one has been begun.
type completing struct {
	engine      *engine
	source      completion.Source
	name, value string
	others      map[string]string // that are filled in already
}

func (c completing) request(link exchange.Link) (completion.Request, error) {
	return completion.NewRequest(link, c.value, c.others), nil
}

func (c completing) handle(ctx context.Context, request *completion.Request) ([]byte, error) {
	result, err := c.source.Complete(ctx, request)
	if err != nil {
		return nil, err
	}
	return codec.Marshal(result)
}

func (c completing) fault(call *protocol.Call, err error) *protocol.Fault {
	return c.engine.fault(call, err)
}

func (c completing) argument(name string) []byte {
	value, ok := c.others[name]
	if name == c.name {
		value, ok = c.value, true
	}
	if !ok {
		return nil
	}
	return codec.AppendQuote(nil, value)
}
