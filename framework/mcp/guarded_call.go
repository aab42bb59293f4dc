package mcp

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// A guardedCall is a call of a tool that goes through guardrails.
type guardedCall struct {
	state
	runner    *runner
	call      *protocol.Call
	arguments []byte // as they were sent
	operation guardrails.Operation
	result    protocol.ToolResult
}

// guarded answers one call through the guardrails. They come before the check of the
// arguments, so that what is refused costs little and a wrong call counts.
func (r *runner) guarded(call *protocol.Call, arguments []byte) (protocol.ToolResult, *protocol.Fault) {
	g := &guardedCall{state: state{link: link{call: call}}, runner: r, call: call, arguments: arguments}
	defer g.link.cut()
	call.Begin(&g.ctx)
	g.request.Request = exchange.New(&g.link)
	g.operation = r.rails.operation(g, &g.request.Request)
	if err := r.rails.next.Run(&g.ctx, &g.operation); err != nil {
		return r.fail(call, err)
	}
	return g.result, nil
}

// Do checks the arguments and runs the tool.
func (g *guardedCall) Do(ctx context.Context) (err error) {
	if g.result, err = g.runner.run(ctx, &g.state, g.call, g.arguments); err != nil {
		return err
	}
	return overruled(g.call)
}

// Argument returns an argument as it was sent.
func (g *guardedCall) Argument(name string) []byte { return member(g.arguments, name) }

// IsError reports whether the result says that the tool failed.
func (g *guardedCall) IsError() bool { return g.result.IsError }

// Size encodes the blocks of the result, which then need not be encoded again.
func (g *guardedCall) Size() int {
	size := len(g.result.Structured) + len(g.result.Meta)
	if g.result.Content == nil {
		return size + len(codec.AppendQuotedJSON(nil, g.result.Structured)) // its mirror
	}
	for i, block := range g.result.Content {
		encoded := rawBlock(block.AppendJSON(nil))
		g.result.Content[i] = encoded
		size += len(encoded)
	}
	return size
}
