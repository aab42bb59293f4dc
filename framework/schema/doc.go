// Package schema describes the JSON that a tool takes, and checks JSON against the description.
//
// A tool receives an [Object] and describes its arguments on it:
//
//	func (*EchoTool) Schema(schema *schema.Object) {
//		schema.String("message").Description("The message to repeat.").Required().MaxLength(10000)
//		schema.Integer("repeat").Min(1).Max(10).Default(1)
//		schema.Strings("tags").Unique().Items().MinLength(2)
//
//		address := schema.Object("address")
//		address.String("city").Required()
//	}
//
// Inside such a method the parameter shadows the package, so everything is reached from the parameter: a nested object,
// the items of an array and the members of a union are returned by their parent, without closures.
//
// # What the builder decides
//
// Properties keep the order they were declared in. An object is closed: it refuses properties that were not declared,
// until [Object.Open] or [Object.Additional] is called. A property with a default is never required. Setters never
// fail; [Object.Compile] reports all contradictions at once.
//
// # Sources and their precedence
//
// A property may be described by its Go type ([Object.Struct]), by calls on the builder, by the field's schema tag,
// and by raw JSON. They are merged keyword by keyword. Raw JSON wins over the tag, the tag over the calls, and the
// calls over the Go type. The order of the calls does not matter.
//
// # Validation
//
// A [Validator] checks the bytes of a JSON text without decoding them first, and compares numbers exactly. It
// implements JSON Schema 2020-12; other dialects and custom vocabularies are refused. Nothing is ever fetched: a
// reference that leaves the document is refused. Patterns are those of ECMA-262 without
// look-around and back-references. Formats are checked where the builder asked for them and are only annotations in
// raw schemas.
//
// Depth is bounded to 64 levels, a schema to 10 000 subschemas, and the work of one validation to a multiple of the
// size of the data.
package schema
