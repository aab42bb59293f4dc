package protocol

import (
	"context"
	"sync"
	"time"
)

// A Context is the context of one running call. It ends at the call's deadline,
// with its parent, with the server, or when the call is over. Most handlers never
// ask for Done, so its channel and its ties to the two parents are made only then.
//
// It is apart from the [Call], which is used again, because a handler may keep it.
type Context struct {
	context.Context // the parent: values, and cancellation
	server          context.Context
	deadline        time.Time

	lock  sync.Mutex
	err   error
	done  chan struct{}
	ties  []func() bool // undo the ties to the parents
	after map[*func()]struct{}
}

// Deadline returns when the call is answered as timed out.
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

// extend gives the call more time.
func (c *Context) extend(by time.Duration) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.deadline = c.deadline.Add(by)
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
		err = c.server.Err()
	}
	if err == nil {
		return nil
	}
	c.end(err) // so that nothing else can be told later, and Done is closed
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

// open makes the channel, if need be. The caller holds the lock.
func (c *Context) open() chan struct{} {
	if c.done != nil {
		return c.done
	}
	c.done = make(chan struct{})
	if c.err == nil {
		if c.err = c.Context.Err(); c.err == nil {
			c.err = c.server.Err()
		}
	}
	if c.err != nil {
		close(c.done)
		return c.done
	}
	for _, parent := range []context.Context{c.Context, c.server} {
		if parent.Done() != nil {
			c.ties = append(c.ties, context.AfterFunc(parent, func() { c.end(parent.Err()) }))
		}
	}
	return c.done
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
	if c.after == nil {
		c.after = map[*func()]struct{}{}
	}
	c.after[key] = struct{}{}
	return func() bool {
		c.lock.Lock()
		defer c.lock.Unlock()
		_, waiting := c.after[key]
		delete(c.after, key)
		return waiting
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
	if c.done != nil {
		close(c.done)
	}
	for _, untie := range c.ties {
		untie()
	}
	for f := range c.after {
		go (*f)()
	}
	c.ties, c.after = nil, nil
}
