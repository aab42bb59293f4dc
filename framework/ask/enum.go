package ask

import (
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// An Enum is a field for one of several values. [Fields.Enum] makes one.
type Enum struct {
	base
	options []option
	names   []string
}

// Option adds a value that is shown by a title. Once one value has a title, the
// others are shown by their own text.
func (e *Enum) Option(value, title string) *Enum {
	e.options = append(e.options, option{value, title})
	return e
}

// EnumNames sets the titles of all values, in the older form that some clients still
// want (MCP 2025-06-18, enumNames; deprecated). Prefer [Enum.Option], which is
// written in this form for clients of that version by itself.
func (e *Enum) EnumNames(titles ...string) *Enum {
	e.names = append([]string{}, titles...)
	return e
}

// Title sets the name of the field for people.
func (e *Enum) Title(title string) *Enum {
	e.wire.Title = title
	return e
}

// Description says what to choose.
func (e *Enum) Description(description string) *Enum {
	e.wire.Description = description
	return e
}

// Default is the value that is chosen before the user does.
func (e *Enum) Default(value string) *Enum {
	e.wire.Default = value
	return e
}

// Required refuses a form without the field.
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
