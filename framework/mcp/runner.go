package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
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
	rails  *rails

	confirms bool // whether the user has to agree first
	title    string
}

// handle answers one call.
func (r *runner) handle(call *protocol.Call, arguments []byte) (protocol.ToolResult, *protocol.Fault) {
	state := &state{link: link{call: call}}
	defer state.link.cut()
	call.Begin(&state.ctx)
	result, err := r.run(&state.ctx, state, call, arguments)
	if err != nil {
		return r.fail(call, err)
	}
	return result, nil
}

// run checks the arguments, calls the handler, and encodes what it gives.
func (r *runner) run(ctx context.Context, state *state, call *protocol.Call, arguments []byte) (protocol.ToolResult, error) {
	if r.engine.config.CoerceArguments {
		arguments = r.input.Coerce(arguments)
	}
	if violations := r.input.Validate(arguments); violations != nil {
		return protocol.ToolResult{}, tools.Errorf("%s", r.refusal(violations))
	}
	// The message's buffer is used again; what a handler keeps must not change.
	arguments = append(state.space[:0], r.input.WithDefaults(arguments)...)
	if free := len(arguments); free < len(state.space) {
		state.out = state.space[free:free]
	}
	state.request = tools.NewRequest(&state.link, slices.Clip(arguments), r.engine.config.Validator)
	result, err := r.do(ctx, &state.request)
	if err != nil {
		return protocol.ToolResult{}, err
	}
	return r.finish(ctx, state, call, result)
}

// do calls the handler, once the user has agreed if the tool wants that.
func (r *runner) do(ctx context.Context, request *tools.Request) (tools.Result, error) {
	if r.confirms {
		instead, err := tools.Confirm(ctx, r.tool, r.title, r.output == nil, request)
		if err != nil {
			return nil, err
		}
		if instead != nil {
			return instead, nil
		}
	}
	return r.tool.Handle(ctx, request)
}

// state is what a handler may keep of its call, in one allocation.
type state struct {
	ctx     protocol.Context
	link    link
	request tools.Request
	out     buffer    // the encoded structured result
	space   [224]byte // for small arguments, and a small result after them
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
func (r *runner) finish(ctx context.Context, state *state, call *protocol.Call, result tools.Result) (protocol.ToolResult, error) {
	var final *tools.CallResult
	var err error
	switch result := result.(type) {
	case *tools.CallResult:
		final = result
	case tools.Stream:
		if result != nil {
			final, err = driveStream(ctx, call, r.name, result)
		}
	case tools.Seq:
		if result != nil {
			final, err = driveSeq(ctx, call, r.name, result)
		}
	}
	switch {
	case err != nil:
		return protocol.ToolResult{}, err
	case final == nil:
		return protocol.ToolResult{}, errors.New("Handle returned neither a result nor an error; return a result, such as tools.Text(\"done\")") //nolint:staticcheck // begins with a method's name
	case final.IsError && call.Observed():
		call.Blame(said(final))
	}
	return r.encode(state, final)
}

// said is an error with the first text of a result that says what went wrong.
func said(result *tools.CallResult) error {
	for i := range result.Content {
		if result.Content[i].Type == content.TypeText {
			return errors.New(result.Content[i].Text)
		}
	}
	return errors.New("the result says that the tool failed")
}

// encode turns a result into what the core writes, and checks it.
func (r *runner) encode(state *state, result *tools.CallResult) (protocol.ToolResult, error) {
	out := protocol.ToolResult{IsError: result.IsError}
	if result.Content != nil {
		out.Content = make([]protocol.Block, len(result.Content))
		for i := range result.Content {
			var err error
			if out.Content[i], err = encodeBlock(&result.Content[i]); err != nil {
				return out, fmt.Errorf("content block %d does not encode as JSON: %w", i+1, err)
			}
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

// encodeBlock returns a block as the core appends it. Plain text always encodes, so
// that it can wait until it is written.
func encodeBlock(block *content.Block) (protocol.Block, error) {
	if block.Type == content.TypeText && block.Annotations == nil && block.Meta == nil {
		return block, nil
	}
	encoded, err := codec.Marshal(block)
	return rawBlock(encoded), err
}

// rawBlock is a block that is encoded already.
type rawBlock []byte

// AppendJSON appends the block.
func (b rawBlock) AppendJSON(dst []byte) []byte { return append(dst, b...) }

// fail turns an error into an answer: one that the model reads, a JSON-RPC error,
// or, for any other, a line in the log and a text that says nothing.
func (r *runner) fail(call *protocol.Call, err error) (protocol.ToolResult, *protocol.Fault) {
	call.Blame(err)
	if text := refused(err); text != "" {
		call.Logger().Debug("a tool refused a call", "tool", r.name, "error", err)
		return failure(text), nil
	}
	if text := unanswered(err, call.Peer().Version); text != "" {
		return failure(text), nil
	}
	if asksFirst(call, err) {
		return protocol.ToolResult{}, nil
	}
	if fault := declared(call, err); fault != nil {
		return protocol.ToolResult{}, fault
	}
	text := "The tool " + r.name + " failed. The server's log says why."
	if stopped(call, err) {
		return failure("The tool " + r.name + " was stopped before it had finished."), nil
	}
	call.Logger().Error("a tool failed", "tool", r.name, "error", err)
	if r.engine.config.Debug {
		text = "The tool " + r.name + " failed: " + err.Error()
	}
	return failure(text), nil
}

// refused returns what the model reads of an error that is meant for it, "" for any
// other.
func refused(err error) string {
	var readable *tools.CallError
	var refusal *guardrails.RefusalError
	switch {
	case errors.As(err, &readable):
		return readable.Error()
	case errors.As(err, &refusal):
		return refusal.Error()
	}
	return ""
}

// unanswered returns what the model reads when the client was not asked or gave no
// answer, "" for any other error. Clients of 2026-07-28 have an error of their own for
// a capability that they lack.
func unanswered(err error, v protocol.Version) string {
	var failed *exchange.AskError
	var own *exchange.Error
	switch {
	case errors.As(err, &failed):
		return failed.Error()
	case !v.Modern() && errors.Is(err, exchange.ErrCannotAsk) && errors.As(err, &own):
		return own.Message
	}
	return ""
}

// failure is a result that tells the model what went wrong.
func failure(text string) protocol.ToolResult {
	block := content.Text(text)
	return protocol.ToolResult{Content: []protocol.Block{&block}, IsError: true}
}
