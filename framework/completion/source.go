// Package completion suggests values while a person fills in an argument of a prompt
// or a variable of a resource template:
//
//	arguments.Argument("language").Complete(completion.Values("go", "php", "python"))
//	variables.Variable("city").Complete(completion.Func(suggestCities))
//
// Suggestions are help, not a check: a handler still gets whatever the client sends.
// They also show what there is, so suggest only what the caller may see.
package completion

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/request"
)

// A Source suggests values for one argument. [Values], [Enum] and [Func] make one.
// One source serves requests at the same time.
type Source interface {
	// Complete returns what the argument may become, the best first. Its error
	// becomes a JSON-RPC error as that of any handler.
	Complete(ctx context.Context, request *Request) (Result, error)
}

// A Request asks for suggestions (specification: completion/complete).
type Request struct {
	exchange.Request

	// Value is what has been typed so far, maybe nothing.
	Value string
}

// Argument returns the value of another argument of the same prompt or template that
// is filled in already, "" if it isn't. Clients before 2025-06-18 never say.
func (r *Request) Argument(name string) string {
	return (*request.Request)(&r.Request).Call().Input().Values[name]
}

// Func returns a source that calls fn. What fn returns is suggested as it is, in its
// order: fn filters by request.Value itself. More than [Max] values are cut.
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
