package schema

// A Raw is a property written as a JSON Schema. [Object.RawProperty] returns one.
type Raw struct{ definition *definition }

// Required makes the property obligatory, unless its schema has a default.
func (r *Raw) Required() *Raw {
	r.definition.required[fromCall] = true
	return r
}
