package transport

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// departures closes the connections of older clients that disconnect while their calls
// continue. The HTTP server would keep the connection and its descriptor until the call
// ends. A timer looks at all calls at once, because waiting for the context of each would
// slow down every call.
type departures struct {
	lock  sync.Mutex
	calls map[*arrived]chan struct{} // the channel is nil until the client disconnects, closed with the connection
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

// leave removes a call. After it returns, departures doesn't use the call's reply.
func (d *departures) leave(in *arrived) {
	d.lock.Lock()
	closed := d.calls[in]
	delete(d.calls, in)
	d.lock.Unlock()
	if closed != nil {
		<-closed
	}
}

// look closes the connections of the clients that have disconnected since the last look.
func (d *departures) look() {
	d.lock.Lock()
	defer d.lock.Unlock()
	for in, closed := range d.calls {
		// DeadlineExceeded comes from the program's middleware, not from the client.
		if closed != nil || !errors.Is(in.arrival.HTTP.Context().Err(), context.Canceled) {
			continue
		}
		closed = make(chan struct{})
		d.calls[in] = closed
		go func() { // abandon may wait for a write
			defer close(closed)
			in.reply.abandon()
		}()
	}
	if d.timed = len(d.calls) > 0; d.timed {
		time.AfterFunc(limits.DepartureTime, d.look)
	}
}
