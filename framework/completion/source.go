// Package completion suggests values while a person fills in an argument of a prompt
// or a variable of a resource template:
//
//	arguments.Argument("language").Complete(completion.Values("go", "php", "python"))
//	variables.Variable("city").Complete(completion.Func(suggestCities))
//
// Suggestions don't restrict the values that a handler gets. They reveal which values
// exist, so suggest only those that the caller may see.
package completion

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/request"
)

// A Source suggests values for one argument. [Values], [Enum] and [Func] make one. A
// source must be safe for concurrent use.
type Source interface {
	// Complete returns the suggestions, the best first. Its error becomes a JSON-RPC
	// error, like that of any handler.
	Complete(ctx context.Context, request *Request) (Result, error)
}

// A Request asks for suggestions (specification: completion/complete).
type Request struct {
	exchange.Request

	// Value is the text typed so far. It may be empty.
	Value string
}

// Argument returns the value of another argument of the same prompt or template, or "" if
// it isn't filled in yet. Clients older than 2025-06-18 don't send these values.
func (r *Request) Argument(name string) string {
	value, _ := (*request.Request)(&r.Request).Text(name)
	return value
}

// Func returns a source that calls fn. The source doesn't filter or sort the results of
// fn, so fn should filter by request.Value. Only the first [Max] values are kept.
func Func(fn func(ctx context.Context, request *Request) ([]string, error)) Source {
	return function(fn)
}

type function func(context.Context, *Request) ([]string, error)

// Complete calls the function.
func (f function) Complete(ctx context.Context, request *Request) (Result, error) {
	values, err := f(ctx, request)
	if err != nil {
		return Result{}, err
	}
	return Of(values...), nil
}
