// Package changes tells clients of what changes on a server: its lists, and the
// contents of resources. Who makes a change publishes it to the server's [Feed]; a
// [Follower] tells one client of the changes in its [Interest], at the client's pace.
package changes

import "sync"

// A Bus carries changes from whoever makes them to whoever has a client that wants
// to know of them. Several processes that serve the same clients share one.
type Bus interface {
	// Publish tells all listeners of a change.
	Publish(change Change)

	// Listen calls hear for each change from now on. Hear must not block, since the
	// one who makes the change waits for it, and it must not call the bus. Changes that
	// are made at once are heard in any order. After stop has returned, hear may still
	// be called for a change that was on its way.
	Listen(hear func(Change)) (stop func())
}

// A hub is the bus of one process. Who publishes calls the listeners.
type hub struct {
	lock      sync.Mutex
	listeners map[*func(Change)]struct{}
	calling   []func(Change) // all listeners, nil when they have changed since
}

// Publish tells all listeners of a change.
func (h *hub) Publish(change Change) {
	for _, hear := range h.all() {
		hear(change)
	}
}

func (h *hub) all() []func(Change) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.calling == nil {
		for hear := range h.listeners {
			h.calling = append(h.calling, *hear)
		}
	}
	return h.calling
}

// Listen calls hear for each change from now on.
func (h *hub) Listen(hear func(Change)) (stop func()) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.listeners == nil {
		h.listeners = map[*func(Change)]struct{}{}
	}
	key := &hear
	h.listeners[key], h.calling = struct{}{}, nil
	return func() {
		h.lock.Lock()
		defer h.lock.Unlock()
		delete(h.listeners, key)
		h.calling = nil
		if len(h.listeners) == 0 {
			h.listeners = nil // a map doesn't shrink
		}
	}
}
