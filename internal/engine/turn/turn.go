// Package turn lets one goroutine run tasks one after the other until a task is slow. Then
// another goroutine takes over the remaining tasks. Most tasks are fast, and waking a
// goroutine for each would cost more than the task itself. Stdio serves calls in this way,
// and package changes sends notifications.
package turn

import (
	"sync"
	"time"
)

// takeOver is the interval of ticks. A slow task delays the others for one to two intervals.
const takeOver = time.Millisecond

// A Turn is one goroutine's turn to run tasks. It may pass to another goroutine during a
// task.
//
// Setting a timer for each task would cost 8 to 20 % of the CPU of a ping-pong on stdio.
// Instead, the timer ticks while there are tasks, and the turn passes if two ticks find the
// same task running.
type Turn struct {
	next  func() // takes over from this goroutine
	timer *time.Timer

	lock    sync.Mutex
	begun   uint64 // number of tasks so far
	seen    uint64 // begun at the last tick
	busy    bool
	passed  bool
	ticking bool
}

// New returns a turn that calls next, on another goroutine, if a task is slow.
func New(next func()) *Turn { return &Turn{next: next} }

// Begin marks the beginning of a task.
func (t *Turn) Begin() {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.begun++
	t.busy = true
	if !t.ticking {
		t.tickLater()
	}
}

// End marks the end of a task. It reports whether this goroutine still has the turn.
func (t *Turn) End() bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.busy = false
	return !t.passed
}

// Pass gives up the turn because this goroutine ends. It reports whether the goroutine
// still had the turn.
func (t *Turn) Pass() bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	mine := !t.passed
	t.busy, t.passed = false, true
	return mine
}

// tickLater sets the timer. The caller holds the lock.
func (t *Turn) tickLater() {
	t.ticking = true
	if t.timer == nil {
		t.timer = time.AfterFunc(takeOver, t.tick)
	} else {
		t.timer.Reset(takeOver)
	}
}

func (t *Turn) tick() {
	t.lock.Lock()
	switch {
	case t.busy && t.begun == t.seen:
		t.passed = true
		t.lock.Unlock()
		t.next()
		return
	case t.begun == t.seen: // no task has begun since the last tick
		t.ticking = false
	default:
		t.seen = t.begun
		t.tickLater()
	}
	t.lock.Unlock()
}
