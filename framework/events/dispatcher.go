package events

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"sync"
	"sync/atomic"
)

// A Dispatcher knows who listens to what. The zero value has no listeners. It is safe
// for concurrent use.
type Dispatcher struct {
	lock      sync.Mutex // of Listen
	problems  []error
	listeners atomic.Pointer[listeners]
}

// listeners are lists of functions of type func(context.Context, E), by the type E. They
// never change.
type listeners map[reflect.Type]any

// Listen calls a listener for all events of its type from now on, after those that
// listen already.
func Listen[E Event](dispatcher *Dispatcher, listener func(ctx context.Context, event E)) {
	dispatcher.lock.Lock()
	defer dispatcher.lock.Unlock()
	if listener == nil {
		dispatcher.problems = append(dispatcher.problems, fmt.Errorf("a listener for %T is nil; give events.Listen a function", *new(E)))
		return
	}
	changed := listeners{}
	if have := dispatcher.listeners.Load(); have != nil {
		maps.Copy(changed, *have)
	}
	list := of[E](changed)
	changed[reflect.TypeFor[E]()] = append(list[:len(list):len(list)], listener)
	dispatcher.listeners.Store(&changed)
}

// of returns the listeners for a type.
func of[E Event](all listeners) []func(context.Context, E) {
	list, _ := all[reflect.TypeFor[E]()].([]func(context.Context, E))
	return list
}
