package protocol

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Tool is a tool as the engine knows it. Everything that registration can
// resolve is resolved in it.
type Tool struct {
	Name       string
	Definition []byte                     // the JSON of tools/list, in its newest shape
	Visible    func(context.Context) bool // nil: to everyone
	Headers    []ParamHeader
	Timeout    time.Duration // of a call; 0 is the server's

	// Handle runs the tool. Arguments is a raw object. A fault is an answer too.
	Handle func(call *Call, arguments []byte) (ToolResult, *Fault)

	order uint64 // of registration
}

// A Method is a request method of the user's own. The result is a raw object.
type Method func(call *Call) (result []byte, fault *Fault)

// A Listener gets a client's notification.
type Listener func(ctx context.Context, arrival *Arrival, peer Peer)

// A Registry is what a server offers. It never changes: a core replaces it.
type Registry struct {
	tools         []*Tool // in order of registration
	toolsByName   map[string]*Tool
	methods       map[string]Method
	listeners     map[string]Listener
	experimental  []byte // raw object of the capability, nil if none
	extensions    []byte // likewise
	declaresTools bool   // stays when the last tool goes
	conditional   bool   // whether some tool isn't visible to everyone
	pages         pages
}

// clone returns a copy whose lists may be changed.
func (r *Registry) clone() *Registry {
	return &Registry{
		tools: slices.Clone(r.tools), toolsByName: cloneMap(r.toolsByName),
		methods: cloneMap(r.methods), listeners: cloneMap(r.listeners),
		experimental: r.experimental, extensions: r.extensions, declaresTools: r.declaresTools, conditional: r.conditional,
	}
}

func cloneMap[V any](m map[string]V) map[string]V {
	out := make(map[string]V, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	return out
}

// ErrDuplicate is returned when something of that name is registered already.
var ErrDuplicate = errors.New("the name is taken")

// registries is the part of a core that changes.
type registries struct {
	current atomic.Pointer[Registry]
	change  sync.Mutex
	order   uint64
}

// update replaces the registry by what edit makes of a copy.
func (s *registries) update(edit func(*Registry) error) error {
	s.change.Lock()
	defer s.change.Unlock()
	next := s.current.Load().clone()
	if err := edit(next); err != nil {
		return err
	}
	s.current.Store(next)
	return nil
}

// AddTools registers tools, all or none.
func (c *Core) AddTools(tools ...*Tool) error {
	return c.update(func(r *Registry) error {
		for _, tool := range tools {
			if r.toolsByName[tool.Name] != nil {
				return ErrDuplicate
			}
			c.order++
			tool.order = c.order
			r.tools = append(r.tools, tool)
			r.toolsByName[tool.Name] = tool
			r.declaresTools = true
			r.conditional = r.conditional || tool.Visible != nil
		}
		return nil
	})
}

// RemoveTool takes a tool out and reports whether it was there.
func (c *Core) RemoveTool(name string) bool {
	found := false
	_ = c.update(func(r *Registry) error {
		tool := r.toolsByName[name]
		found = tool != nil
		delete(r.toolsByName, name)
		r.tools = slices.DeleteFunc(r.tools, func(t *Tool) bool { return t == tool })
		return nil
	})
	return found
}

// ToolNames returns the names of all tools, in order.
func (c *Core) ToolNames() []string {
	tools := c.current.Load().tools
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = tool.Name
	}
	return names
}

// AddMethod registers a request method. One that the modern protocol has removed
// is only reached by legacy clients.
func (c *Core) AddMethod(name string, method Method) error {
	return c.update(func(r *Registry) error {
		if r.methods[name] != nil || builtIn(name) {
			return ErrDuplicate
		}
		r.methods[name] = method
		return nil
	})
}

// HasMethod reports whether the user has registered a method.
func (c *Core) HasMethod(name string) bool { return c.current.Load().methods[name] != nil }

// AddListener registers a handler for a client's notification.
func (c *Core) AddListener(name string, listener Listener) error {
	return c.update(func(r *Registry) error {
		if r.listeners[name] != nil || builtInNotification(name) {
			return ErrDuplicate
		}
		r.listeners[name] = listener
		return nil
	})
}

// Declare sets the capabilities that aren't the protocol's: the raw objects
// experimental and extensions, or nil.
func (c *Core) Declare(experimental, extensions []byte) {
	_ = c.update(func(r *Registry) error {
		r.experimental, r.extensions = experimental, extensions
		return nil
	})
}
