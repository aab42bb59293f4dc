// Package declaration holds the declarations of the arguments of prompts and of the
// variables of resource templates. Packages prompts and resources write them, and the
// engine checks and reads them.
package declaration

import (
	"errors"

	"github.com/bowline-mcp/bowline/framework/completion"
)

// The errors for a handler that returns nil without an error.
var (
	ErrNoMessages = errors.New("Handle returned neither a result nor an error; return a message, such as prompts.User(\"…\")")               //nolint:staticcheck // begins with a method's name
	ErrNoContents = errors.New("Handle returned neither contents nor an error; return exchange.ErrResourceNotFound for what does not exist") //nolint:staticcheck // likewise
)

// Arguments are the arguments of a prompt, in the order of their declarations.
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

// Completion returns the source of suggestions, or nil.
func (a *Argument) Completion() completion.Source {
	if a.Enumerated {
		return completion.Values(a.Enum...)
	}
	return a.Source
}

// Variables are the variables of a template that have suggestions.
type Variables []*Variable

// A Variable is a variable of a template, with the sources of suggestions. The engine
// refuses more than one source.
type Variable struct {
	Name    string
	Sources []completion.Source
}

// Origins describe the contents of a read result, in the same order. They have the
// properties that depend on the resource's definition. There may be fewer origins than
// contents.
type Origins []Origin

// An Origin describes how contents were constructed.
type Origin struct {
	MIMEType string // the default if neither the contents nor the resource have one
	File     bool   // whether to send bytes as text if the MIME type is one of a text
	Bare     bool   // whether a function returned the contents, so that they get the resource's metadata
}

// OriginOf returns the origin of one of the contents of a result, whose type embeds
// [Origins]. The method isn't exported, so that users don't see it.
func OriginOf(result interface{ origin(i int) Origin }, i int) Origin { return result.origin(i) }

func (o Origins) origin(i int) Origin {
	if i < len(o) {
		return o[i]
	}
	return Origin{}
}
