package schema

import (
	"sync"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
)

// An Object describes a JSON object: the arguments of a tool, or a value inside them.
// [New] makes the outermost object; its methods make the others.
type Object struct {
	definition *definition

	once      sync.Once
	validator *Validator
	err       error
}

// New returns an empty closed object.
func New() *Object {
	return &Object{definition: &definition{forms: [sources]form{fromCall: formObject}}}
}

// Title sets the display name of the object.
func (o *Object) Title(title string) *Object {
	o.definition.set("title", title)
	return o
}

// Description says what the object is for. Models read it to decide what to send.
func (o *Object) Description(description string) *Object {
	o.definition.set("description", description)
	return o
}

// MinProperties sets the smallest number of properties.
func (o *Object) MinProperties(count int) *Object {
	o.definition.set("minProperties", count)
	return o
}

// MaxProperties sets the largest number of properties.
func (o *Object) MaxProperties(count int) *Object {
	o.definition.set("maxProperties", count)
	return o
}

// Open allows undeclared properties. Nested objects stay closed.
func (o *Object) Open() *Object {
	o.definition.open[fromCall] = true
	return o
}

// Additional allows undeclared properties and returns their schema.
func (o *Object) Additional() *Subschema {
	if o.definition.additional == nil {
		o.definition.additional = o.definition.child()
	}
	return &Subschema{o.definition.additional}
}

// PatternProperties allows the properties whose name matches a regular expression (as in
// [String.Pattern], matching anywhere in the name) and returns their schema.
func (o *Object) PatternProperties(pattern string) *Subschema {
	child := o.definition.child()
	for _, p := range o.definition.patterns {
		if p.name == pattern {
			o.definition.problem("the pattern "+codec.Quote(pattern)+" is declared twice", "keep one of the two declarations")
			return &Subschema{child}
		}
	}
	o.definition.patterns = append(o.definition.patterns, property{pattern, child})
	return &Subschema{child}
}

// Raw replaces the whole schema of the object with JSON, which is sent unchanged except
// for insignificant white space. It wins over every other call on the object. Use it
// sparingly: nothing else is inferred or merged.
func (o *Object) Raw(json string) *Object {
	o.definition.setRaw(json)
	return o
}

// Required makes the property required, unless it has a default. Only a property can be
// required.
func (o *Object) Required() *Object {
	o.definition.required[fromCall] = true
	return o
}

// Nullable also allows null.
func (o *Object) Nullable() *Object {
	o.definition.nullable[fromCall] = true
	return o
}

// Default sets the value for an absent object, as a Go value that encodes as JSON. The
// property is then not required.
func (o *Object) Default(value any) *Object {
	o.definition.set("default", value)
	return o
}

// Examples lists sample values, as Go values that encode as JSON. Each must be valid.
func (o *Object) Examples(values ...any) *Object {
	o.definition.set("examples", values)
	return o
}

// Deprecated marks the object as deprecated.
func (o *Object) Deprecated() *Object {
	o.definition.set("deprecated", true)
	return o
}

// MarshalJSON returns the schema as clients see it: type first, properties in the order
// of their declaration. It returns an error only for mistakes that leave no schema to
// write, such as invalid raw JSON. [Object.Compile] reports all mistakes.
func (o *Object) MarshalJSON() ([]byte, error) {
	w := newWriter()
	schema := w.document(o.definition)
	return schema, join(w.problems)
}

// Compile returns the validator of the schema, or an error that wraps one
// [*DefinitionError] for each mistake in the schema. If it has none, Compile also encodes and
// decodes values of the Go types that [Object.Struct] got, and it decodes a sample of the
// schema: a type that can't hold what its schema promises is a mistake too.
func (o *Object) Compile() (*Validator, error) {
	w := newWriter()
	schema := w.document(o.definition)
	validator, problems := jsonschema.Compile(schema, jsonschema.Options{Checks: w.checks})
	if problems = append(w.problems, problems...); len(problems) == 0 {
		problems = w.try(o.definition, validator)
	}
	if len(problems) > 0 {
		return nil, join(problems)
	}
	return (*Validator)(validator), nil
}

// Validate checks data against the schema and returns the violations, or nil. It compiles
// the schema at the first call; later changes to the object have no effect. It panics if
// the schema is contradictory; [Object.Compile] returns an error instead.
func (o *Object) Validate(data []byte) []Violation {
	o.once.Do(func() { o.validator, o.err = o.Compile() })
	if o.err != nil {
		panic("mcp: schema: " + o.err.Error())
	}
	return o.validator.Validate(data)
}
