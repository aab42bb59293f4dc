// Package attachment ties a server of framework/servers to the engine that serves it,
// which the methods of the server's base add to.
package attachment

import (
	"context"
	"sync"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// An Engine is what the Add methods of a server work on.
type Engine interface {
	AddTool(tool tools.Interface) error
	RemoveTool(name string) bool
	AddResource(resource resources.Interface) error
	RemoveResource(uri string) bool
	ResourceUpdated(uri string)
	AddPrompt(prompt prompts.Interface) error
	RemovePrompt(name string) bool
	AddMethod(name string, method func(context.Context, *exchange.Request) (any, error)) error
	AddNotification(name string, listener func(context.Context, *exchange.Request) error) error
	AddCapability(name string, value any) error
}

// An Attachment is embedded by the base of all servers. The zero value has no engine.
type Attachment struct {
	opening sync.Mutex // held while an engine is made of the server

	lock   sync.Mutex
	engine Engine
}

// A Server embeds an Attachment. The method isn't exported, so that users don't see it.
type Server interface{ attachment() *Attachment }

func (a *Attachment) attachment() *Attachment { return a }

// Of returns the engine that a server is attached to, nil if there is none.
func Of(server Server) Engine {
	a := server.attachment()
	a.lock.Lock()
	defer a.lock.Unlock()
	return a.engine
}

// Open keeps others from opening a server until closed is called: a server is served
// once it is complete.
func Open(server Server) (closed func()) {
	a := server.attachment()
	a.opening.Lock()
	return a.opening.Unlock
}

// Attach gives a server its engine. One that has an engine already keeps it, and
// Attach returns that.
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

// Detach takes that engine away from a server, unless it has another.
func Detach(server Server, engine Engine) {
	a := server.attachment()
	a.lock.Lock()
	defer a.lock.Unlock()
	if a.engine == engine {
		a.engine = nil
	}
}
