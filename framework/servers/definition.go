package servers

import (
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
)

// A Definition describes a server without a type of its own. The fields have the meaning of
// the methods of [Interface] that have their names.
type Definition struct {
	Name         string // required
	Title        string
	Version      string
	Description  string
	Website      string
	Icons        []content.Icon
	Instructions string
	Tools        []Tool
	Resources    []Resource
	Prompts      []Prompt
	Features     []Features
	Extensions   []Extension
	Guardrails   []guardrails.Guardrail
	IgnoredRules []string
	CacheHint    *exchange.CacheHint
}

// New returns a server without a type, for a small program or a server that is known only at
// run time:
//
//	servers.New(servers.Definition{
//		Name:  "calculator",
//		Tools: []servers.Tool{tools.Func("add", "Adds two whole numbers.", add)},
//	})
//
// Its title is empty unless the definition sets it. To use Boot, or to add tools while the
// server is serving, define a type.
func New(definition Definition) Interface { return &defined{definition: definition} }

// defined is a server made from a definition.
type defined struct {
	Server
	definition Definition
}

func (d *defined) Name() string                       { return d.definition.Name }
func (d *defined) Title() string                      { return d.definition.Title }
func (d *defined) Version() string                    { return d.definition.Version }
func (d *defined) Description() string                { return d.definition.Description }
func (d *defined) Website() string                    { return d.definition.Website }
func (d *defined) Icons() []content.Icon              { return d.definition.Icons }
func (d *defined) Instructions() string               { return d.definition.Instructions }
func (d *defined) Tools() []Tool                      { return d.definition.Tools }
func (d *defined) Resources() []Resource              { return d.definition.Resources }
func (d *defined) Prompts() []Prompt                  { return d.definition.Prompts }
func (d *defined) Features() []Features               { return d.definition.Features }
func (d *defined) Extensions() []Extension            { return d.definition.Extensions }
func (d *defined) Guardrails() []guardrails.Guardrail { return d.definition.Guardrails }
func (d *defined) IgnoredRules() []string             { return d.definition.IgnoredRules }
func (d *defined) CacheHint() *exchange.CacheHint     { return d.definition.CacheHint }

// Constructor returns the name of the function that made the value, for error messages, and
// reports whether that function got a name.
func (d *defined) Constructor() (name string, complete bool) {
	return "servers.New", d.definition.Name != ""
}
