package ask

import (
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Fields are the fields of a form, in the order of their declaration. A form is flat: its
// fields are strings, numbers, booleans and choices (MCP 2026-07-28,
// PrimitiveSchemaDefinition).
//
// If an answer omits a field that isn't required, the field gets its default, if one is
// declared.
type Fields struct{ list []field }

// String adds a field for a string.
func (f *Fields) String(name string) *String {
	return add(f, &String{base{name: name, wire: property{Type: "string"}}})
}

// Integer adds a field for an integer.
func (f *Fields) Integer(name string) *Integer {
	return add(f, &Integer{base{name: name, wire: property{Type: "integer"}}})
}

// Number adds a field for a number.
func (f *Fields) Number(name string) *Number {
	return add(f, &Number{base{name: name, wire: property{Type: "number"}}})
}

// Boolean adds a yes-or-no field.
func (f *Fields) Boolean(name string) *Boolean {
	return add(f, &Boolean{base{name: name, wire: property{Type: "boolean"}}})
}

// Enum adds a choice of one value. [Enum.Option] adds values with titles.
func (f *Fields) Enum(name string, values ...string) *Enum {
	return add(f, &Enum{base: base{name: name, wire: property{Type: "string"}}, options: untitled(values)})
}

// Enums adds a choice of any number of values. [Enums.Option] adds values with titles.
// Clients older than 2025-11-25 can't be asked a form with such a field.
func (f *Fields) Enums(name string, values ...string) *Enums {
	return add(f, &Enums{base: base{name: name, wire: property{Type: "array"}}, options: untitled(values)})
}

func add[F field](f *Fields, added F) F {
	f.list = append(f.list, added)
	return added
}

// A field is one field of a form.
type field interface {
	common() *base
	// property returns the field's schema for a version.
	property(version spec.Version) property
	// declare adds the field to the schema that validates answers. Compiling it finds
	// contradictions.
	declare(form *schema.Object)
}

// base is the common part of all fields.
type base struct {
	name     string
	required bool
	wire     property
}

func (b *base) common() *base { return b }

// property returns the field's schema for a version. Before 2025-11-25 only booleans
// had defaults.
func (b *base) property(version spec.Version) property {
	p := b.wire
	if version < spec.Version20251125 && p.Type != "boolean" {
		p.Default = nil
	}
	return p
}

// A property is the schema of a field on the wire. Keywords that were not set are nil.
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

// items are the values of an Enums.
type items struct {
	Type  string   `json:"type,omitempty"`
	Enum  []string `json:"enum,omitempty"`
	AnyOf []option `json:"anyOf,omitempty"`
}

// set calls a setter of the schema builder, unless the value is unset.
func set[T, R any](setter func(T) R, value any) {
	if v, ok := value.(T); ok {
		setter(v)
	}
}
