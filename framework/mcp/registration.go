package mcp

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/bowline-mcp/bowline/internal/protocol"
)

// isNil reports whether a thing that is to be registered is not there.
func isNil(v any) bool {
	value := reflect.ValueOf(v)
	return v == nil || value.Kind() == reflect.Pointer && value.IsNil()
}

// origin is what a thing was made by, for messages: its type, or a function such as
// tools.New.
func origin(thing any) string {
	if made, ok := thing.(interface{ Constructor() string }); ok {
		return made.Constructor()
	}
	return fmt.Sprintf("%T", thing)
}

// taken says of a thing that another has its place, which is such as "a tool of that
// name", and what to do.
func taken(what string, thing any, err error, place, fix string) error {
	from, other := origin(thing), ""
	if duplicate, ok := errors.AsType[*protocol.DuplicateError](err); ok {
		other = duplicate.Other.Origin
	}
	if from == other {
		fix = "drop one of them, or " + fix
	}
	return fmt.Errorf("%s (%s): %w: the server has %s already (%s); %s", what, from, err, place, other, fix)
}

// rescueRegistration turns a panic of what is registered into a problem. Most come
// from a base that is embedded as a pointer, which is nil.
func rescueRegistration(problem *error, what, base string) {
	if value := recover(); value != nil {
		*problem = fmt.Errorf("%s panics while it is registered: %v (does it embed %s by value?)\n%s", what, value, base, debug.Stack())
	}
}

// visibility returns what shows or hides a thing: its hook, and the permissions that
// stand around it; nil if there is neither. If one panics, the thing is hidden.
func (e *engine) visibility(key string, thing any, allowed func(context.Context) bool) func(context.Context) bool {
	shown := allowed
	if hook, ok := thing.(interface {
		ShouldRegister(ctx context.Context) bool
	}); ok {
		shown = func(ctx context.Context) bool { return hook.ShouldRegister(ctx) && (allowed == nil || allowed(ctx)) }
	}
	if shown == nil {
		return nil
	}
	return func(ctx context.Context) (visible bool) {
		defer func() {
			if value := recover(); value != nil {
				e.config.Logger.Error("ShouldRegister or a permission panicked, so what it is of is hidden", "of", key,
					"panic", fmt.Sprint(value), "stack", string(debug.Stack()))
			}
		}()
		return shown(ctx)
	}
}
