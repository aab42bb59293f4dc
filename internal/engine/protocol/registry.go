package protocol

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Tool is a compiled tool.
type Tool struct {
	Item
	Headers []ParamHeader
}

// A Prompt is a compiled prompt.
type Prompt struct {
	Item
	Complete *call.Operation // nil without completion
}

// A Listener is called for a client's notification. It gets a call that is already over.
type Listener func(ctx context.Context, notification *call.Call)

// A snapshot holds the tools, resources, prompts, methods and listeners of a server at one
// moment. It never changes.
type snapshot struct {
	tools        catalog[*Tool]
	resources    catalog[*Resource]
	templates    catalog[*Template]
	prompts      catalog[*Prompt]
	byPlainURI   map[string][]*Resource
	literalFirst []*Template // the templates in the order of matching
	completes    bool        // whether a prompt or template has completion
	methods      map[string]*Method
	listeners    map[string]Listener
	experimental []byte // raw object of the capability, nil if none
	extensions   []byte // raw object of the capability, nil if none
	pages        pages
}

// clone returns a copy whose lists can be changed.
func (s *snapshot) clone() *snapshot {
	return &snapshot{
		tools: s.tools.clone(), resources: s.resources.clone(), templates: s.templates.clone(), prompts: s.prompts.clone(),
		byPlainURI: cloneMap(s.byPlainURI), completes: s.completes, methods: cloneMap(s.methods), listeners: cloneMap(s.listeners),
		experimental: s.experimental, extensions: s.extensions,
	}
}

func cloneMap[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return maps.Clone(m)
}

// A Registry holds the current snapshot of a server, and publishes changes. It is safe for
// concurrent use.
type Registry struct {
	feed    *changes.Feed
	topics  topics
	serving atomic.Bool // whether changes are published
	current atomic.Pointer[snapshot]

	lock  sync.Mutex // held while something changes
	order uint64     // the number of the last registration
}

func newRegistry() *Registry {
	r := &Registry{}
	r.topics = newTopics(r)
	r.feed = changes.NewFeed(r.topics.tools, r.topics.prompts, r.topics.resources, r.topics.contents)
	r.current.Store((&snapshot{}).clone())
	return r
}

// Opened ends the setup. From now on, the registry publishes changes.
func (r *Registry) Opened() { r.serving.Store(true) }

// update applies edit to a copy of the snapshot, makes the copy current, and publishes
// which lists have changed.
func (r *Registry) update(edit func(*snapshot) error) error {
	r.lock.Lock()
	before := r.current.Load()
	next := before.clone()
	if err := edit(next); err != nil {
		r.lock.Unlock()
		return err
	}
	next.literalFirst = slices.Clone(next.templates.items)
	slices.SortStableFunc(next.literalFirst, func(a, b *Template) int { return b.Literals - a.Literals })
	r.current.Store(next)
	r.lock.Unlock()
	if !before.tools.same(&next.tools) {
		r.Publish(changes.Change{Topic: r.topics.tools})
	}
	if !before.prompts.same(&next.prompts) {
		r.Publish(changes.Change{Topic: r.topics.prompts})
	}
	if !before.resources.same(&next.resources) || !before.templates.same(&next.templates) {
		r.Publish(changes.Change{Topic: r.topics.resources})
	}
	return nil
}

// AddTool registers a tool.
func (r *Registry) AddTool(tool *Tool) error {
	return r.update(func(s *snapshot) error { return add(&s.tools, tool, &r.order) })
}

// AddResource registers a resource.
func (r *Registry) AddResource(resource *Resource) error {
	return r.update(func(s *snapshot) error {
		if err := add(&s.resources, resource, &r.order); err != nil {
			return err
		}
		s.forgetPlainURI(resource.Key) // of one that it replaces
		plain := naming.PlainURI(resource.Key)
		s.byPlainURI[plain] = append(slices.Clip(s.byPlainURI[plain]), resource)
		return nil
	})
}

