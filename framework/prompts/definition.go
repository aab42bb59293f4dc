package prompts

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
)

// A Definition is a prompt as prompts/list shows it (specification: Prompt).
type Definition struct {
	Name        string               `json:"name"`
	Title       string               `json:"title,omitempty"`
	Description string               `json:"description,omitempty"`
	Icons       []content.Icon       `json:"icons,omitempty"`
	Arguments   []ArgumentDefinition `json:"arguments,omitempty"`
	Meta        map[string]any       `json:"_meta,omitempty"`

	// Timeout limits how long a request may take; 0 means the server's limit. It isn't
	// sent.
	Timeout time.Duration `json:"-"`

	// Guardrails run around gets and completions of the prompt. They aren't sent.
	Guardrails []guardrails.Guardrail `json:"-"`

	// CacheHint limits how long clients may reuse a list that has the prompt; nil means the
	// server's. It isn't sent with the prompt.
	CacheHint *exchange.CacheHint `json:"-"`
}

// An ArgumentDefinition is an argument as prompts/list shows it (specification:
// PromptArgument).
type ArgumentDefinition struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// New returns a prompt whose definition is known only at run time, such as one read from
// a configuration file. Its name is required. Its title is empty unless the definition
// sets it.
func New(definition Definition, handle func(ctx context.Context, request *Request) (Result, error)) Interface {
	return &defined{definition: definition, handle: handle}
}

// defined is a prompt made from a definition.
type defined struct {
	Prompt
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

func (d *defined) Arguments(arguments *Arguments) {
	for _, definition := range d.definition.Arguments {
		argument := arguments.Argument(definition.Name).Title(definition.Title).Description(definition.Description)
		if definition.Required {
			argument.Required()
		}
	}
}

func (d *defined) Handle(ctx context.Context, request *Request) (Result, error) {
	return d.handle(ctx, request)
}

// Constructor returns the name of the function that made the value, for error messages,
// and reports whether that function got a handler.
func (d *defined) Constructor() (name string, complete bool) { return "prompts.New", d.handle != nil }
