package resources

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/engine/declaration"
	"github.com/bowline-mcp/bowline/internal/engine/seam"
)

// Interface is the interface of a resource, or of a template for many. Embed [Resource]
// to implement all methods but URI and Handle. One value serves concurrent requests, as
// an http.Handler does.
type Interface interface {
	// URI identifies the resource, such as "docs://handbook". A URI with braces is a
	// [Template] for many, such as "users://{id}".
	URI() string

	// Name is the resource's name for programs. The default is the type's name in kebab
	// case without Resource at its end: handbook for HandbookResource.
	Name() string

	// Title is the resource's display name. The default is the type's name as words
	// without Resource at its end: Handbook for HandbookResource.
	Title() string

	// Description says what the resource contains. The default is none.
	Description() string

	// MIMEType is the type of the contents, such as content.MIMEMarkdown. Contents
	// without a type of their own get it. A template should have one only if all
	// resources that it matches share it. The default, "", derives the type from the
	// contents.
	MIMEType() string

	// Size is the size of the contents in bytes, before any encoding. The default, 0,
	// means unknown. The Size of a template isn't used.
	Size() int64

	// Icons are pictures for clients to show. The default is none.
	Icons() []content.Icon

	// Annotations say whom the resource is for, how important it is, and when it
	// last changed. The default is none.
	Annotations() *content.Annotations

	// Meta is metadata for client programs, sent as _meta with the resource and with
	// contents that have no _meta of their own. The default is none.
	Meta() map[string]any

	// Timeout limits how long a request may take. The default, 0, means
	// Config.CallTimeout, which is 60 seconds by default.
	Timeout() time.Duration

	// Guardrails run around reads and completions of the resource, inside the server's
	// guardrails. The method is called once. The default is none.
	Guardrails() []guardrails.Guardrail

	// VisibleTo reports whether the caller may see the resource;
	// exchange.PrincipalFrom(ctx) returns the caller. For other callers the resource
	// doesn't exist: lists omit it, and a read is answered like a read of an unknown URI.
	// VisibleTo runs several times per request, so it should be fast. When it would
	// answer otherwise than before, call VisibilityChanged of the server. The default is
	// true.
	VisibleTo(ctx context.Context) bool

	// CacheHint says how long clients may reuse what they have read. A result may have one of
	// its own. The lists of resources and templates have the server's. The default, nil,
	// means the server's.
	CacheHint() *exchange.CacheHint

	// OwnMethods lists exported methods of the type, such as "Guard", that the framework
	// would otherwise refuse as misspellings of its own. The default is none.
	OwnMethods() []string

	// Variables declares suggestions for the variables of a template. The default is
	// none.
	Variables(variables *Variables)

	// Handle reads the resource. The context ends when the request times out, when
	// the client cancels it, or when the program stops.
	Handle(ctx context.Context, request *Request) (Result, error)

	mustEmbedResource()
}

// Resource is the base of every resource. Its methods are the defaults. Embed it by
// value.
type Resource struct{ defaults }

var _ interface{ mustEmbedResource() } = Resource{}

// Name returns "", for a name derived from the type's name.
func (Resource) Name() string { return "" }

// Title returns "", for a title derived from the type's name.
func (Resource) Title() string { return "" }

// Description returns "".
func (Resource) Description() string { return "" }

// MIMEType returns "", for a type derived from the contents.
func (Resource) MIMEType() string { return "" }

// Size returns 0, for unknown.
func (Resource) Size() int64 { return 0 }

// Icons returns none.
func (Resource) Icons() []content.Icon { return nil }

// Annotations returns none.
func (Resource) Annotations() *content.Annotations { return nil }

// Meta returns none.
func (Resource) Meta() map[string]any { return nil }

// Timeout returns 0, for Config.CallTimeout.
func (Resource) Timeout() time.Duration { return 0 }

// Guardrails returns none.
func (Resource) Guardrails() []guardrails.Guardrail { return nil }

// Variables declares no suggestions.
func (Resource) Variables(*Variables) {}

func (Resource) mustEmbedResource() {}

// defaults has the methods that a struct embedded next to Resource may override. They are
// one level deeper than that struct's methods, so Go selects the struct's.
type defaults struct{}

// VisibleTo returns true.
//
//go:noinline
func (defaults) VisibleTo(ctx context.Context) bool { return true } // internal/engine/methods says why it isn't inlined

// CacheHint returns nil, for the server's.
func (defaults) CacheHint() *exchange.CacheHint { return nil }

// OwnMethods returns none.
func (defaults) OwnMethods() []string { return nil }

// Variables collects suggestions for the variables of a template.
type Variables seam.Cell[declaration.Variables]

// Variable returns the template's variable with the name, to add suggestions for it.
func (v *Variables) Variable(name string) *Variable {
	variable := &declaration.Variable{Name: name}
	list := (*seam.Cell[declaration.Variables])(v).Get()
	*list = append(*list, variable)
	return &Variable{variable}
}

// A Variable is a variable of a template.
type Variable struct{ declared *declaration.Variable }

// Complete suggests values while a person fills in the variable. It doesn't restrict the
// values that Handle gets.
func (v *Variable) Complete(source completion.Source) *Variable {
	v.declared.Sources = append(v.declared.Sources, source)
	return v
}

// Enum suggests these values. It calls Complete with [completion.Values].
func (v *Variable) Enum(values ...string) *Variable {
	return v.Complete(completion.Values(values...))
}
