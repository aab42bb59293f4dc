package changes

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// ErrTooSlow is the error for a client that doesn't read its notifications.
var ErrTooSlow = errors.New("the client does not read its notifications")

// A Follower notifies one client of the changes in its interest. Changes that happen while a
// notification is being sent are pending, once for each list and resource. So the interest
// limits the number of pending changes, and publishers never wait for a client.
type Follower struct {
	feed     *Feed
	interest *Interest
	send     func(Change) error
	failed   func(error)
	unlisten func() // ends listening to the feed

	lock    sync.Mutex
	pending []Change
	busy    bool      // whether the follower is queued or sending
	since   time.Time // when the current send began, zero if there is none
	over    bool
	ending  func() // called when all pending changes were sent, nil unless the follower ends
}

// Follow listens to the changes in the interest, and finds the lists that have changed since
// the interest was made. Begin starts to send them. Send is called for one change at a time
// and may block. If it fails, or takes too long while more changes are pending, the follower
// stops and calls failed once.
func (d *Feed) Follow(interest *Interest, send func(Change) error, failed func(error)) *Follower {
	f := &Follower{feed: d, interest: interest, send: send, failed: failed, busy: true}
	f.unlisten = d.hub.listen(f.Receive)
	for _, change := range d.missed(interest) {
		f.Receive(change)
	}
	return f
}

// Begin sends the pending changes, and from now on each further one.
func (f *Follower) Begin() {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.requeue()
}

// Stop ends the follower without sending the pending changes.
func (f *Follower) Stop() {
	f.unlisten()
	f.lock.Lock()
	defer f.lock.Unlock()
	f.over, f.pending = true, nil
}

// End sends the pending changes, ends the follower, and then calls last. If the follower has
// already ended, last is not called.
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

// Receive adds a change to the pending ones, or all if changes may have been lost.
func (f *Follower) Receive(change Change) {
	if change.Topic == nil {
		for _, change := range f.interest.all() {
			f.Receive(change)
		}
		return
	}
	change, included := f.interest.spelled(change)
	if !included {
		return
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	switch {
	case f.over:
	case !f.since.IsZero() && time.Since(f.since) > limits.TellTimeout:
		f.over, f.pending = true, nil
		go f.fail(ErrTooSlow) // the publisher must not wait
	case !slices.Contains(f.pending, change):
		f.pending = append(f.pending, change)
		if !f.busy {
			f.busy = true
			f.feed.queue.add(f)
		}
	}
}

// deliver sends the pending changes.
func (f *Follower) deliver() {
	f.lock.Lock()
	batch := f.pending
	f.pending = nil
	f.lock.Unlock()
	for _, change := range batch {
		if !f.deliverOne(change) {
			return
		}
	}
	f.lock.Lock()
	f.since = time.Time{}
	last := f.ending
	if ends := last != nil && len(f.pending) == 0 && !f.over; !ends {
		f.requeue()
		f.lock.Unlock()
		return
	}
	f.over = true
	f.lock.Unlock()
	last()
}

// requeue queues the follower again if it has more to do. The caller holds the lock.
func (f *Follower) requeue() {
	if f.busy = !f.over && (len(f.pending) > 0 || f.ending != nil); f.busy {
		f.feed.queue.add(f)
	}
}

// deliverOne sends one change. It reports false if the follower has ended.
func (f *Follower) deliverOne(change Change) bool {
	f.lock.Lock()
	over := f.over
	f.since = time.Now()
	f.lock.Unlock()
	if over {
		return false
	}
	err := f.send(change)
	if err == nil {
		return true
	}
	f.lock.Lock()
	over = f.over
	f.over, f.pending = true, nil
	f.lock.Unlock()
	if !over {
		f.fail(err)
	}
	return false
}

// fail ends the follower because its client can't be notified.
func (f *Follower) fail(err error) {
	f.unlisten()
	f.failed(err)
}
