// Package dispatch calls listeners of events by the type of the event. It implements the
// Dispatcher of framework/events.
package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A Dispatcher has the listeners for each type of event. The zero value has none. It is
// safe for concurrent use.
type Dispatcher struct {
	lock      sync.Mutex // held by Listen
	problems  []error
	listeners atomic.Pointer[listeners]
}

// listeners never change.
type listeners struct {
	byEvent    map[reflect.Type]any // lists of func(context.Context, E), by the type E
	operations bool                 // whether there are any for operations
}

// Listen adds a listener for all events of its type. Listeners are called in the order in
// which they were added. The parameter operation reports whether the event belongs to an
// operation.
func Listen[E any](d *Dispatcher, operation bool, listener func(ctx context.Context, event E)) {
	d.lock.Lock()
	defer d.lock.Unlock()
	if listener == nil {
		d.problems = append(d.problems, fmt.Errorf("a listener for %T is nil; give events.Listen a function", *new(E)))
		return
	}
	changed := &listeners{byEvent: map[reflect.Type]any{}, operations: operation}
	have := d.listeners.Load()
	if have != nil {
		maps.Copy(changed.byEvent, have.byEvent)
		changed.operations = operation || have.operations
	}
	list := of[E](have)
	changed.byEvent[reflect.TypeFor[E]()] = append(list[:len(list):len(list)], listener)
	d.listeners.Store(changed)
}

// of returns the listeners for a type.
func of[E any](all *listeners) []func(context.Context, E) {
	if all == nil {
		return nil
	}
	list, _ := all.byEvent[reflect.TypeFor[E]()].([]func(context.Context, E))
	return list
}

// Listening reports whether there is a listener for operations. A nil dispatcher has no
// listeners.
func (d *Dispatcher) Listening() bool {
	if d == nil {
		return false
	}
	all := d.listeners.Load()
	return all != nil && all.operations
}

// Check returns the mistakes in the listeners as one error.
func (d *Dispatcher) Check() error {
	if d == nil {
		return nil
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	return errors.Join(d.problems...)
}

// Dispatch calls all listeners of an event.
func Dispatch[E any](ctx context.Context, d *Dispatcher, logger *slog.Logger, event E) {
	if d == nil {
		return
	}
	for _, listener := range of[E](d.listeners.Load()) {
		call(ctx, logger, listener, event)
	}
}

// call calls one listener and logs its panic.
func call[E any](ctx context.Context, logger *slog.Logger, listener func(context.Context, E), event E) {
	defer func() {
		if value := recover(); value != nil {
			logger.ErrorContext(ctx, "a listener panicked", "event", fmt.Sprintf("%T", event), "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
		}
	}()
	listener(ctx, event)
}

// sender is a dispatcher in a context, with the logger for panics.
type sender struct {
	dispatcher *Dispatcher
	logger     *slog.Logger
}

type senderKey struct{}

// With returns a context for [Send].
func With(ctx context.Context, d *Dispatcher, logger *slog.Logger) context.Context {
	return context.WithValue(ctx, senderKey{}, sender{d, logger})
}

// Send calls all listeners of an event that the dispatcher of the context has. A context that
// With hasn't made has none.
func Send[E any](ctx context.Context, event E) {
	if to, ok := ctx.Value(senderKey{}).(sender); ok {
		Dispatch(ctx, to.dispatcher, to.logger, event)
	}
}
