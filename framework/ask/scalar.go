package ask

import "github.com/bowline-mcp/bowline/framework/schema"

// A scalar implements the methods of fields with one value, whose Go type is Value.
type scalar[Self any, Schema valued[Schema, Value], Value any] struct{ base[Self, Schema] }

type valued[Schema, Value any] interface {
	described[Schema]
	Default(value Value) Schema
}

// Default sets the value that the form initially shows. An answer without the field gets
// it too.
func (s *scalar[Self, Schema, Value]) Default(value Value) *Self {
	s.schema.Default(value)
	return s.self
}

// A String is a field for a string. [Fields.String] makes one.
//
// Methods with the result Self return the String itself. A Value is a string.
type String struct {
	scalar[String, *schema.String, string]
}

// MinLength sets the smallest number of characters (Unicode code points).
func (s *String) MinLength(length int) *String {
	s.schema.MinLength(length)
	return s
}

// MaxLength sets the largest number of characters (Unicode code points).
func (s *String) MaxLength(length int) *String {
	s.schema.MaxLength(length)
	return s
}

// Format sets the format of the string: email, uri, date or date-time.
func (s *String) Format(name string) *String {
	s.schema.Format(name)
	s.field.format = &name
	return s
}

// A numeric implements the methods of fields for numbers.
type numeric[Self any, Schema bounded[Schema, Value], Value any] struct {
	scalar[Self, Schema, Value]
}

type bounded[Schema, Value any] interface {
	valued[Schema, Value]
	Min(minimum Value) Schema
	Max(maximum Value) Schema
}

// Min sets the smallest allowed value.
func (n *numeric[Self, Schema, Value]) Min(minimum Value) *Self {
	n.schema.Min(minimum)
	return n.self
}

// Max sets the largest allowed value.
func (n *numeric[Self, Schema, Value]) Max(maximum Value) *Self {
	n.schema.Max(maximum)
	return n.self
}

// An Integer is a field for an integer. [Fields.Integer] makes one.
//
// Methods with the result Self return the Integer itself. A Value is an int64.
type Integer struct {
	numeric[Integer, *schema.Integer, int64]
}

// A Number is a field for a number. [Fields.Number] makes one.
//
// Methods with the result Self return the Number itself. A Value is a float64.
type Number struct {
	numeric[Number, *schema.Number, float64]
}

// A Boolean is a yes-or-no field. [Fields.Boolean] makes one.
//
// Methods with the result Self return the Boolean itself. A Value is a bool.
type Boolean struct {
	scalar[Boolean, *schema.Boolean, bool]
}
