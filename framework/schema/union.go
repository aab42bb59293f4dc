package schema

// A Union describes a value that matches several alternative schemas: at least one for
// AnyOf, exactly one for OneOf. Each call of a type method adds a member. [Object.AnyOf],
// [Object.OneOf] and similar methods return one.
type Union struct{ definition *definition }

// Title sets the display name of the value.
func (u *Union) Title(title string) *Union {
	u.definition.set("title", title)
	return u
}

// Description says what the value is for. Models read it to decide what to send.
func (u *Union) Description(description string) *Union {
	u.definition.set("description", description)
	return u
}

// Required makes the property required, unless it has a default. Only a property can be
// required.
func (u *Union) Required() *Union {
	u.definition.required[fromCall] = true
	return u
}

// Nullable also allows null.
func (u *Union) Nullable() *Union {
	u.definition.nullable[fromCall] = true
	return u
}

// Default sets the value for an absent property, as a Go value that encodes as JSON. The
// property is then not required.
func (u *Union) Default(value any) *Union {
	u.definition.set("default", value)
	return u
}

// Examples lists sample values, as Go values that encode as JSON. Each must be valid.
func (u *Union) Examples(values ...any) *Union {
	u.definition.set("examples", values)
	return u
}

// Deprecated marks the value as deprecated.
func (u *Union) Deprecated() *Union {
	u.definition.set("deprecated", true)
	return u
}

// String adds a string as a member.
func (u *Union) String() *String { return (&Subschema{u.definition.member()}).String() }

// Integer adds an integer as a member.
func (u *Union) Integer() *Integer { return (&Subschema{u.definition.member()}).Integer() }

// Number adds a number as a member.
func (u *Union) Number() *Number { return (&Subschema{u.definition.member()}).Number() }

// Boolean adds a boolean as a member.
func (u *Union) Boolean() *Boolean { return (&Subschema{u.definition.member()}).Boolean() }

// Object adds a closed object as a member.
func (u *Union) Object() *Object { return (&Subschema{u.definition.member()}).Object() }

// Strings adds an array of strings as a member.
func (u *Union) Strings() *Strings { return (&Subschema{u.definition.member()}).Strings() }

// Integers adds an array of integers as a member.
func (u *Union) Integers() *Integers { return (&Subschema{u.definition.member()}).Integers() }

// Numbers adds an array of numbers as a member.
func (u *Union) Numbers() *Numbers { return (&Subschema{u.definition.member()}).Numbers() }

// Booleans adds an array of booleans as a member.
func (u *Union) Booleans() *Booleans { return (&Subschema{u.definition.member()}).Booleans() }

// Objects adds an array of objects as a member.
func (u *Union) Objects() *Objects { return (&Subschema{u.definition.member()}).Objects() }

// Array adds an array of any items as a member.
func (u *Union) Array() *Array { return (&Subschema{u.definition.member()}).Array() }

// AnyOf adds a union as a member; a value must match at least one of its members.
func (u *Union) AnyOf() *Union { return (&Subschema{u.definition.member()}).AnyOf() }

// OneOf adds a union as a member; a value must match exactly one of its members.
func (u *Union) OneOf() *Union { return (&Subschema{u.definition.member()}).OneOf() }

// Raw adds a member described by a JSON Schema.
func (u *Union) Raw(json string) { (&Subschema{u.definition.member()}).Raw(json) }
