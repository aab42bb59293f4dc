package call

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A Lifecycle is shared by all servers of a program. It counts the running calls, and stops
// them when the program ends.
type Lifecycle struct {
	ctx       context.Context
	cancel    context.CancelFunc
	running   atomic.Int64
	abandoned atomic.Int64
	draining  atomic.Bool
	idle      chan struct{} // receives a token when the last call of a draining program ends

	lock   sync.Mutex
	ending []func() // called when draining begins
}

// NewLifecycle returns a lifecycle that accepts calls.
func NewLifecycle() *Lifecycle {
	ctx, cancel := context.WithCancel(context.Background())
	return &Lifecycle{ctx: ctx, cancel: cancel, idle: make(chan struct{}, 1)}
}

// Draining reports whether new calls are refused.
func (l *Lifecycle) Draining() bool { return l.draining.Load() }

// AtDrain registers a function that is called when draining begins. It must not block.
func (l *Lifecycle) AtDrain(fn func()) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.ending = append(l.ending, fn)
}

// begin counts a call, or refuses it.
func (l *Lifecycle) begin() bool {
	l.running.Add(1)
	if l.draining.Load() {
		l.end()
		return false
	}
	return true
}

// end counts a call as answered.
func (l *Lifecycle) end() {
	if l.running.Add(-1) == 0 && l.draining.Load() {
		select {
		case l.idle <- struct{}{}:
		default:
		}
	}
}

// Drain refuses new calls, ends streams, and waits until the running calls are answered.
// After the limit, it cancels the remaining calls and waits for the grace time. It returns
// the number of calls that still run.
func (l *Lifecycle) Drain(limit, grace time.Duration) int {
	l.draining.Store(true)
	defer l.cancel()
	l.lock.Lock()
	for _, end := range l.ending {
		end()
	}
	l.lock.Unlock()
	if !l.wait(limit) {
		l.cancel()
		l.wait(grace)
	}
	return int(l.running.Load())
}

// wait reports whether all calls were answered within the time.
func (l *Lifecycle) wait(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for l.running.Load() > 0 {
		select {
		case <-l.idle:
		case <-timer.C:
			return false
		}
	}
	return true
}
