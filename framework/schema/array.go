package schema

// An Array describes an array whose items are of any type: arrays, unions, or raw schemas. [Object.Array] and its kin
// return one. [Object.Strings] and the like are shorter where they fit.
type Array struct{ definition *definition }

// Items returns the place for the schema of the items. Without it the items may be anything.
func (a *Array) Items() *Subschema {
	return &Subschema{a.definition.item(fromCall, formUnset)}
}

// Title sets the display name of the array.
func (a *Array) Title(title string) *Array {
	a.definition.set("title", title)
	return a
}

// Description says what the array is for. Models read it to decide what to send.
func (a *Array) Description(description string) *Array {
	a.definition.set("description", description)
	return a
}

// MinItems sets the least number of items.
func (a *Array) MinItems(count int) *Array {
	a.definition.set("minItems", count)
	return a
}

// MaxItems sets the greatest number of items.
func (a *Array) MaxItems(count int) *Array {
	a.definition.set("maxItems", count)
	return a
}

// Unique refuses an array that holds the same JSON value twice.
func (a *Array) Unique() *Array {
	a.definition.set("uniqueItems", true)
	return a
}

// Required makes the property obligatory, unless it has a default. It is a mistake on anything that has no name.
func (a *Array) Required() *Array {
	a.definition.required[fromCall] = true
	return a
}

// Nullable also allows null.
func (a *Array) Nullable() *Array {
	a.definition.nullable[fromCall] = true
	return a
}

// Default sets the value that stands for an absent array, as a Go value that encodes to it. The property is then not required.
func (a *Array) Default(value any) *Array {
	a.definition.set("default", value)
	return a
}

// Examples lists sample values, as Go values that encode to them. Each must be valid.
func (a *Array) Examples(values ...any) *Array {
	a.definition.set("examples", values)
	return a
}

// Deprecated marks the array as going away.
func (a *Array) Deprecated() *Array {
	a.definition.set("deprecated", true)
	return a
}

// Check adds a Go check of the array, as JSON that must not be changed or kept. It runs when everything else about
// the array is valid, and may run more than once for one call. The text of its error reaches the model, so it should
// say what to send instead.
func (a *Array) Check(check func(json []byte) error) *Array {
	a.definition.checkJSON = check
	return a
}
