package schema

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/format"
)

// infer describes a Go type on the definition. It gets the named types that enclose t, to
// detect recursion.
func (d *definition) infer(t reflect.Type, within []reflect.Type) {
	t = codec.Elem(t)
	if t.Name() != "" && len(within) > 0 && contains(t, within, &[]reflect.Type{}) {
		d.refer = t
		d.inferForm(formOf(t), t)
		return
	}
	if t.Name() != "" {
		within = append(within[:len(within):len(within)], t)
	}
	d.within = within
	switch encoded, decoded := codec.Encoded(t), codec.Decoded(t); {
	case d.describe(t):
	case t == reflect.TypeFor[time.Time]():
		d.inferForm(formString, t)
		d.put(fromType, "format", []byte(`"date-time"`))
		d.reads = "time"
	case t == reflect.TypeFor[time.Duration]():
		d.inferInteger(math.MinInt64, math.MaxInt64, t)
	case encoded == codec.AsJSON || decoded == codec.AsJSON:
		// Its JSON form isn't known.
	case encoded == codec.AsText || decoded == codec.AsText:
		d.inferForm(formString, t)
	default:
		d.inferKind(t, within)
	}
}

// contains reports whether a type is one of some types, or contains one of them. Types that
// contain each other refer to each other: written out in each other, ten of them would need
// millions of schemas.
func contains(t reflect.Type, some []reflect.Type, seen *[]reflect.Type) bool {
	switch t = codec.Elem(t); {
	case slices.Contains(some, t):
		return true
	case t.Kind() < reflect.Array || t.Kind() == reflect.String || slices.Contains(*seen, t) || codec.Encoded(t) != codec.OfKind || codec.Decoded(t) != codec.OfKind:
		return false
	}
	*seen = append(*seen, t)
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return contains(t.Elem(), some, seen)
	case reflect.Struct:
		for _, f := range codec.Fields(t) {
			if contains(f.Type, some, seen) {
				return true
			}
		}
	}
	return false
}

// formOf returns the form of a type that contains itself.
func formOf(t reflect.Type) form {
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		return formArray
	}
	return formObject
}

// inferForm sets the form of a Go type.
func (d *definition) inferForm(form form, t reflect.Type) {
	d.claim(fromType, form, "the schema of "+t.String())
}

