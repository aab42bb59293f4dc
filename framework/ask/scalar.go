package ask

import "github.com/bowline-mcp/bowline/framework/schema"

// A String is a field for a text. [Fields.String] makes one.
type String struct{ base }

// Title sets the field's display name.
func (s *String) Title(title string) *String {
	s.wire.Title = title
	return s
}

// Description says what to enter.
func (s *String) Description(description string) *String {
	s.wire.Description = description
	return s
}

// MinLength sets the least number of characters (Unicode code points).
func (s *String) MinLength(length int) *String {
	s.wire.MinLength = length
	return s
}

// MaxLength sets the greatest number of characters (Unicode code points).
func (s *String) MaxLength(length int) *String {
	s.wire.MaxLength = length
	return s
}

// Format sets the format of the text: email, uri, date or date-time.
func (s *String) Format(name string) *String {
	s.wire.Format = name
	return s
}

// Default sets the value that the form shows at first, and that an answer without the
// field gets.
func (s *String) Default(value string) *String {
	s.wire.Default = value
	return s
}

// Required refuses an answer without the field.
func (s *String) Required() *String {
	s.required = true
	return s
}

func (s *String) declare(form *schema.Object) {
	text := form.String(s.name)
	set(text.MinLength, s.wire.MinLength)
	set(text.MaxLength, s.wire.MaxLength)
	set(text.Format, s.wire.Format)
	set(text.Default, s.wire.Default)
	if s.required {
		text.Required()
	}
}

// An Integer is a field for a whole number. [Fields.Integer] makes one.
type Integer struct{ base }

// Title sets the field's display name.
func (i *Integer) Title(title string) *Integer {
	i.wire.Title = title
	return i
}

// Description says what to enter.
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

// Default sets the value that the form shows at first, and that an answer without the
// field gets.
func (i *Integer) Default(value int64) *Integer {
	i.wire.Default = value
	return i
}

// Required refuses an answer without the field.
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

// A Number is a field for a number. [Fields.Number] makes one.
type Number struct{ base }

// Title sets the field's display name.
func (n *Number) Title(title string) *Number {
	n.wire.Title = title
	return n
}

// Description says what to enter.
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

// Default sets the value that the form shows at first, and that an answer without the
// field gets.
func (n *Number) Default(value float64) *Number {
	n.wire.Default = value
	return n
}

// Required refuses an answer without the field.
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

// A Boolean is a yes-or-no field. [Fields.Boolean] makes one.
type Boolean struct{ base }

// Title sets the field's display name.
func (b *Boolean) Title(title string) *Boolean {
	b.wire.Title = title
	return b
}

// Description says what yes means.
func (b *Boolean) Description(description string) *Boolean {
	b.wire.Description = description
	return b
}

// Default sets the value that the form shows at first, and that an answer without the
// field gets.
func (b *Boolean) Default(value bool) *Boolean {
	b.wire.Default = value
	return b
}

// Required refuses an answer without the field. No is an answer too.
func (b *Boolean) Required() *Boolean {
	b.required = true
	return b
}

func (b *Boolean) declare(form *schema.Object) {
	boolean := form.Boolean(b.name)
	set(boolean.Default, b.wire.Default)
	if b.required {
		boolean.Required()
	}
}
