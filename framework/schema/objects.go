package schema

// An Objects describes an array of objects. [Object.Objects] and its kin return one.
type Objects struct{ definition *definition }

// Items returns the schema of the items, to be refined.
func (o *Objects) Items() *Object {
	return &Object{definition: o.definition.item(fromCall, formObject)}
}

// Title sets the display name of the array.
func (o *Objects) Title(title string) *Objects {
	o.definition.set("title", title)
	return o
}

// Description says what the array is for. Models read it to decide what to send.
func (o *Objects) Description(description string) *Objects {
	o.definition.set("description", description)
	return o
}

// MinItems sets the least number of items.
func (o *Objects) MinItems(count int) *Objects {
	o.definition.set("minItems", count)
	return o
}

// MaxItems sets the greatest number of items.
func (o *Objects) MaxItems(count int) *Objects {
	o.definition.set("maxItems", count)
	return o
}

// Unique refuses an array that holds the same JSON value twice.
func (o *Objects) Unique() *Objects {
	o.definition.set("uniqueItems", true)
	return o
}

// Required makes the property obligatory, unless it has a default. It is a mistake on anything that has no name.
func (o *Objects) Required() *Objects {
	o.definition.required[fromCall] = true
	return o
}

// Nullable also allows null.
func (o *Objects) Nullable() *Objects {
	o.definition.nullable[fromCall] = true
	return o
}

// Default sets the value that stands for an absent array, as a Go value that encodes to it. The property is then not required.
func (o *Objects) Default(value any) *Objects {
	o.definition.set("default", value)
	return o
}

// Examples lists sample values, as Go values that encode to them. Each must be valid.
func (o *Objects) Examples(values ...any) *Objects {
	o.definition.set("examples", values)
	return o
}

// Deprecated marks the array as going away.
func (o *Objects) Deprecated() *Objects {
	o.definition.set("deprecated", true)
	return o
}

// Check adds a Go check of the array, as JSON that must not be changed or kept. It runs when everything else about
// the array is valid, and may run more than once for one call. The text of its error reaches the model, so it should
// say what to send instead.
func (o *Objects) Check(check func(json []byte) error) *Objects {
	o.definition.checkJSON = check
	return o
}
