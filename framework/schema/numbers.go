package schema

import "github.com/bowline-mcp/bowline/internal/codec"

// A Numbers describes an array of numbers. [Object.Numbers] and its kin return one.
type Numbers struct{ definition *definition }

// Items returns the schema of the items, to be refined.
func (n *Numbers) Items() *Number {
	return &Number{n.definition.item(fromCall, formNumber)}
}

// Title sets the display name of the array.
func (n *Numbers) Title(title string) *Numbers {
	n.definition.set("title", title)
	return n
}

// Description says what the array is for. Models read it to decide what to send.
func (n *Numbers) Description(description string) *Numbers {
	n.definition.set("description", description)
	return n
}

// MinItems sets the least number of items.
func (n *Numbers) MinItems(count int) *Numbers {
	n.definition.set("minItems", count)
	return n
}

// MaxItems sets the greatest number of items.
func (n *Numbers) MaxItems(count int) *Numbers {
	n.definition.set("maxItems", count)
	return n
}

// Unique refuses an array that holds the same JSON value twice.
func (n *Numbers) Unique() *Numbers {
	n.definition.set("uniqueItems", true)
	return n
}

// Required makes the property obligatory, unless it has a default. It is a mistake on anything that has no name.
func (n *Numbers) Required() *Numbers {
	n.definition.required[fromCall] = true
	return n
}

// Nullable also allows null.
func (n *Numbers) Nullable() *Numbers {
	n.definition.nullable[fromCall] = true
	return n
}

// Default sets the value that stands for an absent array. The property is then not required.
func (n *Numbers) Default(values ...float64) *Numbers {
	n.definition.set("default", append([]float64{}, values...))
	return n
}

// Examples lists sample values. Each must be valid.
func (n *Numbers) Examples(values ...[]float64) *Numbers {
	n.definition.set("examples", values)
	return n
}

// Deprecated marks the array as going away.
func (n *Numbers) Deprecated() *Numbers {
	n.definition.set("deprecated", true)
	return n
}

// Check adds a Go check of the decoded items. It runs when everything else about the array is valid, and may run more
// than once for one call. The text of its error reaches the model, so it should say what to send instead.
func (n *Numbers) Check(check func([]float64) error) *Numbers {
	n.definition.checkJSON = func(json []byte) error {
		var values []float64
		if err := codec.Unmarshal(json, &values); err != nil {
			return err
		}
		return check(values)
	}
	return n
}
