package ask

import (
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A field is one field of a form.
type field interface {
	common() *base
	// property returns the field's schema as a version knows it.
	property(version spec.Version) property
	// declare adds the field to the schema that finds contradictions and checks answers.
	declare(form *schema.Object)
}

// base is what all fields have.
type base struct {
	name     string
	required bool
	wire     property
}

func (b *base) common() *base { return b }

// property returns what was said of the field. Before 2025-11-25 only booleans had
// defaults.
func (b *base) property(version spec.Version) property {
	p := b.wire
	if version < spec.Version20251125 && p.Type != "boolean" {
		p.Default = nil
	}
	return p
}

// A property is the schema of a field on the wire. What was not set is nil.
type property struct {
	Type        string   `json:"type"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	MinLength   any      `json:"minLength,omitempty"`
	MaxLength   any      `json:"maxLength,omitempty"`
	Format      any      `json:"format,omitempty"`
	Minimum     any      `json:"minimum,omitempty"`
	Maximum     any      `json:"maximum,omitempty"`
	MinItems    any      `json:"minItems,omitempty"`
	MaxItems    any      `json:"maxItems,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	EnumNames   []string `json:"enumNames,omitempty"`
	OneOf       []option `json:"oneOf,omitempty"`
	Items       *items   `json:"items,omitempty"`
	Default     any      `json:"default,omitempty"`
}

// items are the values of which any number may be chosen.
type items struct {
	Type  string   `json:"type,omitempty"`
	Enum  []string `json:"enum,omitempty"`
	AnyOf []option `json:"anyOf,omitempty"`
}

// set calls a setter of the schema builder with a value, if it was set.
func set[T, R any](setter func(T) R, value any) {
	if v, ok := value.(T); ok {
		setter(v)
	}
}
