package tools

import (
	"context"
	"fmt"
)

// Func returns a tool that calls fn. Its schemas come from the types In and Out, and its
// results are converted, as those of [Typed].
//
//	tools.Func("add", "Adds two numbers.", func(ctx context.Context, in AddIn) (AddOut, error) { … })
//
// To use the request, hints or icons, define a type that embeds Typed.
func Func[In, Out any](name, description string, fn func(context.Context, In) (Out, error)) Interface {
	return &function[In, Out]{
		name: name, description: description, complete: fn != nil,
		handler: newTypedHandler(func(ctx context.Context, _ *Request, in In) (Out, error) { return fn(ctx, in) }),
	}
}

// function is a tool made from a function.
type function[In, Out any] struct {
	Typed[In, Out]
	name, description string
	complete          bool
	handler           *typedHandler[In, Out]
}

func (f *function[In, Out]) Name() string        { return f.name }
func (f *function[In, Out]) Description() string { return f.description }

// Handle doesn't ask the request for the tool, as that of Typed does, so that other tools may
// call it.
func (f *function[In, Out]) Handle(ctx context.Context, request *Request) (Result, error) {
	return f.handler.Handle(ctx, request)
}

// Constructor returns the name of the function that made the value, for error messages,
// and reports whether that function got a handler.
func (f *function[In, Out]) Constructor() (name string, complete bool) {
	return "tools.Func", f.complete
}

// GoString returns the tool's name with its constructor, for error messages.
func (f *function[In, Out]) GoString() string {
	return fmt.Sprintf("tools.Func(%q, …)", f.name)
}
