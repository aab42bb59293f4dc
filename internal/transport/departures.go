package transport

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// departures closes the connections of older clients that have disconnected while their
// calls go on. The HTTP server would keep such a connection, and its descriptor, until the
// call ends. It looks at all calls once in a while, since to wait for the context of each
// would make a call in process slower.
type departures struct {
	lock  sync.Mutex
	calls map[*arrived]chan struct{} // nil until the client has disconnected, closed when the connection is
	timed bool                       // whether the timer is set
}

// enter adds a call.
func (d *departures) enter(in *arrived) {
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.calls == nil {
		d.calls = map[*arrived]chan struct{}{}
	}
	d.calls[in] = nil
	if !d.timed {
		d.timed = true
		time.AfterFunc(limits.DepartureTime, d.look)
	}
}

// leave removes a call. From then on nothing uses its reply.
func (d *departures) leave(in *arrived) {
	d.lock.Lock()
	closed := d.calls[in]
	delete(d.calls, in)
	d.lock.Unlock()
	if closed != nil {
		<-closed
	}
}

// look closes the connections of the clients that have disconnected since the last time.
func (d *departures) look() {
	d.lock.Lock()
	defer d.lock.Unlock()
	for in, closed := range d.calls {
		// A deadline is one of the program's middleware.
		if closed != nil || !errors.Is(in.arrival.HTTP.Context().Err(), context.Canceled) {
			continue
		}
		closed = make(chan struct{})
		d.calls[in] = closed
		go func() { // it may wait for a write
			defer close(closed)
			in.reply.abandon()
		}()
	}
	if d.timed = len(d.calls) > 0; d.timed {
		time.AfterFunc(limits.DepartureTime, d.look)
	}
}
