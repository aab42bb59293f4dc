package transport

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// disconnects closes the connections of older clients that disconnect while their calls
// continue. The HTTP server would keep the connection and its descriptor until the call
// ends. A timer looks at all calls at once, because waiting for the context of each would
// slow down every call.
type disconnects struct {
	lock  sync.Mutex
	calls map[*httpMessage]chan struct{} // the channel is nil until the client disconnects, closed with the connection
	timed bool                           // whether the timer is set
}

// enter adds a call.
func (d *disconnects) enter(in *httpMessage) {
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.calls == nil {
		d.calls = map[*httpMessage]chan struct{}{}
	}
	d.calls[in] = nil
	if !d.timed {
		d.timed = true
		time.AfterFunc(limits.DisconnectInterval, d.look)
	}
}

// leave removes a call. After it returns, disconnects doesn't use the call's reply.
func (d *disconnects) leave(in *httpMessage) {
	d.lock.Lock()
	closed := d.calls[in]
	delete(d.calls, in)
	d.lock.Unlock()
	if closed != nil {
		<-closed
	}
}

// look closes the connections of the clients that have disconnected since the last look.
func (d *disconnects) look() {
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
		time.AfterFunc(limits.DisconnectInterval, d.look)
	}
}
