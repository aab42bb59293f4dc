package schema

// A Subschema is an unnamed schema without a type, such as the schema of the items of an
// [Array] or of the additional properties of an [Object]. Call one of its methods to set
// the type. Until then it allows anything.
type Subschema struct{ kinds }

func subschemaOf(d *definition) *Subschema {
	return &Subschema{kinds{func(form form) *definition { return d.claim(fromCall, form, "the type of the subschema") }}}
}

// A Union describes a value that matches several alternative schemas: at least one for
// AnyOf, exactly one for OneOf. Each call of a type method adds a member. [Object.AnyOf],
// [Object.OneOf] and similar methods return one.
//
// Methods with the result Self return the Union itself. A Value is a Go value that encodes as
// JSON.
type Union struct {
	valued[Union, any]
	kinds
}

func unionOf(d *definition) *Union {
	u := build[Union](d)
	u.claim = func(form form) *definition { return d.member().claim(fromCall, form, "") }
	return u
}

// kinds are the methods that give a schema its type. The function claim returns the
// definition that gets it.
type kinds struct{ claim func(form form) *definition }

// String describes a string.
func (k *kinds) String() *String { return build[String](k.claim(formString)) }

// Integer describes an integer.
func (k *kinds) Integer() *Integer { return build[Integer](k.claim(formInteger)) }

// Number describes a number.
func (k *kinds) Number() *Number { return build[Number](k.claim(formNumber)) }

// Boolean describes a boolean.
func (k *kinds) Boolean() *Boolean { return build[Boolean](k.claim(formBoolean)) }

// Object describes an object, closed until its Open is called.
func (k *kinds) Object() *Object { return build[Object](k.claim(formObject)) }

// Strings describes an array of strings; Items constrains them.
func (k *kinds) Strings() *Strings { return arrayOf[Strings](k.claim(formArray), formString) }

// Integers describes an array of integers; Items constrains them.
func (k *kinds) Integers() *Integers { return arrayOf[Integers](k.claim(formArray), formInteger) }

// Numbers describes an array of numbers; Items constrains them.
func (k *kinds) Numbers() *Numbers { return arrayOf[Numbers](k.claim(formArray), formNumber) }

// Booleans describes an array of booleans; Items constrains them.
func (k *kinds) Booleans() *Booleans { return arrayOf[Booleans](k.claim(formArray), formBoolean) }

// Objects describes an array of objects; Items describes them.
func (k *kinds) Objects() *Objects { return arrayOf[Objects](k.claim(formArray), formObject) }

// Array describes an array; Items describes its items.
func (k *kinds) Array() *Array { return arrayOf[Array](k.claim(formArray), formUnset) }

// AnyOf describes a union; a value must match at least one of its members.
func (k *kinds) AnyOf() *Union { return unionOf(k.claim(formAnyOf)) }

// OneOf describes a union; a value must match exactly one of its members.
func (k *kinds) OneOf() *Union { return unionOf(k.claim(formOneOf)) }

// Raw takes the given JSON Schema, which is sent unchanged except for insignificant white
// space.
func (k *kinds) Raw(json string) { k.claim(formUnset).setRaw(json) }
