package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Listening reports whether anyone listens to operations. It is for the engine.
func (d *Dispatcher) Listening() bool {
	if d == nil {
		return false
	}
	all := d.listeners.Load()
	return all != nil && all.operations
}

// Check returns what is wrong with the listeners. It is for the engine.
func (d *Dispatcher) Check() error {
	if d == nil {
		return nil
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	return errors.Join(d.problems...)
}

// Dispatch tells all listeners of an event. It is for the engine.
func Dispatch[E Event](ctx context.Context, dispatcher *Dispatcher, logger *slog.Logger, event E) {
	if dispatcher == nil {
		return
	}
	for _, listener := range of[E](dispatcher.listeners.Load()) {
		tell(ctx, logger, listener, event)
	}
}

// tell calls one listener, whose panic is logged.
func tell[E Event](ctx context.Context, logger *slog.Logger, listener func(context.Context, E), event E) {
	defer func() {
		if value := recover(); value != nil {
			logger.Error("a listener panicked", "event", fmt.Sprintf("%T", event), "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
		}
	}()
	listener(ctx, event)
}
