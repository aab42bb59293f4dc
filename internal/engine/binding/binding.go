// Package binding sets the fields of a struct from texts, such as the arguments of a
// prompt or the variables of a URI template. A struct tag gives the name of a field's
// text.
package binding

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
)

// Set sets the fields of v, a pointer to a struct, that have the tag. It calls lookup
// with the tag's value up to a comma. If lookup reports false, the field keeps its value.
// Fields may be strings, integers, floats, booleans, types with an UnmarshalText method,
// and pointers to these. Set also sets the fields of embedded structs.
//
// The error for a text that doesn't fit its field is a [*ValueError]. Any other error is
// a mistake in the struct, such as no field with the tag.
func Set(v any, tag string, lookup func(name string) (string, bool)) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() || target.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("binding: %T is not a pointer to a struct; pass the address of one", v)
	}
	tagged := false
	err := setStruct(target.Elem(), tag, func(name string) (string, bool) {
		tagged = true
		return lookup(name)
	})
	if err == nil && !tagged {
		return fmt.Errorf("binding: %T has no field with the tag %s, so nothing can be set; write one, such as `%s:\"name\"`", v, tag, tag)
	}
	return err
}

func setStruct(target reflect.Value, tag string, lookup func(string) (string, bool)) error {
	for field, value := range target.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get(tag), ",")
		if name == "" && field.Anonymous {
			if err := setEmbedded(field, value, tag, lookup); err != nil {
				return err
			}
			continue
		}
		if name == "" || name == "-" {
			continue
		}
		if !field.IsExported() {
			return fmt.Errorf("binding: the field %s of %s has the tag %s, but is not exported", field.Name, target.Type(), tag)
		}
		text, ok := lookup(name)
		if !ok {
			continue
		}
		if err := setField(target.Type(), field, value, name, text); err != nil {
			return err
		}
	}
	return nil
}

// setEmbedded sets the fields of an embedded struct. It replaces a nil pointer only if
// lookup has a text for one of its fields.
func setEmbedded(field reflect.StructField, value reflect.Value, tag string, lookup func(string) (string, bool)) error {
	kind := field.Type
	if kind.Kind() == reflect.Struct {
		return setStruct(value, tag, lookup)
	}
	if kind.Kind() != reflect.Pointer || kind.Elem().Kind() != reflect.Struct {
		return nil
	}
	if !value.IsNil() {
		return setStruct(value.Elem(), tag, lookup)
	}
	found := false
	fresh := reflect.New(kind.Elem())
	err := setStruct(fresh.Elem(), tag, func(name string) (string, bool) {
		text, ok := lookup(name)
		found = found || ok
		return text, ok
	})
	if err != nil || !found {
		return err
	}
	if !value.CanSet() {
		return fmt.Errorf("binding: the embedded pointer %s is not exported; embed the struct itself", field.Name)
	}
	value.Set(fresh)
	return nil
}

func setField(owner reflect.Type, field reflect.StructField, value reflect.Value, name, text string) error {
	for value.Kind() == reflect.Pointer && !value.Type().Implements(unmarshaler()) {
		if value.IsNil() {
			value.Set(reflect.New(value.Type().Elem()))
		}
		value = value.Elem()
	}
	want, err := setText(value, text)
	switch {
	case want == "":
		return fmt.Errorf("binding: the field %s of %s is of type %s; it must be a string, a number, a bool or have UnmarshalText", field.Name, owner, field.Type)
	case err != nil:
		return &ValueError{Field: field.Name, Name: name, Value: text, Want: want, Err: err}
	}
	return nil
}

func unmarshaler() reflect.Type { return reflect.TypeFor[encoding.TextUnmarshaler]() }
