package call

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/requestlog"
)

// A Context is the context of one running call. It ends at the call's deadline, with its
// parent, with the server, or when the call is over. Most handlers never call Done, so its
// first call makes the channel and links the context to both parents. Contexts of the
// standard library would cost 13 % of a call in process.
type Context struct {
	context.Context // the parent: values, and cancellation
	lifecycle       *Lifecycle
	call            *Call
	deadline        time.Time

	lock    sync.Mutex
	err     error
	waiting *waiting       // nil until Done is called
	values  map[string]any // of Call.Set; here because the lock of a call may wait for the client, and this one never does
}

// waiting holds the channel and the functions that wait for the end of a context.
type waiting struct {
	done  chan struct{}
	ties  []func() bool // unlink the context from its parents
	after map[*func()]struct{}
}

// Value returns the call as the subject of log lines, or a value of the parent.
func (c *Context) Value(key any) any {
	if key == (requestlog.Key{}) {
		return c.call
	}
	return c.Context.Value(key)
}

// Deadline returns the deadline of the call or of its parent, if that is earlier.
func (c *Context) Deadline() (time.Time, bool) {
	c.lock.Lock()
	own := c.deadline
	c.lock.Unlock()
	deadline, ok := c.Context.Deadline()
	if own.IsZero() || ok && deadline.Before(own) {
		return deadline, ok
	}
	return own, true
}

// allow sets the deadline.
func (c *Context) allow(deadline time.Time) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.deadline = deadline
}

// Err returns why the call has ended, nil while it runs.
func (c *Context) Err() error {
	c.lock.Lock()
	err := c.err
	c.lock.Unlock()
	if err != nil {
		return err
	}
	if err = c.Context.Err(); err == nil {
		err = c.lifecycle.ctx.Err()
	}
	if err == nil {
		return nil
	}
	c.end(err) // so that Err never changes and Done is closed
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.err
}

// Done returns a channel that is closed when the call ends.
func (c *Context) Done() <-chan struct{} {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.open()
}

// open returns the channel, and makes it if there is none. The caller holds the lock.
func (c *Context) open() chan struct{} {
	if c.waiting != nil {
		return c.waiting.done
	}
	c.waiting = &waiting{done: make(chan struct{})}
	if c.err == nil {
		c.err = cmp.Or(c.Context.Err(), c.lifecycle.ctx.Err())
	}
	if c.err != nil {
		close(c.waiting.done)
		return c.waiting.done
	}
	for _, parent := range []context.Context{c.Context, c.lifecycle.ctx} {
		if parent.Done() != nil {
			c.waiting.ties = append(c.waiting.ties, context.AfterFunc(parent, func() { c.end(parent.Err()) }))
		}
	}
	return c.waiting.done
}

// AfterFunc calls f in its own goroutine when the call ends. Package context uses
// it to tie derived contexts to this one without a goroutine for each.
func (c *Context) AfterFunc(f func()) (stop func() bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.open(); c.err != nil {
		go f()
		return func() bool { return false }
	}
	key := &f
	if c.waiting.after == nil {
		c.waiting.after = map[*func()]struct{}{}
	}
	c.waiting.after[key] = struct{}{}
	return func() bool {
		c.lock.Lock()
		defer c.lock.Unlock()
		_, waits := c.waiting.after[key]
		delete(c.waiting.after, key)
		return waits
	}
}

// end cancels the context, once.
func (c *Context) end(err error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	if c.waiting == nil {
		return
	}
	close(c.waiting.done)
	for _, untie := range c.waiting.ties {
		untie()
	}
	for f := range c.waiting.after {
		go (*f)()
	}
	c.waiting.ties, c.waiting.after = nil, nil
}
