// Package declaration has what prompts declare of their arguments, and resource
// templates of their variables. Packages prompts and resources write it; the engine
// checks it and reads it.
package declaration

import "github.com/bowline-mcp/bowline/framework/completion"

// Arguments are the arguments of a prompt, in the order in which they were declared.
type Arguments []*Argument

// An Argument is one argument of a prompt.
type Argument struct {
	Name        string
	Title       string
	Description string
	Required    bool
	Default     *string // nil for none
	Enum        []string
	Enumerated  bool // whether Enum was called
	Source      completion.Source
	Completed   bool // whether Complete was called
}

// Completion returns where suggestions come from, nil if from nowhere.
func (a *Argument) Completion() completion.Source {
	if a.Enumerated {
		return completion.Values(a.Enum...)
	}
	return a.Source
}

// Variables are the variables of a template for which there are suggestions.
type Variables []*Variable

// A Variable is a variable of a template, with what was given to suggest its values.
type Variable struct {
	Name    string
	Sources []completion.Source
}

// Origins say how the contents of a resource were made, in their order, for what isn't
// known until the resource is. There may be fewer of them than contents.
type Origins []Origin

// An Origin is how one of the contents was made.
type Origin struct {
	MIMEType string // if neither the contents nor the resource name one
	File     bool   // whether bytes of a text's type are sent as text
	Bare     bool   // whether a function made the contents, so that they take the resource's metadata
}

// OriginOf returns how contents of a result were made, whose type embeds [Origins]. The
// method isn't exported, so that users don't see it.
func OriginOf(result interface{ origin(i int) Origin }, i int) Origin { return result.origin(i) }

func (o Origins) origin(i int) Origin {
	if i < len(o) {
		return o[i]
	}
	return Origin{}
}
