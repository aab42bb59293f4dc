package changes

import "sync/atomic"

// A Feed carries the changes of one server to those who follow it.
type Feed struct {
	bus   Bus
	queue queue
	bytes atomic.Int64 // of the URIs of all interests
}

// NewFeed returns a feed of this process.
func NewFeed() *Feed { return &Feed{bus: &hub{}} }

// Publish tells all followers of a change.
func (d *Feed) Publish(change Change) { d.bus.Publish(change) }

// Listen calls hear for each change from now on, as [Bus] says.
func (d *Feed) Listen(hear func(Change)) (stop func()) { return d.bus.Listen(hear) }

// Interest returns the interest of a client that is to be told of lists, and of no
// resource yet.
func (d *Feed) Interest(lists Lists) *Interest { return &Interest{lists: lists, all: &d.bytes} }
