package tools

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A Request is a tool call. Its arguments have been validated against the tool's schema,
// and the schema's defaults are filled in.
//
// The getters return an argument by its name. If it is absent or null, they return
// orElse, or the zero value without one. An argument of another type counts as absent;
// use the schema to refuse it. A name that a closed schema doesn't declare is a mistake:
// it is logged once, and package mcptest fails the test. If Int or Float can't represent
// a number, the call fails with an error that names the argument, whatever the handler
// returns. Built schemas refuse most such numbers before the handler runs.
//
// The getters may be called only from the handler's goroutine. Read the arguments that
// other goroutines need before starting them.
type Request struct {
	exchange.Request
	members []member
	parsed  bool
}

// input returns the client's input, as checked by the engine.
func (r *Request) input() *request.Input { return &(*request.Request)(&r.Request).Call().Facts().Input }

type member struct {
	name  string
	value codec.Value
}

// A Validator checks a struct that Bind has filled, beyond the schema. The model reads
// its error. Package validation has an implementation.
type Validator interface {
	Validate(v any) error
}

// Has reports whether an argument is present and isn't null.
func (r *Request) Has(name string) bool { return r.find(name) != nil }

// Raw returns an argument as JSON, or nil if it is absent. The caller must not modify it.
func (r *Request) Raw(name string) []byte { return r.find(name) }

// Arguments returns all arguments as a JSON object. The caller must not modify it. It is
// valid until the handler returns.
func (r *Request) Arguments() []byte { return r.input().Arguments }

// String returns a string argument.
func (r *Request) String(name string, orElse ...string) string {
	if text, ok := codec.Unquote(r.find(name)); ok {
		return text
	}
	return first(orElse)
}

// Int returns an integer argument; 3.0 is an integer. The call fails if the number has a
// fraction or doesn't fit an int.
func (r *Request) Int(name string, orElse ...int) int {
	value := r.find(name)
	if n, ok := codec.Int(value); ok {
		return n
	}
	r.misread(name, value, fmt.Sprintf("an integer from %d to %d", math.MinInt, math.MaxInt))
	return first(orElse)
}

// Float returns the float64 nearest to a number argument. The call fails if the number is
// outside the range of float64.
func (r *Request) Float(name string, orElse ...float64) float64 {
	value := r.find(name)
	if f, ok := codec.Float(value); ok {
		return f
	}
	r.misread(name, value, "a number that fits a floating-point number of 64 bits")
	return first(orElse)
}

// misread makes the call fail if an argument is a number.
func (r *Request) misread(name string, value []byte, want string) {
	if input := r.input(); codec.IsNumber(value) && input.Misread == nil {
		input.Misread = Errorf("The arguments are not valid: %s must be %s", name, want)
	}
}

// Bool returns a boolean argument.
func (r *Request) Bool(name string, orElse ...bool) bool {
	switch string(r.find(name)) {
	case "true":
		return true
	case "false":
		return false
	}
	return first(orElse)
}

// Strings returns an argument that is an array of strings.
func (r *Request) Strings(name string, orElse ...string) []string {
	var list []string
	if value := r.find(name); value == nil || codec.Unmarshal(value, &list) != nil {
		return orElse
	}
	return list
}

// Get decodes an argument of any type into v. It returns false and leaves v unchanged if
// the argument is absent. It returns an error if the argument doesn't fit v; return that
// error unchanged, as with [Request.Bind].
func (r *Request) Get(name string, v any) (bool, error) {
	value := r.find(name)
	if value == nil {
		return false, nil
	}
	err := r.decode("Get", "/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), value, v)
	if target := reflect.ValueOf(v); err != nil && (target.Kind() != reflect.Pointer || target.IsNil()) {
		return true, request.NewMistake("Get(%q): %T is not a pointer; pass the address of a variable", name, v)
	}
	return true, err
}

// Bind decodes all arguments into v, a pointer to a struct, and checks v with
// Config.Validator if that is set. Return its error unchanged. The model gets what a
// validator, or a decoder such as UnmarshalText, refuses; it reads the text of a decoder's
// error only if [Errorf] made that. If v can't hold what the schema accepts, such as a text
// in a field of type int, the error is logged as a failure of the tool, and package mcptest
// fails the test.
func (r *Request) Bind(v any) error {
	if err := r.decode("Bind", "", r.Arguments(), v); err != nil {
		if mistake := codec.CheckTarget(v); mistake != nil {
			return request.NewMistake("Bind: %v", mistake)
		}
		return err
	}
	subject := r.input().Subject
	subject.CheckBinding((*request.Request)(&r.Request).Call(), v)
	validator := subject.Validator
	if validator == nil {
		return nil
	}
	if err := validator.Validate(v); err != nil {
		return Errorf("The arguments are not valid: %w", err)
	}
	return nil
}

// decode decodes the value at a JSON Pointer in the arguments. If the type of v can't hold a
// value that the schema allows, the error is a mistake of the program. Otherwise a decoder of
// the program has refused the value. The model reads that error, without its text, which may
// name Go types, unless it is an [*exchange.PublicError].
func (r *Request) decode(method, pointer string, data []byte, v any) error {
	err := codec.UnmarshalInstance(data, v)
	if err == nil {
		return nil
	}
	if mistake := r.input().Subject.Misfit(method, err, pointer, reflect.TypeOf(v)); mistake != nil {
		return mistake
	}
	if public, ok := errors.AsType[*exchange.PublicError](err); ok {
		refusal, _ := codec.RefusalOf(err, reflect.TypeOf(v))
		return Errorf("The arguments are not valid: %s: %w", pointer+refusal.Pointer, public)
	}
	return Errorf("The arguments are not valid: %s", codec.Explain(err, pointer))
}

// find returns the raw argument with the name, or nil if it is absent or null. The
// arguments are known to be an object of valid JSON.
func (r *Request) find(name string) codec.Value {
	if !r.parsed {
		r.parsed = true
		d := codec.NewDecoder(r.input().Arguments)
		_, err := d.ReadToken()
		for err == nil && d.PeekKind() == '"' {
			var quoted, value codec.Value
			if quoted, err = d.ReadValue(); err == nil {
				text, _ := codec.Unquote(quoted)
				value, err = d.ReadValue()
				r.members = append(r.members, member{text, value})
			}
		}
	}
	for i := range r.members {
		if r.members[i].name == name {
			if value := r.members[i].value; string(value) != "null" {
				return value
			}
			return nil
		}
	}
	r.input().Subject.Expect((*request.Request)(&r.Request).Call(), name)
	return nil
}

func first[T any](values []T) (zero T) {
	if len(values) > 0 {
		return values[0]
	}
	return zero
}

// GoString omits the arguments, which may hold secrets, from logs that print the request.
func (r *Request) GoString() string {
	return fmt.Sprintf("tools.Request{%d bytes of arguments}", len(r.Arguments()))
}
