package transport

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// A queue limits how many calls of a connection run at once. The others wait, in order.
type queue struct {
	limit int
	idle  chan struct{} // receives a token when nothing runs or waits

	lock    sync.Mutex
	running int
	waiting []*connectionReply
}

func newQueue(limit int) queue {
	return queue{limit: limit, idle: make(chan struct{}, 1)}
}

type entry int

const (
	runs entry = iota
	waits
	refused
)

// enter lets a call run, lets it wait, or refuses it.
func (q *queue) enter(in *connectionReply) entry {
	q.lock.Lock()
	defer q.lock.Unlock()
	switch {
	case q.running < q.limit:
		q.running++
		return runs
	case len(q.waiting) < limits.MaxWaiting:
		q.waiting = append(q.waiting, in)
		return waits
	}
	return refused
}

// leave removes a call that ran, and starts the next one that waits.
func (q *queue) leave(start func(*connectionReply)) {
	q.lock.Lock()
	defer q.lock.Unlock()
	if len(q.waiting) > 0 {
		next := q.waiting[0]
		q.waiting = slices.Delete(q.waiting, 0, 1)
		start(next)
		return
	}
	if q.running--; q.running == 0 {
		select {
		case q.idle <- struct{}{}:
		default:
		}
	}
}

// drop removes a waiting call that was canceled.
func (q *queue) drop(id []byte) {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(in *connectionReply) bool {
		dropped := id != nil && bytes.Equal(in.arrival.Message.ID, id)
		if dropped {
			in.release()
		}
		return dropped
	})
}

// clear removes all waiting calls.
func (q *queue) clear(refuse func(*connectionReply)) {
	q.lock.Lock()
	waiting := q.waiting
	q.waiting = nil
	q.lock.Unlock()
	for _, in := range waiting {
		in.release()
		refuse(in)
	}
}

// wait reports whether all calls ended within the time.
func (q *queue) wait(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		q.lock.Lock()
		busy := q.running > 0 || len(q.waiting) > 0
		q.lock.Unlock()
		if !busy {
			return true
		}
		select {
		case <-q.idle:
		case <-timer.C:
			return false
		}
	}
}
