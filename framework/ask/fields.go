package ask

// Fields are the fields of a form, in the order in which they were declared. A form
// is flat: what a user fills in are texts, numbers, yes or no, and choices
// (MCP 2026-07-28, PrimitiveSchemaDefinition).
//
// An answer that lacks a field which isn't required has the field's default, if it
// has one.
type Fields struct{ list []field }

// String adds a text.
func (f *Fields) String(name string) *String {
	s := &String{base{name: name, wire: property{Type: "string"}}}
	f.list = append(f.list, s)
	return s
}

// Integer adds a whole number.
func (f *Fields) Integer(name string) *Integer {
	i := &Integer{base{name: name, wire: property{Type: "integer"}}}
	f.list = append(f.list, i)
	return i
}

// Number adds a number.
func (f *Fields) Number(name string) *Number {
	n := &Number{base{name: name, wire: property{Type: "number"}}}
	f.list = append(f.list, n)
	return n
}

// Boolean adds a yes or no.
func (f *Fields) Boolean(name string) *Boolean {
	b := &Boolean{base{name: name, wire: property{Type: "boolean"}}}
	f.list = append(f.list, b)
	return b
}

// Enum adds a choice of one of several values. [Enum.Option] adds values that have
// titles.
func (f *Fields) Enum(name string, values ...string) *Enum {
	e := &Enum{base: base{name: name, wire: property{Type: "string"}}, options: untitled(values)}
	f.list = append(f.list, e)
	return e
}

// Enums adds a choice of any number of several values. [Enums.Option] adds values
// that have titles. Clients before 2025-11-25 can't be asked a form that has one.
func (f *Fields) Enums(name string, values ...string) *Enums {
	e := &Enums{base: base{name: name, wire: property{Type: "array"}}, options: untitled(values)}
	f.list = append(f.list, e)
	return e
}
