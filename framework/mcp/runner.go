package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// A runner runs one tool for the core.
type runner struct {
	engine *engine
	tool   servers.Tool
	name   string
	input  *schema.Validator
	output *schema.Validator // nil if the tool has no output schema
}

// handle runs one call: arguments are checked, the handler is called, and what it
// gives is encoded.
func (r *runner) handle(call *protocol.Call, arguments []byte) (protocol.ToolResult, *protocol.Fault) {
	if r.engine.config.CoerceArguments {
		arguments = r.input.Coerce(arguments)
	}
	if violations := r.input.Validate(arguments); violations != nil {
		return failure(r.refusal(violations)), nil
	}
	state := &state{link: link{call}}
	state.out = state.space[:0]
	state.request = tools.NewRequest(&state.link, r.input.WithDefaults(arguments), r.engine.config.Validator)
	result, err := r.tool.Handle(call, &state.request)
	if err == nil {
		return r.finish(state, result)
	}
	return r.fail(call, err)
}

// state is what lives as long as a call, in one allocation.
type state struct {
	link    link
	request tools.Request
	out     buffer    // the encoded structured result
	space   [256]byte // for a small one
}

// A buffer is an io.Writer that appends.
type buffer []byte

// Write appends p.
func (b *buffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// refusal tells the model every argument that is wrong.
func (r *runner) refusal(violations []schema.Violation) string {
	var text strings.Builder
	fmt.Fprintf(&text, "The arguments of %s are not valid:", r.name)
	for _, violation := range violations {
		text.WriteString("\n- " + violation.String())
	}
	return text.String()
}

// finish encodes what the handler gave.
func (r *runner) finish(state *state, result tools.Result) (protocol.ToolResult, *protocol.Fault) {
	call := state.link.call
	switch result := result.(type) {
	case *tools.CallResult:
		if result == nil {
			break
		}
		encoded, err := r.encode(state, result)
		if err != nil {
			return r.fail(call, err)
		}
		return encoded, nil
	case tools.Stream:
		final, err := driveStream(call, r.name, result)
		return r.finishStream(state, final, err)
	case tools.Seq:
		final, err := driveSeq(call, r.name, result)
		return r.finishStream(state, final, err)
	}
	return r.fail(call, errors.New("Handle returned neither a result nor an error")) //nolint:staticcheck // begins with a method's name
}

func (r *runner) finishStream(state *state, final *tools.CallResult, err error) (protocol.ToolResult, *protocol.Fault) {
	if err != nil {
		return r.fail(state.link.call, err)
	}
	return r.finish(state, final)
}

// encode turns a result into what the core writes, and checks it.
func (r *runner) encode(state *state, result *tools.CallResult) (protocol.ToolResult, error) {
	out := protocol.ToolResult{IsError: result.IsError}
	if result.Content != nil {
		out.Content = make([]protocol.Block, len(result.Content))
		for i := range result.Content {
			out.Content[i] = &result.Content[i]
		}
	}
	if result.HasStructured() {
		if err := codec.Write(&state.out, result.StructuredContent); err != nil {
			return out, fmt.Errorf("the structured result does not encode as JSON: %w", err)
		}
		out.Structured = state.out
	}
	if result.Meta != nil {
		meta, err := codec.Marshal(result.Meta)
		if err != nil {
			return out, fmt.Errorf("the metadata of the result does not encode as JSON: %w", err)
		}
		out.Meta = meta
	}
	if r.output == nil || result.IsError {
		return out, nil
	}
	if out.Structured == nil {
		return out, errors.New("the result has no structured content, but the tool has an output schema; return tools.Structured")
	}
	if violations := r.output.Validate(out.Structured); violations != nil {
		return out, fmt.Errorf("the result breaks the tool's output schema: %v", violations)
	}
	return out, nil
}

// fail turns an error into an answer: one that the model reads, a JSON-RPC error,
// or, for any other, a line in the log and a text that says nothing.
func (r *runner) fail(call *protocol.Call, err error) (protocol.ToolResult, *protocol.Fault) {
	var readable *tools.CallError
	if errors.As(err, &readable) {
		call.Logger().Debug("a tool refused a call", "tool", r.name, "error", err)
		return failure(readable.Error()), nil
	}
	if fault := declared(err, call.Peer().Version); fault != nil {
		return protocol.ToolResult{}, fault
	}
	text := "The tool " + r.name + " failed. The server's log says why."
	if call.Err() != nil && errors.Is(err, context.Canceled) {
		return failure("The tool " + r.name + " was stopped before it had finished."), nil
	}
	call.Logger().Error("a tool failed", "tool", r.name, "error", err)
	if r.engine.config.Debug {
		text = "The tool " + r.name + " failed: " + err.Error()
	}
	return failure(text), nil
}

// failure is a result that tells the model what went wrong.
func failure(text string) protocol.ToolResult {
	block := content.Text(text)
	return protocol.ToolResult{Content: []protocol.Block{&block}, IsError: true}
}
