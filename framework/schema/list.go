package schema

import "github.com/bowline-mcp/bowline/internal/json/codec"

// A Strings describes an array of strings. [Object.Strings] and similar methods return one.
//
// Items returns a [*String]; methods with the result Self return the Strings itself.
type Strings struct {
	list[Strings, String, *String, string]
}

// An Integers describes an array of integers. [Object.Integers] and similar methods return one.
//
// Items returns an [*Integer]; methods with the result Self return the Integers itself.
type Integers struct {
	list[Integers, Integer, *Integer, int64]
}

// A Numbers describes an array of numbers. [Object.Numbers] and similar methods return one.
//
// Items returns a [*Number]; methods with the result Self return the Numbers itself.
type Numbers struct {
	list[Numbers, Number, *Number, float64]
}

// A Booleans describes an array of booleans. [Object.Booleans] and similar methods return one.
//
// Items returns a [*Boolean]; methods with the result Self return the Booleans itself.
type Booleans struct {
	list[Booleans, Boolean, *Boolean, bool]
}

// An array implements the methods of all arrays. Array is the Go type of a value.
type array[Self, Array any] struct{ valued[Self, Array] }

// arrayOf returns the schema of an array whose items have a form.
func arrayOf[Self any, Schema schemaOf[Self]](d *definition, items form) *Self {
	d.item(fromCall, items)
	return build[Self, Schema](d)
}

// MinItems sets the smallest number of items.
func (a *array[Self, Array]) MinItems(count int) *Self { return a.set("minItems", count) }

// MaxItems sets the largest number of items.
func (a *array[Self, Array]) MaxItems(count int) *Self { return a.set("maxItems", count) }

// Unique refuses an array that contains the same JSON value twice.
func (a *array[Self, Array]) Unique() *Self { return a.set("uniqueItems", true) }

// A list implements arrays of scalars. Item is the type of the items' schema, and Value the Go
// type of an item.
type list[Self, Item any, ItemSchema schemaOf[Item], Value any] struct{ array[Self, []Value] }

// Items returns the schema of the items, for further constraints.
func (l *list[Self, Item, ItemSchema, Value]) Items() *Item {
	return build[Item, ItemSchema](l.definition.item(fromCall, formUnset))
}

// Default sets the value for an absent array. The property is then not required.
func (l *list[Self, Item, ItemSchema, Value]) Default(values ...Value) *Self {
	return l.set("default", append([]Value{}, values...))
}

// Check adds a Go check of the decoded items. It runs if the array is valid otherwise,
// and may run more than once for one call. The model gets the text of the check's error,
// so it should say what to send instead.
func (l *list[Self, Item, ItemSchema, Value]) Check(check func([]Value) error) *Self {
	l.definition.check.JSON = func(json []byte) error {
		var values []Value
		if err := codec.UnmarshalInstance(json, &values); err != nil {
			return err
		}
		return check(values)
	}
	return l.self
}

// A values implements arrays whose items aren't scalars. Its methods accept a whole array
// as one Go value.
type values[Self any] struct{ array[Self, any] }

// Check adds a Go check of the array. The check gets JSON that it must not modify or
// retain. It runs if the array is valid otherwise, and may run more than once for one
// call. The model gets the text of the check's error, so it should say what to send
// instead.
func (v *values[Self]) Check(check func(json []byte) error) *Self {
	v.definition.check.JSON = check
	return v.self
}

// An Array describes an array whose items are of any type: arrays, unions, or raw
// schemas. [Object.Array] and similar methods return one. For items of one simple type,
// [Object.Strings] and similar methods are shorter.
//
// Methods with the result Self return the Array itself. A Value is a Go value that encodes as
// JSON.
type Array struct{ values[Array] }

// Items returns the schema of the items. If Items isn't called, the items may be
// anything.
func (a *Array) Items() *Subschema { return subschemaOf(a.definition.item(fromCall, formUnset)) }

// An Objects describes an array of objects. [Object.Objects] and similar methods return one.
//
// Methods with the result Self return the Objects itself. A Value is a Go value that encodes as
// JSON.
type Objects struct{ values[Objects] }

// Items returns the schema of the items, for further constraints.
func (o *Objects) Items() *Object { return build[Object](o.definition.item(fromCall, formUnset)) }
