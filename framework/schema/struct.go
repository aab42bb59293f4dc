package schema

import (
	"reflect"
	"slices"
	"strings"
)

// Struct adds the properties of a Go struct: a value, a pointer, or a [reflect.Type]. The json tag of a field gives the
// name, as package encoding/json reads it, with embedded structs flattened. A field is required unless it is a
// pointer, has omitempty or omitzero, or has a default. A pointer without omitempty may also be null, as that is how
// nil is written.
//
// A schema tag refines a field, with keys separated by commas and the values of lists by bars:
//
//	Email string   `json:"email" schema:"description='Where to write to, if needed.',format=email"`
//	Unit  string   `json:"unit" schema:"enum=celsius|fahrenheit,default=celsius"`
//	Tags  []string `json:"tags,omitempty" schema:"unique,maxItems=5"`
//
// A value in single quotes may hold commas; two single quotes in it are one. The keys are title, description, format,
// pattern, minLength, maxLength, min, max, exclusiveMin, exclusiveMax, multipleOf, enum, const, default, examples,
// minItems, maxItems, unique, minProperties, maxProperties, required, nullable, deprecated and header. The default of
// an array or object is JSON.
//
// The tag jsonschema, as of go-sdk, is a description: jsonschema:"Where to write to." If it holds keywords, as other
// libraries write them, that is a mistake; so are jsonschema_description and jsonschema_extras.
//
// Calls on the builder, before or after, refine the same properties. A tag wins over them.
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
//	json.Marshaler, interfaces       anything: say more on the builder
//
// Types that contain themselves are a mistake, as are functions, channels and complex numbers.
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

// For returns the schema of a Go struct or map as [Object.Struct] makes it, from a value or a [reflect.Type].
func For(v any) (*Object, error) {
	o := New().Struct(v)
	w := newWriter()
	w.definition(nil, "", o.definition, false)
	return o, join(w.problems)
}

// A field is one struct field that is written to JSON.
type field struct {
	name     string
	named    bool // by its tag
	depth    int
	optional bool // by omitempty, omitzero, or an embedded pointer
	quoted   bool // the number is written as a string
	twin     bool // another field of the same struct has the name, which the codec refuses
	field    reflect.StructField
}

// visible returns the fields that are encoded, in order. Of several with one name, the least nested wins, then the only
// one named by a tag; otherwise none does.
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
