package schema

import "github.com/bowline-mcp/bowline/internal/codec"

// A Strings describes an array of strings. [Object.Strings] and its kin return one.
type Strings struct{ definition *definition }

// Items returns the schema of the items, to be refined.
func (s *Strings) Items() *String {
	return &String{s.definition.item(fromCall, formString)}
}

// Title sets the display name of the array.
func (s *Strings) Title(title string) *Strings {
	s.definition.set("title", title)
	return s
}

// Description says what the array is for. Models read it to decide what to send.
func (s *Strings) Description(description string) *Strings {
	s.definition.set("description", description)
	return s
}

// MinItems sets the least number of items.
func (s *Strings) MinItems(count int) *Strings {
	s.definition.set("minItems", count)
	return s
}

// MaxItems sets the greatest number of items.
func (s *Strings) MaxItems(count int) *Strings {
	s.definition.set("maxItems", count)
	return s
}

// Unique refuses an array that holds the same JSON value twice.
func (s *Strings) Unique() *Strings {
	s.definition.set("uniqueItems", true)
	return s
}

// Required makes the property obligatory, unless it has a default. It is a mistake on anything that has no name.
func (s *Strings) Required() *Strings {
	s.definition.required[fromCall] = true
	return s
}

// Nullable also allows null.
func (s *Strings) Nullable() *Strings {
	s.definition.nullable[fromCall] = true
	return s
}

// Default sets the value that stands for an absent array. The property is then not required.
func (s *Strings) Default(values ...string) *Strings {
	s.definition.set("default", append([]string{}, values...))
	return s
}

// Examples lists sample values. Each must be valid.
func (s *Strings) Examples(values ...[]string) *Strings {
	s.definition.set("examples", values)
	return s
}

// Deprecated marks the array as going away.
func (s *Strings) Deprecated() *Strings {
	s.definition.set("deprecated", true)
	return s
}

// Check adds a Go check of the decoded items. It runs when everything else about the array is valid, and may run more
// than once for one call. The text of its error reaches the model, so it should say what to send instead.
func (s *Strings) Check(check func([]string) error) *Strings {
	s.definition.checkJSON = func(json []byte) error {
		var values []string
		if err := codec.Unmarshal(json, &values); err != nil {
			return err
		}
		return check(values)
	}
	return s
}
