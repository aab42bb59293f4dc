package protocol

import (
	"context"
	"maps"
	"slices"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A Method is a request method of a server: one of the protocol's own, of an extension, or of
// the program.
type Method struct {
	Name string

	// Kind is the kind of its operations to guardrails and events, 0 if it has neither.
	Kind chain.Kinds

	// Mirrored is the member of its params that the header Mcp-Name repeats, "" if the header
	// repeats none.
	Mirrored string

	// Extension is the identifier of the extension that a client must declare to call it, "" if
	// every client may.
	Extension string

	// Visible reports whether the client may know of the method. It may be nil.
	Visible func(context.Context) bool

	// Operation serves its requests.
	Operation *call.Operation

	find    finder // returns the operation of a request, instead of Operation
	builtin bool   // whether it is the protocol's own
	removed bool   // whether only older clients have it
	isNew   bool   // whether only modern clients have it
}

// A finder returns the operation of a call, or an error, and decodes the params into the call's
// input. The operation comes with the error if it was found.
type finder func(s *snapshot, ctx context.Context, k *call.Call, m *jsonrpc.Message) (*call.Operation, *exchange.Error)

// builtins returns the methods of the protocol itself. Package legacy answers those without an
// operation, unless the program registers a method of that name for older clients.
func (c *Core) builtins() map[string]*Method {
	list := c.config.List
	if list == nil {
		list = engine
	}
	lists := func(method, member string, downgrade func([]byte, spec.Version) []byte, items func(*snapshot) itemList) *Method {
		return &Method{Name: method, Kind: chain.List, Operation: list(c.lister(method, member, downgrade, items))}
	}
	nothing := completesNothing("")
	methods := map[string]*Method{}
	for _, method := range []*Method{
		{Name: "tools/call", Kind: chain.Call, find: (*snapshot).findTool},
		{Name: "resources/read", Kind: chain.Read, find: (*snapshot).findResource},
		{Name: "prompts/get", Kind: chain.Get, find: (*snapshot).findPrompt},
		lists("tools/list", "tools", spec.DowngradeTool, func(s *snapshot) itemList { return &s.tools }),
		lists("resources/list", "resources", spec.DowngradeItem, func(s *snapshot) itemList { return &s.resources }),
		lists("resources/templates/list", "resourceTemplates", spec.DowngradeItem, func(s *snapshot) itemList { return &s.templates }),
		lists("prompts/list", "prompts", spec.DowngradeItem, func(s *snapshot) itemList { return &s.prompts }),
		{Name: "completion/complete", Kind: chain.Complete, find: func(s *snapshot, ctx context.Context, k *call.Call, m *jsonrpc.Message) (*call.Operation, *exchange.Error) {
			return s.findCompletion(ctx, k, m, nothing)
		}},
		{Name: "server/discover", Operation: engine(c.discover), isNew: true},
		{Name: "subscriptions/listen", isNew: true},
		{Name: "initialize", removed: true},
		{Name: "ping", removed: true},
		{Name: "logging/setLevel", removed: true},
		{Name: "resources/subscribe", find: subscribing(engine(c.subscribe)), removed: true},
		{Name: "resources/unsubscribe", find: subscribing(engine(c.unsubscribe)), removed: true},
	} {
		method.builtin, method.Mirrored = true, spec.Mirrored(method.Name)
		methods[method.Name] = method
	}
	return methods
}

// subscribing returns a finder of an operation for clients that can have subscriptions.
func subscribing(operation *call.Operation) finder {
	return func(_ *snapshot, _ context.Context, k *call.Call, m *jsonrpc.Message) (*call.Operation, *exchange.Error) {
		if k.Interest() == nil {
			return nil, fault.MethodNotFound(m.Method)
		}
		return operation, nil
	}
}

// AddMethod registers a method. Only older clients can call a method whose name the modern
// protocol has removed; it replaces the protocol's own.
func (r *Registry) AddMethod(method *Method) error {
	return r.update(func(s *snapshot) error {
		if have := s.methods[method.Name]; have != nil {
			if !have.builtin || !have.removed || have.Name == "initialize" {
				return ErrDuplicate
			}
			method.removed = true
		}
		s.methods[method.Name] = method
		return nil
	})
}

// Method returns a method, nil if there is none of that name.
func (r *Registry) Method(name []byte) *Method { return r.current.Load().methods[string(name)] }

// HasMethod reports whether the program or an extension has registered a method.
func (r *Registry) HasMethod(name string) bool {
	method := r.current.Load().methods[name]
	return method != nil && !method.builtin
}

// HasMethods reports whether the program or an extension has registered any methods.
func (r *Registry) HasMethods() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(r.current.Load().methods)), func(method *Method) bool { return !method.builtin })
}
