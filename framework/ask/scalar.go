package ask

import "github.com/bowline-mcp/bowline/framework/schema"

// A String is a field for a string. [Fields.String] makes one.
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

// MinLength sets the smallest number of characters (Unicode code points).
func (s *String) MinLength(length int) *String {
	s.wire.MinLength = length
	return s
}

// MaxLength sets the largest number of characters (Unicode code points).
func (s *String) MaxLength(length int) *String {
	s.wire.MaxLength = length
	return s
}

// Format sets the format of the string: email, uri, date or date-time.
func (s *String) Format(name string) *String {
	s.wire.Format = name
	return s
}

// Default sets the value that the form initially shows. An answer without the field gets
// it too.
func (s *String) Default(value string) *String {
	s.wire.Default = value
	return s
}

// Required makes the server refuse an answer without the field.
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

// An Integer is a field for an integer. [Fields.Integer] makes one.
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

// Min sets the smallest allowed value.
func (i *Integer) Min(minimum int64) *Integer {
	i.wire.Minimum = minimum
	return i
}

// Max sets the largest allowed value.
func (i *Integer) Max(maximum int64) *Integer {
	i.wire.Maximum = maximum
	return i
}

// Default sets the value that the form initially shows. An answer without the field gets
// it too.
func (i *Integer) Default(value int64) *Integer {
	i.wire.Default = value
	return i
}

// Required makes the server refuse an answer without the field.
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

// Min sets the smallest allowed value.
func (n *Number) Min(minimum float64) *Number {
	n.wire.Minimum = minimum
	return n
}

// Max sets the largest allowed value.
func (n *Number) Max(maximum float64) *Number {
	n.wire.Maximum = maximum
	return n
}

// Default sets the value that the form initially shows. An answer without the field gets
// it too.
func (n *Number) Default(value float64) *Number {
	n.wire.Default = value
	return n
}

// Required makes the server refuse an answer without the field.
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

// Default sets the value that the form initially shows. An answer without the field gets
// it too.
func (b *Boolean) Default(value bool) *Boolean {
	b.wire.Default = value
	return b
}

// Required makes the server refuse an answer without the field. The value false is
// accepted.
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
