package schema

// An Integer describes a JSON number without a fractional part, such as 1 or 1.0. Only
// Min and Max limit its size. [Object.Integer] and similar methods return one.
type Integer struct{ definition *definition }

// Title sets the display name of the integer.
func (i *Integer) Title(title string) *Integer {
	i.definition.set("title", title)
	return i
}

// Description says what the integer is for. Models read it to decide what to send.
func (i *Integer) Description(description string) *Integer {
	i.definition.set("description", description)
	return i
}

// Min sets the smallest allowed value.
func (i *Integer) Min(minimum int64) *Integer {
	i.definition.set("minimum", minimum)
	return i
}

// Max sets the largest allowed value.
func (i *Integer) Max(maximum int64) *Integer {
	i.definition.set("maximum", maximum)
	return i
}

// ExclusiveMin sets a limit that the value must be greater than.
func (i *Integer) ExclusiveMin(limit int64) *Integer {
	i.definition.set("exclusiveMinimum", limit)
	return i
}

// ExclusiveMax sets a limit that the value must be less than.
func (i *Integer) ExclusiveMax(limit int64) *Integer {
	i.definition.set("exclusiveMaximum", limit)
	return i
}

// MultipleOf requires the value to be a multiple of step, which is greater than zero. A
// step has at most 17 significant digits.
func (i *Integer) MultipleOf(step int64) *Integer {
	i.definition.set("multipleOf", step)
	return i
}

// Enum lists the allowed values.
func (i *Integer) Enum(values ...int64) *Integer {
	i.definition.set("enum", values)
	return i
}

// Const sets the only allowed value.
func (i *Integer) Const(value int64) *Integer {
	i.definition.set("const", value)
	return i
}

// Required makes the property required, unless it has a default. Only a property can be
// required.
func (i *Integer) Required() *Integer {
	i.definition.required[fromCall] = true
	return i
}

// Nullable also allows null.
func (i *Integer) Nullable() *Integer {
	i.definition.nullable[fromCall] = true
	return i
}

// Default sets the value for an absent integer. The property is then not required.
func (i *Integer) Default(value int64) *Integer {
	i.definition.set("default", value)
	return i
}

// Examples lists sample values. Each must be valid.
func (i *Integer) Examples(values ...int64) *Integer {
	i.definition.set("examples", values)
	return i
}

// Deprecated marks the integer as deprecated.
func (i *Integer) Deprecated() *Integer {
	i.definition.set("deprecated", true)
	return i
}

// Header mirrors the property into the HTTP header Mcp-Param-NAME (x-mcp-header, MCP
// 2026-07-28). The name is an RFC 9110 token, unique in the schema, ignoring case. The
// property must be reachable through nested objects only, not through arrays or unions.
// Intermediaries can read headers: never mirror a secret.
func (i *Integer) Header(name string) *Integer {
	i.definition.set("x-mcp-header", name)
	return i
}

// Check adds a Go check of the value. It runs if the integer is valid otherwise, and may
// run more than once for one call. With a Check, an integer that doesn't fit int64 is
// refused. The model reads the text of the check's error, so it should say what to send
// instead.
func (i *Integer) Check(check func(int64) error) *Integer {
	i.definition.checkInt = check
	return i
}
