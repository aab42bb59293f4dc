package codec

import (
	"fmt"
	"reflect"
	"slices"
)

// Try sends two values of a type through the codec both ways: the zero value, and one in which
// every field, item and member is set (see [Filled]). It returns an error if the codec refuses
// the type.
//
// A method of the program may refuse these values, or panic: a type need not have a zero value
// that can be written. That is no error.
func Try(t reflect.Type) error {
	for _, value := range []reflect.Value{reflect.New(t), Filled(t)} {
		if err := roundTrip(value); err != nil {
			return err
		}
	}
	return nil
}

// roundTrip encodes the value to which a pointer leads, and decodes it.
func roundTrip(pointer reflect.Value) error {
	t := pointer.Type().Elem()
	refusal, ok := RefusalOf(sendBothWays(pointer), t)
	if !ok || refusal.Place.Own != nil || hasOwnForm(Elem(refusal.Type)) {
		return nil
	}
	place, of := refusal.Place, Elem(refusal.Type)
	if of.Kind() == reflect.Struct {
		if mistakes := TagMistakes(of); mistakes != nil {
			return fmt.Errorf("%s; %s", mistakes[0].Problem, mistakes[0].Fix)
		}
	}
	what := fmt.Sprintf("%s can't be encoded and decoded", of)
	if place.Owner != nil {
		what = fmt.Sprintf("the field %s of %s can't be encoded and decoded", place.Field, place.Owner)
	}
	if refusal.Err == nil {
		return fmt.Errorf("%s; leave it out with json:\"-\", or change its type", what)
	}
	return fmt.Errorf("%s: %w", what, refusal.Err)
}

// sendBothWays returns the error of the codec. It ignores a panic of a method of the program.
func sendBothWays(pointer reflect.Value) (err error) {
	defer func() { _ = recover() }()
	data, err := Marshal(pointer.Interface())
	if err != nil {
		return err
	}
	return Unmarshal(data, reflect.New(pointer.Type().Elem()).Interface())
}

// Filled returns a pointer to a value of a type in which every field, item and member is set.
// Types that encode or decode themselves keep their zero value. A type that contains itself
// is filled once, and a large value only in part.
func Filled(t reflect.Type) reflect.Value {
	const most = 1000
	f := filling{left: most}
	pointer := reflect.New(t)
	f.fill(pointer.Elem(), nil)
	return pointer
}

// A filling fills one value. It counts the values that it may still set.
type filling struct{ left int }

// fill sets a value, which is inside values of the types within.
func (f *filling) fill(v reflect.Value, within []reflect.Type) {
	t := v.Type()
	if f.left--; f.left < 0 || hasOwnForm(t) || slices.Contains(within, t) {
		return
	}
	if t.Name() != "" {
		within = append(within[:len(within):len(within)], t)
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("a")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1)
	case reflect.Interface:
		if t.NumMethod() == 0 {
			v.Set(reflect.ValueOf("a"))
		}
	case reflect.Pointer:
		if !slices.Contains(within, Elem(t)) {
			v.Set(reflect.New(t.Elem()))
			f.fill(v.Elem(), within)
		}
	case reflect.Slice:
		if !slices.Contains(within, Elem(t.Elem())) {
			v.Set(reflect.MakeSlice(t, 1, 1))
			f.fill(v.Index(0), within)
		}
	case reflect.Array:
		for i := range t.Len() {
			f.fill(v.Index(i), within)
		}
	case reflect.Map:
		if !slices.Contains(within, Elem(t.Elem())) {
			key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			f.fill(key, within)
			f.fill(value, within)
			v.Set(reflect.MakeMap(t))
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if field := t.Field(i); field.Tag.Get("json") != "-" && (v.Field(i).CanSet() || field.Anonymous && field.Type.Kind() == reflect.Struct) {
				f.fill(v.Field(i), within)
			}
		}
	}
}
