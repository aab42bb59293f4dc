package schema

import "github.com/bowline-mcp/bowline/internal/codec"

// An Integers describes an array of integers. [Object.Integers] and its kin return one.
type Integers struct{ definition *definition }

// Items returns the schema of the items, to be refined.
func (i *Integers) Items() *Integer {
	return &Integer{i.definition.item(fromCall, formInteger)}
}

// Title sets the display name of the array.
func (i *Integers) Title(title string) *Integers {
	i.definition.set("title", title)
	return i
}

// Description says what the array is for. Models read it to decide what to send.
func (i *Integers) Description(description string) *Integers {
	i.definition.set("description", description)
	return i
}

// MinItems sets the least number of items.
func (i *Integers) MinItems(count int) *Integers {
	i.definition.set("minItems", count)
	return i
}

// MaxItems sets the greatest number of items.
func (i *Integers) MaxItems(count int) *Integers {
	i.definition.set("maxItems", count)
	return i
}

// Unique refuses an array that holds the same JSON value twice.
func (i *Integers) Unique() *Integers {
	i.definition.set("uniqueItems", true)
	return i
}

// Required makes the property obligatory, unless it has a default. It is a mistake on anything that has no name.
func (i *Integers) Required() *Integers {
	i.definition.required[fromCall] = true
	return i
}

// Nullable also allows null.
func (i *Integers) Nullable() *Integers {
	i.definition.nullable[fromCall] = true
	return i
}

// Default sets the value that stands for an absent array. The property is then not required.
func (i *Integers) Default(values ...int64) *Integers {
	i.definition.set("default", append([]int64{}, values...))
	return i
}

// Examples lists sample values. Each must be valid.
func (i *Integers) Examples(values ...[]int64) *Integers {
	i.definition.set("examples", values)
	return i
}

// Deprecated marks the array as going away.
func (i *Integers) Deprecated() *Integers {
	i.definition.set("deprecated", true)
	return i
}

// Check adds a Go check of the decoded items. It runs when everything else about the array is valid, and may run more
// than once for one call. The text of its error reaches the model, so it should say what to send instead.
func (i *Integers) Check(check func([]int64) error) *Integers {
	i.definition.checkJSON = func(json []byte) error {
		var values []int64
		if err := codec.Unmarshal(json, &values); err != nil {
			return err
		}
		return check(values)
	}
	return i
}
