package schema

// A scalar implements the methods of all strings, numbers and booleans.
type scalar[Self, Value any] struct{ valued[Self, Value] }

// Const sets the only allowed value.
func (s *scalar[Self, Value]) Const(value Value) *Self { return s.set("const", value) }

// A String describes a JSON string. [Object.String] and similar methods return one.
//
// Methods with the result Self return the String itself. A Value is a string.
type String struct{ scalar[String, string] }

// MinLength sets the smallest number of characters (Unicode code points).
func (s *String) MinLength(length int) *String { return s.set("minLength", length) }

// MaxLength sets the largest number of characters (Unicode code points).
func (s *String) MaxLength(length int) *String { return s.set("maxLength", length) }

// Pattern sets a regular expression that must match somewhere in the string; anchor it
// with ^ and $ to match the whole string. It has the syntax of ECMA-262, for clients in
// other languages: \s matches any white space, and (?i) is refused. Look-around and
// back-references aren't supported. A value is refused if matching it takes too much work, as
// with a long string and a repetition such as {0,900}: add MaxLength, or write * or +.
func (s *String) Pattern(pattern string) *String { return s.set("pattern", pattern) }

// Format sets the format of the string. The formats email, uri, date, date-time, uuid,
// ipv4, ipv6 and hostname are checked. Other formats are sent to clients but not checked.
// A format that looks like a misspelling of these is a mistake. A hostname in Punycode, such
// as xn--bcher-kva.example, is checked like any other; IDNA's further rules aren't applied.
func (s *String) Format(name string) *String { return s.set("format", name) }

// Enum lists the allowed values.
func (s *String) Enum(values ...string) *String { return s.set("enum", values) }

// Header mirrors the property into the HTTP header Mcp-Param-NAME (x-mcp-header, MCP
// 2026-07-28). The name is an RFC 9110 token, unique in the schema, ignoring case. The
// property must be reachable through nested objects only, not through arrays or unions.
// Intermediaries can read headers: never mirror a secret.
func (s *String) Header(name string) *String { return s.set("x-mcp-header", name) }

// Check adds a Go check of the decoded string. It runs if the string is valid otherwise,
// and may run more than once for one call. The model gets the text of the check's error,
// so it should say what to send instead.
func (s *String) Check(check func(string) error) *String {
	s.definition.check.String = check
	return s
}

// A Boolean describes true or false. [Object.Boolean] and similar methods return one.
//
// Methods with the result Self return the Boolean itself. A Value is a bool.
type Boolean struct{ scalar[Boolean, bool] }

// Header mirrors the property into an HTTP header, as [String.Header] does.
func (b *Boolean) Header(name string) *Boolean { return b.set("x-mcp-header", name) }

// A numeric implements the methods of integers and numbers. Value is the Go type of a bound.
type numeric[Self, Value any] struct{ scalar[Self, Value] }

// Min sets the smallest allowed value.
func (n *numeric[Self, Value]) Min(minimum Value) *Self { return n.set("minimum", minimum) }

// Max sets the largest allowed value.
func (n *numeric[Self, Value]) Max(maximum Value) *Self { return n.set("maximum", maximum) }

// ExclusiveMin sets a limit that the value must be greater than.
func (n *numeric[Self, Value]) ExclusiveMin(limit Value) *Self {
	return n.set("exclusiveMinimum", limit)
}

// ExclusiveMax sets a limit that the value must be less than.
func (n *numeric[Self, Value]) ExclusiveMax(limit Value) *Self {
	return n.set("exclusiveMaximum", limit)
}

// MultipleOf requires the value to be a multiple of step, which is greater than zero. It is
// exact in decimal: 0.3 is a multiple of 0.1. A step has at most 17 significant digits.
func (n *numeric[Self, Value]) MultipleOf(step Value) *Self { return n.set("multipleOf", step) }

// Enum lists the allowed values.
func (n *numeric[Self, Value]) Enum(values ...Value) *Self { return n.set("enum", values) }

// An Integer describes a JSON number without a fractional part, such as 1 or 1.0. Only
// Min and Max limit its size. [Object.Integer] and similar methods return one.
//
// Methods with the result Self return the Integer itself. A Value is an int64.
type Integer struct{ numeric[Integer, int64] }

// Header mirrors the property into an HTTP header, as [String.Header] does.
func (i *Integer) Header(name string) *Integer { return i.set("x-mcp-header", name) }

// Check adds a Go check of the value. It runs if the integer is valid otherwise, and may
// run more than once for one call. With a Check, an integer that doesn't fit int64 is
// refused. The model gets the text of the check's error, so it should say what to send
// instead.
func (i *Integer) Check(check func(int64) error) *Integer {
	i.definition.check.Integer = check
	return i
}

// A Number describes a JSON number. Bounds are compared as decimals, without rounding.
// [Object.Number] and similar methods return one.
//
// Methods with the result Self return the Number itself. A Value is a float64.
type Number struct{ numeric[Number, float64] }

// Check adds a Go check of the value. It runs if the number is valid otherwise, and may
// run more than once for one call. With a Check, a number outside the range of float64 is
// refused. The model gets the text of the check's error, so it should say what to send
// instead.
func (n *Number) Check(check func(float64) error) *Number {
	n.definition.check.Number = check
	return n
}
