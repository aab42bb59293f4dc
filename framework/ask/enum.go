package ask

import (
	"slices"

	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// An Enum is a field for one of several values. [Fields.Enum] makes one.
type Enum struct {
	base
	options []option
	names   []string
}

// Option adds a value with a title. If any value has a title, clients show values without
// one unchanged.
func (e *Enum) Option(value, title string) *Enum {
	e.options = append(e.options, option{value, title})
	return e
}

// EnumNames sets the titles of all values in the older form that some clients still
// require (MCP 2025-06-18, enumNames; deprecated). Prefer [Enum.Option], which uses this
// form for clients of that version.
func (e *Enum) EnumNames(titles ...string) *Enum {
	e.names = append([]string{}, titles...)
	return e
}

// Title sets the field's display name.
func (e *Enum) Title(title string) *Enum {
	e.wire.Title = title
	return e
}

// Description says what to choose.
func (e *Enum) Description(description string) *Enum {
	e.wire.Description = description
	return e
}

// Default sets the value that is initially selected. An answer without the field gets it
// too.
func (e *Enum) Default(value string) *Enum {
	e.wire.Default = value
	return e
}

// Required makes the server refuse an answer without the field.
func (e *Enum) Required() *Enum {
	e.required = true
	return e
}

func (e *Enum) property(version spec.Version) property {
	p := e.base.property(version)
	switch {
	case e.names != nil:
		p.Enum, p.EnumNames = values(e.options), e.names
	case !isTitled(e.options):
		p.Enum = values(e.options)
	case version < spec.Version20251125:
		p.Enum, p.EnumNames = values(e.options), titles(e.options)
	default:
		p.OneOf = titled(e.options)
	}
	return p
}

func (e *Enum) declare(form *schema.Object) {
	choice := form.String(e.name).Enum(values(e.options)...)
	set(choice.Default, e.wire.Default)
	if e.required {
		choice.Required()
	}
}

// An Enums is a field for any number of several values. [Fields.Enums] makes one.
type Enums struct {
	base
	options []option
}

// Option adds a value with a title. If any value has a title, clients show values without
// one unchanged.
func (e *Enums) Option(value, title string) *Enums {
	e.options = append(e.options, option{value, title})
	return e
}

// Title sets the field's display name.
func (e *Enums) Title(title string) *Enums {
	e.wire.Title = title
	return e
}

// Description says what to choose.
func (e *Enums) Description(description string) *Enums {
	e.wire.Description = description
	return e
}

// MinItems sets the smallest number of values to choose.
func (e *Enums) MinItems(count int) *Enums {
	e.wire.MinItems = count
	return e
}

// MaxItems sets the largest number of values to choose.
func (e *Enums) MaxItems(count int) *Enums {
	e.wire.MaxItems = count
	return e
}

// Default sets the values that are initially selected. An answer without the field gets
// them too.
func (e *Enums) Default(values ...string) *Enums {
	e.wire.Default = append([]string{}, values...)
	return e
}

// Required makes the server refuse an answer without the field. An empty selection counts
// as a field; MinItems refuses it.
func (e *Enums) Required() *Enums {
	e.required = true
	return e
}

func (e *Enums) property(version spec.Version) property {
	p := e.base.property(version)
	if isTitled(e.options) {
		p.Items = &items{AnyOf: titled(e.options)}
	} else {
		p.Items = &items{Type: "string", Enum: values(e.options)}
	}
	return p
}

func (e *Enums) declare(form *schema.Object) {
	choices := form.Strings(e.name)
	choices.Items().Enum(values(e.options)...)
	set(choices.MinItems, e.wire.MinItems)
	set(choices.MaxItems, e.wire.MaxItems)
	if chosen, ok := e.wire.Default.([]string); ok {
		choices.Default(slices.Clone(chosen)...)
	}
	if e.required {
		choices.Required()
	}
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
