package ask

import "github.com/bowline-mcp/bowline/framework/schema"

// An Integer is a field for a whole number. [Fields.Integer] makes one.
type Integer struct{ base }

// Title sets the name of the field for people.
func (i *Integer) Title(title string) *Integer {
	i.wire.Title = title
	return i
}

// Description says what to fill in.
func (i *Integer) Description(description string) *Integer {
	i.wire.Description = description
	return i
}

// Min sets the least value that is allowed.
func (i *Integer) Min(minimum int64) *Integer {
	i.wire.Minimum = minimum
	return i
}

// Max sets the greatest value that is allowed.
func (i *Integer) Max(maximum int64) *Integer {
	i.wire.Maximum = maximum
	return i
}

// Default is what the field holds before the user fills it in.
func (i *Integer) Default(value int64) *Integer {
	i.wire.Default = value
	return i
}

// Required refuses a form without the field.
func (i *Integer) Required() *Integer {
	i.required = true
	return i
}

func (i *Integer) declare(form *schema.Object) {
	number := form.Integer(i.name)
	set(number.Min, i.wire.Minimum)
	set(number.Max, i.wire.Maximum)
	set(number.Default, i.wire.Default)
	if i.required {
		number.Required()
	}
}
