package schema

import "github.com/bowline-mcp/bowline/internal/codec"

// A Strings describes an array of strings. [Object.Strings] and its kin return one.
//
// Of its methods, Items returns a [*String], and those that say List return the Strings itself.
type Strings struct{ list[Strings, String, string] }

// An Integers describes an array of integers. [Object.Integers] and its kin return one.
//
// Of its methods, Items returns an [*Integer], and those that say List return the Integers itself.
type Integers struct{ list[Integers, Integer, int64] }

// A Numbers describes an array of numbers. [Object.Numbers] and its kin return one.
//
// Of its methods, Items returns a [*Number], and those that say List return the Numbers itself.
type Numbers struct{ list[Numbers, Number, float64] }

// A Booleans describes an array of booleans. [Object.Booleans] and its kin return one.
//
// Of its methods, Items returns a [*Boolean], and those that say List return the Booleans itself.
type Booleans struct{ list[Booleans, Boolean, bool] }

func stringsOf(d *definition) *Strings {
	d.item(fromCall, formString)
	s := &Strings{}
	s.definition, s.self = d, s
	return s
}

func integersOf(d *definition) *Integers {
	d.item(fromCall, formInteger)
	i := &Integers{}
	i.definition, i.self = d, i
	return i
}

func numbersOf(d *definition) *Numbers {
	d.item(fromCall, formNumber)
	n := &Numbers{}
	n.definition, n.self = d, n
	return n
}

func booleansOf(d *definition) *Booleans {
	d.item(fromCall, formBoolean)
	b := &Booleans{}
	b.definition, b.self = d, b
	return b
}

// A list is what the arrays of scalars have in common: List is the type that embeds it, Item that of the items' schema,
// and Value that of an item in Go.
type list[List any, Item String | Integer | Number | Boolean, Value any] struct{ array[List] }

// Items returns the schema of the items, to be refined.
func (l *list[List, Item, Value]) Items() *Item {
	item := Item(String{l.definition.item(fromCall, formUnset)})
	return &item
}

// Default sets the value that stands for an absent array. The property is then not required.
func (l *list[List, Item, Value]) Default(values ...Value) *List {
	return l.set("default", append([]Value{}, values...))
}

// Examples lists sample values. Each must be valid.
func (l *list[List, Item, Value]) Examples(values ...[]Value) *List { return l.set("examples", values) }

// Check adds a Go check of the decoded items. It runs when everything else about the array is valid, and may run more
// than once for one call. The text of its error reaches the model, so it should say what to send instead.
func (l *list[List, Item, Value]) Check(check func([]Value) error) *List {
	l.definition.checkJSON = func(json []byte) error {
		var values []Value
		if err := codec.Unmarshal(json, &values); err != nil {
			return err
		}
		return check(values)
	}
	return l.self
}

// An array is what all arrays have in common. List is the type that embeds it, so that calls can be chained.
type array[List any] struct {
	definition *definition
	self       *List
}

func (a *array[List]) set(keyword string, value any) *List {
	a.definition.set(keyword, value)
	return a.self
}

// Title sets the display name of the array.
func (a *array[List]) Title(title string) *List { return a.set("title", title) }

// Description says what the array is for. Models read it to decide what to send.
func (a *array[List]) Description(description string) *List { return a.set("description", description) }

// MinItems sets the least number of items.
func (a *array[List]) MinItems(count int) *List { return a.set("minItems", count) }

// MaxItems sets the greatest number of items.
func (a *array[List]) MaxItems(count int) *List { return a.set("maxItems", count) }

// Unique refuses an array that holds the same JSON value twice.
func (a *array[List]) Unique() *List { return a.set("uniqueItems", true) }

// Deprecated marks the array as going away.
func (a *array[List]) Deprecated() *List { return a.set("deprecated", true) }

// Required makes the property obligatory, unless it has a default. It is a mistake on anything that has no name.
func (a *array[List]) Required() *List {
	a.definition.required[fromCall] = true
	return a.self
}

// Nullable also allows null.
func (a *array[List]) Nullable() *List {
	a.definition.nullable[fromCall] = true
	return a.self
}
