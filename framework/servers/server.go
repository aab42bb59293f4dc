package servers

import (
	"context"
	"errors"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/attachment"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A Tool is a tool of a server. The alias saves app/mcp/servers, where "tools" is the
// app's package, from importing package tools under another name.
type Tool = tools.Interface

// A Resource is a resource, or a template of resources, of a server.
type Resource = resources.Interface

// A Prompt is a prompt of a server.
type Prompt = prompts.Interface

// Interface is a server as a route sees it. Embed [Server] to satisfy all of it,
// and use a pointer to your type.
type Interface interface {
	// Name identifies the server to programs. The default is the type's name in
	// kebab case: DemoServer is demo-server.
	Name() string

	// Title is the server's display name. The default is the headline of the type's
	// name: DemoServer is Demo Server.
	Title() string

	// Version is the server's own version. The default is that of the program's
	// main module, else 0.0.0.
	Version() string

	// Description says in a sentence what the server is for. The default is none.
	Description() string

	// Website is the URL of a page about the server. The default is none.
	Website() string

	// Icons are pictures for clients to show. The default is none.
	Icons() []content.Icon

	// Instructions tell the model how to use the server's features together. The
	// default is none.
	Instructions() string

	// PageSize is how many items a page of a list has, 1 to 100. The default is 50.
	PageSize() int

	// MaxPageSize is how many items a client may ask for by the member per_page,
	// which isn't part of MCP, up to 100. The default is 100.
	MaxPageSize() int

	// Tools are the server's tools, in the order of the list.
	Tools() []Tool

	// Resources are the server's resources, in the order of the list. One whose URI
	// has braces is a template.
	Resources() []Resource

	// Prompts are the server's prompts, in the order of the list.
	Prompts() []Prompt

	// Guardrails run around everything that the server offers, the first outermost. The
	// method is called once, when the server is registered. The default is none.
	Guardrails() []guardrails.Guardrail

	// Boot is called when the server is registered, before it serves, and again if
	// it is registered again, as mcp.Validate does. It may call the Add methods; an
	// error keeps the program from starting.
	Boot(ctx context.Context) error

	// OwnMethods names exported methods of the type that the framework would take for
	// misspellings of its own, such as "Guard", and refuse. The default is none.
	OwnMethods() []string

	attachable
}

type (
	attached   = attachment.Attachment
	attachable = attachment.Server
)

// Server is the base of every server. Embed it by value.
type Server struct{ attached }

var _ Interface = (*Server)(nil)

// Name returns "", which means: derived from the type's name.
func (*Server) Name() string { return "" }

// Title returns "", which means: derived from the type's name.
func (*Server) Title() string { return "" }

// Version returns "", which means: that of the program's main module.
func (*Server) Version() string { return "" }

// Description returns "".
func (*Server) Description() string { return "" }

// Website returns "".
func (*Server) Website() string { return "" }

// Icons returns none.
func (*Server) Icons() []content.Icon { return nil }

// Instructions returns "".
func (*Server) Instructions() string { return "" }

// PageSize returns 50.
func (*Server) PageSize() int { return limits.PageSize }

// MaxPageSize returns 100.
func (*Server) MaxPageSize() int { return limits.MaxPageSize }

// Tools returns none.
func (*Server) Tools() []Tool { return nil }

// Resources returns none.
func (*Server) Resources() []Resource { return nil }

// Prompts returns none.
func (*Server) Prompts() []Prompt { return nil }

// Guardrails returns none.
func (*Server) Guardrails() []guardrails.Guardrail { return nil }

// Boot does nothing.
func (*Server) Boot(context.Context) error { return nil }

// OwnMethods returns none.
func (*Server) OwnMethods() []string { return nil }

// ErrNotServing is returned by the Add methods before Boot: a server has nothing to
// add to until a route maps it.
var ErrNotServing = errors.New("the server is not mapped to a route yet; add in Boot, or later")

// AddTool adds a tool, in Boot or while serving. Clients that listen are then told that
// the list has changed. The error says what is wrong with the tool, such as a name that
// is taken or a contradictory schema.
func (s *Server) AddTool(tool Tool) error {
	return s.with(func(e attachment.Engine) error { return e.AddTool(tool) })
}

// RemoveTool removes the tool with the name, and reports whether there was one. Running
// calls end as usual.
func (s *Server) RemoveTool(name string) bool {
	removed := false
	_ = s.with(func(e attachment.Engine) error {
		removed = e.RemoveTool(name)
		return nil
	})
	return removed
}

// AddResource adds a resource or a template, in Boot or while serving.
func (s *Server) AddResource(resource Resource) error {
	return s.with(func(e attachment.Engine) error { return e.AddResource(resource) })
}

// RemoveResource removes the resource or template with the URI, and reports whether
// there was one.
func (s *Server) RemoveResource(uri string) bool {
	removed := false
	_ = s.with(func(e attachment.Engine) error {
		removed = e.RemoveResource(uri)
		return nil
	})
	return removed
}

// ResourceUpdated tells the clients that have subscribed to a resource that its
// contents have changed, so that they read it again (specification: resources,
// subscriptions). The URI is that of a resource, or one that a template matches. Call
// it wherever the contents change. It doesn't wait for the clients; calls in quick
// succession may reach them as one notification. Clients that may not see the resource
// aren't told.
//
// It returns no error: a server that isn't served has no subscribers, and an unknown
// URI is logged as a warning.
func (s *Server) ResourceUpdated(uri string) {
	_ = s.with(func(e attachment.Engine) error {
		e.ResourceUpdated(uri)
		return nil
	})
}

// AddPrompt adds a prompt, in Boot or while serving.
func (s *Server) AddPrompt(prompt Prompt) error {
	return s.with(func(e attachment.Engine) error { return e.AddPrompt(prompt) })
}

// RemovePrompt removes the prompt with the name, and reports whether there was one.
func (s *Server) RemovePrompt(name string) bool {
	removed := false
	_ = s.with(func(e attachment.Engine) error {
		removed = e.RemovePrompt(name)
		return nil
	})
	return removed
}

// A Method answers a request method of your own. Its result must encode as a JSON
// object; nil is an empty one.
type Method func(ctx context.Context, request *exchange.Request) (any, error)

// AddMethod adds a request method of your own, under a name of its own such as
// "acme/reindex". Names of methods that the protocol once had, such as "ping", are
// only reached by clients of those versions.
func (s *Server) AddMethod(name string, method Method) error {
	return s.with(func(e attachment.Engine) error { return e.AddMethod(name, method) })
}

// A Listener gets a notification from a client. Its error is logged.
type Listener func(ctx context.Context, request *exchange.Request) error

// AddNotification adds a listener for a client's notification, such as
// "notifications/acme/opened".
func (s *Server) AddNotification(name string, listener Listener) error {
	return s.with(func(e attachment.Engine) error { return e.AddNotification(name, listener) })
}

// AddCapability declares a capability that isn't the protocol's. The name is a
// path: AddCapability("customFeature.enabled", true) is sent as
// experimental.customFeature.enabled. A name with a vendor prefix and a slash, such
// as "com.example/search", is one name, declared under extensions.
func (s *Server) AddCapability(name string, value any) error {
	return s.with(func(e attachment.Engine) error { return e.AddCapability(name, value) })
}

func (s *Server) with(do func(attachment.Engine) error) error {
	engine := attachment.Of(s)
	if engine == nil {
		return ErrNotServing
	}
	return do(engine)
}
