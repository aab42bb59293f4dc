package ask

import (
	"slices"

	"github.com/bowline-mcp/bowline/framework/schema"

	"github.com/bowline-mcp/bowline/internal/spec"
)

// An Enums is a field for any number of several values. [Fields.Enums] makes one.
type Enums struct {
	base
	options []option
}

// Option adds a value that is shown by a title. Once one value has a title, the
// others are shown by their own text.
func (e *Enums) Option(value, title string) *Enums {
	e.options = append(e.options, option{value, title})
	return e
}

// Title sets the name of the field for people.
func (e *Enums) Title(title string) *Enums {
	e.wire.Title = title
	return e
}

// Description says what to choose.
func (e *Enums) Description(description string) *Enums {
	e.wire.Description = description
	return e
}

// MinItems sets how many values must be chosen at least.
func (e *Enums) MinItems(count int) *Enums {
	e.wire.MinItems = count
	return e
}

// MaxItems sets how many values may be chosen at most.
func (e *Enums) MaxItems(count int) *Enums {
	e.wire.MaxItems = count
	return e
}

// Default are the values that are chosen before the user does.
func (e *Enums) Default(values ...string) *Enums {
	e.wire.Default = append([]string{}, values...)
	return e
}

// Required refuses a form without the field. No value chosen is an answer too;
// MinItems refuses it.
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
