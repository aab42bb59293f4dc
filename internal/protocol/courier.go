package protocol

import (
	"sync"

	"github.com/bowline-mcp/bowline/internal/turn"
)

// A courier goes to followers that have something to tell, one after the other. A
// goroutine for each would be simpler, but a thousand that a change wakes at once
// hold up all calls. A client that takes its time holds up the others for a moment:
// then another goroutine goes on with the rest.
type courier struct {
	lock    sync.Mutex
	queue   []*Follower
	running bool // whether a goroutine has its turn
}

// visit puts a follower into the queue.
func (c *courier) visit(f *Follower) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.queue = append(c.queue, f)
	if !c.running {
		c.running = true
		go c.run()
	}
}

// next returns the follower whose turn it is, nil when there is none and the goroutine
// must end.
func (c *courier) next() *Follower {
	c.lock.Lock()
	defer c.lock.Unlock()
	if len(c.queue) == 0 {
		c.queue, c.running = nil, false
		return nil
	}
	f := c.queue[0]
	c.queue[0] = nil
	c.queue = c.queue[1:]
	return f
}

func (c *courier) run() {
	turn := turn.New(c.run)
	for f := c.next(); f != nil; f = c.next() {
		turn.Begin()
		f.deliver()
		if !turn.End() {
			return
		}
	}
}
