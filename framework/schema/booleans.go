package schema

import "github.com/bowline-mcp/bowline/internal/codec"

// A Booleans describes an array of booleans. [Object.Booleans] and its kin return one.
type Booleans struct{ definition *definition }

// Items returns the schema of the items, to be refined.
func (b *Booleans) Items() *Boolean {
	return &Boolean{b.definition.item(fromCall, formBoolean)}
}

// Title sets the display name of the array.
func (b *Booleans) Title(title string) *Booleans {
	b.definition.set("title", title)
	return b
}

// Description says what the array is for. Models read it to decide what to send.
func (b *Booleans) Description(description string) *Booleans {
	b.definition.set("description", description)
	return b
}

// MinItems sets the least number of items.
func (b *Booleans) MinItems(count int) *Booleans {
	b.definition.set("minItems", count)
	return b
}

// MaxItems sets the greatest number of items.
func (b *Booleans) MaxItems(count int) *Booleans {
	b.definition.set("maxItems", count)
	return b
}

// Unique refuses an array that holds the same JSON value twice.
func (b *Booleans) Unique() *Booleans {
	b.definition.set("uniqueItems", true)
	return b
}

// Required makes the property obligatory, unless it has a default. It is a mistake on anything that has no name.
func (b *Booleans) Required() *Booleans {
	b.definition.required[fromCall] = true
	return b
}

// Nullable also allows null.
func (b *Booleans) Nullable() *Booleans {
	b.definition.nullable[fromCall] = true
	return b
}

// Default sets the value that stands for an absent array. The property is then not required.
func (b *Booleans) Default(values ...bool) *Booleans {
	b.definition.set("default", append([]bool{}, values...))
	return b
}

// Examples lists sample values. Each must be valid.
func (b *Booleans) Examples(values ...[]bool) *Booleans {
	b.definition.set("examples", values)
	return b
}

// Deprecated marks the array as going away.
func (b *Booleans) Deprecated() *Booleans {
	b.definition.set("deprecated", true)
	return b
}

// Check adds a Go check of the decoded items. It runs when everything else about the array is valid, and may run more
// than once for one call. The text of its error reaches the model, so it should say what to send instead.
func (b *Booleans) Check(check func([]bool) error) *Booleans {
	b.definition.checkJSON = func(json []byte) error {
		var values []bool
		if err := codec.Unmarshal(json, &values); err != nil {
			return err
		}
		return check(values)
	}
	return b
}
