// Package changes notifies clients of changes on a server: to its lists of tools, prompts
// and resources, and to the contents of resources. A change is published to the server's
// [Feed]. A [Follower] notifies one client of the changes in its [Interest], at the client's
// pace.
package changes

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bowline-mcp/bowline/internal/throttle"
)

// A Bus carries changes from publishers to listeners. Processes that serve the same clients
// would share one.
type Bus interface {
	// Publish notifies all listeners of a change.
	Publish(change Change)

	// Listen calls listener for each change from now on. The listener must not block,
	// because the publisher waits for it, and must not call the bus. Changes that are
	// published concurrently arrive in any order. A change that is just being published
	// may still arrive after stop has returned.
	Listen(listener func(Change)) (stop func())
}

// A hub is the bus of one process. Publish calls the listeners itself.
type hub struct {
	lock      sync.Mutex
	listeners map[*func(Change)]struct{}
}

// Publish notifies all listeners of a change.
func (h *hub) Publish(change Change) {
	h.lock.Lock()
	listeners := slices.Collect(maps.Keys(h.listeners))
	h.lock.Unlock()
	for _, listener := range listeners {
		(*listener)(change)
	}
}

// Listen calls listener for each change from now on.
func (h *hub) Listen(listener func(Change)) (stop func()) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.listeners == nil {
		h.listeners = map[*func(Change)]struct{}{}
	}
	key := &listener
	h.listeners[key] = struct{}{}
	return func() {
		h.lock.Lock()
		defer h.lock.Unlock()
		delete(h.listeners, key)
		if len(h.listeners) == 0 {
			h.listeners = nil // a map doesn't shrink
		}
	}
}

// A Feed carries the changes of one server to its followers.
type Feed struct {
	bus   Bus
	queue queue
	count atomic.Uint64               // of changes to lists
	last  [lastList + 1]atomic.Uint64 // the count at each list's last change
}

// NewFeed returns a feed of this process.
func NewFeed() *Feed { return &Feed{bus: &hub{}} }

// Publish notifies all followers of a change.
func (d *Feed) Publish(change Change) {
	if change.Kind <= lastList { // before publishing, so that a follower that begins to listen too late finds the change
		d.last[change.Kind].Store(d.count.Add(1))
	}
	d.bus.Publish(change)
}

// Listen calls listener for each change from now on, as [Bus] describes.
func (d *Feed) Listen(listener func(Change)) (stop func()) { return d.bus.Listen(listener) }

// Interest returns a client's interest in lists, without resources. Resources that are added
// count towards the client's share of memory.
func (d *Feed) Interest(lists Lists, memory *throttle.Share, client *throttle.Key) *Interest {
	return &Interest{lists: lists, memory: memory, held: throttle.Holding{Client: client}, mark: d.count.Load()}
}

// missed returns the lists of an interest that have changed since the interest was made,
// or since the last call.
func (d *Feed) missed(i *Interest) (missed []Change) {
	i.lock.Lock()
	defer i.lock.Unlock()
	mark := i.mark
	i.mark = d.count.Load()
	for kind := range lastList + 1 {
		if d.last[kind].Load() > mark && i.lists.include(kind) {
			missed = append(missed, Change{Kind: kind})
		}
	}
	return missed
}
