package schema

import (
	"encoding"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonschema"
)

// infer describes a Go type on the definition. It gets the types that enclose t, to
// detect recursion.
func (d *definition) infer(t reflect.Type, within []reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if slices.Contains(within, t) {
		d.problem("the type "+t.String()+" contains itself", "describe it with Raw, using $defs and $ref")
		return
	}
	within = append(within[:len(within):len(within)], t)
	switch {
	case t == reflect.TypeFor[time.Time]():
		d.inferForm(formString, "the schema of "+t.String())
		d.put(fromType, "format", []byte(`"date-time"`))
	case t == reflect.TypeFor[time.Duration]():
		d.inferInteger(math.MinInt64, math.MaxInt64, t)
	case writesJSON(t):
		// Its JSON form isn't known.
	case writesText(t):
		d.inferForm(formString, "the schema of "+t.String())
	default:
		d.inferKind(t, within)
	}
}

// inferForm sets the form of a Go type.
func (d *definition) inferForm(form form, what string) { d.claim(fromType, form, what) }

func (d *definition) inferKind(t reflect.Type, within []reflect.Type) {
	what := "the schema of " + t.String()
	switch t.Kind() {
	case reflect.String:
		d.inferForm(formString, what)
	case reflect.Bool:
		d.inferForm(formBoolean, what)
	case reflect.Float32, reflect.Float64:
		d.inferForm(formNumber, what)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.inferInteger(-1<<(t.Bits()-1), 1<<(t.Bits()-1)-1, t)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		d.inferInteger(0, math.MaxUint64>>(64-t.Bits()), t)
	case reflect.Slice, reflect.Array:
		d.inferArray(t, within)
	case reflect.Map:
		d.inferMap(t, within)
	case reflect.Struct:
		d.inferStruct(t, within)
	case reflect.Interface:
	default:
		d.problem("the type "+t.String()+" can't be written as JSON", "leave the field out with json:\"-\", or change its type")
	}
}

// inferInteger sets the bounds of a Go integer type. The bounds of 64-bit types are
// checked but not sent to clients, since they don't help the reader.
func (d *definition) inferInteger(least int64, most uint64, t reflect.Type) {
	d.inferForm(formInteger, "the schema of "+t.String())
	if least == 0 {
		d.put(fromType, "minimum", []byte("0"))
	}
	switch most {
	case math.MaxUint64:
		d.fits = jsonschema.Unsigned64
	case math.MaxInt64:
		d.fits = jsonschema.Signed64
	default:
		d.put(fromType, "minimum", strconv.AppendInt(nil, least, 10))
		d.put(fromType, "maximum", strconv.AppendUint(nil, most, 10))
	}
}

func (d *definition) inferArray(t reflect.Type, within []reflect.Type) {
	what := "the schema of " + t.String()
	if t.Elem().Kind() == reflect.Uint8 && !writesText(t.Elem()) && !writesJSON(t.Elem()) {
		d.inferForm(formString, what)
		d.put(fromType, "contentEncoding", []byte(`"base64"`))
		return
	}
	d.inferForm(formArray, what)
	if t.Kind() == reflect.Array {
		length := strconv.AppendInt(nil, int64(t.Len()), 10)
		d.put(fromType, "minItems", length)
		d.put(fromType, "maxItems", length)
	}
	item := d.item(fromType, formUnset)
	item.nullable[fromType] = t.Elem().Kind() == reflect.Pointer
	item.infer(t.Elem(), within)
}

func (d *definition) inferMap(t reflect.Type, within []reflect.Type) {
	switch t.Key().Kind() {
	case reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
	default:
		if !writesText(t.Key()) {
			d.problem("the type "+t.String()+" has keys that can't be written as JSON names", "use string keys")
			return
		}
	}
	d.inferForm(formObject, "the schema of "+t.String())
	if d.additional == nil {
		d.additional = &definition{}
	}
	d.additional.nullable[fromType] = t.Elem().Kind() == reflect.Pointer
	d.additional.infer(t.Elem(), within)
}

func (d *definition) inferStruct(t reflect.Type, within []reflect.Type) {
	d.inferForm(formObject, "the schema of "+t.String())
	all := gather(t, 0, false, nil)
	for _, f := range all {
		if f.twin {
			d.problem("two fields of "+t.String()+" have the JSON name "+codec.Quote(f.name), "give each a name of its own by its json tag")
		}
	}
	for _, f := range visible(all) {
		child := d.property(f.name, fromType, formUnset)
		child.tag += f.field.Tag.Get("schema")
		pointer := f.field.Type.Kind() == reflect.Pointer
		child.required[fromType] = !pointer && !f.optional
		child.nullable[fromType] = pointer && !f.optional
		child.infer(f.field.Type, within)
		if form := child.forms[fromType]; f.quoted && (form == formInteger || form == formNumber) {
			child.forms[fromType], child.keywords[fromType], child.fits = formString, nil, jsonschema.AnyWidth
		}
		child.inferDescription(f.field)
	}
}

// isPlainStruct reports whether the type is a struct whose JSON form is its fields.
func isPlainStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]() && !writesJSON(t) && !writesText(t)
}

// writesJSON reports whether the type has its own JSON form.
func writesJSON(t reflect.Type) bool {
	for _, method := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalJSONTo", "UnmarshalJSONFrom"} {
		if _, ok := reflect.PointerTo(t).MethodByName(method); ok && t.Kind() != reflect.Interface {
			return true
		}
	}
	return false
}

// writesText reports whether the JSON form of the type is the text that it marshals to.
func writesText(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	return t.Kind() != reflect.Interface && (pointer.Implements(reflect.TypeFor[encoding.TextMarshaler]()) ||
		pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()))
}
