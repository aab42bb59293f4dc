package validation

import (
	"reflect"
	"strings"
)

// A place is the position of a field: its path in JSON names, and the struct that
// contains it.
type place struct {
	path   string
	parent reflect.Type
}

// locate follows a path of Go names, such as Booking.Windows[1].ClosesAt, through
// the types, from the struct at the top or a pointer to it.
func locate(top reflect.Type, namespace string) place {
	at := place{parent: structOf(top)}
	namespace = strings.TrimPrefix(namespace, at.parent.Name()+".")
	for t := at.parent; namespace != "" && t.Kind() == reflect.Struct; {
		at.parent = t
		name := namespace[:indexAny(namespace, "[.")]
		namespace = namespace[len(name):]
		field, ok := t.FieldByName(name)
		if !ok {
			break
		}
		index := namespace[:endOfIndex(namespace)]
		namespace = strings.TrimPrefix(namespace[len(index):], ".")
		if t = structOf(field.Type); field.Anonymous && jsonName(field) == field.Name {
			continue // its fields are in the outer JSON object
		}
		at.path += "." + jsonName(field) + index
	}
	at.path = strings.TrimPrefix(at.path, ".")
	return at
}

// sibling returns the JSON name of another field of the same struct.
func (p place) sibling(name string) string {
	if field, ok := p.parent.FieldByName(name); ok {
		return jsonName(field)
	}
	return name
}

// structOf returns the element type of pointers and containers, however nested.
func structOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t
}

// jsonName returns a field's name in JSON.
func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "" || name == "-" {
		return field.Name
	}
	return name
}

func indexAny(text, chars string) int {
	if i := strings.IndexAny(text, chars); i >= 0 {
		return i
	}
	return len(text)
}

// endOfIndex returns the length of the indexes, such as [1][a.b], at the beginning of
// text.
func endOfIndex(text string) int {
	n := 0
	for strings.HasPrefix(text[n:], "[") {
		end := strings.IndexByte(text[n:], ']')
		if end < 0 {
			break
		}
		n += end + 1
	}
	return n
}
