package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// coerced returns an operation that converts the arguments first, so that the guardrails see
// what the handler gets.
func (t *tool) coerced(do protocol.Do) protocol.Do {
	// n8n adds toolCallId to the arguments of each call (n8n-io/n8n#21500), and Cline adds
	// task_progress (cline/cline#10426).
	how := jsonschema.Coercion{Depth: t.server.config.Depth, Extra: []string{"toolCallId", "task_progress"}}
	return func(ctx context.Context, k *call.Call) (call.Result, error) {
		input := &k.Facts().Input
		input.Arguments = t.input.Coerce(input.Arguments, how)
		return do(ctx, k)
	}
}

// do checks the arguments, calls the handler, and encodes its result.
func (t *tool) do(ctx context.Context, k *call.Call) (call.Result, error) {
	input := &k.Facts().Input
	if violations := t.input.Validate(input.Arguments); violations != nil {
		return nil, t.refuse(violations)
	}
	input.Arguments, input.Subject = slices.Clip(t.input.WithDefaults(input.Arguments)), &t.subject
	handled := &tools.Request{Request: exchange.Request(request.New(k))}
	var result tools.Result
	var err error
	if t.confirms {
		result, err = t.confirm(ctx, handled)
	}
	if result == nil && err == nil {
		result, err = t.handle(ctx, handled)
	}
	if err != nil {
		return nil, err
	}
	final, err := t.final(ctx, k, result)
	if err != nil {
		return nil, err
	}
	if input.Misread != nil {
		return nil, input.Misread
	}
	return t.encode(final)
}

// refuse returns an error for the model that lists all violations.
func (t *tool) refuse(violations []jsonschema.Violation) error {
	var text strings.Builder
	for _, violation := range violations {
		text.WriteString("\n- " + violation.String())
	}
	return tools.Errorf("The arguments of %s are not valid:%s", t.name, text.String())
}

// final returns the result of a tool. If the tool returned a stream, final reads it up to
// the result.
func (t *tool) final(ctx context.Context, k *call.Call, result tools.Result) (final *tools.CallResult, err error) {
	switch result := result.(type) {
	case *tools.CallResult:
		final = result
	case tools.Stream:
		if result != nil {
			final, err = readStream(ctx, k, t.name, result)
		}
	case tools.Seq:
		if result != nil {
			final, err = readSeq(ctx, k, t.name, result)
		}
	}
	if err == nil && final == nil {
		err = errors.New("Handle returned neither a result nor an error; return a result, such as tools.Text(\"done\")") //nolint:staticcheck // begins with a method's name
	}
	return final, err
}

// encode checks a result and encodes it for the core.
func (t *tool) encode(result *tools.CallResult) (call.Result, error) {
	out := &protocol.ToolResult{IsError: result.IsError}
	if result.Content != nil {
		out.Content = make([]protocol.Block, len(result.Content))
		for i := range result.Content {
			block := &result.Content[i]
			if block.Type == content.TypeText && block.Annotations == nil && block.Meta == nil {
				out.Content[i] = block // encodes without errors, so the core can encode it later
				continue
			}
			encoded, err := codec.Marshal(block)
			if err != nil {
				return nil, fmt.Errorf("content block %d does not encode as JSON: %w", i+1, err)
			}
			out.Content[i] = protocol.RawBlock(encoded)
		}
	}
	if result.HasStructured() {
		structured, err := codec.Marshal(result.StructuredContent)
		if err != nil {
			return nil, fmt.Errorf("the structured result does not encode as JSON: %w", err)
		}
		out.Structured = structured
	}
	if result.Meta != nil {
		meta, err := codec.Marshal(result.Meta)
		if err != nil {
			return nil, fmt.Errorf("the metadata of the result does not encode as JSON: %w", err)
		}
		out.Meta = meta
	}
	if t.output == nil || result.IsError {
		return out, nil
	}
	if out.Structured == nil {
		return nil, errors.New("the result has no structured content, but the tool has an output schema; return tools.Structured")
	}
	if violations := t.output.Validate(out.Structured); violations != nil {
		return nil, fmt.Errorf("the result breaks the tool's output schema: %v", violations)
	}
	return out, nil
}

// readSeq runs an iterator to its end, and returns its result.
func readSeq(ctx context.Context, k *call.Call, tool string, seq tools.Seq) (final *tools.CallResult, err error) {
	for message, failed := range seq {
		switch {
		case failed != nil:
			return nil, failed
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case final != nil:
			k.Logger().WarnContext(ctx, "a stream continues after its result", "tool", tool, "error", tools.ErrSecondResult)
			return final, nil
		}
		if final, err = send(k, message); err != nil {
			return nil, err
		}
	}
	if final == nil {
		return nil, tools.ErrNoResult
	}
	return final, nil
}

// readStream reads a channel up to the result. After the result, or the end of the call,
// it drains the channel until the producer closes it, so that the producer never blocks
// forever.
func readStream(ctx context.Context, k *call.Call, tool string, stream tools.Stream) (*tools.CallResult, error) {
	for {
		select {
		case message, open := <-stream:
			if !open {
				return nil, tools.ErrNoResult
			}
			final, err := send(k, message)
			if err != nil {
				drain(stream)
				return nil, err
			}
			if final != nil {
				go drainAfter(context.WithoutCancel(ctx), k.Logger().With("tool", tool), stream)
				return final, nil
			}
		case <-ctx.Done():
			drain(stream)
			return nil, ctx.Err()
		}
	}
}

func drain(stream tools.Stream) {
	for range stream {
	}
}

// drainAfter drains a stream after its result. It logs a warning if there are more
// messages, or if the stream stays open.
func drainAfter(ctx context.Context, logger *slog.Logger, stream tools.Stream) {
	timer := time.AfterFunc(limits.StreamClose, func() {
		logger.WarnContext(ctx, "a stream stays open after its result; close the channel")
	})
	defer timer.Stop()
	for range stream {
		logger.WarnContext(ctx, "a stream continues after its result", "error", tools.ErrSecondResult)
		drain(stream)
	}
}

// send sends one message of a stream, unless it is the result, which send returns.
func send(k *call.Call, message tools.Message) (*tools.CallResult, error) {
	switch message := message.(type) {
	case *tools.CallResult:
		if message != nil {
			return message, nil
		}
	case tools.Progress:
		return nil, k.Progress(message.Done, message.Total, message.Message)
	case tools.Notification:
		if message.Method == "" {
			return nil, errors.New("a stream yielded a notification without a method; give it one, such as \"notifications/acme/opened\"")
		}
		params, err := encodeObject(message.Params)
		if message.Params == nil {
			params = nil
		}
		if err != nil {
			return nil, fmt.Errorf("the params of the notification %s: %w", message.Method, err)
		}
		return nil, k.Notify(message.Method, params)
	}
	return nil, fmt.Errorf("a stream yielded %T; yield tools.Progress, tools.Notification, and one result at the end", message)
}
