package schema

import (
	"sync"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
)

// An Object describes a JSON object: the arguments of a tool, or a value inside them.
// [New] makes the outermost object; its methods make the others.
//
// Methods with the result Self return the Object itself. A Value is a Go value that encodes as
// JSON.
type Object struct {
	valued[Object, any]

	once      sync.Once
	validator *Validator
	err       error
}

// New returns an empty closed object.
func New() *Object {
	return build[Object](&definition{forms: [sources]form{fromCall: formObject}})
}

// MinProperties sets the smallest number of properties.
func (o *Object) MinProperties(count int) *Object { return o.set("minProperties", count) }

// MaxProperties sets the largest number of properties.
func (o *Object) MaxProperties(count int) *Object { return o.set("maxProperties", count) }

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
	return subschemaOf(o.definition.additional)
}

// PatternProperties allows the properties whose name matches a regular expression (as in
// [String.Pattern], matching anywhere in the name) and returns their schema.
func (o *Object) PatternProperties(pattern string) *Subschema {
	child := o.definition.child()
	for _, p := range o.definition.patterns {
		if p.name == pattern {
			o.definition.problem("the pattern "+codec.Quote(pattern)+" is declared twice", "keep one of the two declarations")
			return subschemaOf(child)
		}
	}
	o.definition.patterns = append(o.definition.patterns, property{pattern, child})
	return subschemaOf(child)
}

// Raw replaces the whole schema of the object with JSON, which is sent unchanged except
// for insignificant white space. It wins over every other call on the object. Use it
// sparingly: nothing else is inferred or merged.
func (o *Object) Raw(json string) *Object {
	o.definition.setRaw(json)
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

// property returns the kinds that a property may be of.
func (o *Object) property(name string) *kinds {
	return &kinds{func(form form) *definition { return o.definition.property(name, fromCall, form) }}
}

// String adds a property that is a string.
func (o *Object) String(name string) *String { return o.property(name).String() }

// Integer adds a property that is an integer.
func (o *Object) Integer(name string) *Integer { return o.property(name).Integer() }

// Number adds a property that is a number.
func (o *Object) Number(name string) *Number { return o.property(name).Number() }

// Boolean adds a property that is a boolean.
func (o *Object) Boolean(name string) *Boolean { return o.property(name).Boolean() }

// Object adds a property that is a nested object, closed until its Open is called.
func (o *Object) Object(name string) *Object { return o.property(name).Object() }

// Strings adds a property that is an array of strings; Items constrains them.
func (o *Object) Strings(name string) *Strings { return o.property(name).Strings() }

// Integers adds a property that is an array of integers; Items constrains them.
func (o *Object) Integers(name string) *Integers { return o.property(name).Integers() }

// Numbers adds a property that is an array of numbers; Items constrains them.
func (o *Object) Numbers(name string) *Numbers { return o.property(name).Numbers() }

// Booleans adds a property that is an array of booleans; Items constrains them.
func (o *Object) Booleans(name string) *Booleans { return o.property(name).Booleans() }

// Objects adds a property that is an array of objects; Items describes them.
func (o *Object) Objects(name string) *Objects { return o.property(name).Objects() }

// Array adds a property that is an array; Items describes its items.
func (o *Object) Array(name string) *Array { return o.property(name).Array() }

// AnyOf adds a property whose value must match at least one member of a union.
func (o *Object) AnyOf(name string) *Union { return o.property(name).AnyOf() }

// OneOf adds a property whose value must match exactly one member of a union.
func (o *Object) OneOf(name string) *Union { return o.property(name).OneOf() }

// RawProperty adds a property with a JSON Schema, which is sent unchanged except for
// insignificant white space. It wins over every other description of the property. A $ref
// in it is resolved against the whole schema. Prefer the other methods where they
// suffice: nothing is inferred from raw JSON.
func (o *Object) RawProperty(name, json string) *Raw {
	property := o.definition.property(name, fromCall, formUnset)
	property.setRaw(json)
	return &Raw{property}
}

// A Raw is a property described by raw JSON. [Object.RawProperty] returns one.
type Raw struct{ definition *definition }

// Required makes the property required, unless its schema has a default.
func (r *Raw) Required() *Raw {
	r.definition.required[fromCall] = true
	return r
}
