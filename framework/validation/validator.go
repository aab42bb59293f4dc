// Package validation checks the structs that a tool's arguments are bound to, with the
// rules of go-playground/validator:
//
//	type args struct {
//		Start time.Time `json:"start" validate:"required"`
//		End   time.Time `json:"end" validate:"gtfield=Start"`
//	}
//
// It is for rules that a schema can't express, such as a comparison of two fields. Set it
// in config/app.go:
//
//	Validator: validation.New(),
//
// request.Bind then uses it. The model reads its errors, which name the JSON arguments.
package validation

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/go-playground/validator/v10"
)

// A Validator checks structs by their validate tags.
type Validator struct {
	engine func() *validator.Validate // made on first use: it is costly, and many programs never bind
}

// New returns a validator. It is safe for concurrent use.
func New() *Validator {
	return &Validator{sync.OnceValue(func() *validator.Validate {
		return validator.New(validator.WithRequiredStructEnabled())
	})}
}

// An Error lists the problems of a struct, for the model.
type Error struct{ Problems []string }

// Error returns the problems as a list.
func (e *Error) Error() string { return strings.Join(e.Problems, "; ") }

// Validate checks a struct or a pointer to one. Its error is an [*Error]. Any other value
// is valid.
func (v *Validator) Validate(value any) error {
	err := v.engine().Struct(value)
	var fields validator.ValidationErrors
	var unfit *validator.InvalidValidationError
	switch {
	case err == nil, errors.As(err, &unfit):
		return nil
	case !errors.As(err, &fields):
		return err
	}
	problems := make([]string, len(fields))
	for i, field := range fields {
		problems[i] = explain(field, locate(reflect.TypeOf(value), field.StructNamespace()))
	}
	return &Error{problems}
}

// explain describes the rule that the field at a place violates.
func explain(field validator.FieldError, at place) string {
	name := at.path
	unit := ""
	switch field.Kind() {
	case reflect.String:
		unit = " characters"
	case reflect.Slice, reflect.Map, reflect.Array:
		unit = " items"
	}
	param := field.Param()
	switch field.Tag() {
	case "required", "required_if", "required_unless", "required_with", "required_without":
		return name + " is required"
	case "min", "gte":
		return fmt.Sprintf("%s must be at least %s%s", name, param, unit)
	case "max", "lte":
		return fmt.Sprintf("%s must be at most %s%s", name, param, unit)
	case "gt":
		return fmt.Sprintf("%s must be more than %s%s", name, param, unit)
	case "lt":
		return fmt.Sprintf("%s must be less than %s%s", name, param, unit)
	case "len":
		return fmt.Sprintf("%s must be exactly %s%s", name, param, unit)
	case "oneof":
		return fmt.Sprintf("%s must be one of: %s", name, strings.Join(strings.Fields(param), ", "))
	case "email", "url", "uri", "uuid", "uuid4", "ip", "ipv4", "ipv6", "hostname", "datetime", "alphanum", "alpha", "numeric":
		return fmt.Sprintf("%s must be a valid %s", name, field.Tag())
	case "eqfield", "nefield", "gtfield", "gtefield", "ltfield", "ltefield":
		words := map[string]string{
			"eqfield": "equal to", "nefield": "different from", "gtfield": "more than", "gtefield": "at least", "ltfield": "less than", "ltefield": "at most",
		}
		return fmt.Sprintf("%s must be %s the argument %s", name, words[field.Tag()], at.sibling(param))
	}
	if param != "" {
		return fmt.Sprintf("%s violates the rule %s=%s", name, field.Tag(), param)
	}
	return fmt.Sprintf("%s violates the rule %s", name, field.Tag())
}
