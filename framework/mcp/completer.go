package mcp

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// completer answers completion/complete for a prompt or a template.
func (e *engine) completer(sources map[string]completion.Source) protocol.Completer {
	return func(call *protocol.Call, argument, value string, others map[string]string) ([]byte, *protocol.Fault) {
		source := sources[argument]
		if source == nil {
			source = completion.Values()
		}
		return answer(call, func(link exchange.Link) (completion.Request, error) {
			return completion.NewRequest(link, value, others), nil
		}, func(ctx context.Context, request *completion.Request) ([]byte, error) {
			result, err := source.Complete(ctx, request)
			if err != nil {
				return nil, err
			}
			return codec.Marshal(result)
		}, e.fault)
	}
}
