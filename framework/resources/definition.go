package resources

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
)

// A Definition is a resource as resources/list shows it (specification: Resource).
type Definition struct {
	URI         string               `json:"uri"`
	Name        string               `json:"name"`
	Title       string               `json:"title,omitempty"`
	Description string               `json:"description,omitempty"`
	MIMEType    string               `json:"mimeType,omitempty"`
	Size        int64                `json:"size,omitempty"` // in bytes, 0 if unknown
	Icons       []content.Icon       `json:"icons,omitempty"`
	Annotations *content.Annotations `json:"annotations,omitempty"`
	Meta        map[string]any       `json:"_meta,omitempty"`

	// Timeout limits how long a request may take; 0 means the server's limit. It isn't
	// sent.
	Timeout time.Duration `json:"-"`

	// Guardrails run around reads and completions of the resource. They aren't sent.
	Guardrails []guardrails.Guardrail `json:"-"`

	// CacheHint says how long clients may reuse what they have read; nil means the server's.
	// It isn't sent with the resource.
	CacheHint *exchange.CacheHint `json:"-"`
}

// A TemplateDefinition is a template as resources/templates/list shows it
// (specification: ResourceTemplate).
type TemplateDefinition struct {
	URITemplate string               `json:"uriTemplate"`
	Name        string               `json:"name"`
	Title       string               `json:"title,omitempty"`
	Description string               `json:"description,omitempty"`
	MIMEType    string               `json:"mimeType,omitempty"`
	Icons       []content.Icon       `json:"icons,omitempty"`
	Annotations *content.Annotations `json:"annotations,omitempty"`
	Meta        map[string]any       `json:"_meta,omitempty"`
}

// New returns a resource whose definition is known only at run time, such as one read
// from a configuration file. Its URI, which may be a template, and its name are required.
func New(definition Definition, handle func(ctx context.Context, request *Request) (Result, error)) Interface {
	return &defined{definition: definition, handle: handle}
}

// defined is a resource made from a definition.
type defined struct {
	Resource
	definition Definition
	handle     func(context.Context, *Request) (Result, error)
}

func (d *defined) URI() string                        { return d.definition.URI }
func (d *defined) Name() string                       { return d.definition.Name }
func (d *defined) Title() string                      { return d.definition.Title }
func (d *defined) Description() string                { return d.definition.Description }
func (d *defined) MIMEType() string                   { return d.definition.MIMEType }
func (d *defined) Size() int64                        { return d.definition.Size }
func (d *defined) Icons() []content.Icon              { return d.definition.Icons }
func (d *defined) Annotations() *content.Annotations  { return d.definition.Annotations }
func (d *defined) Meta() map[string]any               { return d.definition.Meta }
func (d *defined) Timeout() time.Duration             { return d.definition.Timeout }
func (d *defined) Guardrails() []guardrails.Guardrail { return d.definition.Guardrails }
func (d *defined) CacheHint() *exchange.CacheHint     { return d.definition.CacheHint }

func (d *defined) Handle(ctx context.Context, request *Request) (Result, error) {
	return d.handle(ctx, request)
}

// Constructor returns the name of the function that made the value, for error messages,
// and reports whether that function got a handler.
func (d *defined) Constructor() (name string, complete bool) { return "resources.New", d.handle != nil }
