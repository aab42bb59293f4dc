// Package handoff lets one goroutine run tasks one after the other until a task is slow. Then
// another goroutine takes over the remaining tasks. Most tasks are fast, and waking a
// goroutine for each would cost more than the task itself. Stdio serves calls in this way,
// and package changes sends notifications.
package handoff

import (
	"sync"
	"time"
)

// takeOver is the interval of ticks. A slow task delays the others for one to two intervals.
const takeOver = time.Millisecond

// A Worker is the goroutine that runs the tasks. Another one may take over during a task.
//
// Setting a timer for each task would cost 8 to 20 % of the CPU of a ping-pong on stdio.
// Instead, the timer ticks while there are tasks, and another goroutine takes over if two
// ticks find the same task running.
type Worker struct {
	next  func() // takes over from this goroutine
	timer *time.Timer

	lock    sync.Mutex
	begun   uint64 // number of tasks so far
	seen    uint64 // begun at the last tick
	busy    bool
	passed  bool
	ticking bool
}

// New returns a worker that calls next, on another goroutine, if a task is slow.
func New(next func()) *Worker { return &Worker{next: next} }

// Begin marks the beginning of a task.
func (w *Worker) Begin() {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.begun++
	w.busy = true
	if !w.ticking {
		w.tickLater()
	}
}

// End marks the end of a task. It reports whether this goroutine is still the worker.
func (w *Worker) End() bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.busy = false
	return !w.passed
}

// Pass lets another goroutine take over because this one ends. It reports whether this one was
// still the worker.
func (w *Worker) Pass() bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	mine := !w.passed
	w.busy, w.passed = false, true
	return mine
}

// tickLater sets the timer. The caller holds the lock.
func (w *Worker) tickLater() {
	w.ticking = true
	if w.timer == nil {
		w.timer = time.AfterFunc(takeOver, w.tick)
	} else {
		w.timer.Reset(takeOver)
	}
}

func (w *Worker) tick() {
	w.lock.Lock()
	switch {
	case w.busy && w.begun == w.seen:
		w.passed = true
		w.lock.Unlock()
		w.next()
		return
	case w.begun == w.seen: // no task has begun since the last tick
		w.ticking = false
	default:
		w.seen = w.begun
		w.tickLater()
	}
	w.lock.Unlock()
}
