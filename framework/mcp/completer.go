package mcp

import (
	"github.com/bowline-mcp/bowline/framework/completion"
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
		state := &completionState{link: link{call: call}}
		defer state.link.cut()
		call.Begin(&state.ctx)
		state.request = completion.NewRequest(&state.link, value, others)
		result, err := source.Complete(&state.ctx, &state.request)
		if err != nil {
			return nil, e.fault(call, err)
		}
		encoded, err := codec.Marshal(result)
		if err != nil {
			return nil, e.fault(call, err)
		}
		return encoded, nil
	}
}

// completionState is what a source may keep of its call.
type completionState struct {
	ctx     protocol.Context
	link    link
	request completion.Request
}
