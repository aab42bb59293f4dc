package resources

import (
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/binding"
	"github.com/bowline-mcp/bowline/internal/engine/request"
)

// A Request asks for the contents of a resource (specification: resources/read).
type Request struct{ exchange.Request }

// input returns the client's input, as checked by the engine.
func (r *Request) input() *request.Input { return &(*request.Request)(&r.Request).Call().Facts().Input }

// URI returns the URI as the client sent it.
func (r *Request) URI() string { return r.input().URI }

// Variable returns a variable of the template, decoded, or "" if it is a query variable
// that the client omitted. [Template.Match] lists the values that are refused.
func (r *Request) Variable(name string) string {
	value, _ := (*request.Request)(&r.Request).Text(name)
	return value
}

// Bind stores the variables in v, a pointer to a struct whose fields have uri tags:
//
//	var in struct {
//		UserID int `uri:"userId"`
//	}
//	if err := request.Bind(&in); err != nil {
//		return nil, err
//	}
//
// Fields may be strings, integers, floats, booleans, types with an UnmarshalText method,
// and pointers to these. Bind leaves a field unchanged if its variable is absent. Return
// the error unchanged: if a value doesn't fit its field, it wraps
// [exchange.ErrResourceNotFound].
func (r *Request) Bind(v any) error {
	err := r.input().BindTexts(v, "uri")
	if bad, ok := errors.AsType[*binding.ValueError](err); ok {
		return fmt.Errorf("%w: the variable %w", exchange.ErrResourceNotFound, bad)
	}
	return err
}
