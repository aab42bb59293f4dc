package ask

import "github.com/bowline-mcp/bowline/framework/schema"

// A String is a field for a text. [Fields.String] makes one.
type String struct{ base }

// Title sets the name of the field for people.
func (s *String) Title(title string) *String {
	s.wire.Title = title
	return s
}

// Description says what to fill in.
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

// Format sets what the text denotes: email, uri, date or date-time.
func (s *String) Format(name string) *String {
	s.wire.Format = name
	return s
}

// Default is what the field holds before the user fills it in.
func (s *String) Default(value string) *String {
	s.wire.Default = value
	return s
}

// Required refuses a form without the field.
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
