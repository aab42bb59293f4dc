package schema

// A Subschema is the place for one more schema that has no name: the items of an [Array], the additional properties
// of an [Object]. Call one of its methods to say the type. Until then it is the schema that allows anything.
type Subschema struct{ definition *definition }

// String makes it a string.
func (s *Subschema) String() *String {
	return &String{s.definition.claim(fromCall, formString, "the type of this place")}
}

// Integer makes it an integer.
func (s *Subschema) Integer() *Integer {
	return &Integer{s.definition.claim(fromCall, formInteger, "the type of this place")}
}

// Number makes it a number.
func (s *Subschema) Number() *Number {
	return &Number{s.definition.claim(fromCall, formNumber, "the type of this place")}
}

// Boolean makes it a boolean.
func (s *Subschema) Boolean() *Boolean {
	return &Boolean{s.definition.claim(fromCall, formBoolean, "the type of this place")}
}

// Object makes it a closed object.
func (s *Subschema) Object() *Object {
	return &Object{definition: s.definition.claim(fromCall, formObject, "the type of this place")}
}

// Strings makes it an array of strings.
func (s *Subschema) Strings() *Strings {
	array := s.definition.claim(fromCall, formArray, "the type of this place")
	array.item(fromCall, formString)
	return &Strings{array}
}

// Integers makes it an array of integers.
func (s *Subschema) Integers() *Integers {
	array := s.definition.claim(fromCall, formArray, "the type of this place")
	array.item(fromCall, formInteger)
	return &Integers{array}
}

// Numbers makes it an array of numbers.
func (s *Subschema) Numbers() *Numbers {
	array := s.definition.claim(fromCall, formArray, "the type of this place")
	array.item(fromCall, formNumber)
	return &Numbers{array}
}

// Booleans makes it an array of booleans.
func (s *Subschema) Booleans() *Booleans {
	array := s.definition.claim(fromCall, formArray, "the type of this place")
	array.item(fromCall, formBoolean)
	return &Booleans{array}
}

// Objects makes it an array of objects.
func (s *Subschema) Objects() *Objects {
	array := s.definition.claim(fromCall, formArray, "the type of this place")
	array.item(fromCall, formObject)
	return &Objects{array}
}

// Array makes it an array of any items.
func (s *Subschema) Array() *Array {
	return &Array{s.definition.claim(fromCall, formArray, "the type of this place")}
}

// AnyOf makes it a union of which at least one member must fit.
func (s *Subschema) AnyOf() *Union {
	return &Union{s.definition.claim(fromCall, formAnyOf, "the type of this place")}
}

// OneOf makes it a union of which exactly one member must fit.
func (s *Subschema) OneOf() *Union {
	return &Union{s.definition.claim(fromCall, formOneOf, "the type of this place")}
}

// Raw makes it the JSON Schema that is given, served as it is but for insignificant white space.
func (s *Subschema) Raw(json string) { s.definition.setRaw(json) }
