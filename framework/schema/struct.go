package schema

import (
	"reflect"
	"slices"
	"strings"
)

// Struct adds the properties of a Go struct, given as a value, a pointer, or a
// [reflect.Type]. A field's name comes from its json tag, as in package encoding/json,
// and embedded structs are flattened. A field is required unless it is a pointer, has
// omitempty or omitzero, or has a default. A pointer without omitempty may also be null,
// since a nil pointer encodes as null.
//
// A schema tag adds keywords to a field. Commas separate the keys, and vertical bars the
// values of a list:
//
//	Email string   `json:"email" schema:"description='Where to write to, if needed.',format=email"`
//	Unit  string   `json:"unit" schema:"enum=celsius|fahrenheit,default=celsius"`
//	Tags  []string `json:"tags,omitempty" schema:"unique,maxItems=5"`
//
// A value in single quotes may contain commas; write a single quote in it twice. The keys
// are title, description, format, pattern, minLength, maxLength, min, max, exclusiveMin,
// exclusiveMax, multipleOf, enum, const, default, examples, minItems, maxItems, unique,
// minProperties, maxProperties, required, nullable, deprecated and header. The default of
// an array or object is JSON.
//
// The tag jsonschema is a description, as in go-sdk: jsonschema:"Where to write to."
// Keywords in it, as in other libraries, are a mistake, and so are the tags
// jsonschema_description and jsonschema_extras.
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
//	encoding.TextMarshaler           string
//	json.Marshaler, interfaces       anything; describe it on the builder
//
// Recursive types are a mistake, as are functions, channels and complex numbers.
func (o *Object) Struct(v any) *Object {
	t, ok := v.(reflect.Type)
	if !ok {
		t = reflect.TypeOf(v)
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct && t.Kind() != reflect.Map {
		o.definition.problem("Struct is called with something that is not a struct", "pass a struct such as Args{}")
		return o
	}
	o.definition.infer(t, nil)
	if o.definition.forms[fromType] != formObject {
		o.definition.problem("the type "+t.String()+" is not written as a JSON object", "pass a plain struct")
	}
	return o
}

// For returns the schema of a Go struct or map, given as a value or a [reflect.Type]. It
// derives the schema as [Object.Struct] does.
func For(v any) (*Object, error) {
	o := New().Struct(v)
	w := newWriter()
	w.definition(nil, "", o.definition, false)
	return o, join(w.problems)
}

// A field is one struct field that is encoded as JSON.
type field struct {
	name     string
	named    bool // by its tag
	depth    int
	optional bool // by omitempty, omitzero, or an embedded pointer
	quoted   bool // the number is written as a string
	twin     bool // another field of the same struct has the name, which the codec refuses
	field    reflect.StructField
}

// visible returns the fields that are encoded, in order. If several have the same name,
// the least nested one wins, then the only one named by a tag; otherwise none does.
func visible(all []field) []field {
	var kept []field
	for i, f := range all {
		hidden := false
		for j, other := range all {
			hidden = hidden || i != j && other.name == f.name &&
				(other.depth < f.depth || other.depth == f.depth && (other.named || !f.named))
		}
		if !hidden {
			kept = append(kept, f)
		}
	}
	return kept
}

// gather returns the fields, including those of embedded structs.
func gather(t reflect.Type, depth int, optional bool, within []reflect.Type) []field {
	if slices.Contains(within, t) {
		return nil
	}
	within = append(within[:len(within):len(within)], t)
	var all []field
	own := map[string]bool{}
	for i := range t.NumField() {
		sf := t.Field(i)
		tag := sf.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if tag == "-" {
			continue
		}
		embedded := sf.Type
		if embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		if sf.Anonymous && name == "" && isPlainStruct(embedded) {
			all = append(all, gather(embedded, depth+1, optional || sf.Type.Kind() == reflect.Pointer, within)...)
			continue
		}
		if !sf.IsExported() {
			continue
		}
		f := field{name: name, named: name != "", depth: depth, optional: optional, field: sf}
		if name == "" {
			f.name = sf.Name
		}
		f.twin, own[f.name] = own[f.name], true
		for option := range strings.SplitSeq(options, ",") {
			f.optional = f.optional || option == "omitempty" || option == "omitzero"
			f.quoted = f.quoted || option == "string"
		}
		all = append(all, f)
	}
	return all
}
