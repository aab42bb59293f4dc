package schema

// A String describes a JSON string. [Object.String] and similar methods return one.
type String struct{ definition *definition }

// Title sets the display name of the string.
func (s *String) Title(title string) *String {
	s.definition.set("title", title)
	return s
}

// Description says what the string is for. Models read it to decide what to send.
func (s *String) Description(description string) *String {
	s.definition.set("description", description)
	return s
}

// MinLength sets the smallest number of characters (Unicode code points).
func (s *String) MinLength(length int) *String {
	s.definition.set("minLength", length)
	return s
}

// MaxLength sets the largest number of characters (Unicode code points).
func (s *String) MaxLength(length int) *String {
	s.definition.set("maxLength", length)
	return s
}

// Pattern sets a regular expression that must match somewhere in the string; anchor it
// with ^ and $ to match the whole string. Its syntax is that of ECMA-262, for clients in
// other languages: \s matches any white space, and (?i) is refused. Look-around and
// back-references aren't supported. A value is refused if matching it takes too much work, as
// with a long string and a repetition such as {0,900}: add MaxLength, or write * or +.
func (s *String) Pattern(pattern string) *String {
	s.definition.set("pattern", pattern)
	return s
}

// Format sets the format of the string. The formats email, uri, date, date-time, uuid,
// ipv4, ipv6 and hostname are checked. Other formats are sent to clients but not checked.
// A format that looks like a misspelling of these is a mistake. A hostname in Punycode, such
// as xn--bcher-kva.example, is checked like any other; IDNA's further rules aren't applied.
func (s *String) Format(name string) *String {
	s.definition.set("format", name)
	return s
}

// Enum lists the allowed values.
func (s *String) Enum(values ...string) *String {
	s.definition.set("enum", values)
	return s
}

// Const sets the only allowed value.
func (s *String) Const(value string) *String {
	s.definition.set("const", value)
	return s
}

// Required makes the property required, unless it has a default. Only a property can be
// required.
func (s *String) Required() *String {
	s.definition.required[fromCall] = true
	return s
}

// Nullable also allows null.
func (s *String) Nullable() *String {
	s.definition.nullable[fromCall] = true
	return s
}

// Default sets the value for an absent string. The property is then not required.
func (s *String) Default(value string) *String {
	s.definition.set("default", value)
	return s
}

// Examples lists sample values. Each must be valid.
func (s *String) Examples(values ...string) *String {
	s.definition.set("examples", values)
	return s
}

// Deprecated marks the string as deprecated.
func (s *String) Deprecated() *String {
	s.definition.set("deprecated", true)
	return s
}

// Header mirrors the property into the HTTP header Mcp-Param-NAME (x-mcp-header, MCP
// 2026-07-28). The name is an RFC 9110 token, unique in the schema, ignoring case. The
// property must be reachable through nested objects only, not through arrays or unions.
// Intermediaries can read headers: never mirror a secret.
func (s *String) Header(name string) *String {
	s.definition.set("x-mcp-header", name)
	return s
}

// Check adds a Go check of the decoded string. It runs if the string is valid otherwise,
// and may run more than once for one call. The model reads the text of the check's error,
// so it should say what to send instead.
func (s *String) Check(check func(string) error) *String {
	s.definition.checkString = check
	return s
}
