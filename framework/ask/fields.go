package ask

import "github.com/bowline-mcp/bowline/framework/schema"

// Fields are the fields of a form, in the order of their declaration. A form is flat: its
// fields are strings, numbers, booleans and choices (MCP 2026-07-28,
// PrimitiveSchemaDefinition).
//
// If an answer omits a field that isn't required, the field gets its default, if one is
// declared.
type Fields struct {
	form *schema.Object // validates answers
	list []*field
}

// String adds a field for a string.
func (f *Fields) String(name string) *String {
	s := &String{}
	s.base = add(f, s, name, f.form.String(name))
	return s
}

// Integer adds a field for an integer.
func (f *Fields) Integer(name string) *Integer {
	i := &Integer{}
	i.base = add(f, i, name, f.form.Integer(name))
	return i
}

// Number adds a field for a number.
func (f *Fields) Number(name string) *Number {
	n := &Number{}
	n.base = add(f, n, name, f.form.Number(name))
	return n
}

// Boolean adds a yes-or-no field.
func (f *Fields) Boolean(name string) *Boolean {
	b := &Boolean{}
	b.base = add(f, b, name, f.form.Boolean(name))
	return b
}

// Enum adds a choice of one value. [Enum.Option] adds values with titles.
func (f *Fields) Enum(name string, values ...string) *Enum {
	e := &Enum{}
	e.base = add(f, e, name, f.form.String(name))
	return e.choose(untitled(values))
}

// Enums adds a choice of any number of values. [Enums.Option] adds values with titles.
// Clients older than 2025-11-25 can't be asked a form with such a field.
func (f *Fields) Enums(name string, values ...string) *Enums {
	e := &Enums{}
	e.base = add(f, e, name, f.form.Strings(name))
	return e.choose(untitled(values))
}

// add adds a field that a schema describes.
func add[Self any, Schema described[Schema]](f *Fields, self *Self, name string, schema Schema) base[Self, Schema] {
	added := &field{name: name}
	f.list = append(f.list, added)
	return base[Self, Schema]{added, self, schema}
}

// A field is the part of a field that the schema of the form doesn't hold.
type field struct {
	name     string
	required bool     // even with a default, which makes the property of a schema optional
	format   *string  // of a String
	options  []option // of an Enum or Enums
	names    []string // of an Enum, in the older form
}

// A base implements the methods of all fields. Self is the type that embeds it, and Schema
// the schema of its value, whose methods a form allows in part.
type base[Self any, Schema described[Schema]] struct {
	field  *field
	self   *Self
	schema Schema
}

type described[Schema any] interface {
	Title(title string) Schema
	Description(description string) Schema
	Required() Schema
}

// Title sets the field's display name.
func (b *base[Self, Schema]) Title(title string) *Self {
	b.schema.Title(title)
	return b.self
}

// Description says what to enter or choose, or what yes means.
func (b *base[Self, Schema]) Description(description string) *Self {
	b.schema.Description(description)
	return b.self
}

// Required makes the server refuse an answer without the field. False and an empty selection
// are values; MinItems refuses the latter.
func (b *base[Self, Schema]) Required() *Self {
	b.schema.Required()
	b.field.required = true
	return b.self
}
