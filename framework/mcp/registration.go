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
