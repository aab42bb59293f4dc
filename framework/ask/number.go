package ask

import "github.com/bowline-mcp/bowline/framework/schema"

// A Number is a field for a number. [Fields.Number] makes one.
type Number struct{ base }

// Title sets the name of the field for people.
func (n *Number) Title(title string) *Number {
	n.wire.Title = title
	return n
}

// Description says what to fill in.
func (n *Number) Description(description string) *Number {
	n.wire.Description = description
	return n
}

// Min sets the least value that is allowed.
func (n *Number) Min(minimum float64) *Number {
	n.wire.Minimum = minimum
	return n
}

// Max sets the greatest value that is allowed.
func (n *Number) Max(maximum float64) *Number {
	n.wire.Maximum = maximum
	return n
}

// Default is what the field holds before the user fills it in.
func (n *Number) Default(value float64) *Number {
	n.wire.Default = value
	return n
}

// Required refuses a form without the field.
func (n *Number) Required() *Number {
	n.required = true
	return n
}

func (n *Number) declare(form *schema.Object) {
	number := form.Number(n.name)
	set(number.Min, n.wire.Minimum)
	set(number.Max, n.wire.Maximum)
	set(number.Default, n.wire.Default)
	if n.required {
		number.Required()
	}
}
