package codec

import (
	"fmt"
	"reflect"
)

// CheckTarget returns what keeps every object from being decoded into v, nil if nothing
// does: a mistake of the program, which no sender can mend.
func CheckTarget(v any) error {
	target := reflect.ValueOf(v)
	t := reflect.TypeOf(v)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if target.Kind() == reflect.Pointer && !target.IsNil() && takesObjects(t) {
		return nil
	}
	return fmt.Errorf("%T is not a pointer to a struct; pass the address of one", v)
}

// takesObjects reports whether an object may be decoded into a type.
func takesObjects(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Interface:
		return true
	}
	for _, own := range []string{"UnmarshalJSON", "UnmarshalJSONFrom"} {
		if _, ok := reflect.PointerTo(t).MethodByName(own); ok {
			return true
		}
	}
	return false
}
