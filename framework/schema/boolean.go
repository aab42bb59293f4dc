package schema

// A Boolean describes true or false. [Object.Boolean] and similar methods return one.
type Boolean struct{ definition *definition }

// Title sets the display name of the boolean.
func (b *Boolean) Title(title string) *Boolean {
	b.definition.set("title", title)
	return b
}

// Description says what the boolean is for. Models read it to decide what to send.
func (b *Boolean) Description(description string) *Boolean {
	b.definition.set("description", description)
	return b
}

// Const sets the only allowed value.
func (b *Boolean) Const(value bool) *Boolean {
	b.definition.set("const", value)
	return b
}

// Required makes the property required, unless it has a default. Only a property can be
// required.
func (b *Boolean) Required() *Boolean {
	b.definition.required[fromCall] = true
	return b
}

// Nullable also allows null.
func (b *Boolean) Nullable() *Boolean {
	b.definition.nullable[fromCall] = true
	return b
}

// Default sets the value for an absent boolean. The property is then not required.
func (b *Boolean) Default(value bool) *Boolean {
	b.definition.set("default", value)
	return b
}

// Examples lists sample values. Each must be valid.
func (b *Boolean) Examples(values ...bool) *Boolean {
	b.definition.set("examples", values)
	return b
}

// Deprecated marks the boolean as deprecated.
func (b *Boolean) Deprecated() *Boolean {
	b.definition.set("deprecated", true)
	return b
}

// Header mirrors the property into the HTTP header Mcp-Param-NAME (x-mcp-header, MCP
// 2026-07-28). The name is an RFC 9110 token, unique in the schema, ignoring case. The
// property must be reachable through nested objects only, not through arrays or unions.
// Intermediaries can read headers: never mirror a secret.
func (b *Boolean) Header(name string) *Boolean {
	b.definition.set("x-mcp-header", name)
	return b
}
