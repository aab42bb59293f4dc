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
	"github.com/bowline-mcp/bowline/internal/engine/attachment"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A Tool is a tool of a server. In app/mcp/servers, "tools" is the app's own package; the
// alias avoids importing this module's package tools under another name.
type Tool = tools.Interface

// A Resource is a resource, or a template of resources, of a server.
type Resource = resources.Interface

// A Prompt is a prompt of a server.
type Prompt = prompts.Interface

// A Guardrail runs around the operations of a server.
type Guardrail = guardrails.Guardrail

// Features are tools, resources and prompts that belong together, such as those that the
// command mcp generate has found in the source of an app. Their exported fields are what they
// depend on.
type Features interface {
	Tools() []Tool
	Resources() []Resource
	Prompts() []Prompt
}

// Interface is the interface of a server. Embed [Server] to implement all methods, and
// use a pointer to your type.
type Interface interface {
	// Name identifies the server to programs. The default is the type's name in kebab
	// case without Server at its end: demo for DemoServer.
	Name() string

	// Title is the server's display name. The default is the type's name as words without
	// Server at its end: Demo for DemoServer.
	Title() string

	// Version is the server's own version. The default is the version of the program's
	// main module, or 0.0.0 without one.
	Version() string

	// Description says in one sentence what the server is for. The default is none.
	Description() string

	// Website is the URL of a page about the server. The default is none.
	Website() string

	// Icons are pictures for clients to show. The default is none.
	Icons() []content.Icon

	// Instructions tell the model how to use the server's features together. The
	// default is none.
	Instructions() string

	// PageSize is the number of items on a page of a list, 1 to 100. The default is 50.
	PageSize() int

	// MaxPageSize is the greatest page size that a client may request with the member
	// per_page, which isn't part of MCP. It is at most 100, the default.
	MaxPageSize() int

	// CacheHint says how long clients may reuse the description of the server
	// (server/discover), its lists, and what they read of its resources. Tools, resources
	// and prompts may have one of their own. The default, nil, forbids reuse. The program
	// doesn't start if the hint is public and VisibleTo or a Permission hides an item whose
	// hint it is, or if only guarded routes serve the server.
	CacheHint() *exchange.CacheHint

	// Tools are the server's tools, in the order in which they are listed.
	Tools() []Tool

	// Resources are the server's resources, in the order in which they are listed. A
	// resource whose URI has braces is a template.
	Resources() []Resource

	// Prompts are the server's prompts, in the order in which they are listed.
	Prompts() []Prompt

	// Features are further tools, resources and prompts, in the order in which they are
	// listed, after the server's own. An item that the server lists itself, or adds in Boot or
	// later, replaces a feature with the same name or URI. The default is none.
	Features() []Features

	// Extensions are parts of the protocol that the server adds to the specification's own.
	// The default is none.
	Extensions() []Extension

	// Guardrails run around all operations of the server, the first one outermost. The
	// method is called once, when the server is registered. The default is none.
	Guardrails() []guardrails.Guardrail

	// Boot is called when the server is registered, before it serves. It is called again
	// if the server is registered again, for example by mcp.Validate. It may call the Add
	// methods. If it returns an error, the program doesn't start.
	Boot(ctx context.Context) error

	// OwnMethods lists exported methods of the type, such as "Guard", that the framework
	// would otherwise refuse as misspellings of its own. The default is none.
	OwnMethods() []string

	// IgnoredRules lists rules of AI clients that the tools of the server may break, such as
	// "enum-not-string". The guide has the rules and the clients (docs/guide/clients.md). The
	// default is none: opening the server logs a warning for each rule whose breach makes a
	// client refuse a tool or the whole list, and mcptest.Check fails.
	IgnoredRules() []string

	attachable
}

type (
	attached   = attachment.Attachment
	attachable = attachment.Server
)

// Server is the base of every server. Embed it by value.
type Server struct{ attached }

var _ Interface = (*Server)(nil)

// Name returns "", for a name derived from the type's name.
func (*Server) Name() string { return "" }

// Title returns "", for a title derived from the type's name.
func (*Server) Title() string { return "" }

// Version returns "", for the version of the program's main module.
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

// CacheHint returns nil.
func (*Server) CacheHint() *exchange.CacheHint { return nil }

// Tools returns none.
func (*Server) Tools() []Tool { return nil }

// Resources returns none.
func (*Server) Resources() []Resource { return nil }

// Prompts returns none.
func (*Server) Prompts() []Prompt { return nil }

// Features returns none.
func (*Server) Features() []Features { return nil }

// Extensions returns none.
func (*Server) Extensions() []Extension { return nil }

// Guardrails returns none.
func (*Server) Guardrails() []guardrails.Guardrail { return nil }

