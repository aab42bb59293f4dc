package prompts

import (
	"errors"
	"fmt"
	"maps"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/binding"
	"github.com/bowline-mcp/bowline/internal/engine/request"
)

// A Request asks for the messages of a prompt (specification: prompts/get). Its arguments
// have been checked, and defaults are filled in. Arguments that the prompt doesn't
// declare are omitted.
type Request struct{ exchange.Request }

// input returns the client's input, as checked by the engine.
func (r *Request) input() *request.Input { return &(*request.Request)(&r.Request).Call().Facts().Input }

// Has reports whether an argument is present or has a default.
func (r *Request) Has(name string) bool {
	_, ok := r.find(name)
	return ok
}

// String returns an argument. If it is absent, it returns orElse, or "" without one.
func (r *Request) String(name string, orElse ...string) string {
	if value, ok := r.find(name); ok {
		return value
	}
	if len(orElse) > 0 {
		return orElse[0]
	}
	return ""
}

func (r *Request) find(name string) (string, bool) { return (*request.Request)(&r.Request).Text(name) }

// Arguments returns a copy of all arguments.
func (r *Request) Arguments() map[string]string {
	if r.input().Values == nil {
		return map[string]string{}
	}
	return maps.Clone(r.input().Values)
}

// Bind stores the arguments in v, a pointer to a struct whose fields have json tags:
//
//	var in struct {
//		Language string `json:"language"`
//		Lines    int    `json:"lines"`
//	}
//	if err := request.Bind(&in); err != nil {
//		return nil, err
//	}
//
// Fields may be strings, integers, floats, booleans, types with an UnmarshalText method,
// and pointers to these. Bind leaves a field unchanged if its argument is absent. Return
// the error unchanged: if a value doesn't fit its field, it is an [*exchange.Error] with
// the code -32602 that names the argument.
func (r *Request) Bind(v any) error {
	err := r.input().BindTexts(v, "json")
	if bad, ok := errors.AsType[*binding.ValueError](err); ok {
		return &exchange.Error{
			Code:    exchange.CodeInvalidParams,
			Message: fmt.Sprintf("The arguments of the prompt %s are not valid: %v.", r.input().Subject.Name, bad),
		}
	}
	return err
}

// GoString omits the arguments, which may hold secrets, from logs that print the request.
func (r *Request) GoString() string {
	return fmt.Sprintf("prompts.Request{%d arguments}", len(r.input().Values))
}
