// Package schema builds JSON Schemas for the arguments and results of tools, and
// validates JSON against them.
//
// A tool receives an [Object] and describes its arguments on it:
//
//	func (*EchoTool) Schema(s *schema.Object) {
//		s.String("message").Description("The message to repeat.").Required().MaxLength(10000)
//		s.Integer("repeat").Min(1).Max(10).Default(1)
//		s.Strings("tags").Unique().Items().MinLength(2)
//
//		address := s.Object("address")
//		address.String("city").Required()
//	}
//
// The parameter is all you need: an object, an array or a union returns the schemas of its
// properties, items or members.
//
// # What the builder decides
//
// Properties keep the order of their declaration. An object is closed: it refuses
// undeclared properties, unless [Object.Open] or [Object.Additional] is called. A
// property with a default is never required. Setters never fail; [Object.Compile] reports
// all contradictions at once.
//
// # Sources and their precedence
//
// Four sources may describe a property: its Go type ([Object.Struct]), calls on the
// builder, the field's schema tag, and raw JSON. They are merged keyword by keyword. Raw
// JSON wins over the tag, the tag over the calls, and the calls over the Go type. The
// order of the calls doesn't matter. A field without a description gets its comment, if
// [Object.Comments] has it.
//
// # Validation
//
// A [Validator] checks the bytes of a JSON text without decoding them first, and compares
// numbers exactly. It implements JSON Schema 2020-12; other dialects and custom
// vocabularies are refused. It never fetches a schema: references to other documents are
// refused. Patterns have the syntax of ECMA-262 without look-around and back-references.
// Formats set by the builder are checked; formats in raw schemas are only annotations.
//
// The depth is limited to 64 levels, a schema to 10 000 subschemas, and the work of one
// validation to a multiple of the size of the data.
package schema
