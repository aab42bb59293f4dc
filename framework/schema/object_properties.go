package schema

// String adds a property that is a string.
func (o *Object) String(name string) *String {
	return &String{o.definition.property(name, fromCall, formString)}
}

// Integer adds a property that is an integer.
func (o *Object) Integer(name string) *Integer {
	return &Integer{o.definition.property(name, fromCall, formInteger)}
}

// Number adds a property that is a number.
func (o *Object) Number(name string) *Number {
	return &Number{o.definition.property(name, fromCall, formNumber)}
}

// Boolean adds a property that is a boolean.
func (o *Object) Boolean(name string) *Boolean {
	return &Boolean{o.definition.property(name, fromCall, formBoolean)}
}

// Object adds a property that is a nested object, closed until its Open is called.
func (o *Object) Object(name string) *Object {
	return &Object{definition: o.definition.property(name, fromCall, formObject)}
}

// Strings adds a property that is an array of strings; Items constrains them.
func (o *Object) Strings(name string) *Strings {
	return stringsOf(o.definition.property(name, fromCall, formArray))
}

// Integers adds a property that is an array of integers; Items constrains them.
func (o *Object) Integers(name string) *Integers {
	return integersOf(o.definition.property(name, fromCall, formArray))
}

// Numbers adds a property that is an array of numbers; Items constrains them.
func (o *Object) Numbers(name string) *Numbers {
	return numbersOf(o.definition.property(name, fromCall, formArray))
}

// Booleans adds a property that is an array of booleans; Items constrains them.
func (o *Object) Booleans(name string) *Booleans {
	return booleansOf(o.definition.property(name, fromCall, formArray))
}

// Objects adds a property that is an array of objects; Items describes them.
func (o *Object) Objects(name string) *Objects {
	return objectsOf(o.definition.property(name, fromCall, formArray))
}

// Array adds a property that is an array; Items describes its items.
func (o *Object) Array(name string) *Array {
	return arrayOf(o.definition.property(name, fromCall, formArray))
}

// AnyOf adds a property whose value must match at least one member of a union.
func (o *Object) AnyOf(name string) *Union {
	return &Union{o.definition.property(name, fromCall, formAnyOf)}
}

// OneOf adds a property whose value must match exactly one member of a union.
func (o *Object) OneOf(name string) *Union {
	return &Union{o.definition.property(name, fromCall, formOneOf)}
}

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
