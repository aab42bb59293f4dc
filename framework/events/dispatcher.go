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

// listeners never change.
type listeners struct {
	byEvent    map[reflect.Type]any // lists of func(context.Context, E), by the type E
	operations bool                 // whether there are any for operations
}

// Listen calls a listener for all events of its type from now on, after those that
// listen already.
func Listen[E Event](dispatcher *Dispatcher, listener func(ctx context.Context, event E)) {
	dispatcher.lock.Lock()
	defer dispatcher.lock.Unlock()
	if listener == nil {
		dispatcher.problems = append(dispatcher.problems, fmt.Errorf("a listener for %T is nil; give events.Listen a function", *new(E)))
		return
	}
	changed := &listeners{byEvent: map[reflect.Type]any{}}
	have := dispatcher.listeners.Load()
	if have != nil {
		maps.Copy(changed.byEvent, have.byEvent)
		changed.operations = have.operations
	}
	switch any(*new(E)).(type) {
	case Started, Stopped:
	default:
		changed.operations = true
	}
	list := of[E](have)
	changed.byEvent[reflect.TypeFor[E]()] = append(list[:len(list):len(list)], listener)
	dispatcher.listeners.Store(changed)
}

// of returns the listeners for a type.
func of[E Event](all *listeners) []func(context.Context, E) {
	if all == nil {
		return nil
	}
	list, _ := all.byEvent[reflect.TypeFor[E]()].([]func(context.Context, E))
	return list
}
