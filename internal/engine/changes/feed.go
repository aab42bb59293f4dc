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

	"github.com/bowline-mcp/bowline/internal/engine/throttle"
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

	lock       sync.Mutex
	principals map[string]*principal // those that have interests, by ID
}

// A principal has the changes that concern only its clients.
type principal struct {
	interests int // that haven't ended
	last      [lastList + 1]uint64
}

// NewFeed returns a feed of this process.
func NewFeed() *Feed { return &Feed{bus: &hub{}} }

// Publish notifies all followers of a change, or those of its principal if it is private.
func (d *Feed) Publish(change Change) {
	if change.Kind <= lastList { // before publishing, so that a follower that begins to listen too late finds the change
		d.remember(change)
	}
	d.bus.Publish(change)
}

// remember counts a change to a list.
func (d *Feed) remember(change Change) {
	n := d.count.Add(1)
	if !change.Private {
		d.last[change.Kind].Store(n)
		return
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	if of := d.principals[change.Principal]; of != nil {
		of.last[change.Kind] = n
	}
}

// Listen calls listener for each change from now on, as [Bus] describes.
func (d *Feed) Listen(listener func(Change)) (stop func()) { return d.bus.Listen(listener) }

// Interest returns the interest of a principal's client in lists, without resources. Resources
// that are added count towards the client's share of memory. The caller ends the interest once
// the client has disconnected.
func (d *Feed) Interest(lists Lists, id string, memory *throttle.Share, client *throttle.Key) *Interest {
	d.lock.Lock()
	defer d.lock.Unlock()
	of := d.principals[id]
	if of == nil {
		if d.principals == nil {
			d.principals = map[string]*principal{}
		}
		of = &principal{}
		d.principals[id] = of
	}
	of.interests++
	return &Interest{feed: d, lists: lists, principal: id, memory: memory, held: throttle.Holding{Client: client}, mark: d.count.Load()}
}

// leave removes an interest that has ended.
func (d *Feed) leave(id string) {
	d.lock.Lock()
	defer d.lock.Unlock()
	of := d.principals[id]
	if of.interests--; of.interests > 0 {
		return
	}
	if delete(d.principals, id); len(d.principals) == 0 {
		d.principals = nil // a map doesn't shrink
	}
}

// changedAfter reports whether a list has changed for a principal's clients after a mark.
func (d *Feed) changedAfter(mark uint64, kind ChangeKind, id string) bool {
	if d.last[kind].Load() > mark {
		return true
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	of := d.principals[id]
	return of != nil && of.last[kind] > mark
}

// missed returns the lists of an interest that have changed since the interest was made,
// or since the last call.
func (d *Feed) missed(i *Interest) (missed []Change) {
	i.lock.Lock()
	defer i.lock.Unlock()
	mark := i.mark
	i.mark = d.count.Load()
	for kind := range lastList + 1 {
		if i.lists.include(kind) && d.changedAfter(mark, kind, i.principal) {
			missed = append(missed, Change{Kind: kind})
		}
	}
	return missed
}
