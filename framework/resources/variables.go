package resources

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/completion"
)

// Variables are the variables of a template for which there are suggestions.
type Variables struct{ list []*Variable }

// Variable adds suggestions for the variable of a name that the template has.
func (v *Variables) Variable(name string) *Variable {
	variable := &Variable{name: name}
	v.list = append(v.list, variable)
	return variable
}

// A Variable is a variable of a template.
type Variable struct {
	name    string
	sources []completion.Source
}

// Complete suggests values while a person fills in the variable. Handle still gets
// whatever the client reads.
func (v *Variable) Complete(source completion.Source) *Variable {
	v.sources = append(v.sources, source)
	return v
}

// Enum suggests these values: it is Complete with [completion.Values].
func (v *Variable) Enum(values ...string) *Variable {
	return v.Complete(completion.Values(values...))
}

// compile returns the sources by variable, and everything that is wrong with them.
func (v *Variables) compile(template *Template) (map[string]completion.Source, error) {
	if len(v.list) == 0 {
		return nil, nil
	}
	if template == nil {
		return nil, errors.New("Variables: its URI has no variables; put them in braces, as in users://{id}, or drop Variables")
	}
	var problems []error
	sources := map[string]completion.Source{}
	for _, variable := range v.list {
		problem := func(format string, args ...any) {
			problems = append(problems, fmt.Errorf("the variable %q: "+format, append([]any{variable.name}, args...)...))
		}
		if !slices.Contains(template.variables, variable.name) {
			problem("the URI %s has none of that name; it has %s", template, quoted(template.variables))
		}
		if sources[variable.name] != nil || len(variable.sources) != 1 {
			problem("it needs one source of suggestions: either Complete or Enum, once")
			continue
		}
		if err := completion.Check(variable.sources[0]); err != nil {
			problem("%w", err)
		}
		sources[variable.name] = variable.sources[0]
	}
	return sources, errors.Join(problems...)
}

// quoted lists texts for a message.
func quoted(list []string) string { return `"` + strings.Join(list, `", "`) + `"` }