// AddTemplate registers a resource template. It refuses a second one of the same shape,
// because the first would match all its URIs.
func (r *Registry) AddTemplate(template *Template) error {
	return r.update(func(s *snapshot) error {
		for _, other := range s.templates.items {
			if other.Shape != template.Shape {
				continue
			}
			if err := template.replaces(&other.Item); err != nil {
				return err
			}
			_ = remove(&s.templates, other.Key) // it is there
			break
		}
		if err := add(&s.templates, template, &r.order); err != nil {
			return err
		}
		s.completes = s.completes || template.Complete != nil
		template.Complete = orNothing(template.Complete, template.Key)
		return nil
	})
}

// AddPrompt registers a prompt.
func (r *Registry) AddPrompt(prompt *Prompt) error {
	return r.update(func(s *snapshot) error {
		if err := add(&s.prompts, prompt, &r.order); err != nil {
			return err
		}
		s.completes = s.completes || prompt.Complete != nil
		prompt.Complete = orNothing(prompt.Complete, prompt.Key)
		return nil
	})
}

// orNothing returns the completion of an item, or one without suggestions.
func orNothing(complete *call.Operation, key string) *call.Operation {
	if complete == nil {
		return completesNothing(key)
	}
	return complete
}

// RemoveTool removes a tool and reports whether it was registered.
func (r *Registry) RemoveTool(name string) bool {
	return r.update(func(s *snapshot) error { return remove(&s.tools, name) }) == nil
}

// RemoveResource removes a resource, by any spelling of its URI, or a template. It reports
// whether it was registered.
func (r *Registry) RemoveResource(uri string) bool {
	return r.update(func(s *snapshot) error {
		key := naming.NormalizeURI(uri)
		if remove(&s.resources, key) != nil {
			return remove(&s.templates, uri)
		}
		s.forgetPlainURI(key)
		return nil
	}) == nil
}

// forgetPlainURI removes the resource of a key, if there is one, from those with its plain URI.
func (s *snapshot) forgetPlainURI(key string) {
	plain := naming.PlainURI(key)
	rest := slices.DeleteFunc(slices.Clone(s.byPlainURI[plain]), func(r *Resource) bool { return r.Key == key })
	if s.byPlainURI[plain] = rest; len(rest) == 0 {
		delete(s.byPlainURI, plain)
	}
}

// RemovePrompt removes a prompt and reports whether it was registered.
func (r *Registry) RemovePrompt(name string) bool {
	return r.update(func(s *snapshot) error { return remove(&s.prompts, name) }) == nil
}

// Keys returns the names of tools and prompts and the URIs of resources and templates, in
// order of registration.
func (r *Registry) Keys() (tools, resources, templates, prompts []string) {
	s := r.current.Load()
	return s.tools.keys(), s.resources.keys(), s.templates.keys(), s.prompts.keys()
}

// ToolDefinitions returns the definitions of all tools, in the order of the list.
func (r *Registry) ToolDefinitions() (definitions [][]byte) {
	for _, item := range r.current.Load().tools.all {
		definitions = append(definitions, item.Definition)
	}
	return definitions
}

// Origins returns the types and functions that define the tools, resources, templates and
// prompts.
func (r *Registry) Origins() (origins []string) {
	s := r.current.Load()
	for _, list := range []itemList{&s.tools, &s.resources, &s.templates, &s.prompts} {
		for _, item := range list.all {
			origins = append(origins, item.Origin)
		}
	}
	return origins
}

// HasListener reports whether the program has registered a listener for a notification.
func (r *Registry) HasListener(method []byte) bool {
	return r.current.Load().listeners[string(method)] != nil
}

// AddListener registers a listener for a client's notification.
func (r *Registry) AddListener(name string, listener Listener) error {
	return r.update(func(s *snapshot) error {
		if s.listeners[name] != nil || name == "notifications/cancelled" || name == "notifications/initialized" {
			return ErrDuplicate
		}
		s.listeners[name] = listener
		return nil
	})
}

// Declare sets the capabilities experimental and extensions, raw objects or nil.
func (r *Registry) Declare(experimental, extensions []byte) {
	_ = r.update(func(s *snapshot) error {
		s.experimental, s.extensions = experimental, extensions
		return nil
	})
}
