// Package changes notifies clients of changes on a server. A [Topic] says what changes, such
// as the list of tools, or the contents of a resource. A change is published to the server's
// [Feed]. A [Follower] notifies one client of the changes in its [Interest], at the client's
// pace.
package changes

import (
	"maps"
	"slices"
	"sync"

	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// A hub passes the changes of a feed on to its listeners.
type hub struct {
	lock      sync.Mutex
	listeners map[*func(Change)]struct{}
}

// publish notifies all listeners of a change.
func (h *hub) publish(change Change) {
	h.lock.Lock()
	listeners := slices.Collect(maps.Keys(h.listeners))
	h.lock.Unlock()
	for _, listener := range listeners {
		(*listener)(change)
	}
}

// listen calls listener for each change from now on.
func (h *hub) listen(listener func(Change)) (stop func()) {
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

// A Feed carries the changes of one server to its followers. [Feed.Share] connects it with the
// feeds of other processes.
type Feed struct {
	hub   hub
	queue queue

	lock       sync.Mutex
	others     *others // nil if there are no other processes
	topics     []*Topic
	count      uint64                // of changes to topics without keys
	last       map[*Topic]uint64     // the count at the last change of each
	recent     recent                // of topics with keys
	principals map[string]*principal // those that have interests, by ID
}

// A principal has the changes that concern only its clients.
type principal struct {
	interests int // that haven't ended
	last      map[*Topic]uint64
}

// NewFeed returns a feed of this process with topics.
func NewFeed(topics ...*Topic) *Feed {
	return &Feed{topics: topics, last: map[*Topic]uint64{}}
}

// Add adds a topic. It reports false if the feed has one with the same notification or filter.
func (d *Feed) Add(added *Topic) bool {
	d.lock.Lock()
	defer d.lock.Unlock()
	for _, topic := range d.topics {
		if topic.Notification == added.Notification || topic.Filter == added.Filter {
			return false
		}
	}
	d.topics = append(d.topics[:len(d.topics):len(d.topics)], added)
	return true
}

// Topics returns the topics, in the order in which they were added.
func (d *Feed) Topics() []*Topic {
	d.lock.Lock()
	defer d.lock.Unlock()
	return d.topics
}

// Publish notifies all followers of a change, or those of its principal if it is private. Feeds
// of other processes do the same soon.
func (d *Feed) Publish(change Change) {
	d.publish(change)
	d.lock.Lock()
	others := d.others
	d.lock.Unlock()
	if others != nil {
		others.add(change)
	}
}

// publish notifies the followers in this process.
func (d *Feed) publish(change Change) {
	d.remember(change) // before publishing, so that a follower that begins to listen too late finds the change
	d.hub.publish(change)
}

// remember counts a change of a topic without keys.
func (d *Feed) remember(change Change) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.count++
	if d.others != nil && (change.Topic == nil || change.Topic.Key != "") {
		d.recent.add(change)
	}
	switch of := d.principals[change.Principal]; {
	case change.Topic == nil:
		for _, topic := range d.topics {
			d.last[topic] = d.count
		}
	case change.Topic.Key != "":
	case !change.Private:
		d.last[change.Topic] = d.count
	case of != nil:
		of.last[change.Topic] = d.count
	}
}

// Listen calls listener for each change from now on. The listener must not block, because the
// publisher waits for it, and must not call the feed. Changes that are published concurrently
// arrive in any order. A change that is just being published may still arrive after stop has
// returned. A change without a topic says that changes of any topic may have been lost.
func (d *Feed) Listen(listener func(Change)) (stop func()) { return d.hub.listen(listener) }

// Interest returns the interest of a principal's client in topics without keys. Keys that are
// added to it count towards the client's share of memory. The caller ends the interest once the
// client has disconnected.
func (d *Feed) Interest(topics []*Topic, id string, memory *throttle.Share, client *throttle.Key) *Interest {
	d.lock.Lock()
	defer d.lock.Unlock()
	of := d.principals[id]
	if of == nil {
		if d.principals == nil {
			d.principals = map[string]*principal{}
		}
		of = &principal{last: map[*Topic]uint64{}}
		d.principals[id] = of
	}
	of.interests++
	return &Interest{feed: d, topics: topics, principal: id, memory: memory, held: throttle.Holding{Client: client}, mark: d.count}
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

// missed returns the changes of an interest's topics since the interest was made, or since the
// last call.
func (d *Feed) missed(i *Interest) (missed []Change) {
	d.lock.Lock()
	defer d.lock.Unlock()
	mark := i.mark
	i.mark = d.count
	of := d.principals[i.principal]
	for _, topic := range i.topics {
		if d.last[topic] > mark || of != nil && of.last[topic] > mark {
			missed = append(missed, Change{Topic: topic})
		}
	}
	return missed
}
