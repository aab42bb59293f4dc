package codec

import (
	goencoding "encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// A Field is a struct field into which a member of a JSON object is decoded.
type Field struct {
	Name   string // of the member
	GoName string
	Type   reflect.Type
	Tagged bool // whether a json tag sets the name
}

// Fields returns the fields of a struct, including those of embedded structs.
func Fields(t reflect.Type) []Field { return fields(t, nil) }

func fields(t reflect.Type, within []reflect.Type) (all []Field) {
	if slices.Contains(within, t) {
		return nil
	}
	for field := range t.Fields() {
		tag := field.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		if embedded := elem(field.Type); field.Anonymous && name == "" && tag != "-" && embedded.Kind() == reflect.Struct {
			all = append(all, fields(embedded, append(within, t))...)
			continue
		}
		if tag == "-" || !field.IsExported() {
			continue
		}
		f := Field{Name: name, GoName: field.Name, Type: field.Type, Tagged: name != ""}
		if name == "" {
			f.Name = field.Name
		}
		all = append(all, f)
	}
	return all
}

// FieldAt returns the innermost struct field into which the value at a JSON Pointer is
// decoded, and its struct. Exact reports whether the field has that value itself, and not a
// value that contains it. The owner is nil if there is no such field.
func FieldAt(t reflect.Type, pointer string) (name string, owner reflect.Type, exact bool) {
	exact = pointer == ""
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		t = elem(t)
		switch t.Kind() {
		case reflect.Struct:
			i := slices.IndexFunc(Fields(t), func(f Field) bool { return f.Name == token })
			if i < 0 {
				return name, owner, false
			}
			field := Fields(t)[i]
			name, owner, exact, t = field.GoName, t, true, field.Type
		case reflect.Slice, reflect.Array, reflect.Map:
			exact, t = false, t.Elem()
		default:
			return name, owner, exact
		}
	}
	return name, owner, exact
}

// CheckFields returns an error for each field of a struct and of nested structs that can't
// be decoded, although a schema of its type lets clients send values for it.
func CheckFields(t reflect.Type) error { return checkFields(elem(t), nil) }

func checkFields(t reflect.Type, within []reflect.Type) error {
	if t.Kind() != reflect.Struct || slices.Contains(within, t) || decodesItself(t) {
		return nil
	}
	var problems []error
	for _, field := range Fields(t) {
		of := elem(field.Type)
		for !decodesItself(of) && (of.Kind() == reflect.Slice || of.Kind() == reflect.Array || of.Kind() == reflect.Map) {
			of = elem(of.Elem())
		}
		what := fmt.Sprintf("the field %s of %s", field.GoName, t)
		switch {
		case decodesItself(of):
		case of.Kind() == reflect.Interface && of.NumMethod() > 0:
			problems = append(problems, fmt.Errorf("%s is of the interface type %s, which can't be decoded; use a struct, or any", what, of))
		case reflect.PointerTo(of).Implements(reflect.TypeFor[goencoding.TextMarshaler]()):
			problems = append(problems, fmt.Errorf("%s is of type %s, which is written as a text by MarshalText, but can't be read from one; give *%s an UnmarshalText method", what, of, of))
		default:
			problems = append(problems, checkFields(of, append(within, t)))
		}
	}
	return errors.Join(problems...)
}

// decodesItself reports whether a type has its own decoder.
func decodesItself(t reflect.Type) bool {
	if t.Kind() == reflect.Interface {
		return false
	}
	pointer := reflect.PointerTo(t)
	return pointer.Implements(reflect.TypeFor[goencoding.TextUnmarshaler]()) || pointer.Implements(reflect.TypeFor[json.Unmarshaler]()) ||
		pointer.Implements(reflect.TypeFor[json.UnmarshalerFrom]())
}

func elem(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
