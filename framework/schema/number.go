package schema

// A Number describes a JSON number. Bounds are compared as decimals, without rounding.
// [Object.Number] and similar methods return one.
type Number struct{ definition *definition }

// Title sets the display name of the number.
func (n *Number) Title(title string) *Number {
	n.definition.set("title", title)
	return n
}

// Description says what the number is for. Models read it to decide what to send.
func (n *Number) Description(description string) *Number {
	n.definition.set("description", description)
	return n
}

// Min sets the smallest allowed value.
func (n *Number) Min(minimum float64) *Number {
	n.definition.set("minimum", minimum)
	return n
}

// Max sets the largest allowed value.
func (n *Number) Max(maximum float64) *Number {
	n.definition.set("maximum", maximum)
	return n
}

// ExclusiveMin sets a limit that the value must be greater than.
func (n *Number) ExclusiveMin(limit float64) *Number {
	n.definition.set("exclusiveMinimum", limit)
	return n
}

// ExclusiveMax sets a limit that the value must be less than.
func (n *Number) ExclusiveMax(limit float64) *Number {
	n.definition.set("exclusiveMaximum", limit)
	return n
}

// MultipleOf requires the value to be a multiple of step, which is greater than zero. It is
// exact in decimal: 0.3 is a multiple of 0.1. A step has at most 17 significant digits.
func (n *Number) MultipleOf(step float64) *Number {
	n.definition.set("multipleOf", step)
	return n
}

// Enum lists the allowed values.
func (n *Number) Enum(values ...float64) *Number {
	n.definition.set("enum", values)
	return n
}

// Const sets the only allowed value.
func (n *Number) Const(value float64) *Number {
	n.definition.set("const", value)
	return n
}

// Required makes the property required, unless it has a default. Only a property can be
// required.
func (n *Number) Required() *Number {
	n.definition.required[fromCall] = true
	return n
}

// Nullable also allows null.
func (n *Number) Nullable() *Number {
	n.definition.nullable[fromCall] = true
	return n
}

// Default sets the value for an absent number. The property is then not required.
func (n *Number) Default(value float64) *Number {
	n.definition.set("default", value)
	return n
}

// Examples lists sample values. Each must be valid.
func (n *Number) Examples(values ...float64) *Number {
	n.definition.set("examples", values)
	return n
}

// Deprecated marks the number as deprecated.
func (n *Number) Deprecated() *Number {
	n.definition.set("deprecated", true)
	return n
}

// Check adds a Go check of the value. It runs if the number is valid otherwise, and may
// run more than once for one call. With a Check, a number outside the range of float64 is
// refused. The model reads the text of the check's error, so it should say what to send
// instead.
func (n *Number) Check(check func(float64) error) *Number {
	n.definition.checkNumber = check
	return n
}
