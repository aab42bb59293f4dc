package schema

// A builder implements the methods that all schemas have. Self is the type that embeds it, so
// that calls can be chained.
type builder[Self any] struct {
	definition *definition
	self       *Self
}

// A schemaOf is a pointer to a type that embeds a builder.
type schemaOf[Self any] interface {
	*Self
	describes(d *definition, self *Self)
}

// build returns the schema whose methods describe the definition.
func build[Self any, Schema schemaOf[Self]](d *definition) *Self {
	schema := Schema(new(Self))
	schema.describes(d, schema)
	return schema
}

func (b *builder[Self]) describes(d *definition, self *Self) { b.definition, b.self = d, self }

func (b *builder[Self]) set(keyword string, value any) *Self {
	b.definition.set(keyword, value)
	return b.self
}

// Title sets the display name of the value.
func (b *builder[Self]) Title(title string) *Self { return b.set("title", title) }

// Description says what the value is for. Models read it to decide what to send.
func (b *builder[Self]) Description(description string) *Self {
	return b.set("description", description)
}

// Required makes the property required, unless it has a default. Only a property can be
// required.
func (b *builder[Self]) Required() *Self {
	b.definition.required[fromCall] = true
	return b.self
}

// Nullable also allows null.
func (b *builder[Self]) Nullable() *Self {
	b.definition.nullable[fromCall] = true
	return b.self
}

// Deprecated marks the value as deprecated.
func (b *builder[Self]) Deprecated() *Self { return b.set("deprecated", true) }

// A valued builder adds the methods that get values of the schema. Value is their Go type, or
// any for Go values that encode as JSON.
type valued[Self, Value any] struct{ builder[Self] }

// Default sets the value for an absent property. The property is then not required.
func (v *valued[Self, Value]) Default(value Value) *Self { return v.set("default", value) }

// Examples lists sample values. Each must be valid.
func (v *valued[Self, Value]) Examples(values ...Value) *Self { return v.set("examples", values) }
