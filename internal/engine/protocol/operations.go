package protocol

import (
	"context"
	"errors"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// operations holds the operations of the engine itself.
type operations struct {
	tools, resources, templates, prompts *call.Operation // lists
	discover                             *call.Operation
	subscribe, unsubscribe               *call.Operation
	nothing                              *call.Operation // completes without suggestions
}

func (c *Core) newOperations() operations {
	list := c.config.List
	if list == nil {
		list = engine
	}
	return operations{
		tools:       list(c.lister("tools/list", "tools", spec.DowngradeTool, func(s *snapshot) itemList { return &s.tools })),
		resources:   list(c.lister("resources/list", "resources", spec.DowngradeItem, func(s *snapshot) itemList { return &s.resources })),
		templates:   list(c.lister("resources/templates/list", "resourceTemplates", spec.DowngradeItem, func(s *snapshot) itemList { return &s.templates })),
		prompts:     list(c.lister("prompts/list", "prompts", spec.DowngradeItem, func(s *snapshot) itemList { return &s.prompts })),
		discover:    engine(c.discover),
		subscribe:   engine(c.subscribe),
		unsubscribe: engine(unsubscribe),
		nothing:     completesNothing(""),
	}
}

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

// find returns the operation of a call, or an error, and decodes the params into the call's
// input. The operation comes with the error if it was found.
func (c *Core) find(ctx context.Context, k *call.Call, m *jsonrpc.Message, s *snapshot) (*call.Operation, *exchange.Error) {
	o := &c.operations
	modern := k.Facts().Version.Modern()
	switch method := string(m.Method); {
	case method == "tools/call":
		return s.findTool(ctx, k, m)
	case method == "tools/list":
		return o.tools, nil
	case method == "resources/read":
		return s.findResource(ctx, k, m)
	case method == "resources/list":
		return o.resources, nil
	case method == "resources/templates/list":
		return o.templates, nil
	case method == "resources/subscribe" && s.takesSubscriptions(k):
		return o.subscribe, nil
	case method == "resources/unsubscribe" && s.takesSubscriptions(k):
		return o.unsubscribe, nil
	case method == "prompts/get":
		return s.findPrompt(ctx, k, m)
	case method == "prompts/list":
		return o.prompts, nil
	case method == "completion/complete" && s.completes:
		return s.findCompletion(ctx, k, m, o.nothing)
	case method == "server/discover" && modern:
		return o.discover, nil
	case s.methods[method] != nil && (!modern || !removed(method)):
		return s.methods[method], nil
	}
	return nil, fault.MethodNotFound(m.Method)
}

// removed reports whether the modern protocol has removed a method. Modern clients can't
// call such a method even if the program registers it.
func removed(method string) bool {
	switch method {
	case "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
		"tasks/result", "tasks/list":
		return true
	}
	return false
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

// takesSubscriptions reports whether the engine serves a legacy client's subscriptions to
// resources. A method that the program registers wins over the engine's.
func (s *snapshot) takesSubscriptions(k *call.Call) bool {
	return k.Interest() != nil && s.methods[string(k.Message().Method)] == nil
}

// subscribe answers resources/subscribe of a legacy client. It ignores a resource that the
// client may not see; an error would reveal it.
func (c *Core) subscribe(ctx context.Context, k *call.Call) (call.Result, error) {
	uri, refusal := parseURI(k.Message().URI)
	if refusal != nil {
		return nil, refusal
	}
	if c.current.Load().readable(ctx, uri) {
		if refusal := k.Interest().Add(uri); refusal != nil {
			return nil, refusal
		}
	}
	return &Object{JSON: []byte("{}")}, nil
}

// unsubscribe answers resources/unsubscribe of a legacy client.
func unsubscribe(_ context.Context, k *call.Call) (call.Result, error) {
	uri, refusal := parseURI(k.Message().URI)
	if refusal != nil {
		return nil, refusal
	}
	k.Interest().Remove(uri)
	return &Object{JSON: []byte("{}")}, nil
}
