package schema

import "github.com/bowline-mcp/bowline/internal/json/codec"

// A Strings describes an array of strings. [Object.Strings] and similar methods return one.
//
// Items returns a [*String]; methods with the result List return the Strings itself.
type Strings struct{ list[Strings, String, string] }

// An Integers describes an array of integers. [Object.Integers] and similar methods return one.
//
// Items returns an [*Integer]; methods with the result List return the Integers itself.
type Integers struct{ list[Integers, Integer, int64] }

// A Numbers describes an array of numbers. [Object.Numbers] and similar methods return one.
//
// Items returns a [*Number]; methods with the result List return the Numbers itself.
type Numbers struct{ list[Numbers, Number, float64] }

// A Booleans describes an array of booleans. [Object.Booleans] and similar methods return one.
//
// Items returns a [*Boolean]; methods with the result List return the Booleans itself.
type Booleans struct{ list[Booleans, Boolean, bool] }

func stringsOf(d *definition) *Strings {
	s := &Strings{}
	return s.of(d, formString, s)
}

func integersOf(d *definition) *Integers {
	i := &Integers{}
	return i.of(d, formInteger, i)
}

func numbersOf(d *definition) *Numbers {
	n := &Numbers{}
	return n.of(d, formNumber, n)
}

func booleansOf(d *definition) *Booleans {
	b := &Booleans{}
	return b.of(d, formBoolean, b)
}

// A list implements arrays of scalars. List is the type that embeds it, Item the type of
// the items' schema, and Value the Go type of an item.
type list[List any, Item String | Integer | Number | Boolean, Value any] struct{ array[List] }

// Items returns the schema of the items, for further constraints.
func (l *list[List, Item, Value]) Items() *Item {
	item := Item(String{l.definition.item(fromCall, formUnset)})
	return &item
}

// Default sets the value for an absent array. The property is then not required.
func (l *list[List, Item, Value]) Default(values ...Value) *List {
	return l.set("default", append([]Value{}, values...))
}

// Examples lists sample values. Each must be valid.
func (l *list[List, Item, Value]) Examples(values ...[]Value) *List { return l.set("examples", values) }

// Check adds a Go check of the decoded items. It runs if the array is valid otherwise,
// and may run more than once for one call. The model reads the text of the check's error,
// so it should say what to send instead.
func (l *list[List, Item, Value]) Check(check func([]Value) error) *List {
	l.definition.checkJSON = func(json []byte) error {
		var values []Value
		if err := codec.UnmarshalInstance(json, &values); err != nil {
			return err
		}
		return check(values)
	}
	return l.self
}

// An array implements the methods of all arrays. List is the type that embeds it, so that
// calls can be chained.
type array[List any] struct {
	definition *definition
	self       *List
}

// of sets the array's definition and the form of its items, and returns self, the value
// that embeds the array.
func (a *array[List]) of(d *definition, items form, self *List) *List {
	d.item(fromCall, items)
	a.definition, a.self = d, self
	return self
}

func (a *array[List]) set(keyword string, value any) *List {
	a.definition.set(keyword, value)
	return a.self
}

// Title sets the display name of the array.
func (a *array[List]) Title(title string) *List { return a.set("title", title) }

// Description says what the array is for. Models read it to decide what to send.
func (a *array[List]) Description(description string) *List { return a.set("description", description) }

// MinItems sets the smallest number of items.
func (a *array[List]) MinItems(count int) *List { return a.set("minItems", count) }

// MaxItems sets the largest number of items.
func (a *array[List]) MaxItems(count int) *List { return a.set("maxItems", count) }

// Unique refuses an array that contains the same JSON value twice.
func (a *array[List]) Unique() *List { return a.set("uniqueItems", true) }

// Deprecated marks the array as deprecated.
func (a *array[List]) Deprecated() *List { return a.set("deprecated", true) }

// Required makes the property required, unless it has a default. Only a property can be
// required.
func (a *array[List]) Required() *List {
	a.definition.required[fromCall] = true
	return a.self
}

// Nullable also allows null.
func (a *array[List]) Nullable() *List {
	a.definition.nullable[fromCall] = true
	return a.self
}

// An Array describes an array whose items are of any type: arrays, unions, or raw
// schemas. [Object.Array] and similar methods return one. For items of one simple type,
// [Object.Strings] and similar methods are shorter.
//
// Methods with the result List return the Array itself.
type Array struct{ values[Array] }

func arrayOf(d *definition) *Array {
	a := &Array{}
	return a.of(d, formUnset, a)
}

// Items returns the schema of the items. If Items isn't called, the items may be
// anything.
func (a *Array) Items() *Subschema { return &Subschema{a.definition.item(fromCall, formUnset)} }

// An Objects describes an array of objects. [Object.Objects] and similar methods return one.
//
// Methods with the result List return the Objects itself.
type Objects struct{ values[Objects] }

func objectsOf(d *definition) *Objects {
	o := &Objects{}
	return o.of(d, formObject, o)
}

// Items returns the schema of the items, for further constraints.
func (o *Objects) Items() *Object { return &Object{definition: o.definition.item(fromCall, formUnset)} }

// A values implements arrays whose items aren't scalars. Its methods accept a whole array
// as one Go value.
type values[List any] struct{ array[List] }

// Default sets the value for an absent array, as a Go value that encodes as JSON. The
// property is then not required.
func (v *values[List]) Default(value any) *List { return v.set("default", value) }

// Examples lists sample values, as Go values that encode as JSON. Each must be valid.
func (v *values[List]) Examples(values ...any) *List { return v.set("examples", values) }

// Check adds a Go check of the array. The check gets JSON that it must not modify or
// retain. It runs if the array is valid otherwise, and may run more than once for one
// call. The model reads the text of the check's error, so it should say what to send
// instead.
func (v *values[List]) Check(check func(json []byte) error) *List {
	v.definition.checkJSON = check
	return v.self
}
