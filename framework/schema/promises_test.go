package schema_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A promise is a Go type whose schema, encoder and decoder must agree.
type promise struct {
	name    string
	of      reflect.Type    // of the struct
	values  []reflect.Value // that it must hold, besides the zero value
	noZero  bool            // whether the schema need not allow the zero value
	own     bool            // whether a decoder of the type may refuse what the schema allows
	loose   bool            // whether a value may be another one after it was encoded and decoded
	refused string          // what the error at boot says; "" if the type is taken
}

// What a schema promises, the codec does: for each kind of Go type in each position,
//
//   - values of the type, when encoded, match the schema;
//   - what the schema allows is decoded, and encoded again it matches the schema;
//   - what is next to it, and the schema forbids, is refused;
//   - a value is the same after it was encoded and decoded;
//
// or the type is refused at boot, with an error that names it.
func TestWhatASchemaPromisesTheCodecDoes(t *testing.T) {
	t.Parallel()
	promises := append(append(placed(), embedded()...), tagged()...)
	const least = 400
	if len(promises) < least {
		t.Errorf("there are %d combinations, want at least %d", len(promises), least)
	}
	seen, refused, wrong := map[string]bool{}, 0, 0
	for _, p := range promises {
		if seen[p.name] {
			t.Errorf("%s is tested twice", p.name)
		}
		seen[p.name] = true
		if p.refused != "" {
			refused++
		}
		if problem := p.check(); problem != "" {
			t.Errorf("%s (%s):\n%s", p.name, p.of, problem)
			if wrong++; wrong == 20 {
				t.Fatal("and perhaps more")
			}
		}
	}
	t.Logf("%d combinations, of which %d are refused at boot", len(promises), refused)
}

// check returns what is wrong with a promise.
func (p promise) check() string {
	validator, err := boot(p.of)
	switch {
	case p.refused != "" && err == nil:
		return "it is taken at boot"
	case p.refused != "" && !strings.Contains(err.Error(), p.refused):
		return fmt.Sprintf("the error at boot lacks %q: %v", p.refused, err)
	case p.refused != "":
		return ""
	case err != nil:
		return "it is refused at boot: " + err.Error()
	}
	values := p.values
	if !p.noZero {
		values = append(values, reflect.Zero(p.of))
	}
	for _, value := range values {
		if problem := p.roundTrip(validator, value); problem != "" {
			return fmt.Sprintf("%s\nof %+v, with the schema %s", problem, value, validator.Schema())
		}
	}
	allowed, forbidden := samplesOf(validator.Schema())
	taken := 0
	for _, sample := range allowed {
		violations := validator.Validate([]byte(sample.text))
		switch {
		case violations == nil:
			taken++
			if problem := p.decode(validator, sample.text); problem != "" {
				return fmt.Sprintf("%s, the schema allows %s:\n%s", validator.Schema(), sample.text, problem)
			}
		case !sample.doubtful:
			return fmt.Sprintf("%s allows %s, but it is refused: %v", validator.Schema(), sample.text, violations)
		}
	}
	if taken == 0 {
		return fmt.Sprintf("no sample of %s is valid: %v", validator.Schema(), allowed)
	}
	for _, text := range forbidden {
		if validator.Validate([]byte(text)) == nil {
			return fmt.Sprintf("%s forbids %s, which is taken", validator.Schema(), text)
		}
	}
	return ""
}

// boot does what registering a function with the type as argument and result does.
func boot(of reflect.Type) (*schema.Validator, error) {
	object, err := schema.For(of)
	if err != nil {
		return nil, err
	}
	validator, err := object.Compile()
	if err != nil {
		return nil, err
	}
	if err := codec.CheckDecoded(of); err != nil {
		return nil, err
	}
	return validator, codec.CheckEncoded(of)
}

// roundTrip encodes a value, validates it, and decodes it.
func (p promise) roundTrip(validator *schema.Validator, value reflect.Value) string {
	pointer := reflect.New(p.of)
	pointer.Elem().Set(value)
	encoded, err := codec.Marshal(pointer.Interface())
	if err != nil {
		return fmt.Sprintf("it can't be encoded: %v", err)
	}
	if violations := validator.Validate(encoded); violations != nil {
		return fmt.Sprintf("it is encoded as %s: %v", encoded, violations)
	}
	back := reflect.New(p.of)
	if err := codec.UnmarshalInstance(encoded, back.Interface()); err != nil {
		if refusal, ok := codec.RefusalOf(err, p.of); p.own && ok && refusal.Place.Own != nil {
			return ""
		}
		return fmt.Sprintf("it is encoded as %s, which can't be decoded: %v", encoded, err)
	}
	if !p.loose && !same(back.Elem(), value) {
		return fmt.Sprintf("it is encoded as %s, and that is decoded as %+v", encoded, back.Elem())
	}
	return ""
}

// decode decodes a valid sample, and validates what it is encoded as.
func (p promise) decode(validator *schema.Validator, sample string) string {
	pointer := reflect.New(p.of)
	if err := codec.UnmarshalInstance([]byte(sample), pointer.Interface()); err != nil {
		if refusal, ok := codec.RefusalOf(err, p.of); p.own && ok && refusal.Place.Own != nil {
			return ""
		}
		return fmt.Sprintf("it can't be decoded: %v", err)
	}
	encoded, err := codec.Marshal(pointer.Interface())
	if err != nil {
		return fmt.Sprintf("it is decoded as %+v, which can't be encoded: %v", pointer.Elem(), err)
	}
	if p.noZero {
		return "" // what is absent may be written as a zero that the tags forbid
	}
	if violations := validator.Validate(encoded); violations != nil {
		return fmt.Sprintf("it is decoded as %+v and encoded as %s: %v", pointer.Elem(), encoded, violations)
	}
	return ""
}

// same reports whether two values are equal. Nil and empty slices and maps are.
func same(a, b reflect.Value) bool {
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		return false
	}
	if !a.IsValid() {
		return true
	}
	switch a.Kind() {
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if a.Len() != b.Len() {
			return false
		}
		for _, key := range a.MapKeys() {
			if !same(a.MapIndex(key), b.MapIndex(key)) {
				return false
			}
		}
		return true
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return same(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}
