package schema

// A Subschema is an unnamed schema without a type, such as the schema of the items of an
// [Array] or of the additional properties of an [Object]. Call one of its methods to set
// the type. Until then it allows anything.
type Subschema struct{ definition *definition }

func (s *Subschema) claim(form form) *definition {
	return s.definition.claim(fromCall, form, "the type of the subschema")
}

// String makes it a string.
func (s *Subschema) String() *String { return &String{s.claim(formString)} }

// Integer makes it an integer.
func (s *Subschema) Integer() *Integer { return &Integer{s.claim(formInteger)} }

// Number makes it a number.
func (s *Subschema) Number() *Number { return &Number{s.claim(formNumber)} }

// Boolean makes it a boolean.
func (s *Subschema) Boolean() *Boolean { return &Boolean{s.claim(formBoolean)} }

// Object makes it a closed object.
func (s *Subschema) Object() *Object { return &Object{definition: s.claim(formObject)} }

// Strings makes it an array of strings.
func (s *Subschema) Strings() *Strings { return stringsOf(s.claim(formArray)) }

// Integers makes it an array of integers.
func (s *Subschema) Integers() *Integers { return integersOf(s.claim(formArray)) }

// Numbers makes it an array of numbers.
func (s *Subschema) Numbers() *Numbers { return numbersOf(s.claim(formArray)) }

// Booleans makes it an array of booleans.
func (s *Subschema) Booleans() *Booleans { return booleansOf(s.claim(formArray)) }

// Objects makes it an array of objects.
func (s *Subschema) Objects() *Objects { return objectsOf(s.claim(formArray)) }

// Array makes it an array of any items.
func (s *Subschema) Array() *Array { return arrayOf(s.claim(formArray)) }

// AnyOf makes it a union; a value must match at least one member.
func (s *Subschema) AnyOf() *Union { return &Union{s.claim(formAnyOf)} }

// OneOf makes it a union; a value must match exactly one member.
func (s *Subschema) OneOf() *Union { return &Union{s.claim(formOneOf)} }

// Raw makes it the given JSON Schema, which is sent unchanged except for insignificant
// white space.
func (s *Subschema) Raw(json string) { s.definition.setRaw(json) }
