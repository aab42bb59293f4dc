package prompts

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/completion"
)

// Arguments are the arguments of a prompt, in the order in which they were declared. What
// a client sends beside them is ignored, not refused as by a tool: a person who picks a
// prompt can't mend what the client adds.
type Arguments struct{ list []*Argument }

// Argument declares an argument of a name such as "language": 1 to 128 letters,
// digits, underscores, dots and dashes. The methods of what it returns say the rest.
func (a *Arguments) Argument(name string) *Argument {
	argument := &Argument{definition: ArgumentDefinition{Name: name}}
	a.list = append(a.list, argument)
	return argument
}

// compile returns everything that is wrong with the arguments.
func (a *Arguments) compile() error {
	var problems []error
	seen := map[string]bool{}
	for _, argument := range a.list {
		name := argument.definition.Name
		if seen[name] {
			problems = append(problems, fmt.Errorf("the argument %q is declared twice; drop one", name))
		}
		seen[name] = true
		problems = append(problems, argument.check()...)
	}
	return errors.Join(problems...)
}

// An Argument is one argument of a prompt.
type Argument struct {
	definition ArgumentDefinition
	orElse     *string
	enum       []string
	enumerated bool
	source     completion.Source
	completed  bool
}

// Title sets the argument's name for people.
func (a *Argument) Title(title string) *Argument {
	a.definition.Title = title
	return a
}

// Description says what the argument is for.
func (a *Argument) Description(description string) *Argument {
	a.definition.Description = description
	return a
}

// Required refuses requests without the argument.
func (a *Argument) Required() *Argument {
	a.definition.Required = true
	return a
}

// Default is the value when the client sends none. The protocol can't tell clients;
// the description may.
func (a *Argument) Default(value string) *Argument {
	a.orElse = &value
	return a
}

// Enum refuses every value but these, and suggests them while a person fills in the
// argument.
func (a *Argument) Enum(values ...string) *Argument {
	a.enum, a.enumerated = slices.Clone(values), true
	return a
}

// Complete suggests values while a person fills in the argument. Any value is still
// let through.
func (a *Argument) Complete(source completion.Source) *Argument {
	a.source, a.completed = source, true
	return a
}

// completion returns where suggestions come from, nil if from nowhere.
func (a *Argument) completion() completion.Source {
	if a.enumerated {
		return completion.Values(a.enum...)
	}
	return a.source
}

const nameRunes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

// isName reports whether a name has only what names may have.
func isName(name string) bool {
	return name != "" && len(name) <= 128 && strings.Trim(name, nameRunes) == ""
}

// check returns what is wrong with the argument.
func (a *Argument) check() []error {
	var problems []error
	problem := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("the argument %q: "+format, append([]any{a.definition.Name}, args...)...))
	}
	switch {
	case a.definition.Name == "":
		problem("it has no name; give it one, such as \"language\"")
	case !isName(a.definition.Name):
		problem("its name must be 1 to 128 letters, digits, underscores, dots and dashes")
	}
	if a.orElse != nil && a.definition.Required {
		problem("it is required, so its default %q would never be used; drop one of the two", *a.orElse)
	}
	if a.enumerated && a.completed {
		problem("Enum suggests its values already; drop Complete, or drop Enum to let any value through")
	}
	if a.enumerated && len(a.enum) == 0 {
		problem("its Enum has no values, so that every value would be refused; name some")
	}
	for i, value := range a.enum {
		if slices.Contains(a.enum[:i], value) {
			problem("its Enum has the value %q twice; drop one", value)
		}
	}
	if a.orElse != nil && len(a.enum) > 0 && !slices.Contains(a.enum, *a.orElse) {
		problem("its default %q is not one of the values of its Enum: %s", *a.orElse, quoted(a.enum))
	}
	if a.completed {
		if err := completion.Check(a.source); err != nil {
			problem("%w", err)
		}
	}
	return problems
}

// quoted lists texts for a message.
func quoted(list []string) string { return `"` + strings.Join(list, `", "`) + `"` }
