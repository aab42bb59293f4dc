package prompts

import (
	"slices"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/internal/declaration"
	"github.com/bowline-mcp/bowline/internal/seam"
)

// Arguments are the arguments of a prompt, in the order in which they were declared.
// Other arguments are ignored, where a tool would refuse them: a person who picks a
// prompt can't fix what the client adds.
type Arguments seam.Cell[declaration.Arguments]

// Argument declares an argument with a name such as "language": 1 to 128 letters,
// digits, underscores, dots and dashes. The methods of the result describe it.
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

// Required refuses requests without the argument.
func (a *Argument) Required() *Argument {
	a.declared.Required = true
	return a
}

// Default sets the value for a request without the argument. The protocol can't tell
// clients about it, but the description can.
func (a *Argument) Default(value string) *Argument {
	a.declared.Default = &value
	return a
}

// Enum refuses every value but these, and suggests them while a person fills in the
// argument.
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
