package schema

// An Array describes an array whose items are of any type: arrays, unions, or raw schemas. [Object.Array] and its kin
// return one. [Object.Strings] and the like are shorter where they fit.
//
// Of its methods, those that say List return the Array itself.
type Array struct{ values[Array] }

func arrayOf(d *definition) *Array {
	a := &Array{}
	a.definition, a.self = d, a
	return a
}

// Items returns the place for the schema of the items. Without it the items may be anything.
func (a *Array) Items() *Subschema { return &Subschema{a.definition.item(fromCall, formUnset)} }

// An Objects describes an array of objects. [Object.Objects] and its kin return one.
//
// Of its methods, those that say List return the Objects itself.
type Objects struct{ values[Objects] }

func objectsOf(d *definition) *Objects {
	d.item(fromCall, formObject)
	o := &Objects{}
	o.definition, o.self = d, o
	return o
}

// Items returns the schema of the items, to be refined.
func (o *Objects) Items() *Object { return &Object{definition: o.definition.item(fromCall, formUnset)} }

// A values is what the arrays have in common whose items are no scalars: their values are given as a whole.
type values[List any] struct{ array[List] }

// Default sets the value that stands for an absent array, as a Go value that encodes to it. The property is then not required.
func (v *values[List]) Default(value any) *List { return v.set("default", value) }

// Examples lists sample values, as Go values that encode to them. Each must be valid.
func (v *values[List]) Examples(values ...any) *List { return v.set("examples", values) }

// Check adds a Go check of the array, as JSON that must not be changed or kept. It runs when everything else about
// the array is valid, and may run more than once for one call. The text of its error reaches the model, so it should
// say what to send instead.
func (v *values[List]) Check(check func(json []byte) error) *List {
	v.definition.checkJSON = check
	return v.self
}
