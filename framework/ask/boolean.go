package ask

import "github.com/bowline-mcp/bowline/framework/schema"

// A Boolean is a field for a yes or no. [Fields.Boolean] makes one.
type Boolean struct{ base }

// Title sets the name of the field for people.
func (b *Boolean) Title(title string) *Boolean {
	b.wire.Title = title
	return b
}

// Description says what yes means.
func (b *Boolean) Description(description string) *Boolean {
	b.wire.Description = description
	return b
}

// Default is what the field holds before the user fills it in.
func (b *Boolean) Default(value bool) *Boolean {
	b.wire.Default = value
	return b
}

// Required refuses a form without the field. No is an answer too.
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
