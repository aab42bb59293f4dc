package ask

import (
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A property is the schema of a field on the wire. Keywords that were not set are nil.
type property struct {
	Type        string      `json:"type"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
	MinLength   codec.Value `json:"minLength,omitempty"`
	MaxLength   codec.Value `json:"maxLength,omitempty"`
	Format      codec.Value `json:"format,omitempty"`
	Minimum     codec.Value `json:"minimum,omitempty"`
	Maximum     codec.Value `json:"maximum,omitempty"`
	MinItems    codec.Value `json:"minItems,omitempty"`
	MaxItems    codec.Value `json:"maxItems,omitempty"`
	Enum        []string    `json:"enum,omitempty"`
	EnumNames   []string    `json:"enumNames,omitempty"`
	OneOf       []option    `json:"oneOf,omitempty"`
	Items       *items      `json:"items,omitempty"`
	Default     codec.Value `json:"default,omitempty"`
}

// items are the values of an Enums.
type items struct {
	Type  string   `json:"type,omitempty"`
	Enum  []string `json:"enum,omitempty"`
	AnyOf []option `json:"anyOf,omitempty"`
}

// in returns the schema of a field in the shape of a version. Before 2025-11-25 only booleans
// had defaults, and titles of options were enumNames.
func (p property) in(version spec.Version, f *field) property {
	if version < spec.Version20251125 && p.Type != "boolean" {
		p.Default = nil
	}
	switch {
	case f.names != nil:
		p.EnumNames = f.names
	case !isTitled(f.options):
	case p.Items != nil:
		p.Items = &items{AnyOf: titled(f.options)}
	case version < spec.Version20251125:
		p.EnumNames = titles(f.options)
	default:
		p.Enum, p.OneOf = nil, titled(f.options)
	}
	return p
}
