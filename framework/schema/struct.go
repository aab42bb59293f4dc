package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// Struct adds the properties of a Go struct, given as a value, a pointer, or a
// [reflect.Type]. A field's name comes from its json tag, as in package encoding/json,
// and embedded structs are flattened. A field is required unless it is a pointer, has
// omitempty or omitzero, or has a default. A pointer without omitempty may also be null,
// since a nil pointer encodes as null. A json tag that encoding/json would ignore, such as
// "a, omitempty", is a mistake.
//
// A schema tag adds keywords to a field. Commas separate the keys, and vertical bars the
// values of a list:
//
//	Email string   `json:"email" schema:"description='Where to write to, if needed.',format=email"`
//	Unit  string   `json:"unit" schema:"enum=celsius|fahrenheit,default=celsius"`
//	Tags  []string `json:"tags,omitempty" schema:"unique,maxItems=5,items.minLength=2"`
//
// A value in single quotes may contain commas; write a single quote in it twice. The keys
// are title, description, format, pattern, minLength, maxLength, min, max, exclusiveMin,
// exclusiveMax, multipleOf, enum, const, default, examples, minItems, maxItems, unique,
// minProperties, maxProperties, required, nullable, deprecated, header and type. The default of
// an array or object is JSON. A key may begin with items. for the items of a slice, with
// values. for the values of a map and with keys. for its keys, as in items.items.min=0. The
// key type is for types whose JSON form isn't known: type=string.
//
// The tags of other schema libraries, such as jsonschema, description and enum, are a mistake
// on a field without a schema tag. The tags of databases and encoders have no effect.
//
// Calls on the builder, before or after Struct, add keywords to the same properties. A
// tag wins over them.
//
// Types become schemas as follows.
//
//	string, bool, float32, float64   string, boolean, number
//	int, int8 … uint64               integer, with the bounds of the small and unsigned types
//	time.Time                        string, format date-time
//	time.Duration                    integer, nanoseconds
//	[]byte, [N]byte                  string, contentEncoding base64
//	[]T, [N]T                        array of T
//	map[K]T                          object with any properties of T; K is a string, an integer or marshals to text
//	struct                           closed object
//	a recursive type                 $ref to a schema in $defs, where it contains itself
//	a Describer                      what its method JSONSchema describes
//	encoding.TextMarshaler           string
//	json.Marshaler, interfaces       anything, unless a tag has the key type
//
// Functions, channels and complex numbers are mistakes.
func (o *Object) Struct(v any) *Object {
	t := o.structType(v)
	if t == nil {
		return o
	}
	o.definition.infer(t, o.definition.within)
	o.definition.goType = t
	if o.definition.forms[fromType] != formObject && !o.definition.rawByType {
		o.definition.problem("the type "+t.String()+" is not written as a JSON object", "use a struct without JSON or text methods, or give it a method JSONSchema")
	}
	return o
}

// Partial adds the properties of a Go struct as [Object.Struct] does, but none of them is
// required, and none has a default. It describes the arguments of a tool that changes only the
// fields that it gets: decode them into the record, and the fields that are absent stay.
//
//	s.Integer("id").Required()
//	s.Partial(Page{})
func (o *Object) Partial(v any) *Object {
	t := o.structType(v)
	if t == nil {
		return o
	}
	if t.Kind() != reflect.Struct {
		o.definition.problem(fmt.Sprintf("the type %v is not a struct", t), "use a struct such as Args{}, with a field for each property")
		return o
	}
	o.definition.inferFields(t, append(slices.Clip(o.definition.within), t))
	for _, field := range codec.Fields(t) {
		property := o.definition.property(field.Name, fromType, formUnset)
		property.required[fromType] = false
		parts := slices.DeleteFunc(splitTag(property.tag), func(part string) bool {
			name, _, _ := cutTag(part)
			return name == "default" || name == "required"
		})
		property.tag = strings.Join(parts, ",")
	}
	return o
}

// structType returns the type of a struct or map, or nil after a mistake.
func (o *Object) structType(v any) reflect.Type {
	t, ok := v.(reflect.Type)
	if !ok {
		t = reflect.TypeOf(v)
	}
	if t != nil {
		t = codec.Elem(t)
	}
	if t == nil || t.Kind() != reflect.Struct && t.Kind() != reflect.Map {
		o.definition.problem(fmt.Sprintf("the type %v is not a struct", t), "use a struct such as Args{}, with a field for each property")
		return nil
	}
	return t
}

// For returns the schema of a Go struct or map, given as a value or a [reflect.Type]. It
// derives the schema as [Object.Struct] does.
func For(v any) (*Object, error) {
	o := New().Struct(v)
	w := newWriter()
	w.document(o.definition)
	return o, join(w.problems)
}
