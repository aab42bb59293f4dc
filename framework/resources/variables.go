package resources

import (
	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/internal/declaration"
	"github.com/bowline-mcp/bowline/internal/seam"
)

// Variables are the variables of a template for which there are suggestions.
type Variables seam.Cell[declaration.Variables]

// Variable adds suggestions for the variable of a name that the template has.
func (v *Variables) Variable(name string) *Variable {
	variable := &declaration.Variable{Name: name}
	list := (*seam.Cell[declaration.Variables])(v).Get()
	*list = append(*list, variable)
	return &Variable{variable}
}

// A Variable is a variable of a template.
type Variable struct{ declared *declaration.Variable }

// Complete suggests values while a person fills in the variable. Handle still gets
// whatever the client reads.
func (v *Variable) Complete(source completion.Source) *Variable {
	v.declared.Sources = append(v.declared.Sources, source)
	return v
}

// Enum suggests these values: it is Complete with [completion.Values].
func (v *Variable) Enum(values ...string) *Variable {
	return v.Complete(completion.Values(values...))
}
