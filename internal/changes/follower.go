package changes

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// ErrTooSlow is why a client is told no more that doesn't take what it is sent.
var ErrTooSlow = errors.New("the client does not read what it is sent")

// A Follower tells one client of the changes that it is interested in. What happens
// while the client is being told waits, once for each list and resource: so no more can
// wait than there are things of interest, and who makes a change never waits.
type Follower struct {
	feed     *Feed
	interest *Interest
	tell     func(Change) error
	failed   func(error)
	unlisten func() // ends listening to the bus

	lock    sync.Mutex
	waiting []Change
	busy    bool      // whether it is in the queue, or being told
	since   time.Time // when the telling of the change at hand began, zero when there is none
	over    bool
	ending  func() // called when all was told, nil unless the follower ends
}

// Follow listens to the changes that are of interest, and tells of them after Begin.
// Tell is called for one change at a time and may block; when it fails, or blocks for
// too long while there is more, failed is called once, and nothing is told any more.
func (d *Feed) Follow(interest *Interest, tell func(Change) error, failed func(error)) *Follower {
	f := &Follower{feed: d, interest: interest, tell: tell, failed: failed, busy: true}
	f.unlisten = d.bus.Listen(f.hear)
	return f
}

// Begin tells the client of what has happened since Follow, and from now on.
func (f *Follower) Begin() {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.rest()
}

// Stop ends the follower: from now on no telling begins.
func (f *Follower) Stop() {
	f.unlisten()
	f.lock.Lock()
	defer f.lock.Unlock()
	f.over, f.waiting = true, nil
}

// End ends the follower when it has told what waits, and then calls last. If it is over
// already, last is not called.
func (f *Follower) End(last func()) {
	f.unlisten()
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.over || f.ending != nil {
		return
	}
	f.ending = last
	if !f.busy {
		f.busy = true
		f.feed.queue.add(f)
	}
}

// hear notes a change.
func (f *Follower) hear(change Change) {
	if !f.interest.Includes(change) {
		return
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	switch {
	case f.over:
	case !f.since.IsZero() && time.Since(f.since) > limits.TellTimeout:
		f.over, f.waiting = true, nil
		go f.fail(ErrTooSlow) // who makes the change isn't held up
	case !slices.Contains(f.waiting, change):
		f.waiting = append(f.waiting, change)
		if !f.busy {
			f.busy = true
			f.feed.queue.add(f)
		}
	}
}

// deliver tells what waits.
func (f *Follower) deliver() {
	f.lock.Lock()
	now := f.waiting
	f.waiting = nil
	f.lock.Unlock()
	for _, change := range now {
		if !f.tellOne(change) {
			return
		}
	}
	f.lock.Lock()
	f.since = time.Time{}
	last := f.ending
	if ends := last != nil && len(f.waiting) == 0 && !f.over; !ends {
		f.rest()
		f.lock.Unlock()
		return
	}
	f.over = true
	f.lock.Unlock()
	last()
}

// rest queues the follower again if there is more. The caller holds the lock.
func (f *Follower) rest() {
	if f.busy = !f.over && (len(f.waiting) > 0 || f.ending != nil); f.busy {
		f.feed.queue.add(f)
	}
}

// tellOne tells of one change. It reports false if the follower is over.
func (f *Follower) tellOne(change Change) bool {
	f.lock.Lock()
	over := f.over
	f.since = time.Now()
	f.lock.Unlock()
	if over {
		return false
	}
	err := f.tell(change)
	if err == nil {
		return true
	}
	f.lock.Lock()
	over = f.over
	f.over, f.waiting = true, nil
	f.lock.Unlock()
	if !over {
		f.fail(err)
	}
	return false
}

// fail ends the follower of a client that can't be told any more.
func (f *Follower) fail(err error) {
	f.unlisten()
	f.failed(err)
}
