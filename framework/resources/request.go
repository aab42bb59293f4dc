package resources

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/binding"
)

// A Request asks for the contents of a resource (specification: resources/read).
type Request struct {
	exchange.Request
	resource  *Compiled
	uri       string
	variables map[string]string
}

// URI returns the URI as the client sent it.
func (r *Request) URI() string { return r.uri }

// Variable returns a variable of the template, decoded; "" if it is a query variable
// that the client left out. [Template.Match] says which values never get here.
func (r *Request) Variable(name string) string { return r.variables[name] }

// Bind puts the variables into v, a pointer to a struct, by the fields' uri tags:
//
//	var in struct {
//		UserID int `uri:"userId"`
//	}
//	if err := request.Bind(&in); err != nil {
//		return nil, err
//	}
//
// Fields may be strings, integers, floats, booleans, types with an UnmarshalText, and
// pointers to these; one whose variable was left out stays as it is. Return the error
// as it is: for a value that doesn't fit it wraps [exchange.ErrResourceNotFound].
func (r *Request) Bind(v any) error {
	var known, unknown []string
	if r.resource.Template != nil {
		known = r.resource.Template.variables
	}
	err := binding.Set(v, "uri", func(name string) (string, bool) {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
		value, ok := r.variables[name]
		return value, ok
	})
	var bad *binding.ValueError
	switch {
	case errors.As(err, &bad):
		return fmt.Errorf("%w: the variable %w", exchange.ErrResourceNotFound, err)
	case err != nil:
		return fmt.Errorf("the resource %s: Bind: %w", r.resource.Definition.URI, err)
	case unknown != nil:
		return fmt.Errorf("the resource %s: Bind: %T has fields for the variables %s, which the URI doesn't have", r.resource.Definition.URI, v, quoted(unknown))
	}
	return nil
}