// Boot does nothing.
func (*Server) Boot(context.Context) error { return nil }

// OwnMethods returns none.
func (*Server) OwnMethods() []string { return nil }

// IgnoredRules returns none.
func (*Server) IgnoredRules() []string { return nil }

// ErrNotServing is returned by the Add methods before Boot, when no route serves the
// server yet.
var ErrNotServing = errors.New("the server is not registered yet; add in Boot, or later")

// AddTool adds a tool, in Boot or while serving. Clients that listen for changes are
// notified. AddTool returns an error if the tool is invalid: its name is already in use,
// or its schema is contradictory, for example.
func (s *Server) AddTool(tool Tool) error {
	return s.with(func(e attachment.Engine) error { return e.AddTool(tool) })
}

// RemoveTool removes the tool with the name, and reports whether it existed. Running
// calls continue to their end.
func (s *Server) RemoveTool(name string) bool {
	engine := attachment.Of(s)
	return engine != nil && engine.RemoveTool(name)
}

// AddResource adds a resource or a template, in Boot or while serving.
func (s *Server) AddResource(resource Resource) error {
	return s.with(func(e attachment.Engine) error { return e.AddResource(resource) })
}

// RemoveResource removes the resource or template with the URI, and reports whether it
// existed.
func (s *Server) RemoveResource(uri string) bool {
	engine := attachment.Of(s)
	return engine != nil && engine.RemoveResource(uri)
}

// ResourceUpdated notifies the clients that have subscribed to a resource that its
// contents have changed, so that they read it again (specification: resources,
// subscriptions). The URI is the URI of a resource, or matches a template. Call
// ResourceUpdated whenever the contents change. It doesn't wait for the clients. Calls in
// quick succession may become one notification. Clients that may not see the resource
// aren't notified.
//
// It returns no error: a server without a route has no subscribers, and an unknown URI is
// logged as a warning.
func (s *Server) ResourceUpdated(uri string) {
	if engine := attachment.Of(s); engine != nil {
		engine.ResourceUpdated(uri)
	}
}

// VisibilityChanged notifies the clients that listen for changes that they may see other tools,
// resources and prompts than before (specification: list_changed). Call it when VisibleTo or a
// permission would now answer otherwise for many callers, because a flag was set, for example.
// Clients then request the lists again.
//
// It concerns the lists that have items which not everyone may see, and does nothing if there
// are none or no route serves the server. It doesn't wait for the clients. Calls in quick
// succession may become one notification.
func (s *Server) VisibilityChanged() {
	if engine := attachment.Of(s); engine != nil {
		engine.VisibilityChanged()
	}
}

// VisibilityChangedFor is like [Server.VisibilityChanged], but notifies only the clients of one
// principal, whose plan has changed, for example. Principal is the ID of an
// [exchange.Principal]; "" stands for all anonymous clients.
func (s *Server) VisibilityChangedFor(principal string) {
	if engine := attachment.Of(s); engine != nil {
		engine.VisibilityChangedFor(principal)
	}
}

// AddPrompt adds a prompt, in Boot or while serving.
func (s *Server) AddPrompt(prompt Prompt) error {
	return s.with(func(e attachment.Engine) error { return e.AddPrompt(prompt) })
}

// RemovePrompt removes the prompt with the name, and reports whether it existed.
func (s *Server) RemovePrompt(name string) bool {
	engine := attachment.Of(s)
	return engine != nil && engine.RemovePrompt(name)
}

// A Method answers requests of a method of your own. Its result must encode as a JSON
// object; nil means an empty object.
type Method func(ctx context.Context, request *exchange.Request) (any, error)

// AddMethod adds a request method of your own, with a name such as "acme/reindex". The
// server's guardrails run around it. If newer protocol versions removed the name, as they
// removed "ping", the method serves only clients of older versions. For a method that needs
// more, such as guardrails of its own, list an [Extension] in Extensions.
func (s *Server) AddMethod(name string, method Method) error {
	return s.with(func(e attachment.Engine) error { return e.AddMethod(name, method) })
}

// A Listener handles a notification from a client. Its error is logged.
type Listener func(ctx context.Context, request *exchange.Request) error

// AddNotification adds a listener for a client's notification, such as
// "notifications/acme/opened".
func (s *Server) AddNotification(name string, listener Listener) error {
	return s.with(func(e attachment.Engine) error { return e.AddNotification(name, listener) })
}

// AddCapability declares a capability that the protocol doesn't define. The name is a
// path: AddCapability("customFeature.enabled", true) is sent as
// experimental.customFeature.enabled. A name with a vendor prefix and a slash, such as
// "com.example/search", is not split; it is declared under extensions.
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
