package changes

import (
	"sync"

	"github.com/bowline-mcp/bowline/internal/turn"
)

// A queue lets followers tell their clients what waits, one after the other. A
// goroutine for each would be simpler, but a thousand that a change wakes at once
// hold up all calls. A client that takes its time holds up the others for a moment:
// then another goroutine goes on with the rest.
type queue struct {
	lock    sync.Mutex
	waiting []*Follower
	running bool // whether a goroutine has its turn
}

// add puts a follower into the queue.
func (q *queue) add(f *Follower) {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.waiting = append(q.waiting, f)
	if !q.running {
		q.running = true
		go q.run()
	}
}

// next returns the follower whose turn it is, nil when there is none and the goroutine
// must end.
func (q *queue) next() *Follower {
	q.lock.Lock()
	defer q.lock.Unlock()
	if len(q.waiting) == 0 {
		q.waiting, q.running = nil, false
		return nil
	}
	f := q.waiting[0]
	q.waiting[0] = nil
	q.waiting = q.waiting[1:]
	return f
}

func (q *queue) run() {
	mine := turn.New(q.run)
	for f := q.next(); f != nil; f = q.next() {
		mine.Begin()
		f.deliver()
		if !mine.End() {
			return
		}
	}
}
