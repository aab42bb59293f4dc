package prompts

import (
	"slices"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/internal/declaration"
	"github.com/bowline-mcp/bowline/internal/seam"
)

// Arguments are the arguments of a prompt, in the order in which they were declared. What
// a client sends beside them is ignored, not refused as by a tool: a person who picks a
// prompt can't mend what the client adds.
type Arguments seam.Cell[declaration.Arguments]

// Argument declares an argument of a name such as "language": 1 to 128 letters,
// digits, underscores, dots and dashes. The methods of what it returns say the rest.
func (a *Arguments) Argument(name string) *Argument {
	argument := &declaration.Argument{Name: name}
	list := (*seam.Cell[declaration.Arguments])(a).Get()
	*list = append(*list, argument)
	return &Argument{argument}
}

// An Argument is one argument of a prompt.
type Argument struct{ declared *declaration.Argument }

// Title sets the argument's name for people.
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

// Default is the value when the client sends none. The protocol can't tell clients;
// the description may.
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

// Complete suggests values while a person fills in the argument. Any value is still
// let through.
func (a *Argument) Complete(source completion.Source) *Argument {
	a.declared.Source, a.declared.Completed = source, true
	return a
}
