package protocol

import (
	"context"
	"errors"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// engine returns an operation that runs no code of the program.
func engine(do Do) *call.Operation {
	return &call.Operation{Do: do, Engine: true, Explain: func(_ *call.Call, err error) (call.Result, *exchange.Error) {
		if refusal, ok := errors.AsType[*exchange.Error](err); ok {
			return nil, refusal
		}
		return nil, fault.Internal()
	}}
}

// completesNothing returns an operation that completes an argument without suggestions.
func completesNothing(key string) *call.Operation {
	operation := engine(func(context.Context, *call.Call) (call.Result, error) {
		return &Object{JSON: []byte(`{"completion":{"values":[]}}`)}, nil
	})
	operation.Key = key
	return operation
}

// find returns the operation of a call, as a [finder] does.
func (c *Core) find(ctx context.Context, k *call.Call, m *jsonrpc.Message, s *snapshot) (*call.Operation, *exchange.Error) {
	method, client := s.methods[string(m.Method)], &k.Facts().Client
	switch {
	case method == nil, method.removed && client.Version.Modern(), method.isNew && !client.Version.Modern(), method.Visible != nil && !method.Visible(ctx):
		return nil, fault.MethodNotFound(m.Method)
	case method.Extension != "" && !client.Declares(method.Extension):
		return nil, fault.MissingExtension(method.Extension, client.Version)
	case method.find != nil:
		return method.find(s, ctx, k, m)
	case method.Operation == nil:
		return nil, fault.MethodNotFound(m.Method)
	}
	if method.Kind == chain.Method {
		k.Facts().Input.Arguments = m.Params // which guardrails read
	}
	return method.Operation, nil
}

// findTool finds the tool that a request calls.
func (s *snapshot) findTool(ctx context.Context, k *call.Call, m *jsonrpc.Message) (*call.Operation, *exchange.Error) {
	name, ok := jsonrpc.Text(m.Name)
	if !ok {
		return nil, fault.InvalidParams("the member \"name\" must be the name of a tool")
	}
	arguments := m.Arguments
	if arguments == nil {
		arguments = []byte("{}")
	}
	if !jsonrpc.IsObject(arguments) {
		return nil, badArguments()
	}
	tool, ok := s.tools.find(ctx, name)
	if !ok {
		return nil, fault.Unknown("tool", string(name), s.tools.shown(ctx))
	}
	if r := k.Facts().HTTP; r != nil && k.Facts().Version.Modern() {
		for _, binding := range tool.Headers {
			if refusal := binding.check(r.Header, arguments); refusal != nil {
				return tool.Operation, refusal
			}
		}
	}
	k.Facts().Input.Arguments = arguments
	return tool.Operation, nil
}

func badArguments() *exchange.Error {
	return fault.InvalidParams("the member \"arguments\" must be an object")
}

// findPrompt finds the prompt that a request gets.
func (s *snapshot) findPrompt(ctx context.Context, k *call.Call, m *jsonrpc.Message) (*call.Operation, *exchange.Error) {
	name, ok := jsonrpc.Text(m.Name)
	if !ok {
		return nil, fault.InvalidParams("the member \"name\" must be the name of a prompt")
	}
	if m.Arguments != nil && !jsonrpc.IsObject(m.Arguments) {
		return nil, badArguments()
	}
	prompt, ok := s.prompts.find(ctx, name)
	if !ok {
		return nil, fault.Unknown("prompt", string(name), s.prompts.shown(ctx))
	}
	k.Facts().Input.Arguments = m.Arguments
	return prompt.Operation, nil
}

// findResource finds the resource or template that a request reads.
func (s *snapshot) findResource(ctx context.Context, k *call.Call, m *jsonrpc.Message) (*call.Operation, *exchange.Error) {
	uri, refusal := parseURI(m.URI)
	if refusal != nil {
		return nil, refusal
	}
	found := s.read(ctx, uri)
	if found.operation == nil {
		return nil, fault.ResourceNotFound(uri, k.Facts().Version)
	}
	k.Facts().Input = request.Input{URI: naming.NormalizeURI(uri), Values: found.variables}
	return found.operation, nil
}

// parseURI decodes the URI of a resource, and keeps the client's spelling.
func parseURI(raw []byte) (string, *exchange.Error) {
	uri, ok := jsonrpc.Text(raw)
	if !ok {
		return "", fault.InvalidParams("the member \"uri\" must be the URI of a resource")
	}
	return string(uri), nil
}

// findCompletion finds the completion of a prompt's argument or a template's variable.
func (s *snapshot) findCompletion(ctx context.Context, k *call.Call, m *jsonrpc.Message, nothing *call.Operation) (*call.Operation, *exchange.Error) {
	if !s.completes {
		return nil, fault.MethodNotFound(m.Method)
	}
	var params struct {
		Ref struct {
			Type string `json:"type"`
			Name string `json:"name"`
			URI  string `json:"uri"`
		} `json:"ref"`
		Argument *struct {
			Name  string  `json:"name"`
			Value *string `json:"value"`
		} `json:"argument"`
		Context struct {
			Arguments map[string]string `json:"arguments"`
		} `json:"context"`
	}
	if err := codec.Unmarshal(m.Params, &params); err != nil || params.Argument == nil || params.Argument.Name == "" || params.Argument.Value == nil {
		return nil, fault.InvalidParams("completion needs a ref, and an argument with a name and a value")
	}
	k.Facts().Input = request.Input{Completing: &request.Completing{Argument: params.Argument.Name, Value: *params.Argument.Value}, Values: params.Context.Arguments}
	switch params.Ref.Type {
	case "ref/prompt":
		prompt, ok := s.prompts.find(ctx, []byte(params.Ref.Name))
		if !ok {
			return nil, fault.Unknown("prompt", params.Ref.Name, s.prompts.shown(ctx))
		}
		return prompt.Complete, nil
	case "ref/resource":
		if template := s.templateOf(ctx, params.Ref.URI); template != nil {
			return template.Complete, nil
		}
		if s.readable(ctx, params.Ref.URI) {
			return nothing, nil
		}
		return nil, fault.ResourceNotFound(params.Ref.URI, spec.Newest) // the codes of older versions are for resources/read only
	}
	return nil, fault.InvalidParams("the type of a ref is ref/prompt or ref/resource, not %.40q", params.Ref.Type)
}

// subscribe answers resources/subscribe of a legacy client. It ignores a resource that the
// client may not see; an error would reveal it.
func (c *Core) subscribe(ctx context.Context, k *call.Call) (call.Result, error) {
	uri, refusal := parseURI(k.Message().URI)
	if refusal != nil {
		return nil, refusal
	}
	if c.current.Load().readable(ctx, uri) {
		if refusal := k.Interest().Subscribe(ctx, c.topics.contents, uri); refusal != nil {
			return nil, refusal
		}
	}
	return &Object{JSON: []byte("{}")}, nil
}

// unsubscribe answers resources/unsubscribe of a legacy client.
func (c *Core) unsubscribe(ctx context.Context, k *call.Call) (call.Result, error) {
	uri, refusal := parseURI(k.Message().URI)
	if refusal != nil {
		return nil, refusal
	}
	if refusal := k.Interest().Unsubscribe(ctx, c.topics.contents, uri); refusal != nil {
		return nil, refusal
	}
	return &Object{JSON: []byte("{}")}, nil
}
