package tools

import (
	"context"
	"encoding/json"
	"time"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/schema"
)

// A Definition is a tool as tools/list shows it (specification: Tool).
type Definition struct {
	Name         string            `json:"name"`
	Title        string            `json:"title,omitempty"`
	Description  string            `json:"description,omitempty"`
	Icons        []content.Icon    `json:"icons,omitempty"`
	InputSchema  json.RawMessage   `json:"inputSchema,omitzero"`  // JSON Schema 2020-12; nil means no arguments
	OutputSchema json.RawMessage   `json:"outputSchema,omitzero"` // nil means none
	Annotations  annotations.Hints `json:"annotations,omitzero"`
	Meta         map[string]any    `json:"_meta,omitempty"`

	// Timeout limits how long a call may take; 0 means the server's limit. It isn't sent.
	Timeout time.Duration `json:"-"`

	// Guardrails run around calls of the tool. They aren't sent.
	Guardrails []guardrails.Guardrail `json:"-"`

	// CacheHint limits how long clients may reuse a list that has the tool; nil means the
	// server's. It isn't sent with the tool.
	CacheHint *exchange.CacheHint `json:"-"`
}

// New returns a tool whose definition is known only at run time, such as one read from a
// configuration file. Its name is required. Its title is empty unless the definition sets
// it.
func New(definition Definition, handle func(ctx context.Context, request *Request) (Result, error)) Interface {
	return &defined{definition: definition, handle: handle}
}

// defined is a tool made from a definition.
type defined struct {
	Tool
	definition Definition
	handle     func(context.Context, *Request) (Result, error)
}

func (d *defined) Name() string                       { return d.definition.Name }
func (d *defined) Title() string                      { return d.definition.Title }
func (d *defined) Description() string                { return d.definition.Description }
func (d *defined) Icons() []content.Icon              { return d.definition.Icons }
func (d *defined) Meta() map[string]any               { return d.definition.Meta }
func (d *defined) Timeout() time.Duration             { return d.definition.Timeout }
func (d *defined) Guardrails() []guardrails.Guardrail { return d.definition.Guardrails }
func (d *defined) CacheHint() *exchange.CacheHint     { return d.definition.CacheHint }

func (d *defined) Schema(s *schema.Object) {
	if d.definition.InputSchema != nil {
		s.Raw(string(d.definition.InputSchema))
	}
}

func (d *defined) OutputSchema(s *schema.Object) {
	if d.definition.OutputSchema != nil {
		s.Raw(string(d.definition.OutputSchema))
	}
}

func (d *defined) Handle(ctx context.Context, request *Request) (Result, error) {
	return d.handle(ctx, request)
}

// Constructor returns the name of the function that made the value, for error messages,
// and reports whether that function got a handler.
func (d *defined) Constructor() (name string, complete bool) { return "tools.New", d.handle != nil }

// Hints returns the hints of the definition.
func (d *defined) Hints() annotations.Hints { return d.definition.Annotations }
