// Package attachment connects a server of framework/servers to the engine that serves it.
// The Add and Remove methods of the server's base call the engine.
package attachment

import (
	"context"
	"sync"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// An Engine registers and removes the tools, resources, prompts and methods of a server.
type Engine interface {
	AddTool(tool tools.Interface) error
	RemoveTool(name string) bool
	AddResource(resource resources.Interface) error
	RemoveResource(uri string) bool
	ResourceUpdated(uri string)
	VisibilityChanged()
	VisibilityChangedFor(principal string)
	AddPrompt(prompt prompts.Interface) error
	RemovePrompt(name string) bool
	AddMethod(name string, method func(context.Context, *exchange.Request) (any, error)) error
	AddNotification(name string, listener func(context.Context, *exchange.Request) error) error
	AddCapability(name string, value any) error
}

// An Attachment holds the engine of a server. The base of all servers embeds one. The zero
// value has no engine.
type Attachment struct {
	opening sync.Mutex // held while the server is opened

	lock   sync.Mutex
	engine Engine
}

// A Server embeds an Attachment. The method isn't exported, so that users don't see it.
type Server interface{ attachment() *Attachment }

func (a *Attachment) attachment() *Attachment { return a }

// Of returns the engine of a server, or nil.
func Of(server Server) Engine {
	a := server.attachment()
	a.lock.Lock()
	defer a.lock.Unlock()
	return a.engine
}

// Open blocks other calls of Open until closed is called, so that no caller gets a server
// that is only partly registered.
func Open(server Server) (closed func()) {
	a := server.attachment()
	a.opening.Lock()
	return a.opening.Unlock
}

// Attach sets the engine of a server that has none, and returns the server's engine.
func Attach(server Server, engine Engine) (_ Engine, attached bool) {
	a := server.attachment()
	a.lock.Lock()
	defer a.lock.Unlock()
	if a.engine != nil {
		return a.engine, false
	}
	a.engine = engine
	return engine, true
}

// Detach removes the engine from a server, unless the server has another one.
func Detach(server Server, engine Engine) {
	a := server.attachment()
	a.lock.Lock()
	defer a.lock.Unlock()
	if a.engine == engine {
		a.engine = nil
	}
}

// A Publisher has the servers of a topic. The topic embeds it. The zero value has none.
type Publisher struct {
	lock    sync.Mutex
	servers map[Engine]func(key string)
}

// A Topic embeds a Publisher. The method isn't exported, so that users don't see it.
type Topic interface{ publisher() *Publisher }

func (p *Publisher) publisher() *Publisher { return p }

// Publishes adds a server to a topic, whose changes are passed to the function. A nil function
// removes the server.
func Publishes(topic Topic, server Engine, publish func(key string)) {
	p := topic.publisher()
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.servers == nil {
		p.servers = map[Engine]func(key string){}
	}
	if p.servers[server] = publish; publish == nil {
		delete(p.servers, server)
	}
}

// Publish passes a change of a key to all servers of a topic. The key is "" if the topic has
// none.
func Publish(topic Topic, key string) {
	p := topic.publisher()
	p.lock.Lock()
	defer p.lock.Unlock()
	for _, publish := range p.servers {
		publish(key)
	}
}
