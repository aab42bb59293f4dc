package mcp

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"
)

// isNil reports whether a thing that is to be registered is not there.
func isNil(v any) bool {
	value := reflect.ValueOf(v)
	return v == nil || value.Kind() == reflect.Pointer && value.IsNil()
}

// rescueRegistration turns a panic of what is registered into a problem. Most come
// from a base that is embedded as a pointer, which is nil.
func rescueRegistration(problem *error, what, base string) {
	if value := recover(); value != nil {
		*problem = fmt.Errorf("%s panics while it is registered: %v (does it embed %s by value?)\n%s", what, value, base, debug.Stack())
	}
}

// visibility returns what shows or hides a thing, nil if it has no hook for that. If
// the hook panics, the thing is hidden.
func (e *engine) visibility(key string, v any) func(context.Context) bool {
	hook, ok := v.(interface {
		ShouldRegister(ctx context.Context) bool
	})
	if !ok {
		return nil
	}
	return func(ctx context.Context) (visible bool) {
		defer func() {
			if value := recover(); value != nil {
				e.config.Logger.Error("ShouldRegister panicked, so what it is of is hidden", "of", key,
					"panic", fmt.Sprint(value), "stack", string(debug.Stack()))
			}
		}()
		return hook.ShouldRegister(ctx)
	}
}
