package prompts

import (
	"slices"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/internal/engine/declaration"
	"github.com/bowline-mcp/bowline/internal/engine/seam"
)

// Arguments are the arguments of a prompt, in the order of their declaration. Undeclared
// arguments are ignored. A tool refuses them, but a person who picks a prompt can't
// correct what the client sends.
type Arguments seam.Cell[declaration.Arguments]

// Argument declares an argument. Its name, such as "language", has 1 to 128 letters,
// digits, underscores, dots and dashes. The methods of the result describe the argument.
func (a *Arguments) Argument(name string) *Argument {
	argument := &declaration.Argument{Name: name}
	list := (*seam.Cell[declaration.Arguments])(a).Get()
	*list = append(*list, argument)
	return &Argument{argument}
}

// An Argument is one argument of a prompt.
type Argument struct{ declared *declaration.Argument }

// Title sets the argument's display name.
func (a *Argument) Title(title string) *Argument {
	a.declared.Title = title
	return a
}

// Description says what the argument is for.
func (a *Argument) Description(description string) *Argument {
	a.declared.Description = description
	return a
}

// Required makes the server refuse requests without the argument.
func (a *Argument) Required() *Argument {
	a.declared.Required = true
	return a
}

// Default sets the value for a request without the argument. The protocol has no field
// for it, so mention it in the description.
func (a *Argument) Default(value string) *Argument {
	a.declared.Default = &value
	return a
}

// Enum allows only these values, and suggests them while a person fills in the argument.
func (a *Argument) Enum(values ...string) *Argument {
	a.declared.Enum, a.declared.Enumerated = slices.Clone(values), true
	return a
}

// Complete suggests values while a person fills in the argument. Other values are still
// accepted.
func (a *Argument) Complete(source completion.Source) *Argument {
	a.declared.Source, a.declared.Completed = source, true
	return a
}
