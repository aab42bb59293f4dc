package resources

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/declaration"
	"github.com/bowline-mcp/bowline/internal/seam"
)

// Interface is a resource, or a template of many, as a server sees it. Embed
// [Resource] to satisfy everything but URI and Handle. One value serves requests at
// the same time, as an http.Handler does.
type Interface interface {
	// URI is what a client reads the resource by, such as "docs://handbook". One
	// with braces is a [Template] of many, such as "users://{id}".
	URI() string

	// Name is the resource's name for programs. The default is the type's name in
	// kebab case: HandbookResource is handbook-resource.
	Name() string

	// Title is the resource's name for people. The default is the headline of the
	// type's name: HandbookResource is Handbook Resource.
	Title() string

	// Description says what the resource holds. The default is none.
	Description() string

	// MIMEType is the type of the contents, such as content.MIMEMarkdown. Contents that
	// name no type get it. A template has one only if all that it matches have the
	// same. The default, "", is told by the contents.
	MIMEType() string

	// Size is the size of the contents in bytes, before any encoding. The default,
	// 0, is unknown. A template has none.
	Size() int64

	// Icons are pictures for clients to show. The default is none.
	Icons() []content.Icon

	// Annotations say whom the resource is for, how important it is, and when it
	// last changed. The default is none.
	Annotations() *content.Annotations

	// Meta is metadata for client programs, sent as _meta with the resource, and
	// with contents that have none of their own. The default is none.
	Meta() map[string]any

	// Timeout is how long a request may take. The default, 0, is the server's:
	// Config.CallTimeout, 60 seconds.
	Timeout() time.Duration

	// Guardrails stand around reading and completing the resource, inside of the
	// server's. They are asked for once. The default is none.
	Guardrails() []guardrails.Guardrail

	// VisibleTo reports whether the caller may see the resource. The context says who that
	// is: see exchange.PrincipalFrom. For other callers the resource doesn't exist: lists
	// leave it out, and a read gets the answer of an unknown URI. VisibleTo runs several
	// times a request, so it should be fast. The default is true.
	VisibleTo(ctx context.Context) bool

	// OwnMethods names exported methods of the type that the framework would take for
	// misspellings of its own, such as "Guard", and refuse. The default is none.
	OwnMethods() []string

	// Variables says what to suggest for the variables of a template. The default
	// is nothing.
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

// Name returns "", which means: by the type's name.
func (Resource) Name() string { return "" }

// Title returns "", which means: by the type's name.
func (Resource) Title() string { return "" }

// Description returns "".
func (Resource) Description() string { return "" }

// MIMEType returns "", which means: by the contents.
func (Resource) MIMEType() string { return "" }

// Size returns 0, which means: unknown.
func (Resource) Size() int64 { return 0 }

// Icons returns none.
func (Resource) Icons() []content.Icon { return nil }

// Annotations returns none.
func (Resource) Annotations() *content.Annotations { return nil }

// Meta returns none.
func (Resource) Meta() map[string]any { return nil }

// Timeout returns 0, which means: the server's.
func (Resource) Timeout() time.Duration { return 0 }

// Guardrails returns none.
func (Resource) Guardrails() []guardrails.Guardrail { return nil }

// Variables suggests nothing.
func (Resource) Variables(*Variables) {}

func (Resource) mustEmbedResource() {}

// defaults are the methods that a struct embedded beside Resource may bring along as well:
// they are one level deeper than its methods, which Go prefers.
type defaults struct{}

// VisibleTo returns true.
//
//go:noinline
func (defaults) VisibleTo(ctx context.Context) bool { return true } // internal/methods says why it isn't inlined

// OwnMethods returns none.
func (defaults) OwnMethods() []string { return nil }

// Variables are the variables of a template for which there are suggestions.
type Variables seam.Cell[declaration.Variables]

// Variable adds suggestions for the variable of a name that the template has.
func (v *Variables) Variable(name string) *Variable {
	variable := &declaration.Variable{Name: name}
	list := (*seam.Cell[declaration.Variables])(v).Get()
	*list = append(*list, variable)
	return &Variable{variable}
}

// A Variable is a variable of a template.
type Variable struct{ declared *declaration.Variable }

// Complete suggests values while a person fills in the variable. Handle still gets
// whatever the client reads.
func (v *Variable) Complete(source completion.Source) *Variable {
	v.declared.Sources = append(v.declared.Sources, source)
	return v
}

// Enum suggests these values: it is Complete with [completion.Values].
func (v *Variable) Enum(values ...string) *Variable {
	return v.Complete(completion.Values(values...))
}
