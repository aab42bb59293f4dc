// Package fields finds the fields of servers, tools, resources, prompts and features that a program
// has to set, and hasn't.
package fields

import (
	"reflect"
	"slices"
)

// Walk calls visit for the fields of a struct that are pointers, interfaces or structs, and for
// those of the structs that it embeds, by value or by a pointer. It leaves out structs in an
// embedded field with the tag mcp, whose fields aren't the program's business.
func Walk(of any, visit func(field reflect.StructField, value reflect.Value)) {
	walk(reflect.ValueOf(of), nil, visit)
}

// walk gets the types around the struct too, since a type may embed a pointer to itself.
func walk(of reflect.Value, around []reflect.Type, visit func(field reflect.StructField, value reflect.Value)) {
	if of = reflect.Indirect(of); of.Kind() != reflect.Struct || slices.Contains(around, of.Type()) {
		return
	}
	for i := range of.NumField() {
		value := of.Field(i)
		if kind := value.Kind(); kind != reflect.Pointer && kind != reflect.Interface && kind != reflect.Struct || value.Type().Size() == 0 {
			continue // most bases are empty, and the description of a field takes most of the time
		}
		field := of.Type().Field(i)
		visit(field, value)
		if _, tagged := field.Tag.Lookup("mcp"); field.Anonymous && !tagged {
			walk(value, append(around, of.Type()), visit)
		}
	}
}
