package ask

import (
	"slices"

	"github.com/bowline-mcp/bowline/framework/schema"
)

// An Enum is a field for one of several values. [Fields.Enum] makes one.
//
// Methods with the result Self return the Enum itself. A Value is a string.
type Enum struct {
	scalar[Enum, *schema.String, string]
}

func (e *Enum) choose(options []option) *Enum {
	e.field.options = append(e.field.options, options...)
	e.schema.Enum(values(e.field.options)...)
	return e
}

// Option adds a value with a title. If any value has a title, clients show values without
// one unchanged.
func (e *Enum) Option(value, title string) *Enum { return e.choose([]option{{value, title}}) }

// EnumNames sets the titles of all values in the older form that some clients still
// require (MCP 2025-06-18, enumNames; deprecated). Prefer [Enum.Option], which uses this
// form for clients of that version.
func (e *Enum) EnumNames(titles ...string) *Enum {
	e.field.names = append([]string{}, titles...)
	return e
}

// An Enums is a field for any number of several values. [Fields.Enums] makes one.
//
// Methods with the result Self return the Enums itself.
type Enums struct {
	base[Enums, *schema.Strings]
}

func (e *Enums) choose(options []option) *Enums {
	e.field.options = append(e.field.options, options...)
	e.schema.Items().Enum(values(e.field.options)...)
	return e
}

// Option adds a value with a title. If any value has a title, clients show values without
// one unchanged.
func (e *Enums) Option(value, title string) *Enums { return e.choose([]option{{value, title}}) }

// MinItems sets the smallest number of values to choose.
func (e *Enums) MinItems(count int) *Enums {
	e.schema.MinItems(count)
	return e
}

// MaxItems sets the largest number of values to choose.
func (e *Enums) MaxItems(count int) *Enums {
	e.schema.MaxItems(count)
	return e
}

// Default sets the values that are initially selected. An answer without the field gets
// them too.
func (e *Enums) Default(values ...string) *Enums {
	e.schema.Default(values...)
	return e
}

// An option is one value of an enum. Clients show a value without a title unchanged.
type option struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

func untitled(values []string) []option {
	options := make([]option, len(values))
	for i, value := range values {
		options[i].Const = value
	}
	return options
}

// isTitled reports whether any option has a title.
func isTitled(options []option) bool {
	return slices.ContainsFunc(options, func(o option) bool { return o.Title != "" })
}

// titled returns the options, each with a title. The title of an option without one is
// its value.
func titled(options []option) []option {
	options = slices.Clone(options)
	for i, o := range options {
		if o.Title == "" {
			options[i].Title = o.Const
		}
	}
	return options
}

func values(options []option) []string {
	list := make([]string, len(options))
	for i, o := range options {
		list[i] = o.Const
	}
	return list
}

func titles(options []option) []string {
	list := make([]string, len(options))
	for i, o := range titled(options) {
		list[i] = o.Title
	}
	return list
}