func (d *definition) inferKind(t reflect.Type, within []reflect.Type) {
	switch t.Kind() {
	case reflect.String:
		d.inferForm(formString, t)
	case reflect.Bool:
		d.inferForm(formBoolean, t)
	case reflect.Float32:
		d.inferForm(formNumber, t)
		d.fits = jsonschema.Float32
	case reflect.Float64:
		d.inferForm(formNumber, t)
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
	d.inferForm(formInteger, t)
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

// inferQuoted makes a number the text of a string, as the option string of a json tag does.
func (d *definition) inferQuoted(t reflect.Type) {
	if number := d.forms[fromType]; number != formInteger && number != formNumber {
		return
	}
	d.forms[fromType], d.keywords[fromType], d.fits = formString, nil, jsonschema.AnyWidth
	d.reads = numberFormat(codec.Elem(t))
	pattern := `^(0|-?[1-9][0-9]*)$`
	switch d.reads[0] {
	case 'u':
		pattern = `^(0|[1-9][0-9]*)$`
	case 'f':
		pattern = `^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`
	}
	d.put(fromType, "pattern", codec.AppendQuote(nil, pattern))
}

// numberFormat returns the format of the text of a number, such as int8.
func numberFormat(t reflect.Type) string {
	switch kind := t.Kind(); {
	case kind == reflect.Float32 || kind == reflect.Float64:
		return "float" + strconv.Itoa(t.Bits())
	case kind >= reflect.Uint && kind <= reflect.Uintptr:
		return "uint" + strconv.Itoa(t.Bits())
	}
	return "int" + strconv.Itoa(t.Bits())
}

func (d *definition) inferArray(t reflect.Type, within []reflect.Type) {
	if codec.IsBytes(t) {
		d.inferForm(formString, t)
		d.put(fromType, "contentEncoding", []byte(`"base64"`))
		d.reads = "base64"
		if t.Kind() == reflect.Array {
			d.inferBytes(t.Len())
		}
		return
	}
	d.inferForm(formArray, t)
	if t.Kind() == reflect.Array {
		length := strconv.AppendInt(nil, int64(t.Len()), 10)
		d.put(fromType, "minItems", length)
		d.put(fromType, "maxItems", length)
	}
	item := d.item(fromType, formUnset)
	item.inferNull(t.Elem(), false)
	item.infer(t.Elem(), within)
}

// inferBytes limits a string in base64 to those of a number of bytes: by its length and its
// padding.
func (d *definition) inferBytes(count int) {
	length := strconv.AppendInt(nil, int64((count+2)/3*4), 10)
	d.put(fromType, "minLength", length)
	d.put(fromType, "maxLength", length)
	switch padding := (3 - count%3) % 3; {
	case count == 0:
	case padding == 0:
		d.put(fromType, "pattern", []byte(`"[^=]$"`))
	default:
		d.put(fromType, "pattern", []byte(`"[^=]`+"=="[:padding]+`$"`))
	}
}

// inferNull allows null if a value of the type may be nil. A pointer that is omitted when it
// is nil is never null, but the pointer to which it leads may be.
func (d *definition) inferNull(t reflect.Type, omitted bool) {
	if omitted && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	d.nullable[fromType] = t.Kind() == reflect.Pointer
}

// aboutNames begins the description of a map whose names have a format.
const aboutNames = "The name of each member is "

func (d *definition) inferMap(t reflect.Type, within []reflect.Type) {
	key := d.child()
	key.infer(t.Key(), within)
	switch kind := t.Key().Kind(); {
	case kind >= reflect.Int && kind <= reflect.Uintptr:
		key.inferQuoted(t.Key())
	case kind == reflect.Pointer || codec.IsBytes(t.Key()) || key.forms[fromType] != formString && kind != reflect.String:
		d.problem("the type "+t.String()+" has keys that can't be written as JSON names", "use string keys")
		return
	}
	d.inferForm(formObject, t)
	if len(key.keywords[fromType]) > 0 && key.reads == "" && d.keys == nil { // the keys describe themselves
		d.keys = key
	}
	if d.readsKeys = key.reads; d.readsKeys != "" { // and not propertyNames, for which clients of Gemini refuse the whole list
		d.put(fromType, "description", codec.AppendQuote(nil, aboutNames+format.Describe(d.readsKeys)+"."))
	}
	if d.additional == nil {
		d.additional = d.child()
	}
	d.additional.inferNull(t.Elem(), false)
	d.additional.infer(t.Elem(), within)
}

func (d *definition) inferStruct(t reflect.Type, within []reflect.Type) {
	d.inferForm(formObject, t)
	d.inferFields(t, within)
}

func (d *definition) inferFields(t reflect.Type, within []reflect.Type) {
	d.mistakes = append(d.mistakes, codec.TagMistakes(t)...)
	for _, f := range codec.Fields(t) {
		child := d.property(f.Name, fromType, formUnset)
		child.field = f
		child.tag += f.Tag.Get("schema")
		child.required[fromType] = f.Type.Kind() != reflect.Pointer && !f.Optional
		child.inferNull(f.Type, f.Omitted)
		child.infer(f.Type, within)
		if f.Quoted {
			child.inferQuoted(f.Type)
		}
		d.mistakes = append(d.mistakes, foreignTags(f)...)
	}
}

// try sends values of the Go types, and a sample of the schema of d, through the codec. It
// returns what the codec refuses, although the schema promises it.
func (w *writer) try(d *definition, validator *jsonschema.Validator) []*jsonschema.Problem {
	const fix = "change the type, its tags, or the schema that describes it"
	for _, t := range w.goTypes {
		if err := codec.Try(t); err != nil {
			return []*jsonschema.Problem{{Problem: err.Error(), Fix: fix}}
		}
	}
	if d.goType == nil {
		return nil
	}
	sample, ok := validator.Sample()
	if !ok {
		return nil
	}
	err := codec.UnmarshalInstance(sample, reflect.New(d.goType).Interface())
	refusal, ok := codec.RefusalOf(err, d.goType)
	if !ok || refusal.Place.Own != nil || refusal.OneWay || !d.isInferred(refusal.Pointer) {
		return nil // a result may be of a type that is never decoded
	}
	problem := fmt.Sprintf("the schema allows %s, but the field %s of %s is of type %s", refusal.Have, refusal.Place.Field, refusal.Place.Owner, refusal.Type)
	if refusal.Place.Owner == nil {
		problem = fmt.Sprintf("the schema allows %s, but the type is %s", refusal.Have, refusal.Type)
	}
	return []*jsonschema.Problem{{Path: refusal.Pointer, Problem: problem, Fix: fix}}
}
