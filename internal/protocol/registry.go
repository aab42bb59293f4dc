package protocol

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
)

// A Method is a request method of the user's own. The result is a raw object.
type Method func(call *Call) (result []byte, fault *Fault)

// A Listener gets a client's notification.
type Listener func(ctx context.Context, arrival *Arrival, peer Peer)

// A Registry is what a server offers. It never changes: a core replaces it.
type Registry struct {
	tools        catalog[*Tool]
	resources    catalog[*Resource]
	templates    catalog[*Template]
	prompts      catalog[*Prompt]
	literalFirst []*Template // the templates in the order in which they are tried
	completes    bool        // whether anything has completion
	methods      map[string]Method
	listeners    map[string]Listener
	experimental []byte // raw object of the capability, nil if none
	extensions   []byte // likewise
	pages        pages
}

// clone returns a copy whose lists may be changed.
func (r *Registry) clone() *Registry {
	return &Registry{
		tools: r.tools.clone(), resources: r.resources.clone(), templates: r.templates.clone(), prompts: r.prompts.clone(),
		completes: r.completes, methods: cloneMap(r.methods), listeners: cloneMap(r.listeners),
		experimental: r.experimental, extensions: r.extensions,
	}
}

func cloneMap[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return maps.Clone(m)
}

// registries is the part of a core that changes.
type registries struct {
	current atomic.Pointer[Registry]
	change  sync.Mutex
	order   uint64
}

// update replaces the registry by what edit makes of a copy, and tells the bus of the
// lists that are others then.
func (c *Core) update(edit func(*Registry) error) error {
	c.change.Lock()
	before := c.current.Load()
	next := before.clone()
	if err := edit(next); err != nil {
		c.change.Unlock()
		return err
	}
	next.sortTemplates()
	c.current.Store(next)
	c.change.Unlock()
	if c.serving.Load() {
		c.publish(before, next)
	}
	return nil
}

// publish tells the bus which lists have changed.
func (c *Core) publish(before, now *Registry) {
	if !before.tools.same(&now.tools) {
		c.bus.Publish(Change{Kind: ToolsChanged})
	}
	if !before.prompts.same(&now.prompts) {
		c.bus.Publish(Change{Kind: PromptsChanged})
	}
	if !before.resources.same(&now.resources) || !before.templates.same(&now.templates) {
		c.bus.Publish(Change{Kind: ResourcesChanged})
	}
}

// AddTool registers a tool.
func (c *Core) AddTool(tool *Tool) error {
	return c.update(func(r *Registry) error { return add(&r.tools, tool, &c.order) })
}

// AddResource registers a resource.
func (c *Core) AddResource(resource *Resource) error {
	return c.update(func(r *Registry) error { return add(&r.resources, resource, &c.order) })
}

// AddTemplate registers a resource template, unless there is one of its shape: the
// first would be read for every URI of both.
func (c *Core) AddTemplate(template *Template) error {
	return c.update(func(r *Registry) error {
		for _, other := range r.templates.items {
			if other.Shape == template.Shape {
				return &DuplicateError{&other.Item}
			}
		}
		r.completes = r.completes || template.Complete != nil
		return add(&r.templates, template, &c.order)
	})
}

// AddPrompt registers a prompt.
func (c *Core) AddPrompt(prompt *Prompt) error {
	return c.update(func(r *Registry) error {
		r.completes = r.completes || prompt.Complete != nil
		return add(&r.prompts, prompt, &c.order)
	})
}

// RemoveTool takes a tool out and reports whether it was there.
func (c *Core) RemoveTool(name string) bool {
	return c.update(func(r *Registry) error { return remove(&r.tools, name) }) == nil
}

// RemoveResource takes a resource or a template out by its URI and reports whether
// it was there.
func (c *Core) RemoveResource(uri string) bool {
	return c.update(func(r *Registry) error {
		if remove(&r.resources, uri) == nil {
			return nil
		}
		return remove(&r.templates, uri)
	}) == nil
}

// RemovePrompt takes a prompt out and reports whether it was there.
func (c *Core) RemovePrompt(name string) bool {
	return c.update(func(r *Registry) error { return remove(&r.prompts, name) }) == nil
}

// Keys returns what is registered, in order: the names of tools and prompts, the
// URIs of resources and templates.
func (c *Core) Keys() (tools, resources, templates, prompts []string) {
	r := c.current.Load()
	return r.tools.keys(), r.resources.keys(), r.templates.keys(), r.prompts.keys()
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

// Hears reports whether the user listens for a notification.
func (c *Core) Hears(method []byte) bool { return c.current.Load().listeners[string(method)] != nil }

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
